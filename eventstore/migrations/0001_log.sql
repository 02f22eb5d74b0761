-- The log of facts. Written by tonk_app with INSERT alone, never changed by anybody.

CREATE TABLE eventstore_event (
    position bigint GENERATED ALWAYS AS IDENTITY (CACHE 1) PRIMARY KEY,
    tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
    event_id uuid NOT NULL CONSTRAINT event_id UNIQUE,
    stream text COLLATE "C" NOT NULL
        CHECK (stream ~ '^(table|tournament|wallet|player|log)/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'),
    version integer NOT NULL CHECK (version >= 1),
    type text COLLATE "C" NOT NULL CHECK (type ~ '^[A-Z][A-Za-z]{2,39}$'),
    schema smallint NOT NULL CHECK (schema >= 1),
    -- json, not jsonb: the exact canonical text is what was hashed.
    data json NOT NULL,
    meta json NOT NULL,
    at timestamptz NOT NULL,
    prev_hash bytea NOT NULL CHECK (octet_length(prev_hash) = 32),
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    CONSTRAINT event_stream_version UNIQUE (stream, version)
);
CREATE INDEX event_tx_position ON eventstore_event (tx, position);

CREATE TABLE eventstore_command_receipt (
    actor text NOT NULL,
    key text NOT NULL CHECK (key ~ '^[A-Za-z0-9_-]{16,128}$'),
    fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
    status smallint,
    result json CHECK (octet_length(result::text) <= 4096),
    stream text,
    first_version integer,
    last_version integer,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (actor, key)
);

CREATE FUNCTION eventstore_refuse_change() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog AS $$
BEGIN
    RAISE EXCEPTION '% of % is refused: facts are never changed', TG_OP, TG_TABLE_NAME
        USING ERRCODE = '42501';
END $$;
CREATE TRIGGER event_no_change BEFORE UPDATE OR DELETE ON eventstore_event
    FOR EACH ROW EXECUTE FUNCTION eventstore_refuse_change();
CREATE TRIGGER event_no_truncate BEFORE TRUNCATE ON eventstore_event
    FOR EACH STATEMENT EXECUTE FUNCTION eventstore_refuse_change();
-- ALWAYS: a connection under replication role `replica` walks past plain triggers.
ALTER TABLE eventstore_event ENABLE ALWAYS TRIGGER event_no_change;
ALTER TABLE eventstore_event ENABLE ALWAYS TRIGGER event_no_truncate;

-- The one way to remove receipts: the owner's function, without an argument, nothing younger.
CREATE FUNCTION eventstore_forget_receipts() RETURNS bigint LANGUAGE sql SECURITY DEFINER
    SET search_path = pg_catalog AS $$
    WITH gone AS (
        DELETE FROM public.eventstore_command_receipt
        WHERE created_at < now() - interval '30 days' RETURNING 1)
    SELECT count(*) FROM gone;
$$;
REVOKE ALL ON FUNCTION eventstore_forget_receipts() FROM PUBLIC;

GRANT SELECT, INSERT (event_id, stream, version, type, schema, data, meta, at, prev_hash, hash)
    ON eventstore_event TO tonk_app;
GRANT SELECT, INSERT, UPDATE (status, result, stream, first_version, last_version)
    ON eventstore_command_receipt TO tonk_app;
GRANT EXECUTE ON FUNCTION eventstore_forget_receipts() TO tonk_app;
GRANT SELECT ON eventstore_event TO tonk_sequencer, tonk_auditor;
-- Readiness asks for migrations that were not applied.
GRANT SELECT ON django_migrations TO tonk_app;
