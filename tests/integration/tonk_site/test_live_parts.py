"""The live parts of checks: silent on a sound world, and each wrong row that is planted is named.

A superuser plants it, whom no trigger and no grant holds up; nothing of it stays.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest
from django.core.cache import cache
from django.db import connection, connections, transaction

from ledger.services import adjustments
from tests.following import follow_all
from tests.replay import settle_everything
from tonk_site.proving import live
from tonk_site.proving.acting.factories import (
    a_player,
    a_table,
    a_tournament,
    an_adjustment,
    pays_in,
    receipt,
    sits_down,
)
from tonk_site.proving.acting.play import hasty, play_out, play_tournament, turn_at
from tonk_site.proving.log import chain, gapless, replay
from tonk_site.proving.money import (
    balances_derived,
    cancel_safe,
    four_eyes,
    no_overdraft,
    payout_sum,
    zero_sum,
)
from tonk_site.proving.simulator import progress
from tournaments.services.entries import register

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_django import DjangoDbBlocker

    from tests.databases import FirstState
    from tonk_site.proving.checks import Check, Found

CHECKS = [one.CHECK for one in (
    balances_derived, cancel_safe, chain, four_eyes, gapless, no_overdraft, payout_sum, progress,
    replay, zero_sum,
)]  # fmt: skip
OPTIONS: dict[str, Any] = {"entries_min": 3, "entries_max": 3, "stack_stakes": 5, "level_hands": 3,
           "currency": "EUR", "rake_bp": 500}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def world(first_state: FirstState, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """People who paid, played and entered; a gift by two people; a tournament called off."""
    with django_db_blocker.unblock():
        organiser = a_player("jonas", "organiser")
        people = [a_player(name) for name in ("ona", "petras", "rasa")]
        first, second = (a_player(name, "admin") for name in ("algis", "daiva"))
        for who in people:
            pays_in(who, 20_000)
        adjustments.approve(an_adjustment(first, people[0].id), second, "", receipt())
        table = a_table(organiser)
        for who in people[:2]:
            sits_down(table, who)
        turn_at(table)
        play_out(table, hasty)
        turn_at(table)
        for called_off in (False, True):
            tournament = a_tournament(organiser, **OPTIONS)
            for who in people[: 2 if called_off else 3]:
                register(tournament, who, receipt())
            if called_off:
                cancel_safe.call_off(tournament, organiser)
            else:
                play_tournament(tournament, hasty)
        settle_everything()
        follow_all()
        connections.close_all()
        yield
        connections.close_all()
        first_state.restore()
        cache.clear()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_sound_world_is_read_by_the_auditor(check: Check) -> None:
    assert check.live is not None
    found = live.read(check.live, "")
    assert found.breaches == []
    assert all(found.done.values())


def test_whoever_reads_can_not_write() -> None:
    def writes() -> Found:
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO eventstore_follower DEFAULT VALUES")
        raise AssertionError("it was written")

    with pytest.raises(Exception, match="read-only transaction"):
        live.read(writes, "")
    assert connections["default"].settings_dict["USER"] == "tonk_app"


@contextlib.contextmanager
def planted(statement: str) -> Iterator[None]:
    """Within it the statement is done, by a superuser who has put the triggers to sleep."""
    settings = connections["default"].settings_dict
    connections.close_all()
    user = settings["USER"]
    settings["USER"] = "postgres"
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            for relation in GUARDED:
                cursor.execute(f"ALTER TABLE {relation} DISABLE TRIGGER ALL")
            for one in statement.split(";"):
                cursor.execute(one)
            yield
            transaction.set_rollback(True)
    finally:
        connections.close_all()
        settings["USER"] = user


def told(look: Callable[[], Found]) -> set[str]:
    return {breach.what for breach in look().breaches}


GUARDED = ("eventstore_event", "ledger.entry", "ledger.posting", "ledger.account",
           "ledger.account_balance", "eventstore_log_leaf", "eventstore_follower")  # fmt: skip
ONE = "(entry_id, line) = (SELECT min(entry_id), 1 FROM ledger.posting)"
WALLET = """(SELECT a.id FROM ledger.account a JOIN ledger.posting p ON p.account_id = a.id
    WHERE a.role = 'wallet' AND a.currency = 'EUR' LIMIT 1)"""
PRIZE = """UPDATE ledger.posting p SET amount = amount + 1 FROM ledger.entry e
    WHERE e.id = p.entry_id AND e.kind = 20"""
FACT = """UPDATE eventstore_event SET data = replace(data::text, {old}, {new})::json
    WHERE type = '{type}'"""


def fact(event_type: str, old: str, new: str) -> str:
    return FACT.format(type=event_type, old=f"$${old}$$", new=f"$${new}$$")


ZERO_SUM = [
    (f"UPDATE ledger.posting SET amount = amount + 1 WHERE {ONE}", "an entry is not 0"),
    (f"UPDATE ledger.posting SET amount = amount + 1 WHERE {ONE}", "the books are not 0"),
    (f"DELETE FROM ledger.posting WHERE {ONE}", "lines"),
    ("DELETE FROM ledger.entry WHERE id = (SELECT min(id) FROM ledger.entry)", "lines"),
    (f"UPDATE ledger.account SET currency = 'XTK' WHERE id = {WALLET}", "a currency"),
]
NO_OVERDRAFT = [
    (
        f"UPDATE ledger.posting SET amount = 100000000 WHERE account_id = {WALLET}",
        "below the floor",
    ),
    (
        f"""ALTER TABLE ledger.account_balance DROP CONSTRAINT floor;
        UPDATE ledger.account_balance SET balance = -1 WHERE account_id = {WALLET}""",
        "a balance below the floor",
    ),
]
BALANCES = [
    (
        f"UPDATE ledger.account_balance SET balance = balance + 1 WHERE account_id = {WALLET}",
        "a stored balance",
    ),
    (
        f"UPDATE ledger.account_balance SET balance = balance + 1 WHERE account_id = {WALLET}",
        "a past balance",
    ),
    ("UPDATE ledger.posting SET balance_after = balance_after + 1", "a running balance"),
    ("UPDATE ledger.posting SET balance_after = balance_after + 1", "a past wallet"),
]
PAYOUTS = [
    (PRIZE, "amounts as booked"),
    (PRIZE, "what went out"),
    (fact("PrizesComputed", '"rake":150', '"rake":149'), "amounts as stated"),
    (fact("PrizesPublished", '"vector":[', '"vector":[1,'), "the vector"),
    (fact("Completed", '"place_worst":3', '"place_worst":4'), "places"),
]
FOUR_EYES = [
    (
        """UPDATE eventstore_event SET data = jsonb_set(data::jsonb, '{approver}',
        data::jsonb -> 'proposer')::json WHERE type = 'AdjustmentApproved'""",
        "decided by one person alone",
    ),
    (
        "DELETE FROM eventstore_event WHERE type = 'AdjustmentProposed'",
        "decided without a proposal",
    ),
    (fact("AdjustmentProposed", "goodwill", "kindness"), "without a reason"),
    ("DELETE FROM eventstore_event WHERE type = 'RoleGranted'", "who approved"),
    ("DELETE FROM eventstore_event WHERE type = 'RoleGranted'", "who proposed"),
    (
        """UPDATE eventstore_event SET data = jsonb_set(data::jsonb, '{approved_by,1}',
        data::jsonb -> 'approved_by' -> 0)::json WHERE type = 'DepositRecorded'""",
        "one person: DepositRecorded",
    ),
    ("DELETE FROM eventstore_event WHERE type = 'EntryPaid'", "an entry of no such event"),
    ("UPDATE ledger.entry SET kind = 40 WHERE kind = 30", "an entry of no such event"),
    ("UPDATE ledger.account_balance SET state = 'closed'", "can not be reversed"),
]
REPLAY = [
    ("UPDATE games_table SET status = 'closed'", "not as replayed"),
    ("UPDATE games_seat SET seat = seat + 2", "not as replayed"),
    ("UPDATE games_handrow SET stake = stake + 1", "not as replayed"),
    ("DELETE FROM games_handrow", "not as replayed"),
    ("UPDATE tournaments_tournament SET status = 'running'", "not as replayed"),
    ("DELETE FROM tournaments_entrant", "not as replayed"),
    ("UPDATE ledger.entry SET hash = sha256('x') WHERE kind = 20", "not as replayed"),
    ("DELETE FROM eventstore_event WHERE type = 'Knocked'", "a chain is broken"),
    ("DELETE FROM eventstore_event WHERE stream LIKE 'table/%'", "a row of no stream"),
    ("DELETE FROM eventstore_event WHERE stream LIKE 'tournament/%'", "a row of no stream"),
]
CHAIN = [
    ("UPDATE eventstore_event SET data = '{}' WHERE type = 'Knocked'", "bad_hash"),
    ("UPDATE eventstore_log_leaf SET hash = sha256('x') WHERE log_index = 3", "bad_hash"),
]
GAPLESS = [
    ("DELETE FROM eventstore_event WHERE type = 'Knocked'", "versions"),
    ("DELETE FROM eventstore_event WHERE type = 'Knocked'", "places of the log"),
    ("DELETE FROM eventstore_log_leaf WHERE log_index = 3", "places of the log"),
    ("UPDATE eventstore_follower SET log_index = 1000000", "past the end"),
]
CANCELLED = [
    (
        """UPDATE ledger.posting p SET amount = amount + 1 FROM ledger.entry e
        WHERE e.id = p.entry_id AND e.kind = 14""",
        "money that stayed",
    ),
    (fact("Cancelled", '"fee":100', '"fee":99'), "refunds as stated"),
    (fact("Cancelled", '"fees_kept":0', '"fees_kept":1'), "what the house kept"),
    (
        """UPDATE ledger.account_balance b SET balance = 1 FROM ledger.account a
        WHERE a.id = b.account_id AND a.role = 'fees'""",
        "escrow",
    ),
]
LONG_AGO = "clock_timestamp() - interval '3 minutes'"
PROGRESS = [
    (f"UPDATE games_table SET due = 'deal', due_at = {LONG_AGO}", "stands still"),
    (f"UPDATE tournaments_tournament SET due = 'settle', due_at = {LONG_AGO}", "stands still"),
    (
        f"UPDATE ledger.settlement_due SET version = version + 1, event_at = {LONG_AGO}",
        "stands still",
    ),
    (
        f"""DELETE FROM eventstore_log_leaf WHERE log_index = 3;
        UPDATE eventstore_log_state SET scan_from = '0', floor = 0;
        UPDATE eventstore_event SET at = {LONG_AGO}""",
        "stands still",
    ),
]
PLANTS = [
    pytest.param(check, statement, what, id=f"{check.name}: {what} {number}")
    for check, plants in (
        (zero_sum.CHECK, ZERO_SUM),
        (no_overdraft.CHECK, NO_OVERDRAFT),
        (balances_derived.CHECK, BALANCES),
        (payout_sum.CHECK, PAYOUTS),
        (four_eyes.CHECK, FOUR_EYES),
        (replay.CHECK, REPLAY),
        (cancel_safe.CHECK, CANCELLED),
        (chain.CHECK, CHAIN),
        (gapless.CHECK, GAPLESS),
        (progress.CHECK, PROGRESS),
    )
    for number, (statement, what) in enumerate(plants)
]


@pytest.mark.parametrize(("check", "statement", "what"), PLANTS)
def test_C5_a_planted_row_is_found(check: Check, statement: str, what: str) -> None:
    assert check.live is not None
    with planted(statement):
        assert what in told(check.live)
