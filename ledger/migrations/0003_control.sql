-- What people decide about money, and who looked at it: orders of payments, manual entries, closed
-- periods, looks and exports, runs of the reconciliation (`ledger.md` sections 2.1, 2.6, 2.7, 6).

-- A deposit or a withdrawal on its way. A payment that came without an order waits here unassigned.
CREATE TABLE ledger.payment_order (
    id uuid PRIMARY KEY, -- UUIDv7: also the provider's reference, the same in every retry
    player uuid,
    direction text NOT NULL CHECK (direction IN ('in', 'out')),
    method text COLLATE "C" NOT NULL,
    currency text NOT NULL REFERENCES ledger.currency,
    amount bigint NOT NULL CHECK (amount BETWEEN 1 AND 1000000000000),
    state text NOT NULL CHECK (state IN ('requested', 'unassigned', 'approved_once', 'recorded', 'refused',
        'expired', 'approved', 'sending', 'unknown', 'paid', 'returned')),
    first_approver uuid,
    second_approver uuid,
    named_player uuid, -- of a payment that nobody has yet: whom the first person named
    reported_by uuid, -- of a payout: who said first what came of it
    refused_by uuid,
    paid bigint CHECK (paid BETWEEN 1 AND 1000000000000), -- what really came or went
    reference text COLLATE "C",
    flag text CHECK (flag IN ('limit_reached', 'excluded')), -- credited all the same, to be looked at
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz, -- when a worker looks at it next
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT order_player CHECK (player IS NOT NULL
        OR direction = 'in' AND paid IS NOT NULL AND state IN ('unassigned', 'approved_once', 'refused')),
    CONSTRAINT order_paid CHECK (state NOT IN ('recorded', 'paid') OR paid IS NOT NULL),
    CONSTRAINT order_approved CHECK (
        (state NOT IN ('approved', 'sending', 'unknown', 'paid') AND (state <> 'recorded' OR method <> 'manual'))
        OR first_approver IS NOT NULL AND second_approver IS NOT NULL),
    CONSTRAINT order_reported CHECK (reported_by IS NULL OR state IN ('sending', 'unknown', 'paid', 'returned')),
    CONSTRAINT order_direction CHECK (CASE direction
        WHEN 'in' THEN state NOT IN ('approved', 'sending', 'unknown', 'paid', 'returned')
        ELSE state NOT IN ('unassigned', 'recorded', 'refused', 'expired') END),
    CONSTRAINT order_four_eyes CHECK (first_approver <> second_approver AND player <> first_approver
        AND player <> second_approver AND player <> reported_by AND player <> refused_by)
);
CREATE INDEX payment_order_player ON ledger.payment_order (player, direction, created_at, id);
CREATE INDEX payment_order_newest ON ledger.payment_order (direction, created_at, id);
CREATE INDEX payment_order_unassigned ON ledger.payment_order (created_at)
    WHERE player IS NULL AND state IN ('unassigned', 'approved_once');
