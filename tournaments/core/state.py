"""A tournament as its own stream tells it: `evolve` one event, `fold` many.

Chips of the living are facts of the tables' streams and are not in here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import singledispatch
from types import MappingProxyType

from eventstore.core.refusal import InvariantBroken
from games.rules.payment import places_of_busts
from tournaments.core import events
from tournaments.core.busts import Place
from tournaments.core.events.play import WaitReason
from tournaments.core.lifecycle import Status, admits
from tournaments.core.options import Settings, settings_of

EntryKey = tuple[str, int]
"""Player and entry_no."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One paid place. Seat and table are those of a player in play."""

    player: str
    entry_no: int
    buy_in: int
    fee: int
    bounty: int
    status: str = "registered"  # registered, refunded, playing, out
    table: str | None = None
    seat: int | None = None
    moves: int = 0
    chips_at_start: int = 0  # of the hand in which he bust
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table in play. `players` maps each player to his seat, 1..seats.

    `waiting` is why it is not dealt now; a waiting table is between hands and all that its last
    hand changed has been done. `released` is why it waited before it was let go.
    """

    table: str
    number: int
    seats: int
    players: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    waiting: WaitReason | None = None
    released: WaitReason | None = None

    def free_seats(self) -> list[int]:
        """Seats that nobody has, lowest first."""
        taken = set(self.players.values())
        return [seat for seat in range(1, self.seats + 1) if seat not in taken]


@dataclass(frozen=True, slots=True)
class Tournament:
    """All that the stream says so far. Counts and acts are those of this tournament."""

    version: int = 0
    status: Status | None = None
    organiser: str = ""
    name_ref: str = ""
    template: str | None = None
    options: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    structure_hash: str | None = None
    seed_commit: str | None = None
    seed: str | None = None  # hex, once it is revealed
    entries: Mapping[EntryKey, Entry] = field(default_factory=lambda: MappingProxyType({}))
    last_entry: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    entered: int = 0  # entries paid and not refunded
    tables: Mapping[str, Table] = field(default_factory=lambda: MappingProxyType({}))
    tables_added: int = 0
    started_at: str | None = None
    left: int = 0  # players in play
    chips_total: int = 0
    level: int = 1
    paid_places: int = 0
    vector: tuple[int, ...] = ()
    hand_for_hand: bool = False
    synchronised: bool = False  # a round of hands that are one moment has been dealt
    unplaced: tuple[EntryKey, ...] = ()  # busts of that round
    seat_draws: int = 0  # seating acts done
    mover_draws: int = 0
    redrawn: bool = False
    final_table: bool = False
    prizes: tuple[events.Prize, ...] = ()
    closed: bool = False  # settled, or cancelled and settled

    @property
    def settings(self) -> Settings:
        """The typed options."""
        return settings_of(self.options)

    @property
    def is_full(self) -> bool:
        """Whether no further entry fits."""
        return self.entered >= self.settings.entries_max

    def entry_of(self, player: str) -> Entry | None:
        """A player's newest entry."""
        number = self.last_entry.get(player)
        return None if number is None else self.entries[player, number]

    def living_entries(self) -> list[Entry]:
        """Entries not refunded, in the order in which they were paid."""
        return [entry for entry in self.entries.values() if entry.status != "refunded"]


NOTHING = Tournament()
"""The state before the first event."""


@dataclass(slots=True)
class _Books:
    """The maps of a state under construction; nobody else holds them until the fold is over."""

    entries: dict[EntryKey, Entry]
    last_entry: dict[str, int]
    tables: dict[str, Table]

    def change(self, key: EntryKey, **changed: object) -> Entry:
        self.entries[key] = replace(self.entries[key], **changed)  # type: ignore[arg-type]  # names are checked by the call
        return self.entries[key]

    def seat(self, player: str, table: str, seat: int) -> None:
        found = self.tables[table]
        self.tables[table] = replace(found, players={**found.players, player: seat})

    def unseat(self, player: str, table: str) -> None:
        found = self.tables[table]
        others = {other: seat for other, seat in found.players.items() if other != player}
        self.tables[table] = replace(found, players=others)


