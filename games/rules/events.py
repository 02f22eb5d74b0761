"""Facts of a table's stream, members exactly as `eventstore.md` 7.1 lists them.

Seats are 1..6, ids lower-case UUIDs, hashes hex, cards texts, amounts minor units, instants the
fixed text form of the log. What is absent is null, never missing.
"""

from typing import Literal

import msgspec

from games.rules.melds import Kind
from games.rules.options import Options

End = Literal[
    "initial_tonk",
    "initial_spread",
    "initial_low",
    "initial_draw",
    "tonk_out",
    "discard_out",
    "knock_win",
    "caught",
    "stock_out",
    "void",
]
"""How a hand ended (`rules.md` section 5)."""
KEY_LOST = "dealer_key_lost"
"""Why a hand that was given up shows no seed (`eventstore.md` 5.4)."""
Fairness = Literal["commit", "strict", "beacon"]
Source = Literal["stock", "discard"]


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    """A stored fact, or a part of one."""


class RuleSet(Event, frozen=True, kw_only=True):
    """The rules of a table in full; the preset is a name only."""

    preset: str | None
    version: int
    hash: str
    options: Options


class Rake(Event, frozen=True, kw_only=True):
    """The house's share: basis points of what winners gain, at most `cap` a hand."""

    bp: int
    cap: int | None


class Clock(Event, frozen=True, kw_only=True):
    """Times that a player has."""

    profile: str
    move_ms: int
    first_move_ms: int
    bank_ms: int


class CutDraw(Event, frozen=True, kw_only=True):
    """One card of the cut for the deal; round 1 is everybody's, later ones those of ties."""

    round: int
    seat: int
    player: str
    card: str


class Seated(Event, frozen=True, kw_only=True):
    """Who sits where."""

    seat: int
    player: str


class BeaconRound(Event, frozen=True, kw_only=True):
    """A public round of randomness."""

    chain: str
    round: int


class CommittedSeat(Event, frozen=True, kw_only=True):
    """A seat that the commitment is for."""

    seat: int
    player: str
    bot: str | None
    anchored: bool


class DealtPlayer(Event, frozen=True, kw_only=True):
    """A seat that is dealt in; `stack` is what it has at the start of the hand."""

    seat: int
    player: str
    bot: str | None
    stack: int
    bank_ms: int
    seed: Literal["revealed", "missing", "none"]


class AwayPlayer(Event, frozen=True, kw_only=True):
    """A seat that is not dealt in."""

    seat: int
    player: str
    bot: str | None
    stack: int
    reason: str


class PlacedCard(Event, frozen=True, kw_only=True):
    """A public card and its place in the sealed deck."""

    card: str
    place: int


class HeldHand(Event, frozen=True, kw_only=True):
    """What a seat holds at the end, in order of places, and what it counts."""

    seat: int
    cards: tuple[str, ...]
    places: tuple[int, ...]
    count: int


class Transfer(Event, frozen=True, kw_only=True):
    """Who owes whom, and by which rule."""

    from_seat: int
    to_seat: int
    amount: int
    rule: str


class Payment(Event, frozen=True, kw_only=True):
    """What was really paid at a tournament table."""

    from_seat: int
    to_seat: int
    amount: int


PaymentRule = Literal["full", "table_stakes"]
"""Everybody pays all he owes, or at most the chips that he had at the start of the hand."""


class SeatAmount(Event, frozen=True, kw_only=True):
    """An amount of a seat: a net, a rake, a stack."""

    seat: int
    player: str
    amount: int


class TableOpened(Event, frozen=True, kw_only=True):
    """A table stands open under these rules."""

    rules: RuleSet
    currency: str
    stake: int
    seats: int
    buy_in_min: int
    buy_in_max: int
    rake: Rake
    fairness: Fairness
    clock: Clock
    visibility: Literal["public", "unlisted", "invite"]
    api_bots: bool
    spectator_delay_s: int
    tournament: str | None
    opened_by: str


class DealerCut(Event, frozen=True, kw_only=True):
    """The cut decided who deals first and, by option, who sits where."""

    deck_spec: str
    server_seed: str
    draws: tuple[CutDraw, ...]
    dealer: int
    seating: tuple[Seated, ...]


class SeatTaken(Event, frozen=True, kw_only=True):
    """A player or bot has sat down with its buy-in."""

    seat: int
    player: str
    bot: str | None
    buy_in: int
    currency: str


class StackToppedUp(Event, frozen=True, kw_only=True):
    """More money came to a seat between hands."""

    seat: int
    player: str
    amount: int
    currency: str


class SatOut(Event, frozen=True, kw_only=True):
    """A seat is not dealt in from the next hand on."""

    seat: int
    player: str
    reason: str


class SatIn(Event, frozen=True, kw_only=True):
    """A seat is dealt in again."""

    seat: int
    player: str


class SeatLeft(Event, frozen=True, kw_only=True):
    """A player has given up the seat, or lost it."""

    seat: int
    player: str
    reason: str


class SeatCashedOut(Event, frozen=True, kw_only=True):
    """The stack of a seat that was left goes back to the wallet."""

    seat: int
    player: str
    amount: int
    currency: str


class ChipsSet(Event, frozen=True, kw_only=True):
    """A director has set a seat's tournament chips."""

    seat: int
    player: str
    chips: int


class SeedAnchored(Event, frozen=True, kw_only=True):
    """A seat has fixed its chain of seeds."""

    seat: int
    player: str
    anchor: str
    length: int


