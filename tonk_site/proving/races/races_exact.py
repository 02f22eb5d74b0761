"""The races of `trust.md` section 6, each with what must come of it, to the unit."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from uuid import UUID

from eventstore.core.ids import table_stream, tournament_stream
from eventstore.services import Receipt
from games import selectors
from games.services.moves import submit_move
from games.services.seats import leave_seat, take_seat
from ledger.selectors import available
from ledger.services import settle
from ledger.services.adjustments import approve
from ledger.services.payouts import take_notice
from ledger.services.withdrawals import WithdrawalWish, request_withdrawal
from players.selectors import Person
from players.services import exclude
from tonk_site.proving.acting import factories
from tonk_site.proving.races.races_commands import EVENT, PLAYER, TABLE, WITHDRAWAL, moves_of
from tonk_site.proving.races.races_meeting import DONE, End, Point, Work
from tonk_site.proving.races.races_scenes import (
    BUY_IN,
    ENTRIES,
    ENTRY_PRICE,
    EUR,
    FUNDS,
    LITTLE,
    MOST,
    SEATS,
    SMALL,
    DecisionScene,
    EventScene,
    OrderScene,
    PlayerScene,
    Scene,
    TableScene,
    World,
    paid_notice,
    sitting,
)
from tonk_site.proving.races.races_state import Mark, rows
from tournaments.services.entries import register

COPIES = 16
REGISTRATIONS, OWN_REGISTRATIONS = 20, 5  # of them by one player
CROWD = REGISTRATIONS - OWN_REGISTRATIONS + 1
NOTICES = 5
THREADS, DELIVERIES = 8, 40
THREADS_MAX = REGISTRATIONS
CHIPS = "XTK"


@dataclass(frozen=True, slots=True)
class Round:
    """What races, where it meets, and what is wrong with what came of it."""

    works: Sequence[Work]
    point: Point
    wrongs: Callable[[Sequence[End]], Iterator[str]]


def _differ(what: str, got: object, expected: object) -> Iterator[str]:
    if got != expected:
        yield f"{what}: {got}, not {expected}"


def _codes(ends: Sequence[End]) -> dict[str, int]:
    return dict(Counter(end.code for end in ends))


def _one_of(ends: Sequence[End], *others: str) -> Iterator[str]:
    """One is done, the rest is refused with one of these codes."""
    codes = _codes(ends)
    if codes.get(DONE) != 1 or not codes.keys() <= {DONE, *others}:
        yield f"ends: {codes}, not one done and the others {' or '.join(others)}"


def _receipt() -> Receipt:
    return factories.receipt()


def _acts(scene: Scene, *prepared: Callable[[Receipt], object]) -> list[Work]:
    """The racers of a scene, each with a receipt of its own."""
    scene.look()
    return [partial(act, _receipt()) for act in prepared]


def _escrow(scope: UUID) -> int:
    """What lies in the escrow of a table or event."""
    sql = """SELECT coalesce(sum(b.balance), 0)::bigint FROM ledger.account_balance b
        JOIN ledger.account a ON a.id = b.account_id WHERE a.scope = %s"""
    return int(rows(sql, [scope])[0][0])


# --- an event -------------------------------------------------------------------------------------


def last_place(world: World) -> Round:
    """20 registrations for the last place, 5 of them by one player: one is in, one fee is paid."""
    scene = EventScene(world, "registration")
    first, *others = world.crowd(CROWD)
    works = [
        partial(register, scene.id, who, _receipt())
        for who in [*[first] * OWN_REGISTRATIONS, *others]
    ]

    def wrongs(ends: Sequence[End]) -> Iterator[str]:
        yield from _one_of(ends, "field_full", "registration_closed", "already_registered")
        yield from _differ("escrow", _escrow(scene.id), ENTRIES * ENTRY_PRICE)
        sql = "SELECT count(*) FROM eventstore_event WHERE stream = %s AND type = 'EntryPaid'"
        entries = rows(sql, [tournament_stream(scene.id)])[0][0]
        yield from _differ("entries", entries, ENTRIES)

    return Round(works, Point.LOCK, wrongs)


def one_balance(world: World) -> Round:
    """20 registrations in 20 events with the money for one: exactly one is accepted."""
    player = world.person()
    factories.pays_in(player, MOST)
    works = [partial(register, event, player, _receipt()) for event in world.events(REGISTRATIONS)]

    def wrongs(ends: Sequence[End]) -> Iterator[str]:
        expected = {DONE: 1, "insufficient_funds": REGISTRATIONS - 1}
        yield from _differ("ends", _codes(ends), expected)
        yield from _differ("left", available(player.id, EUR), 0)

    return Round(works, Point.MONEY, wrongs)


def close_of_registration(world: World) -> Round:
    """A registration against the start: in with the fee, or out without."""
    scene = EventScene(world, "registration")
    works = _acts(scene, *(EVENT.commands[one].prepare(scene) for one in ("register", "start")))
    before = available(scene.ona.id, CHIPS)

    def wrongs(ends: Sequence[End]) -> Iterator[str]:
        yield from _one_of(ends, "registration_closed", "stale_version")
        entered = ends[0].code == DONE
        entries = ENTRIES - (not entered)
        yield from _differ("escrow", _escrow(scene.id), entries * ENTRY_PRICE)
        paid = ENTRY_PRICE if entered else 0
        yield from _differ("left", available(scene.ona.id, CHIPS), before - paid)

    return Round(works, Point.LOCK, wrongs)


# --- a table --------------------------------------------------------------------------------------


def copies_of_a_move(world: World) -> Round:
    """16 copies of one move with one key: one event, and one answer."""
    scene, receipt = world.table("hand"), _receipt()
    works = [partial(submit_move, moves_of(scene), receipt)] * COPIES

    def wrongs(ends: Sequence[End]) -> Iterator[str]:
        outcomes = [end.result for end in ends if end.code == DONE]
        codes = _codes(ends)
        if not outcomes or not codes.keys() <= {DONE, "idempotency_in_progress"}:
            yield f"ends: {codes}"
            return
        yield from _differ("made", sum(not one.replayed for one in outcomes), 1)
        answers = {(one.status, str(one.result), one.last_version) for one in outcomes}
        yield from _differ("answers", len(answers), 1)
        version = selectors.live_row(scene.id).version
        yield from _differ("version", version, outcomes[0].last_version)

    return Round(works, Point.LOCK, wrongs)


def moves_at_one_version(world: World) -> Round:
    """16 different moves at one version: one is made."""
    scene = world.table("hand")
    works = [partial(submit_move, moves_of(scene, number), _receipt()) for number in range(COPIES)]

    def wrongs(ends: Sequence[End]) -> Iterator[str]:
        yield from _differ("ends", _codes(ends), {DONE: 1, "stale_version": COPIES - 1})
        made = next((end.result.last_version for end in ends if end.code == DONE), None)
        yield from _differ("version", selectors.live_row(scene.id).version, made)

    return Round(works, Point.LOCK, wrongs)


def one_seat(world: World) -> Round:
    """Two players and one seat: one has it, the other's money is untouched."""
    scene = world.table("rest")
    seated = {place.player for place in scene.table.places}
    players = [who for who in world.crowd(CROWD) if str(who.id) not in seated][:2]
    seat = next(seat for seat in range(1, SEATS + 1) if seat not in scene.seats)
    before = [available(who.id, CHIPS) for who in players]
    works = [
        partial(take_seat, sitting(scene.id, who, BUY_IN, seat=seat), _receipt()) for who in players
    ]

    def wrongs(ends: Sequence[End]) -> Iterator[str]:
        yield from _differ("ends", _codes(ends), {DONE: 1, "seat_taken": 1})
        for who, had, end in zip(players, before, ends, strict=True):
            paid = BUY_IN if end.code == DONE else 0
            yield from _differ("left", available(who.id, CHIPS), had - paid)

    return Round(works, Point.LOCK, wrongs)


