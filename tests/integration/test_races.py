"""What happens at once, on real connections: the races themselves, and that they see a fault."""

import importlib
import inspect
import pkgutil
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any, get_type_hints

import pytest
from django.db import connection

from eventstore import services
from eventstore.core.canonical import encode
from eventstore.core.ids import table_stream
from eventstore.ports import new_id
from eventstore.services import Receipt, Transaction, in_transaction
from games import selectors
from games.services import deals
from ledger.selectors import cursor
from ledger.services import adjustments, settle
from ledger.services.payouts import take_notice
from ledger.store import orders
from players.services import account_row
from tonk_site.proving.checks import Order
from tonk_site.proving.races import once_trial, races_state, races_trial
from tonk_site.proving.races.races import (
    ROUNDS_EACH,
    ROUNDS_EACH_FULL,
    parts_of,
    rounds_of,
)
from tonk_site.proving.races.races_commands import EXCLUDED, PLACES, Pair, pairs
from tonk_site.proving.races.races_exact import RACES
from tonk_site.proving.races.races_meeting import DONE, Point
from tonk_site.proving.races.races_scenes import PlayerScene, TableScene, World, paid_notice
from tonk_site.proving.races.races_state import Mark

APPS = ("players", "ledger", "games", "tournaments")
SEED = "tests"


@pytest.fixture
def trial(committed: None) -> Iterator[races_trial.Trial]:
    """Racers on this database; whoever wants to find breaches looks for himself."""
    with races_trial.surroundings():
        made = races_trial.Trial(SEED)
        yield made
        made.racers.close()


@pytest.fixture
def once(committed: None) -> Iterator[once_trial.Trial]:
    with races_trial.surroundings():
        made = once_trial.Trial(SEED)
        yield made
        made.racers.close()


# --- incidents ------------------------------------------------------------------------------------


def test_A2_a_settling_task_that_failed_after_its_commit_is_tried_twice(
    trial: races_trial.Trial,
) -> None:
    stream = PlayerScene(trial.world).left_table()

    def fails() -> None:
        settle(stream)
        raise ConnectionError("the worker's acknowledgement is lost")

    with pytest.raises(ConnectionError):
        fails()
    mark, settled = Mark.now(), cursor(stream)
    ends, _ = trial.racers.run([partial(settle, stream)] * 2, Point.LOCK)
    assert [(end.code, end.result.events) for end in ends] == [(DONE, 0)] * 2
    assert (mark.entries(), cursor(stream)) == (0, settled)


def test_A3_two_workers_that_start_one_task_have_one_result(trial: races_trial.Trial) -> None:
    scene = TableScene(trial.world, "rest")
    scene.hurry()
    ends, meeting = trial.racers.run(
        [partial(deals.deal_next, scene.id, scene.version)] * 2, Point.LOCK
    )
    first, second = (end.result for end in ends)
    assert meeting.together == 2
    assert sorted([first.replayed, second.replayed]) == [False, True]
    assert (first.result, first.last_version) == (second.result, second.last_version)
    assert selectors.live_row(scene.id).version == first.last_version


def test_H10_one_place_and_twenty_registrations(trial: races_trial.Trial) -> None:
    trial.race("registrations for the last place", 2)
    assert trial.found.breaches == []
    assert trial.found.seen["ends"] == {DONE: 2, "registration_closed": 38}


# --- nothing is left out --------------------------------------------------------------------------


def commands_with_receipt() -> Iterator[str]:
    """Every public function of a service that takes a receipt."""
    for app in APPS:
        package = importlib.import_module(f"{app}.services")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(found.name)
            for name, function in inspect.getmembers(module, inspect.isfunction):
                own = function.__module__ == module.__name__ and not name.startswith("_")
                hints = get_type_hints(function) if own else {}
                if Receipt in [kind for given, kind in hints.items() if given != "return"]:
                    yield f"{module.__name__}.{name}"


def test_every_command_with_a_receipt_is_raced() -> None:
    raced = {
        f"{command.service.__module__}.{command.service.__name__}"
        for place in PLACES.values()
        for command in place.commands.values()
    }
    assert set(commands_with_receipt()) - raced == set(EXCLUDED)


def test_every_race_and_pair_is_in_the_parts_of_the_full_size() -> None:
    rounds = (len(RACES) + len(pairs())) * ROUNDS_EACH_FULL
    parts = parts_of(Order({"rounds": rounds}, SEED))
    races = Counter({name: count for part in parts for name, count in part.races})
    found = Counter({pair: count for part in parts for pair, count in part.pairs})
    assert races == dict.fromkeys(RACES, ROUNDS_EACH_FULL)
    assert found == dict.fromkeys(pairs(), ROUNDS_EACH_FULL)


