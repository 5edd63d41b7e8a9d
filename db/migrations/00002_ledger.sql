-- The ledger: jobs, attempts beneath them, and what is written down about both.
-- Every table of an owner's carries owner_id, and every key of it begins with
-- owner_id, so that the schema can be spread over many servers by owner.

-- +goose Up
CREATE TABLE job_type_versions (
    digest     text PRIMARY KEY,
    job_type   text NOT NULL,
    definition bytea NOT NULL,
    repeatable boolean NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE SEQUENCE ticket_numbers;

CREATE TABLE jobs (
    owner_id        uuid NOT NULL,
    id              uuid NOT NULL,
    number          bigint NOT NULL DEFAULT nextval('ticket_numbers'),
    idempotency_key text NOT NULL CHECK (idempotency_key ~ '^[\x21-\x7e]{1,255}$'),
    job_type        text NOT NULL,
    job_type_digest text NOT NULL,
    -- Exactly as it was sent; NULL only once purged for retention.
    input           bytea,
    fingerprint     text NOT NULL,
    route           text[] NOT NULL CHECK (cardinality(route) > 0),
    state           text NOT NULL CHECK (state IN
        ('queued', 'running', 'unknown', 'waiting', 'succeeded', 'failed', 'cancelled')),
    -- The fence: moves when a result is written and when the job is cancelled.
    version         integer NOT NULL DEFAULT 1,
    -- The change counter: moves with every change of the job or its attempts.
    revision        bigint NOT NULL DEFAULT 1,
    completed_by    uuid,
    completed_at    timestamptz,
    result          bytea,
    result_sha256   bytea CHECK (length(result_sha256) = 32),
    purged_at       timestamptz,
    next_attempt_at timestamptz,
    next_provider   text,
    cancelled_at    timestamptz,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (owner_id, id),
    CONSTRAINT jobs_idempotency_key UNIQUE (owner_id, idempotency_key),
    CONSTRAINT jobs_completed_together CHECK (
        (completed_by IS NULL) = (completed_at IS NULL)
        AND (completed_by IS NULL) = (result_sha256 IS NULL)),
    CONSTRAINT jobs_result_with_winner CHECK (
        CASE WHEN completed_by IS NULL THEN result IS NULL
             ELSE (result IS NULL) = (purged_at IS NOT NULL) END),
    CONSTRAINT jobs_input_kept CHECK (input IS NOT NULL OR purged_at IS NOT NULL),
    CONSTRAINT jobs_succeeded_has_winner CHECK ((state = 'succeeded') = (completed_by IS NOT NULL)),
    CONSTRAINT jobs_cancelled_stands CHECK ((state = 'cancelled') = (cancelled_at IS NOT NULL)),
    CONSTRAINT jobs_waiting_has_plan CHECK (state <> 'waiting' OR next_attempt_at IS NOT NULL),
    CONSTRAINT jobs_plan_whole CHECK ((next_attempt_at IS NULL) = (next_provider IS NULL)),
    CONSTRAINT jobs_final_has_no_plan CHECK (
        next_attempt_at IS NULL OR (completed_by IS NULL AND cancelled_at IS NULL))
);
CREATE INDEX jobs_of_owner ON jobs (owner_id, number);
CREATE INDEX jobs_of_owner_state ON jobs (owner_id, state, number);
CREATE INDEX jobs_of_owner_type ON jobs (owner_id, job_type, number);
-- Operators find the owner first, by whatever they were told.
CREATE INDEX jobs_number ON jobs (number);
CREATE INDEX jobs_id ON jobs (id);
CREATE INDEX jobs_key ON jobs (idempotency_key);
CREATE INDEX jobs_due ON jobs (next_attempt_at) WHERE next_attempt_at IS NOT NULL;

CREATE TABLE attempts (
    owner_id            uuid NOT NULL,
    id                  uuid NOT NULL,
    job_id              uuid NOT NULL,
    ordinal             integer NOT NULL CHECK (ordinal > 0),
    provider            text NOT NULL,
    -- Made by the system (the first one, a retry), not by a person's hand.
    automatic           boolean NOT NULL,
    state               text NOT NULL DEFAULT 'pending' CHECK (state IN
        ('pending', 'running', 'unknown', 'released', 'succeeded', 'failed', 'discarded', 'cancelled')),
    state_at            timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The job's version when the attempt was made: claim and completion test it.
    job_version         integer NOT NULL,
    claim_stamp         uuid,
    claimed_by          uuid,
    started_at          timestamptz,
    heartbeat_at        timestamptz,
    sent_at             timestamptz,
    accepted_at         timestamptz,
    deadline            timestamptz,
    provider_request_id text,
    outcome             text CHECK (outcome IN
        ('succeeded', 'not_sent', 'not_processed', 'rejected', 'provider_error', 'contract',
         'timeout', 'connection_lost', 'answer_lost', 'server_error', 'worker_lost', 'cancelled')),
    detail              text NOT NULL DEFAULT '',
    evidence            jsonb NOT NULL DEFAULT '{}',
    usage               json,
    created_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at            timestamptz,
    PRIMARY KEY (owner_id, id),
    FOREIGN KEY (owner_id, job_id) REFERENCES jobs (owner_id, id),
    CONSTRAINT attempts_ordinal UNIQUE (owner_id, job_id, ordinal),
    CONSTRAINT attempts_claimed CHECK (
        (claim_stamp IS NULL) = (started_at IS NULL)
        AND (claim_stamp IS NOT NULL OR state <> 'running')),
    CONSTRAINT attempts_ended CHECK (
        (ended_at IS NOT NULL) = (state IN ('succeeded', 'failed', 'discarded', 'cancelled')))
);
-- C08, by the database: at most one open attempt of a job.
CREATE UNIQUE INDEX attempts_one_open ON attempts (owner_id, job_id)
    WHERE state IN ('pending', 'running', 'unknown');
CREATE INDEX attempts_in_state ON attempts (state, state_at, id)
    WHERE state IN ('pending', 'running', 'unknown', 'released');
CREATE INDEX attempts_heartbeat ON attempts (heartbeat_at) WHERE state = 'running' AND accepted_at IS NULL;
CREATE INDEX attempts_deadline ON attempts (deadline) WHERE state = 'running';
CREATE INDEX attempts_id ON attempts (id);
CREATE INDEX attempts_provider_request_id ON attempts (provider_request_id) WHERE provider_request_id IS NOT NULL;

ALTER TABLE jobs ADD CONSTRAINT jobs_completed_by
    FOREIGN KEY (owner_id, completed_by) REFERENCES attempts (owner_id, id);

-- What a provider answered, as it arrived, until there is a verdict.
CREATE TABLE answers (
    owner_id            uuid NOT NULL,
    attempt_id          uuid NOT NULL,
    status              integer NOT NULL,
    media_type          text NOT NULL,
    header              bytea NOT NULL,
    body                bytea NOT NULL,
    whole               boolean NOT NULL,
    -- It was looked at and settles nothing: evidence for a person.
    judged              boolean NOT NULL DEFAULT false,
    received_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (owner_id, attempt_id),
    FOREIGN KEY (owner_id, attempt_id) REFERENCES attempts (owner_id, id)
);

CREATE INDEX answers_unjudged ON answers (received_at) WHERE whole AND NOT judged;

CREATE TABLE late_results (
    owner_id          uuid NOT NULL,
    id                uuid NOT NULL,
    seq               bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    attempt_id        uuid NOT NULL,
    job_id            uuid NOT NULL,
    received_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    why               text NOT NULL CHECK (why IN ('lost_race', 'fenced', 'job_cancelled', 'after_failure')),
    late_by_ms        bigint NOT NULL,
    bytes             bigint NOT NULL,
    sha256            bytea NOT NULL CHECK (length(sha256) = 32),
    media_type        text NOT NULL,
    same_as_winner    boolean NOT NULL,
    winner_attempt_id uuid,
    usage             json,
    PRIMARY KEY (owner_id, id),
    FOREIGN KEY (owner_id, attempt_id) REFERENCES attempts (owner_id, id),
    FOREIGN KEY (owner_id, job_id) REFERENCES jobs (owner_id, id),
    CONSTRAINT late_results_once UNIQUE (owner_id, attempt_id, sha256)
);
CREATE INDEX late_results_seq ON late_results (seq);
CREATE INDEX late_results_of_job ON late_results (owner_id, job_id, seq);

CREATE TABLE events (
    owner_id   uuid NOT NULL,
    id         uuid NOT NULL,
    seq        bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor_kind text NOT NULL CHECK (actor_kind IN ('user', 'system', 'provider')),
    actor_id   uuid,
    action     text NOT NULL,
    job_id     uuid,
    attempt_id uuid,
    from_state text,
    to_state   text,
    reason     text NOT NULL DEFAULT '',
    -- What allowed a failure: an answer, no byte written, or a person (I5).
    proof      text CHECK (proof IN ('answer', 'no_byte_written', 'person')),
    request_id text NOT NULL DEFAULT '',
    PRIMARY KEY (owner_id, id),
    CONSTRAINT events_failure_has_proof CHECK (to_state <> 'failed' OR attempt_id IS NULL OR proof IS NOT NULL)
);
CREATE INDEX events_seq ON events (seq);
CREATE INDEX events_of_job ON events (owner_id, job_id, seq);
CREATE INDEX events_of_attempt ON events (owner_id, attempt_id, seq);
