-- What a provider is asked, and says by itself, about an earlier request.

-- +goose Up
ALTER TABLE attempts
    ADD COLUMN next_enquiry_at timestamptz,
    ADD COLUMN enquiry_count   integer NOT NULL DEFAULT 0,
    -- Its provider is to be told that nobody wants the work any more.
    ADD COLUMN cancel_call_at  timestamptz;
CREATE INDEX attempts_cancel_call_due ON attempts (cancel_call_at) WHERE cancel_call_at IS NOT NULL;
CREATE INDEX attempts_enquiry_due ON attempts (next_enquiry_at) WHERE next_enquiry_at IS NOT NULL;

CREATE TABLE enquiries (
    owner_id   uuid NOT NULL,
    id         uuid NOT NULL,
    attempt_id uuid NOT NULL,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind       text NOT NULL CHECK (kind IN ('status', 'replay')),
    told       text NOT NULL CHECK (told IN ('succeeded', 'failed', 'running', 'not_known', 'no_answer')),
    status     integer NOT NULL,
    detail     text NOT NULL,
    PRIMARY KEY (owner_id, id),
    FOREIGN KEY (owner_id, attempt_id) REFERENCES attempts (owner_id, id)
);
CREATE INDEX enquiries_of_attempt ON enquiries (owner_id, attempt_id, at);

-- A callback's id counts once for each provider.
CREATE TABLE webhook_ids (
    provider    text NOT NULL,
    webhook_id  text NOT NULL,
    attempt_id  uuid NOT NULL,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (provider, webhook_id)
);
CREATE INDEX webhook_ids_received_at ON webhook_ids (received_at);
