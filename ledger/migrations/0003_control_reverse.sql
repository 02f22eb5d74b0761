DROP TABLE ledger.reconciliation_check, ledger.reconciliation_run, ledger.audit_access,
    ledger.adjustment_comment, ledger.adjustment, ledger.payment_order;
DROP TRIGGER closed_period ON ledger.entry;
DROP FUNCTION ledger.refuse_closed_period(), ledger.close_period(date, bigint, uuid, uuid),
    ledger.keep_period(bigint, bigint[], bigint[], bigint[]);
DROP TABLE ledger.period_balance, ledger.period;
DROP INDEX ledger.external_payment_wallet, ledger.entry_times, ledger.entry_payout;
DROP FUNCTION ledger.open_cash(text);
