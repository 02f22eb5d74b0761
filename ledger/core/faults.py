"""What a broken constraint of the books says, as a code (`ledger.md` sections 2.2 and 7)."""

import re
from dataclasses import dataclass
from types import MappingProxyType

UNKNOWN_ACCOUNT_STATE = "LG002"
_STATES = MappingProxyType(
    {
        "LG001": "entry_conflict",
        UNKNOWN_ACCOUNT_STATE: "unknown_account",
        "LG003": "reversal_mismatch",
        "LG004": "period_closed",
        "LG005": "escrow_not_empty",
    }
)
_CONSTRAINTS = MappingProxyType(
    {
        "balance_limit": "balance_limit",
        "account_known": "unknown_account",
        "account_open": "account_closed",
        "account_not_frozen": "account_frozen",
        "entry_currency": "currency_mismatch",
        "balanced": "unbalanced",
        "leg_count": "bad_entry",
        "entry_reverses": "already_reversed",
        "external_payment_pkey": "duplicate_reference",
        "account_currency_fkey": "unknown_currency",
    }
)
# A failed CHECK of account_balance and the trigger on posting name the row in one form.
_row = re.compile(r"\((\d+), -?1, [A-Z0-9]+, [a-z]+, -?\d+[,)]").search


@dataclass(frozen=True, slots=True)
class Fault:
    """What PostgreSQL says of a refused statement."""

    state: str
    constraint: str | None
    detail: str | None


def code_of(fault: Fault, role: str | None) -> str | None:
    """Code of a fault that is a refusal, None for one that is not; `role` is that of its account.

    >>> code_of(Fault("23514", "floor", None), "wallet")
    'insufficient_funds'
    """
    if fault.constraint == "floor":
        return "insufficient_funds" if role == "wallet" else "floor_violated"
    return _STATES.get(fault.state) or _CONSTRAINTS.get(fault.constraint or "")


def account_of(fault: Fault) -> int | None:
    """Id of the account that a fault names.

    >>> account_of(Fault("23514", "floor", "Failing row contains (12, -1, EUR, open, -5, 3, 0)."))
    12
    """
    match = _row(fault.detail or "")
    return int(match[1]) if match else None
