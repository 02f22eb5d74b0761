-- tonk_app keeps orders, manual entries and records of looks; nothing of it is removed.

GRANT SELECT ON ledger.payment_order, ledger.adjustment, ledger.adjustment_comment, ledger.period,
    ledger.period_balance, ledger.audit_access, ledger.reconciliation_run, ledger.reconciliation_check
    TO tonk_app, tonk_auditor;
GRANT INSERT, UPDATE (player, state, first_approver, second_approver, named_player, reported_by, refused_by, paid,
    reference, flag, attempts, due_at, updated_at) ON ledger.payment_order TO tonk_app;
GRANT INSERT, UPDATE (state, decided_by, decided_at, note, entry_id) ON ledger.adjustment TO tonk_app;
GRANT INSERT ON ledger.adjustment_comment, ledger.audit_access, ledger.reconciliation_run,
    ledger.reconciliation_check TO tonk_app;
REVOKE ALL ON FUNCTION ledger.close_period(date, bigint, uuid, uuid),
    ledger.keep_period(bigint, bigint[], bigint[], bigint[]), ledger.refuse_closed_period(),
    ledger.refuse_reopening() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.close_period(date, bigint, uuid, uuid),
    ledger.keep_period(bigint, bigint[], bigint[], bigint[]) TO tonk_app;
GRANT EXECUTE ON FUNCTION ledger.open_cash(text) TO tonk_app;
