-- What the role that serves may do, where it is another than the one that
-- migrates. It then owns no table: an owner could grant himself anything, or
-- switch the triggers off that keep the log append-only.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION let_serve(server name) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), server);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO %I', current_schema(), server);
    EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO %I', current_schema(), server);
    EXECUTE format('REVOKE UPDATE, DELETE ON events, late_results, job_type_versions FROM %I', server);
END $$;
-- +goose StatementEnd

-- A role that nobody signs in as owns the log, where the migrating role may
-- arrange that; where it may not, the log stays with the migrating role.
-- +goose StatementBegin
CREATE FUNCTION hand_over_log() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'kwit_log') THEN
        CREATE ROLE kwit_log NOLOGIN;
    END IF;
    EXECUTE format('GRANT USAGE, CREATE ON SCHEMA %I TO kwit_log', current_schema());
    ALTER TABLE events OWNER TO kwit_log;
    ALTER TABLE late_results OWNER TO kwit_log;
    EXECUTE format('GRANT SELECT, INSERT, REFERENCES ON events, late_results TO %I', current_user);
EXCEPTION
    WHEN insufficient_privilege OR unique_violation OR duplicate_object THEN
        RAISE NOTICE 'the log stays with the role that migrates: %', SQLERRM;
END $$;
-- +goose StatementEnd
