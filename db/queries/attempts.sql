-- name: InsertAttempt :one
INSERT INTO attempts (owner_id, id, job_id, ordinal, provider, automatic, job_version)
VALUES ($1, $2, $3, $4, $5, $6, $7)
RETURNING owner_id, id, job_id, ordinal, provider, automatic, state, state_at, job_version, claim_stamp, claimed_by,
    started_at, heartbeat_at, sent_at, accepted_at, deadline, provider_request_id, outcome, detail, evidence, usage,
    created_at, ended_at, next_enquiry_at, enquiry_count, cancel_call_at;

-- name: AttemptByID :one
SELECT owner_id, id, job_id, ordinal, provider, automatic, state, state_at, job_version, claim_stamp, claimed_by,
    started_at, heartbeat_at, sent_at, accepted_at, deadline, provider_request_id, outcome, detail, evidence, usage,
    created_at, ended_at, next_enquiry_at, enquiry_count, cancel_call_at
FROM attempts
WHERE owner_id = $1 AND id = $2;

-- name: AttemptsOfJob :many
SELECT owner_id, id, job_id, ordinal, provider, automatic, state, state_at, job_version, claim_stamp, claimed_by,
    started_at, heartbeat_at, sent_at, accepted_at, deadline, provider_request_id, outcome, detail, evidence, usage,
    created_at, ended_at, next_enquiry_at, enquiry_count, cancel_call_at
FROM attempts
WHERE owner_id = $1 AND job_id = $2
ORDER BY ordinal;

-- name: OpenAttemptsOfJobs :many
-- There is at most one a job, which the unique index finds.
SELECT job_id, id
FROM attempts
WHERE owner_id = sqlc.arg(owner_id) AND job_id = ANY(sqlc.arg(job_ids)::uuid[]) AND state IN ('pending', 'running', 'unknown');

-- name: OwnerOfAttempt :one
SELECT owner_id FROM attempts WHERE id = $1;

-- name: AttemptsInState :many
-- Oldest first, over all owners: the operators' list. The cursor is the last
-- row's place.
SELECT a.owner_id, a.id, a.job_id, a.ordinal, a.provider, a.state, a.state_at, a.sent_at, a.started_at, a.outcome,
    a.detail, a.evidence, a.usage, a.created_at, a.provider_request_id, a.accepted_at, a.deadline, a.next_enquiry_at, a.enquiry_count,
    j.number, j.job_type, u.name AS owner_name, u.email AS owner_email, v.repeatable
FROM attempts a
JOIN jobs j ON j.owner_id = a.owner_id AND j.id = a.job_id
JOIN job_type_versions v ON v.digest = j.job_type_digest
JOIN users u ON u.id = a.owner_id
WHERE a.state = sqlc.arg(state)
    AND (a.state_at, a.id) > (sqlc.arg(after_at)::timestamptz, sqlc.arg(after_id)::uuid)
ORDER BY a.state_at, a.id
LIMIT sqlc.arg(most);

-- name: CountAttemptsInDoubt :one
-- Bounded, so that it costs the same whatever lies there.
SELECT count(*), coalesce(min(state_at), 'epoch')::timestamptz AS oldest
FROM (SELECT state_at FROM attempts WHERE state = 'unknown' ORDER BY state_at LIMIT 1000) d;

-- name: ClaimAttemptIfPending :execrows
-- C11: committed before the first byte leaves. The deadline stands from the
-- first instant; noting sent_at brings it forward.
UPDATE attempts
SET state = 'running', state_at = clock_timestamp(), claim_stamp = sqlc.arg(claim_stamp)::uuid,
    claimed_by = sqlc.arg(claimed_by)::uuid, started_at = clock_timestamp(), heartbeat_at = clock_timestamp(),
    deadline = clock_timestamp() + make_interval(secs => 30 + sqlc.arg(timeout_seconds)::float8)
