-- The books: double entry, posted from events and from nothing else.
--
-- A leg is a signed integer, debit positive, credit negative. A balance is kept in its account's natural
-- sign (`sign`), so what a player has is a positive number. Nobody but the functions of 0001_posting.sql
-- writes to account, account_balance, entry, posting, external_payment.

CREATE SCHEMA ledger;

CREATE TABLE ledger.currency (
    code text PRIMARY KEY CHECK (code ~ '^[A-Z][A-Z0-9]{2,11}$' AND code <> 'CHIPS'),
    exponent smallint NOT NULL CHECK (exponent BETWEEN 0 AND 4),
    kind text NOT NULL CHECK (kind IN ('cash', 'play')),
    name text NOT NULL
);

-- Rows are locked in ascending id. House accounts are hot, so their ids are high: they are locked last.
CREATE SEQUENCE ledger.account_id START 1 MAXVALUE 999999999999999;
CREATE SEQUENCE ledger.house_account_id START 1000000000000000 MINVALUE 1000000000000000;

CREATE TABLE ledger.account (
    id bigint PRIMARY KEY,
    code text COLLATE "C" NOT NULL UNIQUE,
    role text COLLATE "C" NOT NULL,
    class text NOT NULL CHECK (class IN ('A', 'L', 'I', 'X', 'Q')),
    currency text NOT NULL REFERENCES ledger.currency,
    scope uuid,
    owner uuid,
    stripe smallint CHECK (stripe BETWEEN 0 AND 15),
    opened_at timestamptz NOT NULL DEFAULT now(), -- housekeeping: no fold reads it
    CHECK (starts_with(code, role || ':'))
);
CREATE INDEX account_owner ON ledger.account (owner) WHERE owner IS NOT NULL;
CREATE INDEX account_scope ON ledger.account (scope) WHERE scope IS NOT NULL;

-- Repeats what a posting must know of an account, so that it reads no other table. Room for new row
-- versions on the page, and no index on a column that changes: updates stay heap-only.
CREATE TABLE ledger.account_balance (
    account_id bigint PRIMARY KEY REFERENCES ledger.account,
    sign smallint NOT NULL CHECK (sign IN (1, -1)),
    currency text NOT NULL,
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'frozen', 'closed')),
    balance bigint NOT NULL DEFAULT 0,
    version bigint NOT NULL DEFAULT 0,
    min_balance bigint,
    CONSTRAINT floor CHECK (min_balance IS NULL OR balance >= min_balance),
    CONSTRAINT balance_limit CHECK (balance BETWEEN -1000000000000000 AND 1000000000000000)
) WITH (fillfactor = 70);

CREATE TABLE ledger.entry (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind smallint NOT NULL,
    currency text NOT NULL,
    stream text COLLATE "C" NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    part integer NOT NULL CHECK (part >= 0),
    effective_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    posting_count integer NOT NULL CHECK (posting_count >= 2),
    reverses bigint REFERENCES ledger.entry,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    CONSTRAINT entry_key UNIQUE (stream, version, part)
);
-- Partial: an index of nulls would be written by every posting (a seventh of its cost).
CREATE UNIQUE INDEX entry_reverses ON ledger.entry (reverses) WHERE reverses IS NOT NULL;

-- account_id has no foreign key: each insert would lock the house's row. The trigger below refuses
-- unknown accounts, and accounts are never deleted.
CREATE TABLE ledger.posting (
    entry_id bigint NOT NULL REFERENCES ledger.entry,
    account_id bigint NOT NULL,
    line integer NOT NULL CHECK (line >= 1),
    amount bigint NOT NULL CHECK (amount <> 0 AND amount BETWEEN -1000000000000 AND 1000000000000),
    account_version bigint NOT NULL CHECK (account_version >= 1),
    balance_after bigint NOT NULL,
    PRIMARY KEY (entry_id, account_id),
    CONSTRAINT posting_version UNIQUE (account_id, account_version)
);

CREATE TABLE ledger.external_payment (
    method text COLLATE "C" NOT NULL,
    reference text COLLATE "C" NOT NULL,
    direction text NOT NULL CHECK (direction IN ('in', 'out')),
    wallet_stream text COLLATE "C" NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    PRIMARY KEY (method, reference)
);

CREATE TABLE ledger.settlement_due (
    stream text COLLATE "C" PRIMARY KEY,
    version integer NOT NULL CHECK (version >= 1), -- of the newest event that the settler posts
    event_at timestamptz NOT NULL -- of the oldest one that it has not posted
);

CREATE TABLE ledger.settlement_cursor (
    stream text COLLATE "C" PRIMARY KEY,
    version integer NOT NULL DEFAULT 0,
    attempts integer NOT NULL DEFAULT 0,
    parked_code text,
    parked_at timestamptz,
    CHECK ((parked_code IS NULL) = (parked_at IS NULL))
);

CREATE TABLE ledger.dead_letter (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    stream text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    code text NOT NULL,
    detail jsonb NOT NULL,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    attempts integer NOT NULL DEFAULT 1,
    resolved_at timestamptz,
    resolved_by text
);
-- One open letter a stream: it is parked at one event.
CREATE UNIQUE INDEX dead_letter_open ON ledger.dead_letter (stream) WHERE resolved_at IS NULL;

