"""Deposits and withdrawals as pure rules: states, terms, which way money goes back."""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum, unique
from types import MappingProxyType

from ledger.core.currencies import EUR

PLAY = "play"  # the method of play chips, which nobody pays for
DEPOSIT_TERM = timedelta(days=7)  # after which a deposit that nobody has seen is no longer awaited
ASK_AGAIN_AFTER = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30))
PLAY_DAY = timedelta(hours=24)
WITHDRAWAL_MIN = MappingProxyType({EUR.code: 1_000})  # in minor units; other currencies have none


@unique
class State(StrEnum):
    """Where a deposit or a withdrawal stands."""

    REQUESTED = "requested"
    UNASSIGNED = "unassigned"
    APPROVED_ONCE = "approved_once"
    RECORDED = "recorded"
    REFUSED = "refused"
    EXPIRED = "expired"
    APPROVED = "approved"
    SENDING = "sending"
    UNKNOWN = "unknown"
    PAID = "paid"
    RETURNED = "returned"


AWAITED = frozenset({State.REQUESTED, State.APPROVED_ONCE})  # nothing has come or gone yet
UNDECIDED = AWAITED | {State.UNASSIGNED}
HELD = AWAITED | {State.APPROVED}  # a withdrawal that can still be taken back
UNDER_WAY = frozenset({State.SENDING, State.UNKNOWN})  # may be with its receiver already


def next_try(attempts: int) -> timedelta | None:
    """How long after a payout was tried `attempts` times it is asked for again; None: not at all.

    >>> next_try(1), next_try(4)
    (datetime.timedelta(seconds=60), None)
    """
    return ASK_AGAIN_AFTER[attempts - 1] if attempts <= len(ASK_AGAIN_AFTER) else None


def withdrawal_min(currency: str) -> int:
    """The smallest amount that is paid out."""
    return WITHDRAWAL_MIN.get(currency, 1)


def to_go_first(method: str, amount: int, sources: Mapping[str, int], least: int) -> dict[str, int]:
    """Other methods that must get their money back before `amount` goes out by `method`.

    `sources` says for each method what came by it and has not gone back. Money that came by the
    method itself may always go back; more than that only once no other one has as much left as is
    paid out at all, `least`.

    >>> to_go_first("bank", 5_000, {"bank": 2_000, "card": 7_000}, 1_000)
    {'card': 7000}
    >>> to_go_first("bank", 5_000, {"bank": 5_000, "card": 7_000}, 1_000)
    {}
    """
    if amount <= sources.get(method, 0):
        return {}
    return {
        other: left for other, left in sorted(sources.items()) if other != method and left >= least
    }
