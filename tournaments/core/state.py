"""A tournament as its own stream tells it; `folding` makes it of the facts.

Chips of the living are facts of the tables' streams and are not in here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from tournaments.core import deals, events
from tournaments.core.busts import Place
from tournaments.core.events.play import PauseMode, WaitReason
from tournaments.core.lifecycle import Status
from tournaments.core.options import Freezeout, Matches, Settings, settings_of

EntryKey = tuple[str, int]
"""Player and entry_no."""
EntryStatus = Literal["registered", "refunded", "playing", "out", "disqualified"]
AwardKind = Literal["bye", "half_bye", "absent"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One paid place. Seat and table are those of a player in play."""

    player: str
    entry_no: int
    buy_in: int
    fee: int
    bounty: int
    status: EntryStatus = "registered"
    checked_in: bool = False
    head: int = 0  # what whoever takes it gets
    rebuys: int = 0
    add_on: bool = False
    bought: int = 0  # rebuys and add-on
    table: str | None = None
    seat: int | None = None
    moves: int = 0
    hand: str | None = None  # in which he bust
    chips_at_start: int = 0  # of that hand
    place: Place | None = None

    @property
    def is_alive(self) -> bool:
        """Whether the place that was paid for is still to be played, or is played now."""
        return self.status in ("registered", "playing")


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
class Match:
    """A fixed number of hands among the same players. Without a result it is under way."""

    match: str
    round: int
    table: str
    players: tuple[str, ...]
    hands: int
    repeats: int = 0  # times that hands were added because of a tie
    absent: tuple[str, ...] = ()
    chips: Mapping[str, int] | None = None  # net of each player who was there
    corrected: Mapping[str, int] | None = None
    """Chips as they count in the standings where a ruling came too late to change a pairing."""
    points: Mapping[str, int] | None = None
    winner: str | None = None  # by walkover
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Round:
    """Who met whom in a round, as it was paired."""

    round: int
    tables: tuple[events.PairedTable, ...]
    bye: str | None
    half_byes: tuple[str, ...]
    absent: tuple[str, ...]
    rematches: tuple[tuple[str, str], ...]
    cost: tuple[int, ...]
    algorithm: str
    input_hash: str | None


@dataclass(frozen=True, slots=True)
class Award:
    """Points of a round without opponents."""

    kind: AwardKind
    points: int


@dataclass(frozen=True, slots=True)
class Rulings:
    """What directors have said that holds on."""

    directors: tuple[str, ...] = ()
    forbidden: tuple[tuple[str, ...], ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    clock: str | None = None  # of hands dealt later
    extended: bool = False  # late entry, once
    extra_levels: int = 0
    extra_rounds: int = 0
    warnings: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    penalties: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    protests: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Open ones, and who opened them."""
    holds: frozenset[str] = frozenset()
    forfeits: frozenset[str] = frozenset()


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
    waiting: tuple[str, ...] = ()  # for a place, in order
    registration_closed: bool = False
    check_in_closes_at: str | None = None
    collected: int = 0  # buy-ins, rebuys and add-ons that are in escrow
    fees: int = 0
    heads: int = 0  # that nobody has taken yet
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
    seeds: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    rounds_planned: int | None = None
    rounds: tuple[Round, ...] = ()
    matches: Mapping[str, Match] = field(default_factory=lambda: MappingProxyType({}))
    awards: Mapping[tuple[str, int], Award] = field(default_factory=lambda: MappingProxyType({}))
    """By player and round."""
    withdrawn: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Players who play no further round, and the last round that was paired before."""
    readmitted: frozenset[str] = frozenset()
    frozen: tuple[events.StandingsFrozen, ...] = ()
    seat_draws: int = 0  # seating acts done
    mover_draws: int = 0
    redrawn: bool = False
    final_table: bool = False
    paused: PauseMode | None = None
    paused_by: str | None = None  # why
    deal: deals.Open | None = None
    deals_of_level: int = 0  # proposals made in this level
    sealed: events.DealSealed | None = None
    rulings: Rulings = field(default_factory=Rulings)
    prizes: tuple[events.Prize, ...] = ()
    closed: bool = False  # settled, or cancelled and settled

    @property
    def is_late_entry_open(self) -> bool:
        """Whether somebody may still come in while play goes on."""
        return self.status in (Status.RUNNING, Status.PAUSED) and not self.registration_closed

    @property
    def settings(self) -> Settings:
        """The typed options."""
        return settings_of(self.options)

    @property
    def freezeout(self) -> Freezeout:
        """The options of a freezeout. Raises: TypeError for another format."""
        found = self.settings
        if not isinstance(found, Freezeout):
            raise TypeError(f"{found.format} is no freezeout")
        return found

    @property
    def of_matches(self) -> Matches:
        """The options of a tournament in matches. Raises: TypeError for another format."""
        found = self.settings
        if not isinstance(found, Matches):
            raise TypeError(f"{found.format} has no matches")
        return found

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

    def standing_heads(self) -> dict[str, int]:
        """What each head is worth that nobody has taken, in the order of payment."""
        return {entry.player: entry.head for entry in self.entries.values() if entry.head}

    def contenders(self) -> list[Entry]:
        """The newest entry of each player who may take a place, in the order of payment."""
        return [
            entry
            for key, entry in self.entries.items()
            if entry.status not in ("refunded", "disqualified")
            and self.last_entry[entry.player] == key[1]
        ]


NOTHING = Tournament()
"""The state before the first event."""
