-- name: InsertUserIfEmailFree :execrows
INSERT INTO users (id, email, name, role, password_hash)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (email) DO NOTHING;

-- name: UserByID :one
SELECT id, email, name, role, password_hash, session_epoch, created_at, disabled_at
FROM users
WHERE id = $1;

-- name: UserByEmail :one
SELECT id, email, name, role, password_hash, session_epoch, created_at, disabled_at
FROM users
WHERE email = $1;

-- name: Users :many
SELECT id, email, name, role, password_hash, session_epoch, created_at, disabled_at
FROM users
ORDER BY email;

-- name: LockUserIfEnabled :one
-- Puts those who keep something for the same person into an order.
SELECT id
FROM users
WHERE id = $1 AND disabled_at IS NULL
FOR NO KEY UPDATE;

-- name: DisableUser :execrows
-- The epoch moves, so that every session ends. The first time stays noted.
UPDATE users
SET disabled_at = coalesce(disabled_at, clock_timestamp()), session_epoch = session_epoch + 1
WHERE id = $1;

-- name: SetUserPassword :execrows
UPDATE users
SET password_hash = $2, session_epoch = session_epoch + 1
WHERE id = $1;

-- name: SetUserRole :execrows
UPDATE users SET role = $2 WHERE id = $1;

-- name: InsertTokenIfOwnerEnabled :one
INSERT INTO api_tokens (id, owner_id, name, sha256)
SELECT sqlc.arg(id), u.id, sqlc.arg(name), sqlc.arg(sha256)
FROM users u
WHERE u.id = sqlc.arg(owner_id) AND u.disabled_at IS NULL
ON CONFLICT (id) DO NOTHING
RETURNING id, owner_id, name, sha256, created_at, last_used_at, revoked_at;

-- name: LiveTokenBySHA256 :one
-- A token acts as its owner: revoked, or the owner disabled, is as if it never was.
SELECT sqlc.embed(t), sqlc.embed(u),
    (t.last_used_at IS NULL OR t.last_used_at < clock_timestamp() - interval '1 minute')::bool AS use_is_stale
FROM api_tokens t
JOIN users u ON u.id = t.owner_id
WHERE t.sha256 = $1 AND t.revoked_at IS NULL AND u.disabled_at IS NULL;

-- name: NoteTokenUseIfStale :exec
-- Once a minute at most. Of many requests at once one writes, the others pass by.
UPDATE api_tokens
SET last_used_at = clock_timestamp()
WHERE id = (
    SELECT id FROM api_tokens t
    WHERE t.id = $1 AND (t.last_used_at IS NULL OR t.last_used_at < clock_timestamp() - interval '1 minute')
    FOR UPDATE SKIP LOCKED);

-- name: TokensOfOwner :many
SELECT id, owner_id, name, sha256, created_at, last_used_at, revoked_at
FROM api_tokens
WHERE owner_id = $1
ORDER BY created_at DESC, id DESC;

-- name: RevokeToken :execrows
UPDATE api_tokens
SET revoked_at = coalesce(revoked_at, clock_timestamp())
WHERE owner_id = $1 AND id = $2;

-- name: RevokeTokensOfOwner :exec
UPDATE api_tokens SET revoked_at = clock_timestamp() WHERE owner_id = $1 AND revoked_at IS NULL;

-- name: LiveSession :one
-- idle_is_stale: the session was last extended over a minute ago.
SELECT data, (idle_until < least(ends_at, clock_timestamp() + make_interval(secs => sqlc.arg(idle_seconds)::float8))
    - interval '1 minute')::bool AS idle_is_stale
FROM sessions
WHERE token = sqlc.arg(token) AND idle_until > clock_timestamp();

-- name: ExtendSessionIfLive :exec
-- Never brings back a session that ended meanwhile.
UPDATE sessions
SET idle_until = least(ends_at, clock_timestamp() + make_interval(secs => sqlc.arg(idle_seconds)::float8))
WHERE token = sqlc.arg(token) AND idle_until > clock_timestamp();

-- name: KeepSession :exec
INSERT INTO sessions (token, data, ends_at, idle_until)
VALUES (sqlc.arg(token), sqlc.arg(data), sqlc.arg(ends_at),
    least(sqlc.arg(ends_at), clock_timestamp() + make_interval(secs => sqlc.arg(idle_seconds)::float8)))
ON CONFLICT (token) DO UPDATE
SET data = excluded.data, ends_at = excluded.ends_at, idle_until = excluded.idle_until;

-- name: SessionIsLive :one
SELECT EXISTS (SELECT 1 FROM sessions WHERE token = $1 AND idle_until > clock_timestamp());

-- name: DeleteSession :exec
DELETE FROM sessions WHERE token = $1;

-- name: DeleteEndedSessions :exec
DELETE FROM sessions WHERE idle_until <= clock_timestamp();

-- name: KeepDraft :exec
INSERT INTO drafts (owner_id, idempotency_key, job_type, form)
VALUES ($1, $2, $3, $4)
ON CONFLICT (owner_id, idempotency_key) DO UPDATE
SET job_type = excluded.job_type, form = excluded.form, created_at = excluded.created_at;

-- name: DropDraftsBeyond :exec
-- The oldest go.
DELETE FROM drafts o
WHERE o.owner_id = sqlc.arg(owner_id) AND o.idempotency_key IN (
    SELECT d.idempotency_key FROM drafts d
    WHERE d.owner_id = sqlc.arg(owner_id)
    ORDER BY d.created_at DESC
    OFFSET sqlc.arg(most)::int);

-- name: DraftByKey :one
SELECT idempotency_key, job_type, form, created_at
FROM drafts
WHERE owner_id = $1 AND idempotency_key = $2 AND created_at > clock_timestamp() - interval '1 hour';

-- name: DraftsOfOwner :many
SELECT idempotency_key, job_type, created_at
FROM drafts
WHERE owner_id = $1 AND created_at > clock_timestamp() - interval '1 hour'
ORDER BY created_at DESC;

-- name: DeleteDraft :exec
DELETE FROM drafts WHERE owner_id = $1 AND idempotency_key = $2;

-- name: DeleteOldDrafts :exec
DELETE FROM drafts WHERE created_at <= clock_timestamp() - interval '1 hour';

-- name: MakeMACKeyIfAbsent :exec
INSERT INTO mac_keys (purpose, key) VALUES ($1, $2) ON CONFLICT (purpose) DO NOTHING;

-- name: MACKey :one
SELECT key FROM mac_keys WHERE purpose = $1;