WHERE owner_id = sqlc.arg(owner_id) AND id = sqlc.arg(id) AND state = 'pending' AND job_version = sqlc.arg(job_version);

-- name: MoveAttemptIfState :execrows
-- Every transition but the claim: from the state that was read under the job's
-- lock, to the next.
UPDATE attempts
SET state = sqlc.arg(to_state), state_at = clock_timestamp(),
    outcome = coalesce(sqlc.narg(outcome), outcome),
    -- What was said of a doubt is not true any more of what was done after all.
    detail = coalesce(sqlc.narg(detail), CASE WHEN sqlc.arg(to_state) IN ('succeeded', 'discarded') THEN '' ELSE detail END),
    usage = coalesce(sqlc.narg(usage), usage),
    provider_request_id = coalesce(sqlc.narg(provider_request_id), provider_request_id),
    evidence = evidence || coalesce(sqlc.narg(evidence)::jsonb, '{}'::jsonb),
    -- The first byte, where no beat has noted it yet.
    sent_at = coalesce(sent_at, clock_timestamp() - make_interval(secs => sqlc.narg(sent_ago_seconds)::float8)),
    deadline = CASE WHEN sent_at IS NULL AND sqlc.narg(sent_ago_seconds)::float8 IS NOT NULL
        THEN clock_timestamp() + make_interval(
            secs => sqlc.narg(timeout_seconds)::float8 - sqlc.narg(sent_ago_seconds)::float8)
        ELSE deadline END,
    ended_at = CASE WHEN sqlc.arg(to_state) IN ('succeeded', 'failed', 'discarded', 'cancelled')
        THEN clock_timestamp() END,
    -- A doubt is asked about after a while, and until it ends. The polls of what
    -- was accepted are not its enquiries.
    next_enquiry_at = CASE
        WHEN sqlc.arg(to_state) NOT IN ('unknown', 'released') THEN NULL
        WHEN state = 'running' THEN clock_timestamp() + interval '15 seconds'
        ELSE coalesce(next_enquiry_at, clock_timestamp() + interval '15 seconds') END,
    enquiry_count = CASE WHEN state = 'running' THEN 0 ELSE enquiry_count END,
    cancel_call_at = CASE WHEN sqlc.arg(call_off)::boolean THEN clock_timestamp() ELSE cancel_call_at END
WHERE owner_id = sqlc.arg(owner_id) AND id = sqlc.arg(id) AND state = sqlc.arg(from_state);

-- name: AddEvidenceOnce :execrows
-- Evidence is no transition: it may come after the end.
UPDATE attempts
SET evidence = evidence || sqlc.arg(evidence)::jsonb
WHERE owner_id = sqlc.arg(owner_id) AND id = sqlc.arg(id) AND NOT evidence @> sqlc.arg(evidence)::jsonb;

-- name: NameAttemptIfUnnamed :execrows
-- The provider's own name for the work is a handle, no transition.
UPDATE attempts SET provider_request_id = sqlc.arg(provider_request_id)::text
WHERE owner_id = sqlc.arg(owner_id) AND id = sqlc.arg(id) AND provider_request_id IS NULL;

-- name: AcceptAttemptIfRunning :execrows
-- 202: no worker holds the attempt from now on; only the deadline makes it unknown.
UPDATE attempts
SET accepted_at = clock_timestamp(), next_enquiry_at = clock_timestamp() + interval '5 seconds',
    provider_request_id = coalesce(sqlc.narg(provider_request_id), provider_request_id),
    sent_at = coalesce(sent_at, clock_timestamp() - make_interval(secs => sqlc.narg(sent_ago_seconds)::float8)),
    deadline = CASE WHEN sent_at IS NULL AND sqlc.narg(sent_ago_seconds)::float8 IS NOT NULL
        THEN clock_timestamp() + make_interval(
            secs => sqlc.narg(timeout_seconds)::float8 - sqlc.narg(sent_ago_seconds)::float8)
        ELSE deadline END
