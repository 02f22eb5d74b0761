"""Where commands meet: a table, a player's money, an event, an order, what two people decide.

A scene is made anew for each round, by the product's own services. `look` says, once everything is
prepared, what all racers have seen before they begin.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import connections
from django.utils import timezone

from eventstore.core.ids import table_stream
from eventstore.ports import new_id
from games import selectors
from games.rules.table import Table
from games.services.bots import add_bot
from games.services.deals import deal_next
from games.services.seats import SitDown, leave_seat
from ledger.cashier.base import Notice, Outcome
from ledger.services.withdrawals import WithdrawalSaid, decide_withdrawal
from players.selectors import Person
from players.services import exclude
from tonk_site.proving.acting import drive, factories, fair_seats, play
from tournaments import selectors as tournaments
from tournaments.services import drafting, entries
from tournaments.services.start import start

PROVIDERS = ["ledger.cashier.manual.Manual", "ledger.cashier.sandbox.Sandbox"]
"""The cashier of these checks: payments by hand, and by a provider that moves nothing."""
OPENED_BY_ONE = 15  # fewer than the tables and events that one person may have open
GUESTS, SCENES_A_GUEST = 3, 15  # their chips are enough for so many seats
PROPOSALS_A_DAY = 15  # of one admin, of amounts up to `MOST` (`ledger.core.adjustments.CAPS`)
EUR, FUNDS, MOST = "EUR", 10_000, 6_000
"""What a player has, and what each command wants that spends it: there is enough for one."""
LITTLE = 1_000
SEATS = 6  # of a table for play chips
STAKE = 100
SMALL = 20 * STAKE  # the least that a seat is bought for
BUY_IN = 500  # play chips
BOT_LEVEL, BOT_FUNDS = "random-0", 1_000
ENTRIES, ENTRY_PRICE = 3, 55  # of an event
DEALS_MAX = 20
ENTRIES_MAX = 10_000


@dataclass
class World:
    """Who is there in all rounds, and where new people come from."""

    admins: tuple[Person, ...] = ()
    hurried: set[str] = field(default_factory=set)
    """Streams of tables whose time was made to pass."""
    _people: int = 0
    _hosted: int = 0
    _host: Person | None = None
    _guests: tuple[Person, ...] = ()
    _visits: int = 0
    _proposed: int = 0
    _proposer: Person | None = None
    _crowd: list[Person] = field(default_factory=list)
    _tables: "dict[str, TableScene]" = field(default_factory=dict)
    _events: list[UUID] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.admins = tuple(self.person("admin") for _ in range(3))

    def person(self, *roles: str) -> Person:
        """Somebody new, with a wallet unless he is of the staff."""
        self._people += 1
        return factories.a_player(f"player{self._people}", *roles)

    def host(self) -> Person:
        """An organiser who may open one more table or event."""
        if self._host is None or self._hosted % OPENED_BY_ONE == 0:
            self._host = self.person("organiser")
        self._hosted += 1
        return self._host

    def guests(self, count: int) -> tuple[Person, ...]:
        """People with play chips for a seat, who come again in some other scenes."""
        if self._visits % SCENES_A_GUEST == 0:
            self._guests = tuple(self.person() for _ in range(GUESTS))
        self._visits += 1
        return self._guests[:count]

    def table(self, stage: str) -> "TableScene":
        """A table of a stage: that of the last time if it is still good for one more round."""
        found = self._tables.get(stage)
        if found is not None:
            found.look()
        if found is None or not found.goes_on():
            found = self._tables[stage] = TableScene(self, stage)
        return found

    def proposer(self) -> Person:
        """An admin who may still propose a manual entry that needs no night's sleep."""
        if self._proposer is None or self._proposed % PROPOSALS_A_DAY == 0:
            self._proposer = self.person("admin")
        self._proposed += 1
        return self._proposer

    def crowd(self, count: int) -> Sequence[Person]:
        """People who come again in each round, with play chips for many."""
        self._crowd += [self.person() for _ in range(count - len(self._crowd))]
        return self._crowd[:count]

    def events(self, count: int) -> Sequence[UUID]:
        """Tournaments that many may enter, for most of what a player has."""
        self._events += [
            event_for_money(self.host(), entries_max=ENTRIES_MAX)
            for _ in range(count - len(self._events))
        ]
        return self._events[:count]


