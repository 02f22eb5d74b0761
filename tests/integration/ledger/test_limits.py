"""A player's own limits against the books: windows and their edges, what counts, what does not."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID, uuid4

import pytest

from eventstore import store
from eventstore.core.chain import Fact
from eventstore.core.ids import player_stream, table_stream, tournament_stream, wallet_stream
from eventstore.core.record import time_text
from eventstore.core.refusal import Refusal, Refused
from eventstore.services import Transaction, in_transaction
from ledger import selectors
from ledger.models import PaymentOrder
from ledger.services import Play, post_play, settle, who_must_stop
from ledger.services.limits import require_deposit
from players.core.events import ExclusionSet, LimitSet, PlayerEvent
from players.selectors import Person
from tests.integration.ledger.commands import (
    cashed_out,
    command,
    deposit,
    entered,
    prizes,
    sealed,
    seat_taken,
)

pytestmark = pytest.mark.django_db
INSTANT, DAY = timedelta(microseconds=1), timedelta(days=1)
WINDOWS = [("day", DAY), ("week", 7 * DAY), ("month", 30 * DAY)]


@pytest.fixture
def player() -> UUID:
    player = uuid4()
    deposit(player, 10_000)
    return player


def clock() -> datetime:
    return in_transaction(lambda tx: tx.now)


def says(player: UUID, event: PlayerEvent) -> None:
    stream = player_stream(player)
    in_transaction(lambda tx: tx.append(stream, tx.load(stream).head, [Fact(event, "player:x")]))


def limit(player: UUID, code: str, amount: int, currency: str | None = "EUR") -> None:
    at = time_text(clock())
    says(player, LimitSet(limit=code, amount=amount, currency=currency, effective_at=at))


def a_person(player: UUID, level: str | None = None) -> Person:
    return Person(player, "Ona", "bot" if level else "human", level, frozenset({"player"}))


def sits(
    player: UUID,
    buy_in: int,
    *,
    now: datetime | None = None,
    stake: int = 1,
    level: str | None = None,
) -> UUID:
    """The table at which somebody sat down, recorded `now`."""
    table = uuid4()

    def work(tx: Transaction) -> None:
        head = tx.load(table_stream(table)).head
        events = sealed(table_stream(table), head, tx.now, seat_taken(player, buy_in))
        play = Play(a_person(player, level), "EUR", amount=buy_in, stake=stake)
        post_play(events, play, now or tx.now)
        store.append(events, head)

    in_transaction(work)
    return table


def plays_for_nothing(player: UUID, now: datetime) -> None:
    """A free entry, whose event moves no money."""
    post_play((), Play(a_person(player), "EUR", amount=0, stake=0), now)


def refusal(work: Callable[[], object], code: str = "limit_reached") -> Refusal:
    with pytest.raises(Refused) as caught:
        work()
    assert caught.value.refusal.code == code
    return caught.value.refusal


# --- losses ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "window"), WINDOWS)
def test_a_loss_counts_until_its_window_has_passed(
    player: UUID, name: str, window: timedelta
) -> None:
    limit(player, f"loss_{name}", 500)
    first = clock()
    sits(player, 500, now=first)
    inside = partial(sits, player, 1, now=first + window - INSTANT)
    assert refusal(inside).facts == {
        "limit": f"loss_{name}",
        "amount": 500,
        "used": 500,
        "asked": 1,
        "currency": "EUR",
        "window_hours": window // timedelta(hours=1),
        "retry_at": time_text(first + window),
    }
    assert selectors.available(player, "EUR") == 9_500
    sits(player, 500, now=first + window)


def test_up_to_the_limit_and_not_above(player: UUID) -> None:
    limit(player, "loss_day", 500)
    sits(player, 300)
    refusal(partial(sits, player, 201))
    sits(player, 200)
    assert "retry_at" not in refusal(partial(sits, player, 501)).facts


def test_the_tightest_window_refuses(player: UUID) -> None:
    limit(player, "loss_month", 700)
    limit(player, "loss_day", 500)
    first = clock()
    sits(player, 500, now=first)
    assert refusal(partial(sits, player, 1)).facts["limit"] == "loss_day"
    sits(player, 200, now=first + 2 * DAY)
    assert refusal(partial(sits, player, 1, now=first + 9 * DAY)).facts["limit"] == "loss_month"


def test_what_comes_back_is_no_loss(player: UUID) -> None:
    limit(player, "loss_day", 500)
    table = sits(player, 500)
    command(table_stream(table), cashed_out(player, 480))
    refusal(partial(sits, player, 400))  # on its way, but not yet in the books
    settle(table_stream(table))
    sits(player, 480)
    refusal(partial(sits, player, 1))


def test_entries_are_losses_and_prizes_come_back(player: UUID) -> None:
    limit(player, "loss_day", 1_000)
    tournament = uuid4()
    entered(tournament, player, 900, fee=100)
    refusal(partial(sits, player, 1))
    command(tournament_stream(tournament), prizes((player, 700), rake=200, fees=100))
    settle(tournament_stream(tournament))
    sits(player, 700)


def test_other_movements_are_neither_losses_nor_gains(player: UUID) -> None:
    limit(player, "loss_day", 500)
    deposit(player, 3_000)
    asked = {"withdrawal": str(uuid4()), "amount": 2_000, "currency": "EUR"}
    command(wallet_stream(player), ("WithdrawalRequested", asked))
    sits(player, 500)
    refusal(partial(sits, player, 1))


def test_whoever_has_reached_his_loss_still_gets_his_money_out(player: UUID) -> None:
    limit(player, "loss_day", 500)
    table = sits(player, 500)
    command(table_stream(table), cashed_out(player, 500))
    settle(table_stream(table))
    assert selectors.available(player, "EUR") == 10_000
    asked = {"withdrawal": str(uuid4()), "amount": 10_000, "currency": "EUR"}
    command(wallet_stream(player), ("WithdrawalRequested", asked))


def test_a_limit_is_of_one_currency(player: UUID) -> None:
    limit(player, "loss_day", 1, "XTK")
    limit(player, "stake_max", 1, "XTK")
    sits(player, 500, stake=100)


def test_what_costs_nothing_is_no_loss(player: UUID) -> None:
    sits(player, 900)
    limit(player, "loss_day", 500)
    plays_for_nothing(player, clock())


def test_bots_of_the_house_have_no_limits(player: UUID) -> None:
    limit(player, "loss_day", 1)
    sits(player, 500, level="greedy-1")


# --- stakes, exclusion ----------------------------------------------------------------------------


def test_the_stake_is_at_most_the_limit(player: UUID) -> None:
    limit(player, "stake_max", 100)
    sits(player, 500, stake=100)
    found = refusal(partial(sits, player, 500, stake=101))
    assert found.facts == {"limit": "stake_max", "amount": 100, "asked": 101, "currency": "EUR"}


def test_an_exclusion_keeps_from_play_and_deposits_until_its_end(player: UUID) -> None:
    now = clock()
    until = now + 2 * DAY
    says(player, ExclusionSet(kind="self", until=time_text(until)))
    last = until - INSTANT
    works: list[Callable[[], object]] = [
        partial(sits, player, 1, now=last),
        partial(plays_for_nothing, player, last),
        partial(require_deposit, player, "EUR", 1, last),
    ]
    for work in works:
        assert refusal(work, "excluded").facts == {"until": time_text(until)}
    assert who_must_stop([player], last) == {player}
    assert who_must_stop([player], until) == set()
    sits(player, 1, now=until)


def test_an_exclusion_for_good_names_no_end(player: UUID) -> None:
    says(player, ExclusionSet(kind="self", until=None))
    assert refusal(partial(sits, player, 20_000), "excluded").facts == {}


# --- deposits -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "window"), WINDOWS)
def test_a_deposit_counts_until_its_window_has_passed(name: str, window: timedelta) -> None:
    player = uuid4()
    limit(player, f"deposit_{name}", 500)
    (stored,) = deposit(player, 400)
    require_deposit(player, "EUR", 100, clock())
    inside = partial(require_deposit, player, "EUR", 101, stored.at + window - INSTANT)
    found = refusal(inside).facts
    assert (found["limit"], found["used"]) == (f"deposit_{name}", 400)
    assert found["retry_at"] == time_text(stored.at + window)
    require_deposit(player, "EUR", 500, stored.at + window)


def test_orders_that_wait_for_their_money_count() -> None:
    player, now = uuid4(), clock()
    limit(player, "deposit_day", 500)
    for state in ("requested", "approved_once", "refused", "expired"):
        PaymentOrder.objects.create(
            id=uuid4(),
            player=player,
            direction="in",
            method="manual",
            currency="EUR",
            amount=150,
            state=state,
            created_at=now - 9 * DAY,
            updated_at=now,
        )
    require_deposit(player, "EUR", 200, now)
    assert refusal(partial(require_deposit, player, "EUR", 201, now)).facts["used"] == 300
    require_deposit(uuid4(), "EUR", 10**6, now)


def test_no_time_makes_room_for_orders_that_wait() -> None:
    player, now = uuid4(), clock()
    limit(player, "deposit_week", 500)
    assert "retry_at" not in refusal(partial(require_deposit, player, "EUR", 501, now)).facts


def test_play_chips_that_were_granted_count_as_paid_in() -> None:
    player = uuid4()
    limit(player, "deposit_day", 500, "XTK")
    deposit(player, 400, "XTK")
    require_deposit(player, "XTK", 100, clock())
    refusal(partial(require_deposit, player, "XTK", 101, clock()))


def test_deposits_are_no_play_and_play_no_deposit(player: UUID) -> None:
    limit(player, "deposit_day", 20_000)
    table = sits(player, 5_000)
    command(table_stream(table), cashed_out(player, 5_000))
    settle(table_stream(table))
    require_deposit(player, "EUR", 10_000, clock())
