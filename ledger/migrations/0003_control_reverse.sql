DROP TABLE ledger.reconciliation_check, ledger.reconciliation_run, ledger.audit_access,
    ledger.adjustment_comment, ledger.adjustment, ledger.payment_order;
DROP TRIGGER closed_period ON ledger.entry;
DROP TRIGGER no_change ON ledger.account;
DROP TRIGGER no_change ON ledger.account_balance;
DROP TRIGGER no_change ON ledger.external_payment;
DROP TRIGGER no_change ON ledger.currency;
DROP FUNCTION ledger.refuse_closed_period(), ledger.close_period(date, bigint, uuid, uuid),
    ledger.keep_period(bigint, bigint[], bigint[], bigint[]);
DROP TABLE ledger.period_balance, ledger.period;
DROP INDEX ledger.external_payment_wallet, ledger.entry_times, ledger.entry_payout;
DROP FUNCTION ledger.open_cash(text), ledger.refuse_reopening();
ALTER FUNCTION ledger.check_legs() RESET enable_seqscan;
ALTER FUNCTION ledger.check_entry() RESET enable_seqscan;
ALTER FUNCTION ledger.post(smallint, text, text, integer, integer, timestamptz, timestamptz, bigint, bytea,
    bigint[], bigint[], integer[]) RESET enable_seqscan;
ALTER FUNCTION ledger.post_batch(smallint[], text[], text[], integer[], integer[], timestamptz[], timestamptz,
    bigint[], bytea[], integer[], integer[], bigint[], bigint[]) RESET enable_seqscan;
