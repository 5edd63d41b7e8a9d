-- name: EnsureSlots :exec
-- The rows of a provider's limit. What a smaller limit leaves over is not taken.
INSERT INTO provider_slots (provider, n)
SELECT sqlc.arg(provider)::text, generate_series(1, sqlc.arg(slots)::integer)
ON CONFLICT (provider, n) DO NOTHING;

-- name: TakeSlotIfFree :execrows
-- Nobody waits for a slot that another claim is just taking. What still runs in
-- slots beyond a limit that became smaller stands for as many of the others.
UPDATE provider_slots
SET owner_id = sqlc.arg(owner_id)::uuid, attempt_id = sqlc.arg(attempt_id)::uuid
WHERE (provider, n) = (
    SELECT s.provider, s.n FROM provider_slots s
    WHERE s.provider = sqlc.arg(provider) AND s.n <= sqlc.arg(slots)::integer AND s.attempt_id IS NULL
    ORDER BY s.n LIMIT 1
    OFFSET (SELECT count(*) FROM provider_slots beyond
        WHERE beyond.provider = sqlc.arg(provider) AND beyond.n > sqlc.arg(slots)::integer
            AND beyond.attempt_id IS NOT NULL)
    FOR UPDATE OF s SKIP LOCKED);

-- name: FreeSlot :exec
UPDATE provider_slots SET owner_id = NULL, attempt_id = NULL WHERE attempt_id = $1;

-- name: PauseOf :one
SELECT provider, paused_at, paused_by, reason FROM provider_pauses WHERE provider = $1;

-- name: Pauses :many
SELECT p.provider, p.paused_at, p.paused_by, p.reason, u.email
FROM provider_pauses p
LEFT JOIN users u ON u.id = p.paused_by
ORDER BY p.provider;

-- name: PauseProvider :execrows
INSERT INTO provider_pauses (provider, paused_by, reason) VALUES ($1, $2, $3)
ON CONFLICT (provider) DO NOTHING;

-- name: ResumeProviderIfPausedSince :execrows
-- Lifts the pause that somebody saw, and no later one.
DELETE FROM provider_pauses WHERE provider = $1 AND paused_at = $2;

-- name: OpenAttemptsByProvider :many
-- Over what has not ended, which a partial index holds together.
SELECT provider, state, count(*) AS attempts, min(state_at)::timestamptz AS oldest
FROM attempts
WHERE state IN ('pending', 'running', 'unknown', 'released')
GROUP BY provider, state
ORDER BY provider, state;

-- name: PendingOfProvider :many
-- A page of them, longest there first; the cursor is the last row's place.
SELECT owner_id, id, provider, state_at
FROM attempts
WHERE state = 'pending' AND provider = sqlc.arg(provider)
    AND (state_at, id) > (sqlc.arg(after_at)::timestamptz, sqlc.arg(after_id)::uuid)
ORDER BY state_at, id
LIMIT sqlc.arg(most);
