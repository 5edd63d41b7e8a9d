-- People, their tokens and sessions. These tables are global: they are not
-- spread by owner (2-ledger, "Spread by owner").

-- +goose Up
CREATE TABLE users (
    id            uuid PRIMARY KEY,
    email         text NOT NULL CHECK (email = lower(email)),
    name          text NOT NULL,
    role          text NOT NULL CHECK (role IN ('user', 'support', 'admin')),
    password_hash text NOT NULL,
    -- Sessions carry the epoch they began in: a new password moves it, and with
    -- it every older session ends.
    session_epoch integer NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    disabled_at   timestamptz,
    CONSTRAINT users_email UNIQUE (email)
);

CREATE TABLE api_tokens (
    id           uuid PRIMARY KEY,
    owner_id     uuid NOT NULL REFERENCES users (id),
    name         text NOT NULL,
    sha256       bytea NOT NULL CHECK (length(sha256) = 32),
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_used_at timestamptz,
    revoked_at   timestamptz,
    CONSTRAINT api_tokens_sha256 UNIQUE (sha256)
);
CREATE INDEX api_tokens_owner ON api_tokens (owner_id, created_at);

-- One row a browser that signed in. The token is a hash; data is scs's own. A
-- session ends when it was idle for too long, and at ends_at whatever happens.
CREATE TABLE sessions (
    token      text PRIMARY KEY,
    data       bytea NOT NULL,
    idle_until timestamptz NOT NULL,
    ends_at    timestamptz NOT NULL,
    CHECK (idle_until <= ends_at)
);
CREATE INDEX sessions_idle_until ON sessions (idle_until);

-- What somebody typed when the session was gone, kept for that person alone.
CREATE TABLE drafts (
    owner_id        uuid NOT NULL,
    idempotency_key text NOT NULL,
    job_type        text NOT NULL,
    form            bytea NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (owner_id, idempotency_key)
);
CREATE INDEX drafts_created_at ON drafts (created_at);

-- Keys of the MACs that kwit itself makes and checks, one for each purpose.
CREATE TABLE mac_keys (
    purpose text PRIMARY KEY,
    key     bytea NOT NULL CHECK (length(key) = 32)
);
