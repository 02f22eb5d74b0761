-- The dense order of the log, its Merkle tree, its signed checkpoints and keys. Written by tonk_sequencer
-- with INSERT alone; only log_state, where the sequencer stands, is changed.

CREATE TABLE eventstore_log_leaf (
    log_index bigint PRIMARY KEY CHECK (log_index >= 0),
    position bigint NOT NULL CONSTRAINT log_leaf_position UNIQUE,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32)
);

-- Complete tiles only: 256 hashes each. The right edge is computed.
CREATE TABLE eventstore_log_tile (
    level smallint NOT NULL CHECK (level >= 0),
    n bigint NOT NULL CHECK (n >= 0),
    hashes bytea NOT NULL CHECK (octet_length(hashes) = 8192),
    PRIMARY KEY (level, n)
);

CREATE TABLE eventstore_log_checkpoint (
    size bigint PRIMARY KEY CHECK (size >= 1),
    root bytea NOT NULL CHECK (octet_length(root) = 32),
    note text NOT NULL,
    signed_at timestamptz NOT NULL
);

-- Lines of witnesses under a note. The note itself is never changed; they are added when it is served.
CREATE TABLE eventstore_log_cosignature (
    size bigint NOT NULL CHECK (size >= 1),
    name text COLLATE "C" NOT NULL,
    line text NOT NULL,
    PRIMARY KEY (size, name)
);

CREATE TABLE eventstore_log_key (
    key_id bytea NOT NULL CHECK (octet_length(key_id) = 4),
    name text COLLATE "C" NOT NULL,
    public_key bytea NOT NULL CHECK (octet_length(public_key) = 32),
    from_size bigint NOT NULL CHECK (from_size >= 0),
    to_size bigint CHECK (to_size >= 0),
    PRIMARY KEY (name, key_id)
);

-- One row. Id and origin are null until the sequencer's first start gives them.
CREATE TABLE eventstore_log_state (
    id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    log_id uuid,
    origin text CHECK (origin <> ''),
    size bigint NOT NULL DEFAULT 0 CHECK (size >= 0),
    scan_from xid8 NOT NULL DEFAULT '0',
    floor bigint NOT NULL DEFAULT 0 CHECK (floor >= 0),
    system_identifier bigint,
    -- Positions of rows that are not what they say; their streams stand still.
    refused bigint[] NOT NULL DEFAULT '{}',
    CHECK ((log_id IS NULL) = (origin IS NULL))
);
INSERT INTO eventstore_log_state DEFAULT VALUES;

CREATE TABLE eventstore_follower (
    name text COLLATE "C" NOT NULL CHECK (name ~ '^[a-z][a-z0-9_]{0,39}$'),
    version integer NOT NULL CHECK (version >= 1),
    -- The number of events applied, which is the log index of the next one.
    log_index bigint NOT NULL DEFAULT 0 CHECK (log_index >= 0),
    status text NOT NULL CHECK (status IN ('building', 'live', 'retired')),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (name, version)
);

-- Of a key one thing changes, once: the size with which it ends.
CREATE FUNCTION eventstore_refuse_key_change() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.to_size IS NULL AND NEW.to_size IS NOT NULL
        AND (NEW.key_id, NEW.name, NEW.public_key, NEW.from_size)
            IS NOT DISTINCT FROM (OLD.key_id, OLD.name, OLD.public_key, OLD.from_size) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '% of % is refused: facts are never changed', TG_OP, TG_TABLE_NAME
        USING ERRCODE = '42501';
END $$;

CREATE TRIGGER log_leaf_no_change BEFORE UPDATE OR DELETE ON eventstore_log_leaf
    FOR EACH ROW EXECUTE FUNCTION eventstore_refuse_change();
CREATE TRIGGER log_leaf_no_truncate BEFORE TRUNCATE ON eventstore_log_leaf
    FOR EACH STATEMENT EXECUTE FUNCTION eventstore_refuse_change();
CREATE TRIGGER log_tile_no_change BEFORE UPDATE OR DELETE ON eventstore_log_tile
    FOR EACH ROW EXECUTE FUNCTION eventstore_refuse_change();
CREATE TRIGGER log_tile_no_truncate BEFORE TRUNCATE ON eventstore_log_tile
    FOR EACH STATEMENT EXECUTE FUNCTION eventstore_refuse_change();
CREATE TRIGGER log_checkpoint_no_change BEFORE UPDATE OR DELETE ON eventstore_log_checkpoint
    FOR EACH ROW EXECUTE FUNCTION eventstore_refuse_change();
CREATE TRIGGER log_checkpoint_no_truncate BEFORE TRUNCATE ON eventstore_log_checkpoint
    FOR EACH STATEMENT EXECUTE FUNCTION eventstore_refuse_change();
CREATE TRIGGER log_cosignature_no_change BEFORE UPDATE OR DELETE ON eventstore_log_cosignature
    FOR EACH ROW EXECUTE FUNCTION eventstore_refuse_change();
CREATE TRIGGER log_cosignature_no_truncate BEFORE TRUNCATE ON eventstore_log_cosignature
    FOR EACH STATEMENT EXECUTE FUNCTION eventstore_refuse_change();
CREATE TRIGGER log_key_no_change BEFORE UPDATE OR DELETE ON eventstore_log_key
    FOR EACH ROW EXECUTE FUNCTION eventstore_refuse_key_change();
CREATE TRIGGER log_key_no_truncate BEFORE TRUNCATE ON eventstore_log_key
    FOR EACH STATEMENT EXECUTE FUNCTION eventstore_refuse_change();
ALTER TABLE eventstore_log_leaf ENABLE ALWAYS TRIGGER log_leaf_no_change;
ALTER TABLE eventstore_log_leaf ENABLE ALWAYS TRIGGER log_leaf_no_truncate;
ALTER TABLE eventstore_log_tile ENABLE ALWAYS TRIGGER log_tile_no_change;
ALTER TABLE eventstore_log_tile ENABLE ALWAYS TRIGGER log_tile_no_truncate;
ALTER TABLE eventstore_log_checkpoint ENABLE ALWAYS TRIGGER log_checkpoint_no_change;
ALTER TABLE eventstore_log_checkpoint ENABLE ALWAYS TRIGGER log_checkpoint_no_truncate;
ALTER TABLE eventstore_log_cosignature ENABLE ALWAYS TRIGGER log_cosignature_no_change;
ALTER TABLE eventstore_log_cosignature ENABLE ALWAYS TRIGGER log_cosignature_no_truncate;
ALTER TABLE eventstore_log_key ENABLE ALWAYS TRIGGER log_key_no_change;
ALTER TABLE eventstore_log_key ENABLE ALWAYS TRIGGER log_key_no_truncate;

GRANT SELECT ON eventstore_log_leaf, eventstore_log_tile, eventstore_log_checkpoint,
    eventstore_log_cosignature, eventstore_log_key, eventstore_log_state
    TO tonk_app, tonk_sequencer, tonk_auditor;
GRANT INSERT ON eventstore_log_leaf, eventstore_log_tile, eventstore_log_checkpoint,
    eventstore_log_cosignature, eventstore_log_key TO tonk_sequencer;
GRANT UPDATE (to_size) ON eventstore_log_key TO tonk_sequencer;
GRANT UPDATE ON eventstore_log_state TO tonk_sequencer;
GRANT SELECT, INSERT, UPDATE ON eventstore_follower TO tonk_app;
GRANT SELECT ON eventstore_follower TO tonk_auditor;
