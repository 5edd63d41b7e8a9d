-- name: BrokenInvariants :many
-- What `kwit verify` looks for: rows that break an invariant of 2-ledger. On a
-- sound database there are none.
(SELECT 'I1'::text AS invariant, 'a job without its submission or without an attempt'::text AS what, j.owner_id, j.id
FROM jobs j
WHERE NOT EXISTS (SELECT 1 FROM events e
        WHERE e.owner_id = j.owner_id AND e.job_id = j.id AND e.action = 'submitted')
    OR NOT EXISTS (SELECT 1 FROM attempts a WHERE a.owner_id = j.owner_id AND a.job_id = j.id)
ORDER BY j.owner_id, j.id
LIMIT sqlc.arg(most))
UNION ALL
(SELECT 'I1', 'a second job under the same key', j.owner_id, j.id
FROM jobs j
WHERE EXISTS (SELECT 1 FROM jobs k
    WHERE k.owner_id = j.owner_id AND k.idempotency_key = j.idempotency_key AND k.id <> j.id)
ORDER BY j.owner_id, j.id
LIMIT sqlc.arg(most))
UNION ALL
(SELECT 'I2', 'a job with more than one open attempt', a.owner_id, a.job_id AS id
FROM attempts a
WHERE a.state IN ('pending', 'running', 'unknown')
GROUP BY a.owner_id, a.job_id
HAVING count(*) > 1
ORDER BY a.owner_id, a.job_id
LIMIT sqlc.arg(most))
UNION ALL
(SELECT 'I3', 'an attempt whose claims do not agree with its events', a.owner_id, a.id
FROM attempts a
LEFT JOIN events e ON e.owner_id = a.owner_id AND e.attempt_id = a.id AND e.action = 'claimed'
GROUP BY a.owner_id, a.id, a.claim_stamp
HAVING count(e.id) <> CASE WHEN a.claim_stamp IS NULL THEN 0 ELSE 1 END
ORDER BY a.owner_id, a.id
LIMIT sqlc.arg(most))
UNION ALL
(SELECT 'I4', 'a result that does not agree with its digest, its winner or its event', j.owner_id, j.id
FROM jobs j
LEFT JOIN attempts w ON w.owner_id = j.owner_id AND w.id = j.completed_by
WHERE j.completed_by IS NOT NULL
    AND (w.job_id <> j.id OR w.state <> 'succeeded'
        OR (j.result IS NOT NULL AND sha256(j.result) <> j.result_sha256)
        OR 1 <> (SELECT count(*) FROM events e WHERE e.owner_id = j.owner_id AND e.job_id = j.id
            AND e.attempt_id IS NOT NULL AND e.to_state = 'succeeded'))
ORDER BY j.owner_id, j.id
LIMIT sqlc.arg(most))
UNION ALL
(SELECT 'I5', 'a failed attempt without proof that it failed', a.owner_id, a.id
FROM attempts a
WHERE a.state = 'failed'
    AND NOT EXISTS (SELECT 1 FROM events e WHERE e.owner_id = a.owner_id AND e.attempt_id = a.id
        AND e.to_state = 'failed' AND e.proof IS NOT NULL
        AND (e.proof <> 'no_byte_written' OR e.from_state = 'running'))
ORDER BY a.owner_id, a.id
LIMIT sqlc.arg(most))
UNION ALL
(SELECT 'I6', 'an attempt that ended neither as the winner nor with its late result', a.owner_id, a.id
FROM attempts a
JOIN jobs j ON j.owner_id = a.owner_id AND j.id = a.job_id
WHERE (a.state = 'succeeded' AND j.completed_by IS DISTINCT FROM a.id)
    OR (a.state = 'discarded' AND NOT EXISTS (
        SELECT 1 FROM late_results l WHERE l.owner_id = a.owner_id AND l.attempt_id = a.id))
ORDER BY a.owner_id, a.id
LIMIT sqlc.arg(most))
UNION ALL
(SELECT 'I7', 'an attempt in a state that no event led to', a.owner_id, a.id
FROM attempts a
WHERE a.state IS DISTINCT FROM (SELECT e.to_state FROM events e
    WHERE e.owner_id = a.owner_id AND e.attempt_id = a.id AND e.to_state IS NOT NULL
    ORDER BY e.seq DESC LIMIT 1)
ORDER BY a.owner_id, a.id
LIMIT sqlc.arg(most))
UNION ALL
(SELECT 'I7', 'a step that does not begin where the one before it ended', e.owner_id, e.attempt_id
FROM (SELECT owner_id, attempt_id, seq, from_state,
        lag(to_state) OVER (PARTITION BY owner_id, attempt_id ORDER BY seq) AS before
    FROM events
    WHERE attempt_id IS NOT NULL AND to_state IS NOT NULL) e
WHERE e.from_state IS DISTINCT FROM e.before
ORDER BY e.owner_id, e.attempt_id
LIMIT sqlc.arg(most))
UNION ALL
(SELECT 'I7', 'a step that the state table does not allow', e.owner_id, e.attempt_id
FROM events e
WHERE e.attempt_id IS NOT NULL AND e.to_state IS NOT NULL
    AND NOT CASE e.from_state
        WHEN 'pending' THEN e.to_state IN ('running', 'cancelled', 'unknown')
        WHEN 'running' THEN e.to_state <> 'pending' -- 'running' again: the provider's 202
        WHEN 'unknown' THEN e.to_state IN ('released', 'succeeded', 'discarded', 'failed', 'cancelled')
        WHEN 'released' THEN e.to_state IN ('succeeded', 'discarded', 'failed', 'cancelled')
        ELSE e.from_state IS NULL AND e.to_state = 'pending'
        END
ORDER BY e.owner_id, e.attempt_id
LIMIT sqlc.arg(most))
UNION ALL
(SELECT 'I7', 'a cancelled job without the event of it', j.owner_id, j.id
FROM jobs j
WHERE j.cancelled_at IS NOT NULL
    AND 1 <> (SELECT count(*) FROM events e
        WHERE e.owner_id = j.owner_id AND e.job_id = j.id AND e.action = 'job_cancelled')
ORDER BY j.owner_id, j.id
LIMIT sqlc.arg(most))
UNION ALL
(SELECT 'I7', 'a job whose state does not follow from its attempts', j.owner_id, j.id
FROM jobs j
WHERE j.state <> CASE
    WHEN j.completed_by IS NOT NULL THEN 'succeeded'
    WHEN j.cancelled_at IS NOT NULL THEN 'cancelled'
    ELSE coalesce(
        (SELECT CASE a.state WHEN 'pending' THEN 'queued' ELSE a.state END FROM attempts a
            WHERE a.owner_id = j.owner_id AND a.job_id = j.id AND a.state IN ('pending', 'running', 'unknown') LIMIT 1),
        (SELECT 'unknown' FROM attempts a
            WHERE a.owner_id = j.owner_id AND a.job_id = j.id AND a.state = 'released' LIMIT 1),
        CASE WHEN j.next_attempt_at IS NOT NULL THEN 'waiting' ELSE 'failed' END)
    END
ORDER BY j.owner_id, j.id
LIMIT sqlc.arg(most))
UNION ALL
(SELECT 'slots', 'a slot of a provider that is taken for an attempt which does not run there', s.owner_id::uuid, s.attempt_id::uuid
FROM provider_slots s
WHERE s.attempt_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.owner_id = s.owner_id AND a.id = s.attempt_id
        AND a.state = 'running' AND a.provider = s.provider)
ORDER BY s.provider, s.n
LIMIT sqlc.arg(most));