def move_or_time_out(world: World) -> Round:
    """A move against the clock's: one of them, wholly."""
    scene = world.table("hand")
    works = _acts(scene, *(TABLE.commands[one].prepare(scene) for one in ("move", "clock")))

    def wrongs(ends: Sequence[End]) -> Iterator[str]:
        yield from _one_of(ends, "stale_version")
        made = next((end.result.last_version for end in ends if end.code == DONE), None)
        yield from _differ("version", selectors.live_row(scene.id).version, made)

    return Round(works, Point.LOCK, wrongs)


def leave_or_deal(world: World) -> Round:
    """Somebody leaves while a hand is dealt: he leaves, before it or after it."""
    scene = TableScene(world, "rest")
    works = _acts(scene, *(TABLE.commands[one].prepare(scene) for one in ("leave", "deal")))

    def wrongs(ends: Sequence[End]) -> Iterator[str]:
        left, dealt = ends
        yield from _differ("leave", left.code, DONE)
        if dealt.code not in {DONE, "stale_version"}:
            yield f"deal: {dealt.code}"
        status = selectors.live_row(scene.id).status
        yield from _differ("status", status == "playing", dealt.code == DONE)

    return Round(works, Point.LOCK, wrongs)


def exclusion(world: World) -> Round:
    """Self-exclusion against sitting down: seated before, or refused and not charged."""
    scene = world.table("rest")
    player = world.person()
    before = available(player.id, CHIPS)
    works: list[Work] = [
        partial(take_seat, sitting(scene.id, player, BUY_IN), _receipt()),
        partial(exclude, player, None, _receipt()),
    ]

    def wrongs(ends: Sequence[End]) -> Iterator[str]:
        sat, excluded = ends
        yield from _differ("exclusion", excluded.code, DONE)
        if sat.code not in {DONE, "excluded"}:
            yield f"sitting down: {sat.code}"
        is_seated = selectors.see_now(scene.id).table.seat_of(str(player.id)) is not None
        yield from _differ("seated", is_seated, sat.code == DONE)
        paid = BUY_IN if is_seated else 0
        yield from _differ("left", available(player.id, CHIPS), before - paid)

    return Round(works, Point.LOCK, wrongs)


