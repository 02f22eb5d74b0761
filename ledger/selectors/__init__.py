"""Reads of the books."""

from ledger.selectors.accounts import (
    AccountLine,
    AccountPage,
    ChartLine,
    Span,
    account_lines,
    chart,
)
from ledger.selectors.balances import (
    Balance,
    account_count,
    available,
    balance_sums,
    balances,
    escrow,
    house,
    seats,
    sums,
    who_can_pay,
)
from ledger.selectors.currencies import currencies, currency_kinds, display, exponents
from ledger.selectors.digests import batched, digest, digest_at
from ledger.selectors.entries import EntryInFull, Filter, entries, entry, entry_id_of
from ledger.selectors.looks import looks
from ledger.selectors.payouts import arithmetic, hands_of, payouts, payouts_of
from ledger.selectors.settlement import Cursor, cursor, is_settled, pending, settled_size
from ledger.selectors.statements import LINES_MAX, Line, Range, Statement, statement
from ledger.selectors.trial import Trial, TrialLine, trial_balance

__all__ = [
    "LINES_MAX",
    "AccountLine",
    "AccountPage",
    "Balance",
    "ChartLine",
    "Cursor",
    "EntryInFull",
    "Filter",
    "Line",
    "Range",
    "Span",
    "Statement",
    "Trial",
    "TrialLine",
    "account_count",
    "account_lines",
    "arithmetic",
    "available",
    "balance_sums",
    "balances",
    "batched",
    "chart",
    "currencies",
    "currency_kinds",
    "cursor",
    "digest",
    "digest_at",
    "display",
    "entries",
    "entry",
    "entry_id_of",
    "escrow",
    "exponents",
    "hands_of",
    "house",
    "is_settled",
    "looks",
    "payouts",
    "payouts_of",
    "pending",
    "seats",
    "settled_size",
    "statement",
    "sums",
    "trial_balance",
    "who_can_pay",
]