def event_for_money(host: Person, entries_max: int = 2) -> UUID:
    """A tournament whose price is most of what a player has."""
    return factories.a_tournament(
        host,
        currency=EUR,
        buy_in=MOST,
        fee=0,
        bots="none",
        start=None,
        entries_min=2,
        entries_max=entries_max,
    )


def changed(sql: str, *parameters: Any) -> None:
    """Change a row past the services, as its owner: what waits for its time is due now, say."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(sql, parameters)


def sitting(table: UUID, who: Person, buy_in: int, seat: int | None = None) -> SitDown:
    """A wish to sit down, at whatever version."""
    actor = f"player:{who.id}"
    return SitDown(table=table, person=who, buy_in=buy_in, seat=seat, version=None, actor=actor)


def paid_notice(purpose: object, amount: int, reference: str, direction: Any = "in") -> Notice:
    """What the sandbox says of a payment that was made."""
    return Notice(
        event_id=f"event {reference}",
        method="sandbox",
        reference=reference,
        purpose=str(purpose),
        direction=direction,
        amount=amount,
        currency=EUR,
        outcome=Outcome.PAID,
        happened_at=timezone.now(),
    )


@dataclass
class TableScene:
    """A cash table: at rest, in a hand, while seeds are given, or when a bot is to act."""

    world: World
    stage: str
    id: UUID = field(init=False)
    table: Table = field(init=False)
    moves: tuple[str, ...] = ()
    """Legal moves of whoever is to act, if he is a person."""

    def __post_init__(self) -> None:
        self.host = self.world.host()
        self.ona, self.petras, self.birute = self.world.guests(GUESTS)
        self.links = fair_seats.Links(name=new_id().hex)
        self.id = factories.a_table(self.host, seats=SEATS, options=factories.PLAYED)
        factories.sits_down(self.id, self.ona, BUY_IN)
        if self.stage == "bot":
            add_bot(self.id, BOT_LEVEL, seat=None, creator=self.host, receipt=factories.receipt())
            self._come_to_the_bot()
        else:
            factories.sits_down(self.id, self.petras, BUY_IN)
        if self.stage == "sealing":
            fair_seats.anchors(self.id, self.ona, self.links)
        if self.stage in {"sealing", "hand"}:
            self._deal()
        self.look()

    def _come_to_the_bot(self) -> None:
        """Deal and play until the bot is to act."""
        turn = play.turn_at(self.id)
        while turn.player == self.ona.id:
            play.play(self.id, turn)
            turn = play.turn_at(self.id)

    def _deal(self) -> None:
        """Until a hand runs, or is committed to."""
        for _ in range(DEALS_MAX):
            self.hurry()
            deal_next(self.id, selectors.live_row(self.id).version)
            self.look()
            if self.table.playing or self.table.sealing:
                return
        raise RuntimeError(f"no hand gets going at {self.id}")

    @property
    def stream(self) -> str:
        """Its stream."""
        return table_stream(self.id)

    @property
    def version(self) -> int:
        """The version that the racers have seen."""
        return self.table.version

    @property
    def mover(self) -> UUID:
        """Who is to act; anybody where nobody is."""
        acts = self.table.to_act
        return self.ona.id if acts is None else UUID(self.table.place(acts).player)

    def look(self) -> None:
        """See the table as it is."""
        self.table = selectors.see_now(self.id).table
        self.moves = ()
        if self.table.to_act is not None and self.stage == "hand":
            state: Any = selectors.state_document(selectors.see(self.id, self.mover))
            self.moves = tuple(one["move"] for one in state["legal"])

    @property
    def seats(self) -> frozenset[int]:
        """Seats that are taken."""
        return frozenset(place.seat for place in self.table.places)

    def goes_on(self) -> bool:
        """Whether it is still of its stage, with two free seats or with a choice of moves."""
        if self.stage == "hand":
            return len(self.moves) > 1
        return not self.table.playing and len(self.seats) < SEATS - 1

    def hurry(self) -> None:
        """Let what waits for its time be due: the live row says otherwise than the log then."""
        self.world.hurried.add(self.stream)
        drive.hurry(self.id)

    def guest(self) -> Person:
        """One more at the table."""
        who = self.world.person()
        factories.sits_down(self.id, who, BUY_IN)
        return who


@dataclass
class PlayerScene:
    """A player with money for one of the things that he is about to do at once."""

    world: World
    stage: str = ""
    _freeze: UUID | None = None

    def __post_init__(self) -> None:
        self.ona = self.world.person("organiser")
        factories.pays_in(self.ona, FUNDS)

    def look(self) -> None:
        """There is nothing that has a version."""

    def table(self) -> UUID:
        """A table at which he may sit down with most of his money."""
        return factories.a_table(self.world.host(), currency=EUR, stake=STAKE)

    def event(self) -> UUID:
        """A tournament whose price is most of his money."""
        return event_for_money(self.world.host())

    def left_table(self) -> str:
        """Stream of a table that he has left: his stack is still to be paid out."""
        table = self.table()
        factories.sits_down(table, self.ona, SMALL)
        leave_seat(table, self.ona.id, factories.receipt())
        return table_stream(table)

    def withdrawal(self, *approved_by: Person, method: str = "manual") -> UUID:
        """A small withdrawal, let go by some."""
        if method != "manual":
            factories.pays_in(self.ona, LITTLE, method)
        order = factories.a_withdrawal(self.ona, LITTLE, method)
        for admin in approved_by:
            decide_withdrawal(order, WithdrawalSaid(approved=True), admin, factories.receipt())
        return order

    def freeze(self) -> UUID:
        """A proposal to freeze his wallets; there can not be two."""
        self._freeze = self._freeze or factories.a_freeze(self.ona.id, self.world.admins[0])
        return self._freeze

    def adjustment(self, amount: int) -> UUID:
        """A proposal to give him so much, or to take it."""
        return factories.an_adjustment(self.world.proposer(), self.ona.id, amount)


@dataclass
class EventScene:
    """A tournament: a draft, announced, open for the last of its entries, running, or running
    with one less: it is over sooner.
    """

    world: World
    stage: str
    id: UUID = field(init=False)
    version: int = 0

    def __post_init__(self) -> None:
        self.host, (self.ona, self.petras) = self.world.host(), self.world.guests(2)
        options = {
            "entries_min": 2,
            "entries_max": ENTRIES,
            "buy_in": ENTRY_PRICE - 5,
            "fee": 5,
            "stack_stakes": 5,
            "level_hands": 3,
            "game_rules": factories.PLAYED,
        }
        draft = drafting.Draft(template="sim-short", name="Evening", overrides=options)
        created = drafting.create(draft, self.host, factories.receipt())
        self.id = UUID(str(created.result["tournament_id"]))
        if self.stage != "draft":
            drafting.publish(self.id, self.host, 1, factories.receipt())
        if self.stage in {"registration", "running", "of two"}:
            drafting.open_registration(self.id, self.host, 2, factories.receipt())
            self._fill(ENTRIES - (self.stage != "running"))
        self.look()
        if self.stage == "of two":
            start(self.id, self.host, self.version, factories.receipt())
            self.look()

    def _fill(self, count: int) -> None:
        wish = entries.BotsWish(level=BOT_LEVEL, count=count, version=3)
        entries.add_bots(self.id, self.host, wish, factories.receipt())

    def look(self) -> None:
        """See its version, and its table if it has one."""
        self.version = tournaments.see(self.id, self.host.id).state.version

    def table(self) -> UUID:
        """A table of it; an id that nothing has where it is not running."""
        rows = selectors.tables_of_tournament(self.id)
        return rows[0].id if rows else new_id()


def excluded_at_rest(world: World) -> Person:
    """Somebody who has excluded himself and still sits alone, where no deal comes to stop him."""
    who = world.person()
    factories.sits_down(factories.a_table(world.host(), seats=SEATS), who, BUY_IN)
    exclude(who, None, factories.receipt())
    return who


@dataclass
class OrderScene:
    """A deposit and a withdrawal of one player, by hand or by the provider."""

    world: World
    stage: str

    def __post_init__(self) -> None:
        self.ona = self.world.person()
        factories.pays_in(self.ona, FUNDS, self.stage)
        self.deposit = factories.a_deposit(self.ona, LITTLE, self.stage)
        self.withdrawal = factories.a_withdrawal(self.ona, LITTLE, self.stage)
        self.reference = new_id().hex

    def look(self) -> None:
        """There is nothing that has a version."""


@dataclass
class DecisionScene:
    """A manual entry and a freeze that are proposed and not decided."""

    world: World
    stage: str = ""

    def __post_init__(self) -> None:
        self.ona = self.world.person()
        self.adjustment = factories.an_adjustment(self.world.proposer(), self.ona.id, LITTLE)
        self.freeze = factories.a_freeze(self.ona.id, self.world.admins[0])

    def look(self) -> None:
        """There is nothing that has a version."""


Scene = TableScene | PlayerScene | EventScene | OrderScene | DecisionScene