# --- a wallet -------------------------------------------------------------------------------------


def _spends(first: str, second: str) -> Callable[[World], Round]:
    """Two commands that each want most of a player's money: one gets it."""

    def race(world: World) -> Round:
        scene = PlayerScene(world)
        works = _acts(scene, *(PLAYER.commands[one].prepare(scene) for one in (first, second)))

        def wrongs(ends: Sequence[End]) -> Iterator[str]:
            yield from _differ("ends", _codes(ends), {DONE: 1, "insufficient_funds": 1})
            yield from _differ("left", available(scene.ona.id, EUR), FUNDS - MOST)

        return Round(works, Point.LOCK, wrongs)

    return race


def both_ways(world: World) -> Round:
    """Two players' money moves at once between their wallets and tables, in either order."""
    scene = PlayerScene(world)
    ona, petras = scene.ona, world.person()
    factories.pays_in(petras, FUNDS)
    tables = [_left_table(scene, order) for order in ((ona, petras), (petras, ona))]
    wish = WithdrawalWish(EUR, LITTLE, "manual")
    works: list[Work] = [partial(settle, table_stream(table)) for table in tables * 2]
    works += [
        partial(take_seat, sitting(table, who, SMALL), _receipt())
        for table, who in zip(tables, (petras, ona), strict=True)
    ]
    works += [partial(request_withdrawal, wish, who, _receipt()) for who in (petras, ona)]

    def wrongs(ends: Sequence[End]) -> Iterator[str]:
        yield from _differ("ends", _codes(ends), {DONE: len(works)})
        for who in (ona, petras):
            yield from _differ("left", available(who.id, EUR), FUNDS - SMALL - LITTLE)

    return Round(works, Point.MONEY, wrongs)


def _left_table(scene: PlayerScene, people: Sequence[Person]) -> UUID:
    """A table that these have left, in this order: their stacks are still to be paid out."""
    table = scene.table()
    for who in people:
        factories.sits_down(table, who, SMALL)
    for who in people:
        leave_seat(table, who.id, _receipt())
    return table


