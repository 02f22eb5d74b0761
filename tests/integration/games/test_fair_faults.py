"""The window between commitment and deal under faults: a worker that dies, tasks that run twice."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, connections

from eventstore.core.refusal import Refused
from games import dealer, folds, selectors, tasks
from games.models import DealerSecret
from games.rules import events
from games.services.deals import deal_next
from games.services.sealing import seal_next
from games.services.seats import leave_seat
from players.selectors import Person
from tests.integration.games.fair_tables import (
    ONA,
    PETRAS,
    RASA,
    anchored_table,
    deal_due,
    of_type,
    own_times_again,
    play_out,
    stored_of,
    types_of,
)
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import a_player, receipt
from tonk_site.proving.acting.fair_seats import gives, hand_at, time_is_up

Act = Callable[[UUID, list[Person]], object]
COPIES = 6


class Killed(Exception):
    """The process is gone."""


def committing(table: UUID, people: list[Person]) -> object:
    del people
    hurry(table)
    return deal_next(table, selectors.live_row(table).version)


def first_seed(table: UUID, people: list[Person]) -> object:
    return gives(table, people[0], ONA.seed(1))


def last_seed(table: UUID, people: list[Person]) -> object:
    return gives(table, people[2], RASA.seed(1))


def sealing(table: UUID, people: list[Person]) -> object:
    del people
    return time_is_up(table)


def leaving(table: UUID, people: list[Person]) -> object:
    return leave_seat(table, people[1].id, receipt())


def given(table: UUID, people: list[Person], *numbers: int) -> None:
    for number in numbers:
        gives(table, people[number], (ONA, PETRAS, RASA)[number].seed(1))


# Each act with the seeds that are given before it, None: nothing is committed to yet.
ACTS: list[tuple[Act, str, tuple[int, ...] | None]] = [
    (committing, "commit", None),
    (first_seed, "commit", ()),
    (last_seed, "commit", (0, 1)),
    (sealing, "commit", (0,)),
    (sealing, "strict", (0, 1)),
    (leaving, "commit", (0,)),
]


def at_statement(number: int) -> Callable[..., object]:
    """A wrapper of statements that dies before the statement of this number that writes."""
    seen = [0]

    def run(execute: Callable[..., object], sql: str, *rest: Any) -> object:
        if sql.lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE", "WITH")):
            seen[0] += 1
            if seen[0] == number:
                raise Killed
        return execute(sql, *rest)

    return run


def picture(table: UUID) -> object:
    """What must be unchanged after a command that came to nothing."""
    row = selectors.live_row(table)
    secrets = DealerSecret.objects.order_by("hand").values_list("hand", flat=True)
    return (row.version, row.status, row.due, types_of(table), list(secrets))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("act", "fairness", "before"), ACTS, ids=lambda one: getattr(one, "__name__", str(one))
)
def test_a_worker_that_dies_at_any_statement_leaves_nothing_half_done(
    act: Act, fairness: str, before: tuple[int, ...] | None
) -> None:
    people = [a_player(name) for name in ("ona", "petras", "rasa")]
    table = anchored_table(people, fairness=fairness)
    if before is not None:
        deal_due(table)
        given(table, people, *before)
    seen, number = picture(table), 0
    while number < 50:
        number += 1
        try:
            with connection.execute_wrapper(at_statement(number)):
                act(table, people)
        except Killed:
            folds.forget_all()  # the process is another one
            own_times_again(table)
            assert picture(table) == seen
            continue
        break
    assert 1 < number < 50  # it died several times, and then it lived
    assert picture(table) != seen
    ends(table)


def ends(table: UUID) -> None:
    """Whatever has happened, the hand comes to its end, and no sealed seed stays behind."""
    if selectors.live_row(table).due == "seal":
        time_is_up(table)
    if selectors.live_row(table).due == "seal":  # at a strict table once more
        time_is_up(table)
    play_out(table)
    assert DealerSecret.objects.count() == 0
    commitments = {one.hand for one in of_type(table, events.ShuffleCommitted)}
    shown = of_type(table, events.HandRevealed, events.ShuffleAborted)
    assert commitments == {one.hand for one in shown}


def test_the_commitment_and_the_seed_are_in_no_log_line_or_message(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    sent: list[str] = []
    monkeypatch.setattr("eventstore.wake._send", lambda *message: sent.append(repr(message)))
    people = [a_player(name) for name in ("ona", "petras", "rasa")]
    table = anchored_table(people)
    with caplog.at_level("DEBUG"):
        deal_due(table)
        hand = hand_at(table)
        seed = dealer.seed_of(hand)
        given(table, people, 0, 1, 2)
    assert seed is not None
    told = caplog.text + "".join(sent) + str(selectors.state_document(selectors.see(table, None)))
    assert seed.hex() not in told
    assert repr(seed) not in told


# --- at the same time -----------------------------------------------------------------------------


def at_once(*acts: Callable[[], object]) -> list[object]:
    """What acts that begin together give or raise, each on a connection of its own."""
    start = Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        try:
            start.wait()
            return act()
        except Refused as refused:
            return refused.refusal.code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


@pytest.mark.usefixtures("committed")
def test_last_seeds_at_once_make_one_deal() -> None:
    people = [a_player(name) for name in ("ona", "petras", "rasa")]
    table = anchored_table(people)
    deal_due(table)
    at_once(*[lambda who=who: given(table, people, who) for who in range(3)])
    assert types_of(table).count("HandDealt") == 1
    (dealt,) = of_type(table, events.HandDealt)
    assert [one.seed for one in dealt.players] == ["revealed"] * 3
    play_out(table)


@pytest.mark.usefixtures("committed")
def test_tasks_that_run_twice_and_a_late_seed_make_one_deal() -> None:
    people = [a_player(name) for name in ("ona", "petras", "rasa")]
    table = anchored_table(people)
    hurry(table)
    version = selectors.live_row(table).version
    at_once(*[lambda: tasks.deal(str(table), version)] * COPIES)
    assert types_of(table).count("ShuffleCommitted") == 1
    hurry(table)
    version = selectors.live_row(table).version
    acts: list[Callable[[], object]] = [lambda: seal_next(table, version)] * COPIES
    acts += [lambda: tasks.attend(str(table))] * 2
    at_once(*acts, lambda: gives(table, people[0], ONA.seed(1)))
    if selectors.live_row(table).due == "seal":  # the seed came first, so the others saw it
        time_is_up(table)
    assert types_of(table).count("HandDealt") == 1
    play_out(table)
    assert DealerSecret.objects.count() == 0
    assert len(stored_of(table)) == selectors.live_row(table).version
