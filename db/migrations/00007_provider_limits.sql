-- What holds for a provider on all nodes: how many attempts may run at once,
-- and whether any may be sent at all.

-- +goose Up
CREATE TABLE provider_slots (
    provider   text NOT NULL,
    n          integer NOT NULL CHECK (n > 0),
    owner_id   uuid,
    attempt_id uuid,
    PRIMARY KEY (provider, n),
    CONSTRAINT provider_slots_whole CHECK ((owner_id IS NULL) = (attempt_id IS NULL))
);
CREATE UNIQUE INDEX provider_slots_attempt ON provider_slots (attempt_id) WHERE attempt_id IS NOT NULL;

CREATE TABLE provider_pauses (
    provider  text PRIMARY KEY,
    paused_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    paused_by uuid NOT NULL,
    reason    text NOT NULL
);