class ShuffleCommitted(Event, frozen=True, kw_only=True):
    """The dealer has fixed its seed before any seat showed one."""

    hand: str
    hand_no: int
    commit: str
    deck_spec: str
    fairness: Fairness
    seats: tuple[CommittedSeat, ...]
    dealer: int
    reveal_by: str | None
    beacon: BeaconRound | None


class SeedRevealed(Event, frozen=True, kw_only=True):
    """A seat gave its next seed."""

    hand: str
    seat: int
    player: str
    index: int
    seed: str


class ShuffleAborted(Event, frozen=True, kw_only=True):
    """A commitment came to no deal."""

    hand: str
    missing: tuple[int, ...]
    reason: str
    server_seed: str


class HandDealt(Event, frozen=True, kw_only=True):
    """A hand began: all that is needed to fold it; no hidden card is in it."""

    hand: str
    hand_no: int
    rules: RuleSet
    fairness: Fairness
    deck_spec: str
    commit: str
    transcript: str
    deck_root: str
    beacon: str | None
    players: tuple[DealtPlayer, ...]
    away: tuple[AwayPlayer, ...]
    dealer: int
    stake: int
    currency: str
    payment: PaymentRule
    rake: Rake
    clock: Clock
    hand_size: int
    upcard: PlacedCard | None
    next: int | None


class CardDrawn(Event, frozen=True, kw_only=True):
    """A seat took the top card of the stock (hidden: card null) or of the discards."""

    seat: int
    source: Source
    place: int
    card: str | None


class SpreadLaid(Event, frozen=True, kw_only=True):
    """A seat laid a new spread; the three lists are parallel."""

    seat: int
    meld: str
    kind: Kind
    cards: tuple[str, ...]
    stands_for: tuple[str, ...]
    places: tuple[int, ...]


class CardHit(Event, frozen=True, kw_only=True):
    """A seat added a card to a spread on the table."""

    seat: int
    meld: str
    card: str
    stands_for: str
    place: int


class CardDiscarded(Event, frozen=True, kw_only=True):
    """A seat threw a card and ended its turn."""

    seat: int
    card: str
    place: int


class CardSlapped(Event, frozen=True, kw_only=True):
    """A seat put the top discard on a spread, out of turn, and shed a card."""

    seat: int
    meld: str
    card: str
    stands_for: str
    place: int
    shed: PlacedCard | None


class Knocked(Event, frozen=True, kw_only=True):
    """A seat claimed the lowest total."""

    seat: int


class StockRefused(Event, frozen=True, kw_only=True):
    """A seat asked for the empty stock."""

    seat: int


class PileReshuffled(Event, frozen=True, kw_only=True):
    """The covered discards became the new stock."""

    hand: str
    shuffle_no: int
    places: tuple[int, ...]
    root: str


class TurnTimedOut(Event, frozen=True, kw_only=True):
    """A seat's time ran out; its forced moves follow."""

    seat: int
    in_row: int
    bank_ms: int


class AutopilotSet(Event, frozen=True, kw_only=True):
    """A seat plays by default action, or no longer does."""

    seat: int
    player: str
    on: bool
    reason: str


class ClockExtended(Event, frozen=True, kw_only=True):
    """A seat has time until this instant."""

    seat: int
    until: str
    reason: str


class HandEnded(Event, frozen=True, kw_only=True):
    """A hand ended; every amount of it is fixed here."""

    hand: str
    end: End
    by: int | None
    winners: tuple[int, ...]
    held: tuple[HeldHand, ...]
    transfers: tuple[Transfer, ...]
    paid: tuple[Payment, ...] | None
    net: tuple[SeatAmount, ...]
    rake: tuple[SeatAmount, ...]
    stacks: tuple[SeatAmount, ...]
    next_dealer: int | None
    currency: str


class HandRevealed(Event, frozen=True, kw_only=True):
    """The dealer's seed of an ended hand: the whole deck is open."""

    hand: str
    server_seed: str


class HandVoided(Event, frozen=True, kw_only=True):
    """A hand was given up from outside the rules; the stacks are as dealt: none before the deal."""

    hand: str
    reason: str
    server_seed: str | None
    stacks: tuple[SeatAmount, ...]
    next_dealer: int | None


class TablePaused(Event, frozen=True, kw_only=True):
    """No hand is dealt until the table is resumed."""

    reason: str


class TableResumed(Event, frozen=True, kw_only=True):
    """Hands are dealt again."""

    reason: str


class TableClosed(Event, frozen=True, kw_only=True):
    """The table is closed for good."""

    reason: str


TABLE_EVENTS: tuple[type[Event], ...] = (
    TableOpened,
    DealerCut,
    SeatTaken,
    StackToppedUp,
    SatOut,
    SatIn,
    SeatLeft,
    SeatCashedOut,
    ChipsSet,
    SeedAnchored,
    ShuffleCommitted,
    SeedRevealed,
    ShuffleAborted,
    HandDealt,
    CardDrawn,
    SpreadLaid,
    CardHit,
    CardDiscarded,
    CardSlapped,
    Knocked,
    StockRefused,
    PileReshuffled,
    TurnTimedOut,
    AutopilotSet,
    ClockExtended,
    HandEnded,
    HandRevealed,
    HandVoided,
    TablePaused,
    TableResumed,
    TableClosed,
)
"""Every type of a table's stream; each is stored under its class's name, schema 1."""