def evolve(state: Tournament, event: events.Event) -> Tournament:
    """The state after one more event. Raises: InvariantBroken for one that can not follow."""
    return fold((event,), state)


def fold(facts: Iterable[events.Event], state: Tournament = NOTHING) -> Tournament:
    """The state after more events; equal to one `evolve` after another, in linear time."""
    books = _Books(dict(state.entries), dict(state.last_entry), dict(state.tables))
    state = replace(state, entries=books.entries, last_entry=books.last_entry, tables=books.tables)
    version = state.version
    for event in facts:
        if not admits(state.status, event):
            raise InvariantBroken(f"{type(event).__name__} in state {state.status}")
        state, version = _after(event, state, books), version + 1
    return replace(state, version=version)


@singledispatch
def _after(_event: events.Event, state: Tournament, _books: _Books) -> Tournament:
    """The state after an event; one without a case of its own changes nothing."""
    return state


@_after.register
def _(event: events.TournamentDrafted, state: Tournament, _books: _Books) -> Tournament:
    return replace(
        state,
        status=Status.DRAFT,
        organiser=event.organiser,
        name_ref=event.name_ref,
        template=event.template,
        options=event.options,
    )


@_after.register
def _(event: events.OptionsChanged, state: Tournament, _books: _Books) -> Tournament:
    return replace(state, options={**state.options, **event.changed})


@_after.register
def _(event: events.RulesPublished, state: Tournament, _books: _Books) -> Tournament:
    return replace(
        state,
        status=Status.ANNOUNCED,
        options=event.options,
        structure_hash=event.structure_hash,
        seed_commit=event.seed_commit,
    )


@_after.register
def _(_event: events.RegistrationOpened, state: Tournament, _books: _Books) -> Tournament:
    return replace(state, status=Status.REGISTRATION)


@_after.register
def _(event: events.EntryPaid, state: Tournament, books: _Books) -> Tournament:
    key = event.player, event.entry_no
    books.entries[key] = Entry(*key, buy_in=event.buy_in, fee=event.fee, bounty=event.bounty)
    books.last_entry[event.player] = event.entry_no
    return replace(state, entered=state.entered + 1)


@_after.register
def _(event: events.EntryRefunded, state: Tournament, books: _Books) -> Tournament:
    books.change((event.player, event.entry_no), status="refunded")
    return replace(state, entered=state.entered - 1)


@_after.register
def _(_event: events.SeatingStarted, state: Tournament, _books: _Books) -> Tournament:
    return replace(state, status=Status.SEATING)


@_after.register
def _(event: events.TableAdded, state: Tournament, books: _Books) -> Tournament:
    books.tables[event.table] = Table(event.table, event.number, event.seats)
    return replace(state, tables_added=state.tables_added + 1)


@_after.register
def _(event: events.SeatAssigned, state: Tournament, books: _Books) -> Tournament:
    key = event.player, event.entry_no
    books.change(key, status="playing", table=event.table, seat=event.seat)
    books.seat(event.player, event.table, event.seat)
    if state.status is Status.SEATING:
        chips = state.chips_total + event.chips
        return replace(state, left=state.left + 1, chips_total=chips, seat_draws=1)
    draws = state.seat_draws + (not state.redrawn)
    return replace(state, redrawn=True, seat_draws=draws)


@_after.register
def _(event: events.Started, state: Tournament, _books: _Books) -> Tournament:
    return replace(state, status=Status.RUNNING, started_at=event.at)


@_after.register
def _(event: events.PrizesPublished, state: Tournament, _books: _Books) -> Tournament:
    known = () if event.part == 1 else state.vector
    places = event.places if event.part == 1 else state.paid_places
    return replace(state, vector=known + event.vector, paid_places=places)


