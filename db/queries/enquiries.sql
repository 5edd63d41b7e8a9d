-- name: TakeDueEnquiries :many
-- The turn to ask is taken by whoever moves the due time on: 15 s, 30 s, 1 min
-- and so on up to 15 min after the doubt; what a provider has accepted is asked
-- for sooner. It is no transition.
UPDATE attempts a
SET enquiry_count = enquiry_count + 1,
    next_enquiry_at = clock_timestamp() + CASE WHEN state = 'running'
        THEN make_interval(secs => least(60, 5 * power(2, least(enquiry_count, 10))))
        ELSE make_interval(secs => least(900, 30 * power(2, least(enquiry_count, 10)))) END
WHERE (a.owner_id, a.id) IN (
    SELECT d.owner_id, d.id FROM attempts d
    WHERE d.next_enquiry_at <= clock_timestamp()
    ORDER BY d.next_enquiry_at LIMIT $1
    FOR UPDATE SKIP LOCKED)
RETURNING a.owner_id, a.id;

-- name: StopEnquiringIfState :exec
-- Its provider cannot be asked about an attempt in this state.
UPDATE attempts SET next_enquiry_at = NULL WHERE owner_id = $1 AND id = $2 AND state = $3;

-- name: EnquireNow :exec
UPDATE attempts SET next_enquiry_at = clock_timestamp() WHERE owner_id = $1 AND id = $2;

-- name: SentWithin :one
-- Whether the first send is younger than that, by the database's clock. A worker
-- that died before it noted the first byte sent it after its claim.
SELECT coalesce(coalesce(sent_at, started_at) > clock_timestamp() - make_interval(secs => sqlc.arg(seconds)::float8), false)::bool
FROM attempts
WHERE owner_id = sqlc.arg(owner_id) AND id = sqlc.arg(id);

-- name: WasReplayed :one
SELECT EXISTS (SELECT 1 FROM events WHERE owner_id = $1 AND attempt_id = sqlc.arg(attempt_id)::uuid AND action = 'replayed');

-- name: InsertEnquiryOnce :execrows
INSERT INTO enquiries (owner_id, id, attempt_id, kind, told, status, detail) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (owner_id, id) DO NOTHING;

-- name: EnquiriesOfJob :many
SELECT e.attempt_id, e.at, e.kind, e.told, e.status, e.detail
FROM enquiries e
JOIN attempts a ON a.owner_id = e.owner_id AND a.id = e.attempt_id
WHERE a.owner_id = $1 AND a.job_id = $2
ORDER BY e.at;

-- name: LatestEnquiries :many
-- The last one about each of some attempts.
SELECT DISTINCT ON (owner_id, attempt_id) attempt_id, at, kind, told, status, detail
FROM enquiries
WHERE owner_id = ANY(sqlc.arg(owner_ids)::uuid[]) AND attempt_id = ANY(sqlc.arg(attempt_ids)::uuid[])
ORDER BY owner_id, attempt_id, at DESC;

-- name: WebhookSeen :one
SELECT attempt_id FROM webhook_ids WHERE provider = $1 AND webhook_id = $2;

-- name: InsertWebhook :exec
INSERT INTO webhook_ids (provider, webhook_id, attempt_id) VALUES ($1, $2, $3)
ON CONFLICT (provider, webhook_id) DO NOTHING;

-- name: ForgetWebhooks :exec
DELETE FROM webhook_ids WHERE received_at < clock_timestamp() - interval '24 hours';

-- name: Clock :one
SELECT clock_timestamp()::timestamptz;

-- name: WantCancelCalls :exec
-- The job is cancelled: whoever may still work on it is told.
UPDATE attempts SET cancel_call_at = clock_timestamp()
WHERE owner_id = $1 AND job_id = $2 AND state IN ('running', 'unknown', 'released');

-- name: TakeDueCancelCalls :many
-- Taken by one node, and made at most once.
UPDATE attempts a
SET cancel_call_at = NULL
WHERE (a.owner_id, a.id) IN (
    SELECT d.owner_id, d.id FROM attempts d
    WHERE d.cancel_call_at IS NOT NULL
    ORDER BY d.cancel_call_at LIMIT $1
    FOR UPDATE SKIP LOCKED)
RETURNING a.owner_id, a.id;