CREATE INDEX payment_order_due ON ledger.payment_order (due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX payment_order_reference ON ledger.payment_order (method, reference)
    WHERE reference IS NOT NULL;
-- What has come to its end stays there: an order, and below a manual entry.
CREATE FUNCTION ledger.refuse_reopening() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% % is % for ever', TG_TABLE_NAME, OLD.id, OLD.state
        USING ERRCODE = '23514', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
END $$;
CREATE TRIGGER order_ended BEFORE UPDATE ON ledger.payment_order FOR EACH ROW
    WHEN (OLD.state IN ('recorded', 'refused', 'expired', 'paid', 'returned')
        AND (OLD.state, OLD.player, OLD.paid, OLD.reference)
            IS DISTINCT FROM (NEW.state, NEW.player, NEW.paid, NEW.reference))
    EXECUTE FUNCTION ledger.refuse_reopening();
ALTER TABLE ledger.payment_order ENABLE ALWAYS TRIGGER order_ended;
-- By which methods a player's money came, so that it goes back the same way.
CREATE INDEX external_payment_wallet ON ledger.external_payment (wallet_stream);

-- The accounts of a further way to pay, in every currency of money. Once more does nothing.
CREATE FUNCTION ledger.open_cash(method text) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT ledger.open_account(
        format('cash:%s:%s:%s', method, c.code, to_char(stripe, 'FM00')),
        'cash', 'A', c.code, NULL, NULL, stripe::smallint, NULL)
    FROM ledger.currency c, generate_series(0, 15) stripe
    WHERE c.kind = 'cash' AND method ~ '^[a-z0-9_]{1,40}$'
    ORDER BY c.code COLLATE "C", stripe;
$$;
REVOKE ALL ON FUNCTION ledger.open_cash(text) FROM PUBLIC;

-- A manual entry from proposal to decision: what its events in the wallet's stream say, to be found
-- and locked, and its free text, which is in no event.
CREATE TABLE ledger.adjustment (
    id uuid PRIMARY KEY,
    stream text COLLATE "C" NOT NULL,
    version integer NOT NULL CHECK (version >= 1), -- of AdjustmentProposed
    player uuid, -- null in the house's stream
    tournament uuid,
    proposer uuid NOT NULL,
    currency text NOT NULL REFERENCES ledger.currency,
    amount bigint NOT NULL CHECK (amount >= 1), -- sum of its debits
    lines jsonb NOT NULL,
    reason_code text NOT NULL,
    reverses text COLLATE "C", -- key of the entry that it takes back
    effective date,
    text text NOT NULL,
    state text NOT NULL CHECK (state IN ('proposed', 'approved', 'rejected', 'expired')),
    proposed_at timestamptz NOT NULL,
    decided_by uuid,
    decided_at timestamptz,
    note text NOT NULL DEFAULT '',
    entry_id bigint, -- no foreign key: nothing that is changed hangs on the books
    CONSTRAINT adjustment_event UNIQUE (stream, version),
    CONSTRAINT adjustment_four_eyes CHECK (
        decided_by <> proposer AND decided_by <> player AND proposer <> player),
    CONSTRAINT adjustment_decided CHECK ((state = 'proposed') = (decided_at IS NULL)),
    CONSTRAINT adjustment_decider CHECK ((state IN ('approved', 'rejected')) = (decided_by IS NOT NULL)),
    CONSTRAINT adjustment_posted CHECK ((state = 'approved') = (entry_id IS NOT NULL))
);
CREATE INDEX adjustment_newest ON ledger.adjustment (proposed_at, id);
CREATE INDEX adjustment_player ON ledger.adjustment (player, proposed_at);
CREATE INDEX adjustment_proposer ON ledger.adjustment (proposer, proposed_at);
CREATE INDEX adjustment_open ON ledger.adjustment (proposed_at) WHERE state = 'proposed';

CREATE TRIGGER adjustment_ended BEFORE UPDATE ON ledger.adjustment FOR EACH ROW WHEN (OLD.state <> 'proposed')
    EXECUTE FUNCTION ledger.refuse_reopening();
ALTER TABLE ledger.adjustment ENABLE ALWAYS TRIGGER adjustment_ended;

CREATE TABLE ledger.adjustment_comment (
    id uuid PRIMARY KEY,
    adjustment uuid NOT NULL REFERENCES ledger.adjustment,
    author uuid NOT NULL,
    at timestamptz NOT NULL,
    text text NOT NULL CHECK (text <> '')
);
CREATE INDEX adjustment_comment_of ON ledger.adjustment_comment (adjustment, id);

-- --- closed periods ------------------------------------------------------------------------------

CREATE TABLE ledger.period (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    through date NOT NULL UNIQUE, -- its last day, UTC
    size bigint NOT NULL CHECK (size >= 0), -- of the log
    closed_by uuid NOT NULL,
    approved_by uuid NOT NULL,
    CONSTRAINT period_four_eyes CHECK (closed_by <> approved_by)
);

CREATE TABLE ledger.period_balance (
    period_id bigint NOT NULL REFERENCES ledger.period,
    account_id bigint NOT NULL,
    balance bigint NOT NULL,
    account_version bigint NOT NULL,
    PRIMARY KEY (period_id, account_id)
);

-- Close the books through a day. The same period once more does nothing; an earlier one is refused.
CREATE FUNCTION ledger.close_period(through date, size bigint, closed_by uuid, approved_by uuid) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    closed bigint;
BEGIN
    LOCK TABLE ledger.period IN SHARE ROW EXCLUSIVE MODE; -- waits for entries that are being made, see below
    SELECT p.id INTO closed FROM ledger.period p WHERE (p.through, p.size, p.closed_by, p.approved_by)
        = (close_period.through, close_period.size, close_period.closed_by, close_period.approved_by);
    IF FOUND THEN
        RETURN closed;
    ELSIF EXISTS (SELECT FROM ledger.period p WHERE p.through >= close_period.through) THEN
        RAISE EXCEPTION 'the books are closed through % already', close_period.through USING ERRCODE = 'LG004';
    END IF;
    INSERT INTO ledger.period (through, size, closed_by, approved_by)
    VALUES (close_period.through, close_period.size, close_period.closed_by, close_period.approved_by)
    RETURNING id INTO closed;
    RETURN closed;
END $$;

-- What the accounts held at the size of a period that has just been closed: all of them, once.
CREATE FUNCTION ledger.keep_period(period_id bigint, account_ids bigint[], balances bigint[], versions bigint[])
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF EXISTS (SELECT FROM ledger.period_balance b WHERE b.period_id = keep_period.period_id) THEN
        RAISE EXCEPTION 'the balances of period % are kept already', keep_period.period_id USING ERRCODE = 'LG004';
    END IF;
    INSERT INTO ledger.period_balance (period_id, account_id, balance, account_version)
    SELECT keep_period.period_id, k.account_id, k.balance, k.version
    FROM unnest(account_ids, balances, versions) AS k (account_id, balance, version);
    IF EXISTS (
        SELECT FROM ledger.period_balance p JOIN ledger.account_balance b USING (account_id)
        WHERE p.period_id = keep_period.period_id
        GROUP BY b.currency HAVING sum(p.balance * b.sign) <> 0)
    THEN
        RAISE EXCEPTION 'the balances of period % do not sum to 0', keep_period.period_id
            USING ERRCODE = '23514', TABLE = 'period_balance', CONSTRAINT = 'period_balanced';
    END IF;
END $$;

-- An entry of a day that is closed. Manual entries alone can name an earlier day, so no other one pays for this.
CREATE FUNCTION ledger.refuse_closed_period() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    LOCK TABLE ledger.period IN SHARE MODE; -- nobody closes the day before this entry is there for all
    IF EXISTS (SELECT FROM ledger.period p WHERE p.through >= (NEW.effective_at AT TIME ZONE 'UTC')::date) THEN
        RAISE EXCEPTION 'the books are closed on %', NEW.effective_at USING ERRCODE = 'LG004';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER closed_period BEFORE INSERT ON ledger.entry FOR EACH ROW WHEN (NEW.kind >= 40)
    EXECUTE FUNCTION ledger.refuse_closed_period();
ALTER TABLE ledger.entry ENABLE ALWAYS TRIGGER closed_period;

CREATE TRIGGER no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.period
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.period_balance
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
ALTER TABLE ledger.period ENABLE ALWAYS TRIGGER no_change;
ALTER TABLE ledger.period_balance ENABLE ALWAYS TRIGGER no_change;

-- --- what stays as it was written -----------------------------------------------------------------

-- An account stays what it was opened as: whose it is, its class, its currency, its floor. A posting names none
-- of these columns and pays nothing for it. A payment is booked for ever, or its reference could be booked twice.
CREATE TRIGGER no_change BEFORE UPDATE ON ledger.account
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER no_change BEFORE UPDATE OF account_id, sign, currency, min_balance ON ledger.account_balance
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.external_payment
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER no_change BEFORE UPDATE OF code, exponent, kind OR DELETE OR TRUNCATE ON ledger.currency
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
ALTER TABLE ledger.account ENABLE ALWAYS TRIGGER no_change;
ALTER TABLE ledger.account_balance ENABLE ALWAYS TRIGGER no_change;
ALTER TABLE ledger.external_payment ENABLE ALWAYS TRIGGER no_change;
ALTER TABLE ledger.currency ENABLE ALWAYS TRIGGER no_change;

-- --- who looked, and what the reconciliation found -------------------------------------------------

CREATE TABLE ledger.audit_access (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    actor text NOT NULL, -- staff:<uuid>, or the command line
    at timestamptz NOT NULL,
    what text NOT NULL,
    subject uuid, -- the player who was looked at
    parameters jsonb NOT NULL,
    row_count bigint NOT NULL CHECK (row_count >= 0),
    sha256 text CHECK (sha256 ~ '^[0-9a-f]{64}$')
);
CREATE INDEX audit_access_subject ON ledger.audit_access (subject, id) WHERE subject IS NOT NULL;

CREATE TABLE ledger.reconciliation_run (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    started_at timestamptz NOT NULL,
    finished_at timestamptz NOT NULL,
    size bigint NOT NULL CHECK (size >= 0), -- of the log, up to which it was read
    is_full boolean NOT NULL,
    findings integer NOT NULL CHECK (findings >= 0),
    next_index bigint NOT NULL, -- where the next increment begins: in the log,
    next_entry bigint NOT NULL -- and in the books, by id
);

CREATE TABLE ledger.reconciliation_check (
    run_id bigint NOT NULL REFERENCES ledger.reconciliation_run,
    name text NOT NULL, -- R1 to R12
    figures jsonb NOT NULL,
    count integer NOT NULL CHECK (count >= 0),
    findings jsonb NOT NULL, -- the first of them
    skipped text, -- why nothing was looked at
    PRIMARY KEY (run_id, name)
);

-- --- what auditors and players look up -------------------------------------------------------------

-- Entries come in the order of their times, but for a few: a summary of blocks finds the newer ones,
-- and costs a posting nothing.
CREATE INDEX entry_times ON ledger.entry USING brin (recorded_at, effective_at)
    WITH (pages_per_range = 16, autosummarize = on);
-- Payouts: cash-outs, refunds, bounties, prizes, compensations. No entry of a hand is among them.
CREATE INDEX entry_payout ON ledger.entry (id) WHERE kind IN (4, 14, 15, 20, 21);

-- --- plans ----------------------------------------------------------------------------------------

-- Each look-up of a posting is a probe of an index. A session keeps its plans, and one made while the books
-- were almost empty would read whole relations, however many rows came since.
ALTER FUNCTION ledger.check_legs() SET enable_seqscan = off;
ALTER FUNCTION ledger.check_entry() SET enable_seqscan = off;
ALTER FUNCTION ledger.post(smallint, text, text, integer, integer, timestamptz, timestamptz, bigint, bytea,
    bigint[], bigint[], integer[]) SET enable_seqscan = off;
ALTER FUNCTION ledger.post_batch(smallint[], text[], text[], integer[], integer[], timestamptz[], timestamptz,
    bigint[], bytea[], integer[], integer[], bigint[], bigint[]) SET enable_seqscan = off;