@_after.register
def _(event: events.LevelRaised, state: Tournament, _books: _Books) -> Tournament:
    return replace(state, level=event.level)


@_after.register
def _(event: events.PlayerBusted, state: Tournament, books: _Books) -> Tournament:
    key = event.player, event.entry_no
    place = None
    if event.place_best is not None and event.place_worst is not None:
        place = event.place_best, event.place_worst
    books.unseat(event.player, event.table)
    gone = {"status": "out", "table": None, "seat": None}
    books.change(key, **gone, chips_at_start=event.chips_at_start, place=place)
    unplaced = state.unplaced if place else (*state.unplaced, key)
    return replace(state, left=state.left - 1, unplaced=unplaced)


@_after.register
def _(event: events.PlayerMoved, state: Tournament, books: _Books) -> Tournament:
    key = event.player, books.last_entry[event.player]
    books.unseat(event.player, event.from_)
    books.seat(event.player, event.to, event.seat)
    moves = books.entries[key].moves + 1
    books.change(key, table=event.to, seat=event.seat, moves=moves)
    return replace(state, mover_draws=state.mover_draws + (event.reason == "balance"))


@_after.register
def _(event: events.TableBroken, state: Tournament, books: _Books) -> Tournament:
    del books.tables[event.table]
    return replace(state, seat_draws=state.seat_draws + 1)


@_after.register
def _(event: events.TableWaiting, state: Tournament, books: _Books) -> Tournament:
    found = books.tables[event.table]
    books.tables[event.table] = replace(found, waiting=event.reason, released=None)
    formed = event.reason == "break" and len(books.tables) == 1
    return replace(state, final_table=state.final_table or formed)


@_after.register
def _(event: events.TableReleased, state: Tournament, books: _Books) -> Tournament:
    found = books.tables[event.table]
    books.tables[event.table] = replace(found, waiting=None, released=event.reason)
    begun = state.hand_for_hand and event.reason == "hand_for_hand"
    return replace(state, synchronised=state.synchronised or begun)


@_after.register
def _(event: events.HandForHandSet, state: Tournament, books: _Books) -> Tournament:
    if event.on:
        return replace(state, hand_for_hand=True)
    chips = {key: books.entries[key].chips_at_start for key in state.unplaced}
    for key, place in places_of_busts(state.left + len(chips), chips).items():
        books.change(key, place=place)
    return replace(state, hand_for_hand=False, synchronised=False, unplaced=())


@_after.register
def _(event: events.Completed, state: Tournament, books: _Books) -> Tournament:
    gone = {"status": "out", "table": None, "seat": None}
    for one in event.places:
        books.change((one.player, one.entry_no), **gone, place=(one.place_best, one.place_worst))
    if event.part < event.parts:
        return state
    books.tables.clear()
    return replace(state, status=Status.COMPLETED)


@_after.register
def _(event: events.PrizesComputed, state: Tournament, _books: _Books) -> Tournament:
    whole = event.part == event.parts
    status = Status.SETTLING if whole else state.status
    return replace(state, status=status, prizes=state.prizes + event.prizes)


@_after.register
def _(_event: events.Settled, state: Tournament, _books: _Books) -> Tournament:
    status = Status.CANCELLED if state.status is Status.CANCELLED else Status.SETTLED
    return replace(state, status=status, closed=True)


@_after.register
def _(event: events.Cancelled, state: Tournament, books: _Books) -> Tournament:
    for one in event.refunds:
        books.change((one.player, one.entry_no), status="refunded")
    if event.part < event.parts:
        return state
    books.tables.clear()
    return replace(state, status=Status.CANCELLED, left=0)


@_after.register
def _(event: events.LotSeedRevealed, state: Tournament, _books: _Books) -> Tournament:
    return replace(state, seed=event.seed)
