-- The part of River's queue table that kwit reads, for sqlc alone: River's own
-- migrations make the table.
CREATE TABLE river_job (
    id           bigint NOT NULL,
    args         jsonb NOT NULL,
    kind         text NOT NULL,
    state        text NOT NULL,
    attempted_at timestamptz
);
