-- tonk_app reads the books and writes to them through the functions alone.

GRANT USAGE ON SCHEMA ledger TO tonk_app, tonk_auditor;
GRANT SELECT ON ALL TABLES IN SCHEMA ledger TO tonk_app, tonk_auditor;
GRANT INSERT, UPDATE ON ledger.settlement_due, ledger.settlement_cursor, ledger.dead_letter TO tonk_app;
GRANT EXECUTE ON FUNCTION
    ledger.open_account(text, text, text, text, uuid, uuid, smallint, bigint),
    ledger.set_state(text, text),
    ledger.record_payment(text, text, text, text, integer),
    ledger.post(smallint, text, text, integer, integer, timestamptz, timestamptz, bigint, bytea, bigint[], bigint[], integer[]),
    ledger.post_batch(smallint[], text[], text[], integer[], integer[], timestamptz[], timestamptz, bigint[], bytea[],
        integer[], integer[], bigint[], bigint[])
    TO tonk_app;
GRANT EXECUTE ON FUNCTION ledger.version_before(bigint, timestamptz) TO tonk_app, tonk_auditor;
