-- The processes that sweep. A node's own row, written every few seconds, shows
-- whether the database was reachable: a gap resets steady_since, and a node
-- that is not steady calls nobody dead.

-- +goose Up
CREATE TABLE nodes (
    id           uuid PRIMARY KEY,
    name         text NOT NULL,
    started_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    steady_since timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX nodes_seen_at ON nodes (seen_at);