def deliveries(world: World) -> Round:
    """40 deliveries of one settlement to 8 threads: one set of entries."""
    scene = PlayerScene(world)
    stream = scene.left_table()
    before = Mark.now()

    def deliver() -> None:
        for _ in range(DELIVERIES // THREADS):
            settle(stream)

    def wrongs(ends: Sequence[End]) -> Iterator[str]:
        yield from _differ("ends", _codes(ends), {DONE: THREADS})
        yield from _differ("entries", before.entries(), 1)
        yield from _differ("left", available(scene.ona.id, EUR), FUNDS)

    return Round([deliver] * THREADS, Point.LOCK, wrongs)


def freeze_or_buy_in(world: World) -> Round:
    """A freeze against a buy-in: seated before, or refused and not charged."""
    scene = PlayerScene(world)
    works = _acts(scene, *(PLAYER.commands[one].prepare(scene) for one in ("freeze", "buy in")))

    def wrongs(ends: Sequence[End]) -> Iterator[str]:
        frozen, bought = ends
        yield from _differ("freeze", frozen.code, DONE)
        if bought.code not in {DONE, "account_frozen"}:
            yield f"buy-in: {bought.code}"
        paid = MOST if bought.code == DONE else 0
        yield from _differ("left", available(scene.ona.id, EUR), FUNDS - paid)

    return Round(works, Point.LOCK, wrongs)


# --- payments and what two people decide ----------------------------------------------------------


def notices(world: World) -> Round:
    """A notice of a deposit five times at once: credited once, and nobody is refused."""
    scene = OrderScene(world, "sandbox")
    told = paid_notice(scene.deposit, LITTLE, scene.reference)

    def wrongs(ends: Sequence[End]) -> Iterator[str]:
        yield from _differ("ends", _codes(ends), {DONE: NOTICES})
        # The withdrawal of the scene has taken as much as came.
        yield from _differ("left", available(scene.ona.id, EUR), FUNDS)

    return Round([partial(take_notice, told)] * NOTICES, Point.LOCK, wrongs)


def cancelled_or_let_go(world: World) -> Round:
    """A withdrawal is taken back while the second person lets it go: one of them."""
    scene = OrderScene(world, "manual")
    works = _acts(scene, *(WITHDRAWAL.commands[one].prepare(scene) for one in ("cancel", "let go")))

    def wrongs(ends: Sequence[End]) -> Iterator[str]:
        yield from _one_of(ends, "already_decided")
        back = LITTLE if ends[0].code == DONE else 0
        yield from _differ("left", available(scene.ona.id, EUR), FUNDS - LITTLE + back)

    return Round(works, Point.LOCK, wrongs)


def two_approvals(world: World) -> Round:
    """Two people approve one manual entry at once: it is posted once."""
    scene = DecisionScene(world)
    works = [
        partial(approve, scene.adjustment, admin, "", _receipt()) for admin in world.admins[1:]
    ]

    def wrongs(ends: Sequence[End]) -> Iterator[str]:
        yield from _differ("ends", _codes(ends), {DONE: 1, "already_decided": 1})
        yield from _differ("left", available(scene.ona.id, EUR), LITTLE)

    return Round(works, Point.LOCK, wrongs)


RACES: Mapping[str, Callable[[World], Round]] = MappingProxyType(
    {
        "registrations for the last place": last_place,
        "registrations with one balance": one_balance,
        "registration against its close": close_of_registration,
        "copies of one move": copies_of_a_move,
        "moves at one version": moves_at_one_version,
        "two players, one seat": one_seat,
        "move against time-out": move_or_time_out,
        "leave against deal": leave_or_deal,
        "exclusion against sitting down": exclusion,
        "buy-in against withdrawal": _spends("buy in", "withdraw"),
        "buy-in against entry": _spends("buy in", "enter"),
        "withdrawal against withdrawal": _spends("withdraw", "withdraw"),
        "money both ways": both_ways,
        "deliveries of one settlement": deliveries,
        "freeze against buy-in": freeze_or_buy_in,
        "notices of one deposit": notices,
        "withdrawal cancelled and let go": cancelled_or_let_go,
        "approvals of one entry": two_approvals,
    }
)
