-- name: KeepAnswer :exec
-- What was paid for is kept before it is parsed. The whole answer replaces a
-- part of it, never the other way round.
INSERT INTO answers (owner_id, attempt_id, status, media_type, header, body, whole)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (owner_id, attempt_id) DO UPDATE
SET status = excluded.status, media_type = excluded.media_type, header = excluded.header, body = excluded.body,
    whole = excluded.whole, received_at = excluded.received_at
WHERE excluded.whole AND NOT answers.whole;

-- name: AnswerOf :one
SELECT owner_id, attempt_id, status, media_type, header, body, whole, received_at
FROM answers
WHERE owner_id = $1 AND attempt_id = $2;

-- name: DropAnswer :execrows
DELETE FROM answers WHERE owner_id = $1 AND attempt_id = $2;

-- name: DropAnswerIfEnded :execrows
-- What settles nothing is evidence for the person who decides, and goes once
-- the attempt has ended. A whole answer that nobody has looked at stays for the
-- sweep, which logs it as late.
DELETE FROM answers w
USING attempts a
WHERE w.owner_id = $1 AND w.attempt_id = $2 AND (w.judged OR NOT w.whole)
    AND a.owner_id = w.owner_id AND a.id = w.attempt_id
    AND a.state IN ('succeeded', 'failed', 'discarded', 'cancelled');

-- name: UnjudgedAnswers :many
-- Whole answers whose worker died before the verdict. An attempt that runs has
-- a worker, or will be in doubt; one that ended has at most a late result.
SELECT w.owner_id, w.attempt_id
FROM answers w
JOIN attempts a ON a.owner_id = w.owner_id AND a.id = w.attempt_id
WHERE w.whole AND NOT w.judged AND a.state NOT IN ('pending', 'running')
    AND w.received_at < clock_timestamp() - interval '30 seconds'
ORDER BY w.received_at
LIMIT $1;

-- name: AnswerSettlesNothing :exec
UPDATE answers SET judged = true WHERE owner_id = $1 AND attempt_id = $2;
