"""Facts of the end and of the money: places, prizes, cancellation, the seed."""

from typing import Literal

from tournaments.core.events.base import AmountOfPlayer, Event, Part

ProtestSubject = Literal["hand", "pairing", "clock", "prize", "conduct", "other"]
CancelPolicy = Literal[
    "no_entries", "before_start", "running_unpaid", "running_paid", "full_refund"
]


class PlaceOfPlayer(Event, frozen=True, kw_only=True):
    """A final place, a range when tied."""

    player: str
    entry_no: int
    place_best: int
    place_worst: int


class Completed(Part, frozen=True, kw_only=True):
    """Play is over and every place is known."""

    places: tuple[PlaceOfPlayer, ...]
    standings_hash: str | None


class ProtestOpened(Event, frozen=True, kw_only=True):
    """A player protests; the text lies outside the log."""

    protest: str
    player: str
    subject: ProtestSubject


class ProtestClosed(Event, frozen=True, kw_only=True):
    """A protest was decided."""

    protest: str
    player: str
    subject: ProtestSubject
    outcome: Literal["upheld", "rejected"]


class PrizeHeld(Event, frozen=True, kw_only=True):
    """A prize is not paid for now."""

    player: str
    reason_code: str


class HoldReleased(Event, frozen=True, kw_only=True):
    """A held prize is paid or forfeit."""

    player: str
    reason_code: str
    outcome: Literal["release", "forfeit"]


class Prize(Event, frozen=True, kw_only=True):
    """A prize of one player; `place` is the best of the places that he shares."""

    place: int
    player: str
    amount: int
    ticket_for: str | None


class PrizesComputed(Part, frozen=True, kw_only=True):
    """Every amount of the pay-out."""

    currency: str
    overlay: int
    rake: int
    fees: int
    heads_to_pool: int
    prizes: tuple[Prize, ...]
    vector_hash: str | None


class Settled(Event, frozen=True, kw_only=True):
    """All is posted and escrow is empty; `checked_version` is the ledger's cursor."""

    checked_version: int


class Debit(Event, frozen=True, kw_only=True):
    """What a player gives back: from his wallet, and what he owes."""

    player: str
    wallet: int
    receivable: int


class CompensationPosted(Part, frozen=True, kw_only=True):
    """Amounts that put a pay-out right; each part balances by itself."""

    currency: str
    reason_code: str
    debits: tuple[Debit, ...]
    credits: tuple[AmountOfPlayer, ...]


class Refund(Event, frozen=True, kw_only=True):
    """What an entry gets back."""

    player: str
    entry_no: int
    pool: int
    fee: int
    bounty: int


class Cancelled(Part, frozen=True, kw_only=True):
    """The tournament is called off, with all that is paid back."""

    policy: CancelPolicy
    reason_code: str
    currency: str
    rake: int
    fees_kept: int
    refunds: tuple[Refund, ...]


class LotSeedRevealed(Event, frozen=True, kw_only=True):
    """The seed of the lot: every draw can be checked."""

    seed: str


class Archived(Event, frozen=True, kw_only=True):
    """The tournament is history."""
