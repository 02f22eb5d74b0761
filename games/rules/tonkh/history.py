"""A hand history as a value: every key of a `.tonkh` text, in the order of the text (`api.md` 8).

`text` writes and reads it, `telling` makes it from the log, `play` replays it and
`check` verifies it.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from eventstore.core.canonical import INTEGER_MAX
from games.rules.events import End, Fairness
from games.rules.options import SEATS_MAX, SEATS_MIN, Options
from games.rules.result import Result

FORMAT: Literal["tonkh/1"] = "tonkh/1"
UNSEEN = "??"
"""In place of a card that the viewer does not know."""
ALL, PUBLIC = "all", "public"
"""The viewers that are no seats: everything is known after the end, public facts at any time."""

_CARD = "(?:[A2-9TJQK][CDHS]|X[12])"
_SEEN = rf"(?:{_CARD}|\?\?)"
_AMOUNT = "[1-9][0-9]{0,15}"
_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_INSTANT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z"

Id = Annotated[str, Meta(pattern=rf"\A{_UUID}\Z")]
Hash = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Seed = Annotated[str, Meta(pattern=r"\A(?:[0-9a-f]{64})?\Z")]
"""A seat's seed, empty where it gave none."""
Code = Annotated[str, Meta(pattern=r"\A[a-z0-9_]{1,40}\Z")]
Currency = Annotated[str, Meta(pattern=r"\A[A-Z][A-Z0-9]{1,11}\Z")]
Instant = Annotated[str, Meta(pattern=rf"\A{_INSTANT}\Z")]
Seat = Annotated[int, Meta(ge=1, le=SEATS_MAX)]
Number = Annotated[int, Meta(ge=1, le=INTEGER_MAX)]
Whole = Annotated[int, Meta(ge=0, le=INTEGER_MAX)]
Signed = Annotated[int, Meta(ge=-INTEGER_MAX, le=INTEGER_MAX)]
Card = Annotated[str, Meta(pattern=rf"\A{_CARD}\Z")]
Cards = Annotated[str, Meta(pattern=rf"\A{_CARD}(?: {_CARD})*\Z")]
SeenCards = Annotated[str, Meta(pattern=rf"\A{_SEEN}(?: {_SEEN})*\Z")]
Text = Annotated[str, Meta(max_length=80)]
ActionText = Annotated[str, Meta(max_length=200)]
"""The longest is a time-out with a draw, four spreads and a discard: 63 characters, and room."""
TransferText = Annotated[str, Meta(pattern=rf"\A[1-6]>[1-6] {_AMOUNT} [DRV][0-9]{{1,2}}\Z")]
PaidText = Annotated[str, Meta(pattern=rf"\A[1-6]>[1-6] {_AMOUNT}\Z")]
ViewerText = Annotated[str, Meta(pattern=r"\A(?:all|public|seat [1-6])\Z")]
Seats = Annotated[tuple[Seat, ...], Meta(min_length=SEATS_MIN, max_length=SEATS_MAX)]


class Proof(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What proves the deal, and where the hand lies in the log."""

    fairness: Fairness
    deck_spec: str
    commit: Hash
    seeds: tuple[Seed, ...]
    beacon: Hash | None = None
    deck_root: Hash
    server_seed: Hash | None = None
    """After the reveal."""
    first_version: Number
    last_version: Number
    head_hash: Hash | None = None
    """Hash of the record at `last_version`, once the hand has ended."""


class HandHistory(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One hand as one viewer knows it; a key that the text leaves out is None."""

    format: Literal["tonkh/1"] = FORMAT
    hand: Id
    table: Id
    hand_no: Number
    tournament: Id | None = None
    viewer: ViewerText
    rules_preset: Code | None = None
    rules_version: Number
    rules_hash: Hash
    options: Options
    """The complete set; the text names what differs from the defaults."""
    currency: Currency | None = None
    """Absent in a tournament, where amounts are chips."""
    stake: Number
    payment: Literal["full", "table_stakes"] | None = None
    """How a tournament's hand is paid."""
    seats: Seats
    """In seat order; every list of one item a player is parallel to it."""
    players: tuple[Id, ...]
    names: tuple[Text, ...] | None = None
    """By consent: empty for a player without it, absent where nobody gave it."""
    kinds: tuple[Literal["human", "bot"], ...]
    stacks: tuple[Signed, ...]
    dealer: Seat
    started: Instant
    finished: Instant | None = None
    deal: tuple[SeenCards, ...]
    """Cards of each player in order of dealing."""
    upcard: Card | None = None
    deck: Cards | None = None
    """In full from place 0; only where the viewer is `all`."""
    reshuffles: tuple[Cards, ...] | None = None
    """The new stock of each reshuffle, top first; only beside `deck`."""
    actions: tuple[ActionText, ...]
    times_ms: tuple[Whole, ...]
    """Of each action, since `started`."""
    end: End | None = None
    by: Seat | None = None
    void_reason: Code | None = None
    """Why the hand was voided from outside the rules."""
    counts: tuple[Whole, ...] | None = None
    net: tuple[Signed, ...] | None = None
    rake: tuple[Whole, ...] | None = None
    transfers: tuple[TransferText, ...] | None = None
    paid: tuple[PaidText, ...] | None = None
    next_dealer: Seat | None = None
    """Who deals next among the seats dealt in, or a seat beside them that comes before those.

    Absent where a seat that would have dealt has left: seats that left are not in the text, so
    nobody could check it.
    """
    proof: Proof

    @property
    def ended(self) -> bool:
        """Whether the hand has come to an end, by the rules or from outside."""
        return self.end is not None

    @property
    def viewer_seat(self) -> int | None:
        """Seat whose knowledge this is, None where it is no seat's."""
        return seat_of(self.viewer)


def seat_of(viewer: str) -> int | None:
    """Seat number of a viewer, None for `all` and `public`. Raises: ValueError for anything else.

    >>> seat_of("seat 2"), seat_of("public")
    (2, None)
    """
    if viewer in (ALL, PUBLIC):
        return None
    word, _, number = viewer.partition(" ")
    if word != "seat":
        raise ValueError(f"{viewer!r} is no viewer")
    return int(number)


def knows(viewer: str, seat: int) -> bool:
    """Whether a viewer knows the hidden cards of a seat."""
    return viewer == ALL or seat_of(viewer) == seat


def transfer_texts(result: Result) -> tuple[str, ...]:
    """The transfers of a result as the text names them."""
    return tuple(
        f"{one.from_seat}>{one.to_seat} {one.amount} {one.rule}" for one in result.transfers
    )
