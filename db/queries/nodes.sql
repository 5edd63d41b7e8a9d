-- name: BeatNode :one
-- A node's own heartbeat, and whether it may call others dead: no gap over 10 s
-- in its last 30 s.
INSERT INTO nodes (id, name) VALUES ($1, $2)
ON CONFLICT (id) DO UPDATE
SET steady_since = CASE WHEN nodes.seen_at < clock_timestamp() - interval '10 seconds'
        THEN clock_timestamp() ELSE nodes.steady_since END,
    seen_at = clock_timestamp()
RETURNING (clock_timestamp() - steady_since > interval '30 seconds')::bool AS steady;

-- name: ForgetDeadNodes :exec
DELETE FROM nodes WHERE seen_at < clock_timestamp() - interval '1 day';

-- name: Notify :exec
SELECT pg_notify(sqlc.arg(channel)::text, sqlc.arg(payload)::text);
