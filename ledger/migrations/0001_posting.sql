-- The only ways to write to the books. Each runs as its owner; every name is qualified.
-- SQLSTATEs: LG001 entry_conflict, LG002 unknown_account, LG003 reversal_mismatch, LG005 escrow_not_empty.

-- Id of the account with this code, opened if it is not there. Class fixes the sign, a stripe the range of ids.
CREATE FUNCTION ledger.open_account(
    code text, role text, class text, currency text, scope uuid, owner uuid, stripe smallint, min_balance bigint
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened bigint;
BEGIN
    SELECT a.id INTO opened FROM ledger.account a WHERE a.code = open_account.code;
    IF FOUND THEN
        RETURN opened;
    END IF;
    INSERT INTO ledger.account (id, code, role, class, currency, scope, owner, stripe)
    VALUES (
        CASE WHEN open_account.stripe IS NULL THEN nextval('ledger.account_id')
            ELSE nextval('ledger.house_account_id') END,
        open_account.code, open_account.role, open_account.class, open_account.currency,
        open_account.scope, open_account.owner, open_account.stripe)
    ON CONFLICT (code) DO NOTHING RETURNING id INTO opened;
    IF opened IS NULL THEN -- another transaction opened it meanwhile, and has committed
        SELECT a.id INTO STRICT opened FROM ledger.account a WHERE a.code = open_account.code;
        RETURN opened;
    END IF;
    INSERT INTO ledger.account_balance (account_id, sign, currency, min_balance)
    VALUES (opened, CASE WHEN open_account.class IN ('A', 'X') THEN 1 ELSE -1 END,
        open_account.currency, open_account.min_balance);
    RETURN opened;
END $$;

-- Open, freeze, release or close an account. A closed one stays closed; only an empty one is closed.
CREATE FUNCTION ledger.set_state(code text, state text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    held ledger.account_balance;
BEGIN
    SELECT b.* INTO held FROM ledger.account_balance b
    WHERE b.account_id = (SELECT a.id FROM ledger.account a WHERE a.code = set_state.code)
    FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no account %', set_state.code USING ERRCODE = 'LG002';
    ELSIF held.state = set_state.state THEN
        RETURN;
    ELSIF held.state = 'closed' THEN
        RAISE EXCEPTION 'account % is closed', set_state.code USING ERRCODE = '23514',
            CONSTRAINT = 'account_open', TABLE = 'account_balance';
    ELSIF set_state.state = 'closed' AND held.balance <> 0 THEN
        RAISE EXCEPTION 'account % holds %', set_state.code, held.balance USING ERRCODE = 'LG005';
    END IF;
    UPDATE ledger.account_balance b SET state = set_state.state WHERE b.account_id = held.account_id;
END $$;

-- Book one reference of one payment method, once. The same payment again changes nothing.
CREATE FUNCTION ledger.record_payment(
    method text, reference text, direction text, wallet_stream text, version integer
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO ledger.external_payment (method, reference, direction, wallet_stream, version)
    VALUES (record_payment.method, record_payment.reference, record_payment.direction,
        record_payment.wallet_stream, record_payment.version)
    ON CONFLICT DO NOTHING;
    IF NOT FOUND AND NOT EXISTS (
        SELECT FROM ledger.external_payment p
        WHERE (p.method, p.reference) = (record_payment.method, record_payment.reference)
            AND (p.wallet_stream, p.version) = (record_payment.wallet_stream, record_payment.version))
    THEN
        RAISE EXCEPTION 'payment %/% is booked already', record_payment.method, record_payment.reference
            USING ERRCODE = '23505', CONSTRAINT = 'external_payment_pkey', TABLE = 'external_payment';
    END IF;
END $$;

-- Refuse a reversal whose legs are not those of the reversed entry with the signs turned. House accounts
-- count by their sum over stripes: each entry chooses its own.
CREATE FUNCTION ledger.require_mirror(reversal bigint, reversed bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM ledger.posting p JOIN ledger.account a ON a.id = p.account_id
        WHERE p.entry_id IN (reversal, reversed)
        GROUP BY CASE WHEN a.stripe IS NULL THEN a.code ELSE left(a.code, -3) END
        HAVING sum(p.amount) <> 0 OR count(*) <> 2)
    THEN
        RAISE EXCEPTION 'entry % is no mirror of %', reversal, reversed USING ERRCODE = 'LG003';
    END IF;
END $$;

-- Post one entry. Account ids ascend, `lines` says where each leg stands in the entry (default: as given).
-- An entry that is there with the same hash is returned with fresh = false.
CREATE FUNCTION ledger.post(
    kind smallint, currency text, stream text, version integer, part integer,
    effective_at timestamptz, recorded_at timestamptz, reverses bigint, hash bytea,
    account_ids bigint[], amounts bigint[], lines integer[] DEFAULT NULL,
    OUT entry_id bigint, OUT fresh boolean, OUT balances bigint[]
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    legs integer := cardinality(account_ids);
    versions bigint[];
    stored_hash bytea;
    new_balance bigint;
    new_version bigint;
BEGIN
    INSERT INTO ledger.entry
        (kind, currency, stream, version, part, effective_at, recorded_at, posting_count, reverses, hash)
    VALUES (post.kind, post.currency, post.stream, post.version, post.part,
        post.effective_at, post.recorded_at, legs, post.reverses, post.hash)
    ON CONFLICT (stream, version, part) DO NOTHING RETURNING id INTO entry_id;
    fresh := FOUND;
    IF NOT fresh THEN
        SELECT e.id, e.hash INTO entry_id, stored_hash FROM ledger.entry e
        WHERE (e.stream, e.version, e.part) = (post.stream, post.version, post.part);
        IF stored_hash <> post.hash THEN
            RAISE EXCEPTION 'entry %@%#% is there with other content', post.stream, post.version, post.part
                USING ERRCODE = 'LG001';
        END IF;
        balances := ARRAY(
            SELECT p.balance_after FROM ledger.posting p WHERE p.entry_id = post.entry_id ORDER BY p.account_id);
        RETURN;
    END IF;

    FOR i IN 1..legs LOOP
        IF i > 1 AND account_ids[i] < account_ids[i - 1] THEN
            RAISE EXCEPTION 'account ids must ascend: all writers lock in one order' USING ERRCODE = '22023';
        END IF;
        UPDATE ledger.account_balance b
        SET balance = b.balance + b.sign * amounts[i], version = b.version + 1
        WHERE b.account_id = account_ids[i] RETURNING b.balance, b.version INTO new_balance, new_version;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'no account %', account_ids[i] USING ERRCODE = 'LG002';
        END IF;
        balances[i] := new_balance;
        versions[i] := new_version;
    END LOOP;
    INSERT INTO ledger.posting (entry_id, account_id, line, amount, account_version, balance_after)
    SELECT post.entry_id, l.account_id, coalesce(l.line, l.ordinal), l.amount, l.version, l.balance
    FROM unnest(account_ids, lines, amounts, versions, balances)
        WITH ORDINALITY AS l (account_id, line, amount, version, balance, ordinal);
    IF reverses IS NOT NULL THEN
        PERFORM ledger.require_mirror(entry_id, reverses);
    END IF;
END $$;

-- Post many entries: the arrays before `recorded_at` and up to `hashes` have one element an entry, those after
-- it one a leg (number of its entry, its line, account, amount). Each account is locked and updated once;
-- versions and balances of its legs run in the order of the entries. One row an entry comes back, in order.
CREATE FUNCTION ledger.post_batch(
    kinds smallint[], currencies text[], streams text[], versions integer[], parts integer[],
    effective_ats timestamptz[], recorded_at timestamptz, reverses bigint[], hashes bytea[],
    leg_entries integer[], leg_lines integer[], leg_accounts bigint[], leg_amounts bigint[]
) RETURNS TABLE (entry_id bigint, fresh boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    made bigint[]; -- ids of new entries by number, null where the entry was there
    touched bigint[];
    locked bigint;
    conflict text;
BEGIN
    WITH given AS (
        SELECT * FROM unnest(kinds, currencies, streams, versions, parts, effective_ats, reverses, hashes)
            WITH ORDINALITY AS g (kind, currency, stream, version, part, effective_at, reversed, hash, number)
    ), counted AS (
        SELECT n AS number, count(*) AS legs FROM unnest(leg_entries) n GROUP BY n
    ), inserted AS (
        INSERT INTO ledger.entry
            (kind, currency, stream, version, part, effective_at, recorded_at, posting_count, reverses, hash)
        SELECT g.kind, g.currency, g.stream, g.version, g.part, g.effective_at, post_batch.recorded_at,
            coalesce(c.legs, 0), g.reversed, g.hash
        FROM given g LEFT JOIN counted c USING (number) ORDER BY g.number
        ON CONFLICT (stream, version, part) DO NOTHING RETURNING id, stream, version, part
    )
    SELECT array_agg(i.id ORDER BY g.number) INTO made
    FROM given g LEFT JOIN inserted i USING (stream, version, part);

    SELECT format('%s@%s#%s', g.stream, g.version, g.part) INTO conflict
    FROM unnest(streams, versions, parts, hashes, made) AS g (stream, version, part, hash, id)
    WHERE g.id IS NULL AND g.hash <> (
        SELECT e.hash FROM ledger.entry e
        WHERE (e.stream, e.version, e.part) = (g.stream, g.version, g.part))
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'entry % is there with other content', conflict USING ERRCODE = 'LG001';
    END IF;

    touched := ARRAY(
        SELECT DISTINCT l.account_id
        FROM unnest(leg_entries, leg_accounts) AS l (number, account_id)
        JOIN unnest(made) WITH ORDINALITY AS m (id, number) USING (number)
        WHERE m.id IS NOT NULL);
    PERFORM FROM ledger.account_balance b WHERE b.account_id = ANY (touched) ORDER BY b.account_id FOR UPDATE;
    GET DIAGNOSTICS locked = ROW_COUNT;
    IF locked <> cardinality(touched) THEN
        RAISE EXCEPTION 'no such account among %', touched USING ERRCODE = 'LG002';
    END IF;

    WITH leg AS (
        SELECT m.id AS entry_id, l.*
        FROM unnest(leg_entries, leg_lines, leg_accounts, leg_amounts) AS l (number, line, account_id, amount)
        JOIN unnest(made) WITH ORDINALITY AS m (id, number) USING (number)
        WHERE m.id IS NOT NULL
    ), total AS (
        SELECT account_id, sum(amount)::bigint AS amount, count(*) AS legs FROM leg GROUP BY account_id
    ), moved AS (
        UPDATE ledger.account_balance b
        SET balance = b.balance + b.sign * t.amount, version = b.version + t.legs
        FROM total t WHERE b.account_id = t.account_id
        RETURNING b.account_id, b.sign,
            b.balance - b.sign * t.amount AS balance_before, b.version - t.legs AS version_before
    )
    INSERT INTO ledger.posting (entry_id, account_id, line, amount, account_version, balance_after)
    SELECT l.entry_id, l.account_id, l.line, l.amount,
        m.version_before + row_number() OVER of_account,
        m.balance_before + m.sign * (sum(l.amount) OVER of_account)::bigint
    FROM leg l JOIN moved m USING (account_id)
    WINDOW of_account AS (PARTITION BY l.account_id ORDER BY l.number, l.line ROWS UNBOUNDED PRECEDING);

    PERFORM ledger.require_mirror(m.id, m.reversed)
    FROM unnest(made, reverses) AS m (id, reversed) WHERE m.id IS NOT NULL AND m.reversed IS NOT NULL;

    RETURN QUERY
    SELECT coalesce(m.id, (
        SELECT e.id FROM ledger.entry e
        WHERE (e.stream, e.version, e.part) = (m.stream, m.version, m.part))), m.id IS NOT NULL
    FROM unnest(streams, versions, parts, made)
        WITH ORDINALITY AS m (stream, version, part, id, number) ORDER BY m.number;
END $$;

-- Number of legs of an account that were recorded before an instant. Of two transactions that met, the later one
-- may have read the clock first: then this is one of the boundaries between lines that the instant separates.
CREATE FUNCTION ledger.version_before(account_id bigint, instant timestamptz) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    low bigint := 0;
    high bigint;
    middle bigint;
BEGIN
    SELECT b.version INTO high FROM ledger.account_balance b WHERE b.account_id = version_before.account_id;
    WHILE low < high LOOP
        middle := (low + high + 1) / 2;
        IF instant > (
            SELECT e.recorded_at FROM ledger.posting p JOIN ledger.entry e ON e.id = p.entry_id
            WHERE p.account_id = version_before.account_id AND p.account_version = middle)
        THEN
            low := middle;
        ELSE
            high := middle - 1;
        END IF;
    END LOOP;
    RETURN low;
END $$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ledger FROM PUBLIC;