WHERE owner_id = sqlc.arg(owner_id) AND id = sqlc.arg(id) AND state = 'running' AND accepted_at IS NULL;

-- name: Beat :many
-- Heartbeat and sent_at are no transitions: no job lock, no revision, no event.
-- A row that another transaction holds is skipped and read again at the next
-- beat. Arrays are of one length; a negative sent_ago says that nothing left yet.
WITH beat AS (
    SELECT unnest(sqlc.arg(owner_ids)::uuid[]) AS owner_id, unnest(sqlc.arg(ids)::uuid[]) AS id,
        unnest(sqlc.arg(stamps)::uuid[]) AS stamp, unnest(sqlc.arg(sent_ago_seconds)::float8[]) AS sent_ago,
        unnest(sqlc.arg(timeout_seconds)::float8[]) AS timeout
), held AS (
    SELECT a.owner_id, a.id, b.sent_ago, b.timeout
    FROM attempts a
    JOIN beat b ON b.owner_id = a.owner_id AND b.id = a.id AND b.stamp = a.claim_stamp
    WHERE a.state = 'running'
    FOR UPDATE OF a SKIP LOCKED
)
UPDATE attempts a
SET heartbeat_at = clock_timestamp(),
    sent_at = CASE WHEN a.sent_at IS NULL AND h.sent_ago >= 0
        THEN clock_timestamp() - make_interval(secs => h.sent_ago) ELSE a.sent_at END,
    deadline = CASE WHEN a.sent_at IS NULL AND h.sent_ago >= 0
        THEN clock_timestamp() - make_interval(secs => h.sent_ago) + make_interval(secs => h.timeout)
        ELSE a.deadline END
FROM held h
WHERE a.owner_id = h.owner_id AND a.id = h.id
RETURNING a.id;

-- name: StillHeld :many
-- Of these attempts, those that are running under the stamp they were claimed with.
SELECT a.id
FROM attempts a
JOIN (SELECT unnest(sqlc.arg(owner_ids)::uuid[]) AS owner_id, unnest(sqlc.arg(ids)::uuid[]) AS id,
        unnest(sqlc.arg(stamps)::uuid[]) AS stamp) b
    ON b.owner_id = a.owner_id AND b.id = a.id AND b.stamp = a.claim_stamp
WHERE a.state = 'running';

-- name: StaleAttempts :many
-- Nobody beats for them any more, as a node sees it that itself has reached the
-- database all the while: one statement, so that nobody sleeps in between.
SELECT a.owner_id, a.id, a.job_id, a.claim_stamp
FROM attempts a
JOIN nodes n ON n.id = sqlc.arg(node)
WHERE a.state = 'running' AND a.accepted_at IS NULL AND a.heartbeat_at < clock_timestamp() - interval '30 seconds'
    AND clock_timestamp() - n.steady_since > interval '30 seconds'
    AND clock_timestamp() - n.seen_at <= interval '10 seconds'
ORDER BY a.heartbeat_at
LIMIT sqlc.arg(most);

-- name: OverdueAttempts :many
-- Past the deadline, whoever beats for them.
SELECT owner_id, id, job_id, claim_stamp
FROM attempts
WHERE state = 'running' AND deadline < clock_timestamp()
ORDER BY deadline
LIMIT $1;

-- name: SleepingAttempts :many
-- Pending for a while, and no living River row would wake anybody. A running
-- row of a pending attempt counts for 15 s only: its worker may be dead.
SELECT a.owner_id, a.id, a.provider
FROM attempts a
WHERE a.state = 'pending' AND a.state_at < clock_timestamp() - interval '5 seconds'
    AND NOT EXISTS (
        SELECT 1 FROM river_job r
        WHERE r.args @> jsonb_build_object('attempt_id', a.id::text)
            AND (r.state IN ('available', 'scheduled', 'retryable')
                OR (r.state = 'running' AND r.attempted_at > clock_timestamp() - interval '15 seconds')))
ORDER BY a.state_at
LIMIT $1;
