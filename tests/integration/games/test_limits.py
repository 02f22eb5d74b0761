"""Limits at every way into play, their locks, and the end of play for whoever may not play on."""

from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from threading import Barrier
from uuid import UUID

import pytest
from django.db import IntegrityError, ProgrammingError, connections

from eventstore import store
from eventstore.core.ids import player_stream, table_stream
from eventstore.core.refusal import Refused
from eventstore.ports import new_id
from eventstore.services import in_transaction
from games import selectors, tasks
from games.models import Seat, Sitting
from games.services import bots
from games.services.deals import deal_next
from games.services.seats import leave_seat
from ledger.core.limits import Spell
from ledger.selectors import available, balances
from ledger.services import Play, post_play, settle_due, who_must_stop
from ledger.services.deposits import DepositWish, request_deposit
from ledger.services.wallets import WELCOME_CHIPS
from ledger.services.withdrawals import WithdrawalWish, request_withdrawal
from players.selectors import Person, limits_now
from players.services import LimitsWish, exclude, set_limits
from tests.integration.ledger.commands import deposit
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import (
    PLAYED,
    a_player,
    a_table,
    a_tournament,
    receipt,
    sits_down,
)
from tonk_site.proving.acting.play import play_out
from tournaments.services import entries

pytestmark = pytest.mark.usefixtures("committed")
HOUR = timedelta(hours=1)
BUY_IN = 500


def clock() -> datetime:
    return in_transaction(lambda tx: tx.now)


def ends(work: Callable[[], object]) -> str:
    """How it ends: `done`, or the code of the refusal."""
    try:
        work()
    except Refused as refused:
        return refused.refusal.code
    return "done"


def at_once(*works: Callable[[], object]) -> list[str]:
    """How works end that begin together, each on a connection of its own."""
    start = Barrier(len(works))

    def run(work: Callable[[], object]) -> str:
        try:
            start.wait()
            return ends(work)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


def limit(who: Person, code: str, amount: int, currency: str = "XTK") -> None:
    set_limits(who, LimitsWish(money={code: {currency: amount}}))


def out(who: Person, days: int | None = 2) -> None:
    until = None if days is None else clock() + timedelta(days=days)
    exclude(who, until, receipt())


# --- ways into play -------------------------------------------------------------------------------


def a_host() -> Person:
    return a_player(f"host-{new_id().hex[-12:]}", "organiser")


def sit(who: Person) -> None:
    sits_down(a_table(a_host()), who, BUY_IN)


def enter(who: Person) -> None:
    tournament = a_tournament(a_host(), buy_in=400, fee=100)
    entries.register(tournament, who, receipt())


WAYS = pytest.mark.parametrize("way", [sit, enter])
LIMITS: Mapping[str, tuple[Callable[[Person], None], str]] = {
    "stake": (lambda who: limit(who, "stake_max", 9), "limit_reached"),
    "day": (lambda who: limit(who, "loss_day", BUY_IN - 1), "limit_reached"),
    "week": (lambda who: limit(who, "loss_week", BUY_IN - 1), "limit_reached"),
    "month": (lambda who: limit(who, "loss_month", BUY_IN - 1), "limit_reached"),
    "excluded": (out, "excluded"),
    "for good": (lambda who: out(who, None), "excluded"),
}


@WAYS
@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_holds_at_every_way_in(way: Callable[[Person], None], name: str) -> None:
    ona = a_player()
    setting, code = LIMITS[name]
    setting(ona)
    assert ends(partial(way, ona)) == code
    assert available(ona.id, "XTK") == 10_000
    assert not Seat.objects.filter(player_id=ona.id).exists()


@WAYS
def test_a_limit_that_is_not_passed_lets_in(way: Callable[[Person], None]) -> None:
    ona = a_player()
    for code in ("loss_day", "loss_week", "loss_month", "stake_max"):
        limit(ona, code, BUY_IN)
    set_limits(ona, LimitsWish(others={"play_minutes_day": 60}))
    assert ends(partial(way, ona)) == "done"
    assert available(ona.id, "XTK") == 10_000 - BUY_IN


