-- Currencies, and the accounts of the house in each: 16 rows an account, so that nobody queues behind one.

CREATE FUNCTION ledger.open_house() RETURNS void LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO ledger.currency (code, exponent, kind, name)
    VALUES ('EUR', 2, 'cash', 'Euro'), ('XTK', 0, 'play', 'Play chips') ON CONFLICT DO NOTHING;

    -- Cash is money from outside, play chips are issued: neither has the other's account.
    WITH role (name, class, kind) AS (
        VALUES ('rake', 'I', NULL), ('fee_income', 'I', NULL), ('overlay', 'X', NULL), ('promotion', 'X', NULL),
            ('bad_debt', 'X', NULL), ('opening', 'Q', NULL), ('adjustment', 'Q', NULL),
            ('payment_costs', 'X', 'cash'), ('cash:manual', 'A', 'cash'), ('issue', 'Q', 'play'))
    SELECT ledger.open_account(
        format('%s:%s:%s', r.name, c.code, to_char(stripe, 'FM00')),
        split_part(r.name, ':', 1), r.class, c.code, NULL, NULL, stripe::smallint, NULL)
    FROM role r JOIN ledger.currency c ON c.kind = coalesce(r.kind, c.kind), generate_series(0, 15) stripe
    ORDER BY r.name COLLATE "C", c.code COLLATE "C", stripe;
$$;
REVOKE ALL ON FUNCTION ledger.open_house() FROM PUBLIC;
SELECT ledger.open_house();
