"""Kinds of entries. A number lies in the books for ever and is never used again.

From 40 on they are manual: the books refuse those of a closed period (`0003_control.sql`).
"""

from enum import IntEnum, unique
from types import MappingProxyType


@unique
class Kind(IntEnum):
    """What an entry records; its name in lower case is the word in events, exports and the API."""

    BUY_IN = 1
    TOP_UP = 2
    HAND = 3
    CASH_OUT = 4
    ENTRY = 10
    RE_ENTRY = 11
    REBUY = 12
    ADD_ON = 13
    REFUND = 14
    BOUNTY = 15
    OVERLAY = 16
    TOURNAMENT_RAKE = 17
    FEES_EARNED = 18
    HEADS_TO_POOL = 19
    PRIZE = 20
    COMPENSATION = 21
    DEPOSIT = 30
    GRANT = 31
    WITHDRAWAL = 32
    WITHDRAWAL_PAID = 33
    WITHDRAWAL_RETURNED = 34
    ADJUSTMENT = 40
    REVERSAL = 41

    @property
    def word(self) -> str:
        """Its word, as in `buy_in`."""
        return self.name.lower()


SETTLED_KINDS = frozenset(
    {
        Kind.HAND,
        Kind.CASH_OUT,
        Kind.REFUND,
        Kind.BOUNTY,
        Kind.OVERLAY,
        Kind.TOURNAMENT_RAKE,
        Kind.FEES_EARNED,
        Kind.HEADS_TO_POOL,
        Kind.PRIZE,
    }
)
"""What the settler posts, after the command that wrote the event."""
TITLES = MappingProxyType(
    {
        Kind.BUY_IN: "Buy-in",
        Kind.TOP_UP: "Top-up",
        Kind.HAND: "Hand",
        Kind.CASH_OUT: "Cash-out",
        Kind.ENTRY: "Tournament entry",
        Kind.RE_ENTRY: "Re-entry",
        Kind.REBUY: "Rebuy",
        Kind.ADD_ON: "Add-on",
        Kind.REFUND: "Refund",
        Kind.BOUNTY: "Bounty",
        Kind.OVERLAY: "Overlay",
        Kind.TOURNAMENT_RAKE: "Rake of a tournament",
        Kind.FEES_EARNED: "Fees earned",
        Kind.HEADS_TO_POOL: "Heads to the pool",
        Kind.PRIZE: "Prize",
        Kind.COMPENSATION: "Compensation",
        Kind.DEPOSIT: "Deposit",
        Kind.GRANT: "Play chips granted",
        Kind.WITHDRAWAL: "Withdrawal asked for",
        Kind.WITHDRAWAL_PAID: "Withdrawal paid out",
        Kind.WITHDRAWAL_RETURNED: "Withdrawal returned",
        Kind.ADJUSTMENT: "Adjustment",
        Kind.REVERSAL: "Reversal",
    }
)
