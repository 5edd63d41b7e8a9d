-- What was written down stays written down. A row trigger alone would let
-- TRUNCATE empty the table.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'insufficient_privilege';
END $$;
-- +goose StatementEnd

CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER late_results_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON late_results
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER job_type_versions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON job_type_versions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