-- --- What must never be false --------------------------------------------------------------------

-- Legs of a statement: each entry complete and balanced, each account able to take its leg.
-- A statement trigger fails with the statement that broke the rule, and can count.
--
-- One query, because starting one costs more than what it does here. OFFSET 0 keeps each look-up a probe
-- of an index: a plan made for one large batch would otherwise read whole tables for every small posting
-- of the same session.
CREATE FUNCTION ledger.check_legs() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    leg record;
BEGIN
    SELECT f.*, e.posting_count, all_legs.number, all_legs.total, e.currency AS entry_currency,
        b.account_id AS known, b.sign, b.currency, b.state
    INTO leg
    FROM fresh f
    LEFT JOIN LATERAL (
        SELECT e.posting_count, e.currency FROM ledger.entry e WHERE e.id = f.entry_id OFFSET 0) e ON true
    LEFT JOIN LATERAL (
        SELECT b.* FROM ledger.account_balance b WHERE b.account_id = f.account_id OFFSET 0) b ON true
    CROSS JOIN LATERAL (
        SELECT count(*) AS number, sum(p.amount) AS total
        FROM ledger.posting p WHERE p.entry_id = f.entry_id) all_legs
    WHERE all_legs.number IS DISTINCT FROM e.posting_count OR all_legs.total <> 0
        OR b.account_id IS NULL OR b.currency <> e.currency OR b.state = 'closed'
        OR b.state = 'frozen' AND b.sign * f.amount < 0 OR f.balance_after < b.min_balance
    LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    ELSIF leg.total <> 0 THEN
        RAISE EXCEPTION 'the legs of entry % sum to %', leg.entry_id, leg.total
            USING ERRCODE = '23514', TABLE = 'posting', CONSTRAINT = 'balanced';
    ELSIF leg.number IS DISTINCT FROM leg.posting_count THEN
        RAISE EXCEPTION 'entry % has % of % legs', leg.entry_id, leg.number, leg.posting_count
            USING ERRCODE = '23514', TABLE = 'posting', CONSTRAINT = 'leg_count';
    END IF;
    -- The detail has the form of a failed CHECK of account_balance: one reader for both.
    RAISE EXCEPTION 'leg on account % refused', leg.account_id
        USING ERRCODE = '23514', TABLE = 'posting',
            DETAIL = format('Failing row contains (%s, %s, %s, %s, %s).',
                leg.account_id, leg.sign, leg.currency, leg.state, leg.balance_after),
            CONSTRAINT = CASE WHEN leg.known IS NULL THEN 'account_known'
                WHEN leg.currency <> leg.entry_currency THEN 'entry_currency'
                WHEN leg.state = 'closed' THEN 'account_open'
                WHEN leg.state = 'frozen' AND leg.sign * leg.amount < 0 THEN 'account_not_frozen'
                ELSE 'floor' END;
END $$;
CREATE TRIGGER check_legs AFTER INSERT ON ledger.posting REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.check_legs();

-- At commit: an entry has its legs, and each leg has moved its stored balance.
CREATE FUNCTION ledger.check_entry() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    legs bigint;
    booked boolean;
BEGIN
    SELECT count(*), bool_and(b.version > p.account_version
            OR b.version = p.account_version AND b.balance = p.balance_after)
    INTO legs, booked
    FROM ledger.posting p
    LEFT JOIN LATERAL (
        SELECT b.version, b.balance FROM ledger.account_balance b
        WHERE b.account_id = p.account_id OFFSET 0) b ON true
    WHERE p.entry_id = NEW.id;
    IF legs <> NEW.posting_count OR booked IS NOT TRUE THEN
        RAISE EXCEPTION 'entry %: % of % legs, balances moved: %', NEW.id, legs, NEW.posting_count, booked
            USING ERRCODE = '23514', TABLE = 'entry',
                CONSTRAINT = CASE WHEN legs <> NEW.posting_count THEN 'leg_count' ELSE 'balance_moved' END;
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER check_entry AFTER INSERT ON ledger.entry DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION ledger.check_entry();

CREATE FUNCTION ledger.refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% of ledger.% is refused: the books are never edited', TG_OP, TG_TABLE_NAME
        USING ERRCODE = '42501';
END $$;
CREATE TRIGGER no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.entry
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.posting
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER no_removal BEFORE DELETE OR TRUNCATE ON ledger.account
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER no_removal BEFORE DELETE OR TRUNCATE ON ledger.account_balance
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

-- ALWAYS: a connection under replication role `replica` walks past plain triggers.
ALTER TABLE ledger.posting ENABLE ALWAYS TRIGGER check_legs;
ALTER TABLE ledger.entry ENABLE ALWAYS TRIGGER check_entry;
ALTER TABLE ledger.entry ENABLE ALWAYS TRIGGER no_change;
ALTER TABLE ledger.posting ENABLE ALWAYS TRIGGER no_change;
ALTER TABLE ledger.account ENABLE ALWAYS TRIGGER no_removal;
ALTER TABLE ledger.account_balance ENABLE ALWAYS TRIGGER no_removal;
