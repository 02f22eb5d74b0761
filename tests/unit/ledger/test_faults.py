"""What a broken constraint means."""

import pytest

from ledger.core.faults import Fault, account_of, code_of

ROW = "Failing row contains (12, -1, EUR, open, -5, 3, 0)."


@pytest.mark.parametrize(
    ("fault", "role", "code"),
    [
        (Fault("23514", "floor", ROW), "wallet", "insufficient_funds"),
        (Fault("23514", "floor", ROW), "seat", "floor_violated"),
        (Fault("23514", "floor", None), None, "floor_violated"),
        (Fault("23514", "balance_limit", ROW), "wallet", "balance_limit"),
        (Fault("LG001", None, None), None, "entry_conflict"),
        (Fault("LG005", None, None), None, "escrow_not_empty"),
        (Fault("23505", "entry_reverses", None), None, "already_reversed"),
        (Fault("40001", None, None), None, None),
        (Fault("", None, None), None, None),
        (Fault("23514", "posting_amount_check", None), None, None),
    ],
)
def test_codes(fault: Fault, role: str | None, code: str | None) -> None:
    assert code_of(fault, role) == code


@pytest.mark.parametrize(
    ("detail", "account"),
    [(ROW, 12), ("Failing row contains (7, 1, XTK, frozen, 10).", 7), ("Key (code)=(x)", None)],
)
def test_the_account_that_refused(detail: str, account: int | None) -> None:
    assert account_of(Fault("23514", "floor", detail)) == account