def test_a_small_size_goes_to_the_races_first() -> None:
    few = rounds_of(len(RACES) * ROUNDS_EACH + 7)
    assert (few.race, few.pairs, few.pair) == (ROUNDS_EACH, 7, 1)


# --- how racers meet ------------------------------------------------------------------------------


def test_a_point_opens_where_one_waits_for_the_lock_of_another(trial: races_trial.Trial) -> None:
    player = trial.world.person()

    def locks(tx: Transaction) -> None:
        tx.lock([account_row(player.id)])
        with connection.cursor() as statement:
            statement.execute("SELECT 'ledger.post'")

    ends, meeting = trial.racers.run([partial(in_transaction, locks)] * 2, Point.MONEY)
    assert [end.code for end in ends] == [DONE, DONE]
    assert meeting.together == 1


def test_a_fault_of_the_server_is_told(trial: races_trial.Trial) -> None:
    ends, _ = trial.racers.run([lambda: 1 // 0], Point.BEGIN)
    assert [(end.code, end.is_fault) for end in ends] == [("internal", True)]


# --- faults put in on purpose ---------------------------------------------------------------------


def forgets_receipts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each copy of a request is taken for a new one."""
    enter = services._enter
    monkeypatch.setattr(
        services,
        "_enter",
        lambda receipt, live: enter(Receipt(receipt.actor, new_id().hex, bytes(32)), live),
    )
    monkeypatch.setattr(services, "_finish", _without_receipt)


def _without_receipt(_: Receipt, live: Any, outcome: Any) -> bytes:
    if live is not None:
        services.update_live(live, outcome.changes)
    return encode(dict(outcome.result))


def test_lost_receipts_are_seen(once: once_trial.Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    pay_in = once_trial.of_command(*once_trial.keyed()["player: pay in"])
    once.command("pay in", pay_in)
    assert once.found.breaches == []
    forgets_receipts(monkeypatch)
    once.command("pay in", pay_in)
    assert {"not one effect", "made more than once"} <= {one.what for one in once.found.breaches}


def test_a_notice_that_is_not_remembered_is_seen(
    once: once_trial.Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    once.notice("of a player", once_trial.NOTICE_KINDS["of a player"])
    assert once.found.breaches == []
    monkeypatch.setattr(orders, "is_known", lambda *_: False)
    once.notice("of a player", once_trial.NOTICE_KINDS["of a player"])
    assert {one.what for one in once.found.breaches} == {"a delivery that failed"}


def test_an_entry_of_another_amount_is_seen(once: once_trial.Trial) -> None:
    amounts = iter((1_000, 2_000))

    def prepare(world: World) -> once_trial.Doing:
        notice = paid_notice(world.person().id, next(amounts), new_id().hex)
        return once_trial.Doing(partial(take_notice, notice))

    once.notice("of a player", prepare)
    (wrong,) = once.found.breaches
    assert wrong.what == "not one effect"
    assert "1 entry deposit: cash EUR 1000; wallet EUR -1000" in wrong.expected
    assert "1 entry deposit: cash EUR 2000; wallet EUR -2000" in wrong.got


def test_an_entry_that_is_approved_twice_is_seen(
    trial: races_trial.Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adjustments, "_check_decider", lambda *_: None)
    trial.race("approvals of one entry", 1)
    assert any("ends:" in one.got for one in trial.found.breaches)


def test_a_table_that_is_not_as_replayed_is_seen(trial: races_trial.Trial) -> None:
    mark = Mark.now()
    scene = TableScene(trial.world, "rest")
    with connection.cursor() as statement:
        statement.execute("UPDATE games_table SET seats_taken = 5 WHERE id = %s", [scene.id])
    wrongs = [one.where for one in races_state.unlike_replay(mark)]
    assert wrongs == [f"{table_stream(scene.id)}@3 seats_taken"]
    with connection.cursor() as statement:
        statement.execute("UPDATE games_table SET seats_taken = 2 WHERE id = %s", [scene.id])


def test_a_task_that_nobody_listed_is_seen(
    once: once_trial.Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    once.unknown()
    assert once.found.breaches == []
    known = dict(once_trial.TASKS)
    del known["games.deal"]
    monkeypatch.setattr(once_trial, "TASKS", known)
    once.unknown()
    assert [one.where for one in once.found.breaches] == ["task games.deal"]


def test_a_pair_meets_in_the_scene_of_each(trial: races_trial.Trial) -> None:
    trial.pair(Pair("table", "move", "deal"), 2)
    assert (trial.found.breaches, trial.found.done["rounds"]) == ([], 2)