@WAYS
def test_time_that_is_used_up_keeps_out(
    way: Callable[[Person], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    ona = a_player()
    set_limits(ona, LimitsWish(others={"play_minutes_day": 60}))

    def spells(_: UUID, since: datetime, now: datetime) -> list[Spell]:
        assert now - since == 24 * HOUR
        return [Spell(now - HOUR, now)]

    monkeypatch.setattr("ledger.services.limits._timers", [spells])
    assert ends(partial(way, ona)) == "limit_reached"
    monkeypatch.setattr("ledger.services.limits._timers", [])
    assert ends(partial(way, ona)) == "done"


def test_whoever_excluded_himself_pays_nothing_in_and_still_gets_his_money_out() -> None:
    ona = a_player()
    deposit(ona.id, 5_000)
    limit(ona, "deposit_day", 5_000, "EUR")
    wish = DepositWish(currency="EUR", amount=1)
    assert ends(partial(request_deposit, wish, ona, receipt())) == "limit_reached"
    out(ona)
    assert ends(partial(request_deposit, wish, ona, receipt())) == "excluded"
    back = WithdrawalWish(currency="EUR", amount=5_000, method="manual")
    assert ends(partial(request_withdrawal, back, ona, receipt())) == "done"


# --- at once --------------------------------------------------------------------------------------


def test_of_two_that_would_pass_a_limit_together_one_passes() -> None:
    ona, host = a_player(), a_host()
    limit(ona, "loss_day", BUY_IN)
    tables = [a_table(host) for _ in range(2)]
    tournament = a_tournament(host, buy_in=400, fee=100)
    found = at_once(
        *(partial(sits_down, table, ona, BUY_IN) for table in tables),
        partial(entries.register, tournament, ona, receipt()),
    )
    assert Counter(found) == {"done": 1, "limit_reached": 2}
    assert available(ona.id, "XTK") == 10_000 - BUY_IN


def test_of_two_deposits_that_would_pass_a_limit_together_one_passes() -> None:
    ona = a_player()
    limit(ona, "deposit_day", 500, "EUR")
    wish = DepositWish(currency="EUR", amount=300)
    works = [partial(request_deposit, wish, ona, receipt()) for _ in range(4)]
    assert Counter(at_once(*works)) == {"done": 1, "limit_reached": 3}


def test_somebody_sits_before_his_exclusion_or_not_at_all() -> None:
    host = a_host()
    for number in range(12):
        who, table = a_player(f"player-{number}"), a_table(host)
        sat, left = at_once(
            partial(sits_down, table, who, BUY_IN), partial(exclude, who, None, receipt())
        )
        assert left == "done"
        assert sat in {"done", "excluded"}
        places = {
            event.type: position
            for position, event in store.read_all()
            if event.stream in {table_stream(table), player_stream(who.id)}
        }
        assert ("SeatTaken" in places) == (sat == "done")
        assert places.get("SeatTaken", 0) < places["ExclusionSet"]
        assert available(who.id, "XTK") == 10_000 - (BUY_IN if sat == "done" else 0)


# --- the end of play ------------------------------------------------------------------------------


def two_at_a_table() -> tuple[Person, Person, UUID]:
    ona, petras = a_player(), a_player("petras")
    table = a_table(ona, options=PLAYED)
    for who in (ona, petras):
        sits_down(table, who, BUY_IN)
    return ona, petras, table


def deal(table: UUID) -> None:
    hurry(table)
    deal_next(table, selectors.live_row(table).version)


def wake(who: Person) -> None:
    """What the message after the commit has a worker do."""
    version = store.load(player_stream(who.id)).head.version
    tasks.stop(str(who.id), version)
    tasks.stop(str(who.id), version)


def seated(table: UUID) -> set[UUID]:
    return set(Seat.objects.filter(table_id=table).values_list("player_id", flat=True))


def test_an_exclusion_ends_play_at_once_where_no_hand_runs() -> None:
    ona, petras, table = two_at_a_table()
    out(ona)
    wake(ona)
    assert seated(table) == {petras.id}
    settle_due()
    assert available(ona.id, "XTK") == 10_000


def test_a_running_hand_is_played_to_its_end() -> None:
    ona, petras, table = two_at_a_table()
    deal(table)
    out(ona)
    wake(ona)
    play_out(table)
    assert seated(table) == {petras.id}
    settle_due()
    chips = {who.id: balances(who.id)[1] for who in (ona, petras)}
    assert chips[ona.id].in_play == 0
    assert sum(balance.total for balance in chips.values()) == 20_000


def test_without_the_message_the_next_deal_ends_it() -> None:
    ona, petras, table = two_at_a_table()
    birute = a_player("birute")
    sits_down(table, birute, BUY_IN)
    out(ona)
    deal(table)
    assert seated(table) == {petras.id, birute.id}
    (left,) = store.events_after(table_stream(table), 0, types=["SeatLeft"])
    assert (left.payload["player"], left.payload["reason"]) == (str(ona.id), "asked")
    deal(table)
    dealt = selectors.see_now(table).table.dealt
    assert dealt is not None
    assert {UUID(one.player) for one in dealt.players} == {petras.id, birute.id}


def test_a_table_of_bots_and_one_who_may_not_play_on_comes_to_rest() -> None:
    ona = a_player()
    table = a_table(ona)
    sits_down(table, ona, BUY_IN)
    bots.add_bot(table, "greedy-1", seat=None, creator=ona, receipt=receipt())
    out(ona)
    deal(table)
    assert ona.id not in seated(table)
    assert selectors.live_row(table).due is None


def test_time_at_a_table_is_counted_and_ends_with_the_seat() -> None:
    ona, _, table = two_at_a_table()
    set_limits(ona, LimitsWish(others={"play_minutes_day": 60}))
    now = clock()
    (spell,) = selectors.spells_of(ona.id, now - 24 * HOUR, now)
    assert spell == Spell(Sitting.objects.get(player=ona.id).taken_at, now)
    assert who_must_stop([ona.id], spell.start + HOUR - timedelta(microseconds=1)) == set()
    assert who_must_stop([ona.id], spell.start + HOUR) == {ona.id}
    leave_seat(table, ona.id, receipt())
    left_at = Sitting.objects.get(player=ona.id).left_at
    assert left_at is not None
    later = now + 9 * HOUR
    assert selectors.spells_of(ona.id, later - 24 * HOUR, later) == [Spell(spell.start, left_at)]
    assert selectors.spells_of(ona.id, left_at, later) == []
    assert who_must_stop([ona.id], later) == set()


def test_whoever_sits_alone_is_stopped_though_the_message_was_lost() -> None:
    ona, petras, table = two_at_a_table()
    leave_seat(table, petras.id, receipt())
    tasks.stop_sitters()
    assert seated(table) == {ona.id}
    out(ona)
    tasks.stop_sitters()
    tasks.stop_sitters()
    assert seated(table) == set()
    settle_due()
    assert available(ona.id, "XTK") == WELCOME_CHIPS


def test_somebody_may_sit_down_where_he_sat_before() -> None:
    ona, _, table = two_at_a_table()
    leave_seat(table, ona.id, receipt())
    sits_down(table, ona, BUY_IN)
    assert Sitting.objects.filter(player=ona.id, table_id=table).count() == 2


@pytest.mark.parametrize(
    ("left_after", "constraint"), [(None, "player_sits_once"), (-HOUR, "sitting_ends_last")]
)
def test_nobody_sits_twice_or_leaves_before_he_came(
    left_after: timedelta | None, constraint: str
) -> None:
    ona, _, table = two_at_a_table()
    now = clock()
    left_at = None if left_after is None else now + left_after
    with pytest.raises(IntegrityError, match=constraint):
        Sitting.objects.create(table_id=table, player=ona.id, taken_at=now, left_at=left_at)


def test_time_that_was_spent_is_never_removed() -> None:
    two_at_a_table()
    with pytest.raises(ProgrammingError, match="permission denied"):
        Sitting.objects.all().delete()


def test_time_that_is_used_up_ends_play_after_the_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    ona, petras, table = two_at_a_table()
    set_limits(ona, LimitsWish(others={"play_minutes_day": 60}))
    deal(table)
    monkeypatch.setattr(
        "ledger.services.limits._timers", [lambda _, since, now: [Spell(since, now)]]
    )
    play_out(table)
    assert seated(table) == {ona.id, petras.id}
    deal(table)
    assert seated(table) == {petras.id}


def test_bots_of_the_house_keep_no_time_and_have_no_limits() -> None:
    ona = a_player()
    table = a_table(ona)
    bots.add_bot(table, "greedy-1", seat=None, creator=ona, receipt=receipt())
    assert not Sitting.objects.exists()


def test_limits_are_read_by_the_clock_of_the_database() -> None:
    ona = a_player()
    limit(ona, "loss_day", 500)
    limit(ona, "loss_day", 600)
    found = limits_now(ona.id)
    assert found.of("loss_day", "XTK") == 500
    play = Play(ona, "XTK", amount=600, stake=1)
    in_a_day = clock() + 24 * HOUR
    in_transaction(lambda _: post_play([], play, in_a_day))
    assert ends(lambda: in_transaction(lambda tx: post_play([], play, tx.now))) == "done"
