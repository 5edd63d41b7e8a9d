-- name: InsertJobTypeVersion :exec
INSERT INTO job_type_versions (digest, job_type, definition, repeatable)
VALUES ($1, $2, $3, $4)
ON CONFLICT (digest) DO NOTHING;

-- name: JobTypeVersion :one
SELECT digest, job_type, definition, repeatable, created_at
FROM job_type_versions
WHERE digest = $1;

-- name: InsertJobIfKeyFree :one
-- C04: the unique constraint decides. No row back means that the key is taken;
-- the job under it is read by a second statement, since one statement with
-- UNION would look into the old snapshot.
INSERT INTO jobs (owner_id, id, idempotency_key, job_type, job_type_digest, input, fingerprint, route, state)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'queued')
ON CONFLICT (owner_id, idempotency_key) DO NOTHING
RETURNING owner_id, id, number, idempotency_key, job_type, job_type_digest, input, fingerprint, route, state,
    version, revision, completed_by, completed_at, result, result_sha256, purged_at, next_attempt_at,
    next_provider, cancelled_at, created_at, updated_at;

-- name: JobByKey :one
SELECT owner_id, id, number, idempotency_key, job_type, job_type_digest, input, fingerprint, route, state,
    version, revision, completed_by, completed_at, result, result_sha256, purged_at, next_attempt_at,
    next_provider, cancelled_at, created_at, updated_at
FROM jobs
WHERE owner_id = $1 AND idempotency_key = $2;

-- name: JobByID :one
SELECT owner_id, id, number, idempotency_key, job_type, job_type_digest, input, fingerprint, route, state,
    version, revision, completed_by, completed_at, result, result_sha256, purged_at, next_attempt_at,
    next_provider, cancelled_at, created_at, updated_at
FROM jobs
WHERE owner_id = $1 AND id = $2;

-- name: LockJob :one
-- The first statement of every transition: the lock makes the order.
SELECT owner_id, id, number, idempotency_key, job_type, job_type_digest, input, fingerprint, route, state,
    version, revision, completed_by, completed_at, result, result_sha256, purged_at, next_attempt_at,
    next_provider, cancelled_at, created_at, updated_at
FROM jobs
WHERE owner_id = $1 AND id = $2
FOR UPDATE;

-- name: CompleteJobIfVersion :one
-- C12, the compare-and-swap. No row back: somebody else won, or the job was
-- cancelled, which moves the version too.
UPDATE jobs
SET result = sqlc.arg(result), result_sha256 = sqlc.arg(result_sha256), completed_by = sqlc.arg(attempt_id)::uuid,
    completed_at = clock_timestamp(), state = 'succeeded', version = version + 1,
    next_attempt_at = NULL, next_provider = NULL, updated_at = clock_timestamp()
WHERE owner_id = sqlc.arg(owner_id) AND id = sqlc.arg(id) AND version = sqlc.arg(version) AND completed_by IS NULL
RETURNING version;

-- name: CancelJobIfOpen :execrows
-- Moves the version, which fences every attempt at once.
UPDATE jobs
SET state = 'cancelled', cancelled_at = clock_timestamp(), version = version + 1,
    next_attempt_at = NULL, next_provider = NULL, updated_at = clock_timestamp()
WHERE owner_id = $1 AND id = $2 AND completed_by IS NULL AND cancelled_at IS NULL;

-- name: SettleJob :exec
-- The job's state follows from its attempts and is stored in their transaction.
-- What is final stays: CompleteJobIfVersion and CancelJobIfOpen have set it.
UPDATE jobs
SET state = CASE WHEN completed_by IS NULL AND cancelled_at IS NULL THEN sqlc.arg(state)::text ELSE state END,
    revision = revision + 1, updated_at = clock_timestamp()
WHERE owner_id = sqlc.arg(owner_id) AND id = sqlc.arg(id);

-- name: TouchJob :exec
-- Something about an attempt is new that is no transition.
UPDATE jobs SET revision = revision + 1, updated_at = clock_timestamp() WHERE owner_id = $1 AND id = $2;

-- name: PlanAttempt :exec
-- Another attempt comes by itself.
UPDATE jobs
SET next_attempt_at = clock_timestamp() + make_interval(secs => sqlc.arg(in_seconds)::float8),
    next_provider = sqlc.arg(provider)::text
WHERE owner_id = sqlc.arg(owner_id) AND id = sqlc.arg(id) AND completed_by IS NULL AND cancelled_at IS NULL;

-- name: DropPlan :exec
UPDATE jobs
SET next_attempt_at = NULL, next_provider = NULL, state = CASE WHEN state = 'waiting' THEN 'queued' ELSE state END
WHERE owner_id = $1 AND id = $2 AND next_attempt_at IS NOT NULL;

-- name: DueJob :one
-- Due times are the ledger's, by the database's clock.
SELECT next_provider
FROM jobs
WHERE owner_id = $1 AND id = $2 AND next_attempt_at <= clock_timestamp();

-- name: DueJobs :many
SELECT owner_id, id
FROM jobs
WHERE next_attempt_at <= clock_timestamp()
ORDER BY next_attempt_at
LIMIT $1;

-- name: JobsOfOwner :many
SELECT owner_id, id, number, idempotency_key, job_type, route, state, version, revision, completed_by, completed_at,
    next_attempt_at, created_at
FROM jobs
WHERE owner_id = $1 AND number < $2
ORDER BY number DESC
LIMIT $3;

-- name: JobsOfOwnerInState :many
SELECT owner_id, id, number, idempotency_key, job_type, route, state, version, revision, completed_by, completed_at,
    next_attempt_at, created_at
FROM jobs
WHERE owner_id = $1 AND state = $2 AND number < $3
ORDER BY number DESC
LIMIT $4;

-- name: JobsOfOwnerOfType :many
SELECT owner_id, id, number, idempotency_key, job_type, route, state, version, revision, completed_by, completed_at,
    next_attempt_at, created_at
FROM jobs
WHERE owner_id = $1 AND job_type = $2 AND number < $3
ORDER BY number DESC
LIMIT $4;

-- name: JobsOfOwnerOfTypeInState :many
SELECT owner_id, id, number, idempotency_key, job_type, route, state, version, revision, completed_by, completed_at,
    next_attempt_at, created_at
FROM jobs
WHERE owner_id = $1 AND job_type = $2 AND state = $3 AND number < $4
ORDER BY number DESC
LIMIT $5;

-- name: JobOfOwnerByNumber :one
SELECT id FROM jobs WHERE owner_id = $1 AND number = $2;

-- name: OwnerOfJob :one
SELECT owner_id FROM jobs WHERE id = $1;

-- name: Revisions :many
-- The revisions of the jobs that somebody watches. Both arrays are of one length.
SELECT j.owner_id, j.id, j.revision
FROM jobs j
JOIN (SELECT unnest(sqlc.arg(owner_ids)::uuid[]) AS owner_id, unnest(sqlc.arg(ids)::uuid[]) AS id) w
    ON w.owner_id = j.owner_id AND w.id = j.id;
