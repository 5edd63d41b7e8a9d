-- name: InsertEvent :exec
INSERT INTO events (owner_id, id, actor_kind, actor_id, action, job_id, attempt_id, from_state, to_state, reason,
    proof, request_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- name: EventExists :one
-- A transition whose COMMIT got no answer is recognised by its first event.
SELECT EXISTS (SELECT 1 FROM events WHERE owner_id = $1 AND id = $2);

-- name: LastMoveOfAttempt :one
-- Who brought the attempt to its present state. What was written down since, a
-- late answer or a plan, moved nothing.
SELECT e.at, e.actor_kind, u.email AS actor_email
FROM events e
LEFT JOIN users u ON u.id = e.actor_id
WHERE e.owner_id = $1 AND e.attempt_id = $2 AND e.to_state <> coalesce(e.from_state, '')
ORDER BY e.seq DESC
LIMIT 1;

-- name: Events :many
SELECT e.seq, e.owner_id, e.id, e.at, e.actor_kind, e.actor_id, u.email AS actor_email, e.action, e.job_id, e.attempt_id,
    e.from_state, e.to_state, e.reason, e.request_id, j.number AS job_number
FROM events e
LEFT JOIN users u ON u.id = e.actor_id
LEFT JOIN jobs j ON j.owner_id = e.owner_id AND j.id = e.job_id
WHERE e.seq < sqlc.arg(before)
ORDER BY e.seq DESC
LIMIT sqlc.arg(most);

-- name: EventsOfJob :many
SELECT e.seq, e.owner_id, e.id, e.at, e.actor_kind, e.actor_id, u.email AS actor_email, e.action, e.job_id, e.attempt_id,
    e.from_state, e.to_state, e.reason, e.request_id, j.number AS job_number
FROM events e
LEFT JOIN users u ON u.id = e.actor_id
LEFT JOIN jobs j ON j.owner_id = e.owner_id AND j.id = e.job_id
WHERE e.owner_id = $1 AND e.job_id = $2
ORDER BY e.seq;

-- name: InsertLateResultOnce :execrows
-- The same bytes for the same attempt are logged once.
INSERT INTO late_results (owner_id, id, attempt_id, job_id, why, late_by_ms, bytes, sha256, media_type,
    same_as_winner, winner_attempt_id, usage)
VALUES (sqlc.arg(owner_id), sqlc.arg(id), sqlc.arg(attempt_id), sqlc.arg(job_id), sqlc.arg(why),
    greatest(0, floor(extract(epoch FROM clock_timestamp() - sqlc.arg(over_since)::timestamptz) * 1000))::bigint,
    sqlc.arg(bytes), sqlc.arg(sha256), sqlc.arg(media_type), sqlc.arg(same_as_winner), sqlc.narg(winner_attempt_id),
    sqlc.narg(usage))
ON CONFLICT (owner_id, attempt_id, sha256) DO NOTHING;

-- name: LateResults :many
SELECT l.seq, l.attempt_id, l.job_id, j.number, j.job_type, a.provider, a.ordinal, l.why, l.received_at, l.late_by_ms, l.bytes, l.sha256,
    l.media_type, l.same_as_winner, l.winner_attempt_id, w.provider AS winner_provider, w.ordinal AS winner_ordinal, l.usage
FROM late_results l
JOIN jobs j ON j.owner_id = l.owner_id AND j.id = l.job_id
JOIN attempts a ON a.owner_id = l.owner_id AND a.id = l.attempt_id
LEFT JOIN attempts w ON w.owner_id = l.owner_id AND w.id = l.winner_attempt_id
WHERE l.seq < sqlc.arg(before)
ORDER BY l.seq DESC
LIMIT sqlc.arg(most);

-- name: LateResultsOfJob :many
SELECT l.seq, l.attempt_id, l.job_id, j.number, j.job_type, a.provider, a.ordinal, l.why, l.received_at, l.late_by_ms, l.bytes, l.sha256,
    l.media_type, l.same_as_winner, l.winner_attempt_id, w.provider AS winner_provider, w.ordinal AS winner_ordinal, l.usage
FROM late_results l
JOIN jobs j ON j.owner_id = l.owner_id AND j.id = l.job_id
JOIN attempts a ON a.owner_id = l.owner_id AND a.id = l.attempt_id
LEFT JOIN attempts w ON w.owner_id = l.owner_id AND w.id = l.winner_attempt_id
WHERE l.owner_id = $1 AND l.job_id = $2
ORDER BY l.seq;
