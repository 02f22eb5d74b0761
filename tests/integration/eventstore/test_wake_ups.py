"""A message goes out when others can read what it speaks of, and never for what was undone."""

from __future__ import annotations

from dataclasses import dataclass, field

import psycopg
import pytest
from django.db import OperationalError, connection

from eventstore.core.chain import START, Fact
from eventstore.core.ids import player_stream
from eventstore.ports import new_id
from eventstore.services import Transaction, in_transaction
from eventstore.wake import after_commit, messages
from players.core.events import NameConsentSet
from players.services import exclude
from tests.databases import connected
from tonk_site.proving.acting.drive import until_rest
from tonk_site.proving.acting.factories import SHORT, a_player, a_tournament, receipt, with_bots

EVENTS = "SELECT count(*) FROM eventstore_event"
pytestmark = pytest.mark.usefixtures("committed")


@dataclass
class AtOnce:
    """A worker quicker than any real one: it looks at the very instant of the sending."""

    sent: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)

    def send(self, task: str, arguments: tuple[str | int, ...], queue: str) -> None:
        del arguments, queue
        self.sent.append(task)
        with connection.cursor() as cursor, connected("tonk_auditor") as other:
            cursor.execute(EVENTS)
            if cursor.fetchone() != other.execute(EVENTS).fetchone():
                self.unseen.append(task)

    def publish(self, channel: str, message: int) -> None:
        """Nobody listens here."""


def write(tx: Transaction) -> None:
    fact = Fact(NameConsentSet(consent=True), "player:x")
    tx.append(player_stream(new_id()), START, [fact])
    after_commit("told", queue="bots")


def test_B5_no_message_goes_out_before_its_commit() -> None:
    """All that a tournament sends, from its entries to its prizes."""
    organiser, worker = a_player("jonas", "organiser"), AtOnce()
    with messages(worker):
        tournament = a_tournament(organiser, entries_min=3, entries_max=3, **SHORT)
        with_bots(tournament, organiser, 3, "random-0")
        until_rest(tournament)
    assert {"games.bot_turn", "ledger.settle", "tournaments.step"} <= set(worker.sent)
    assert worker.unseen == []


def test_B5_after_a_rollback_nothing_is_sent() -> None:
    class Undone(Exception):
        pass

    def undone(tx: Transaction) -> None:
        write(tx)
        raise Undone

    worker = AtOnce()
    with messages(worker):
        with pytest.raises(Undone):
            in_transaction(undone)
        in_transaction(write)
    assert (worker.sent, worker.unseen) == (["told"], [])


def test_B5_what_runs_again_is_told_once() -> None:
    left = [1]

    def contested(tx: Transaction) -> None:
        write(tx)
        if left:
            left.pop()
            raise OperationalError from psycopg.errors.SerializationFailure()

    worker = AtOnce()
    with messages(worker):
        in_transaction(contested)
    assert (worker.sent, worker.unseen) == (["told"], [])


def test_an_exclusion_that_is_asked_for_again_is_told_again() -> None:
    """Nothing but the message says that he is to leave a table at which nobody is dealt in.

    Found by `prove crash-points`: a death between the commit and the message lost it for good.
    """
    ona, asked = a_player(), receipt()
    with messages(AtOnce()):  # they are lost with their process
        first = exclude(ona, None, asked)
    worker = AtOnce()
    with messages(worker):
        again = exclude(ona, None, asked)
    assert (again.status, again.result) == (first.status, first.result)
    assert (worker.sent, worker.unseen) == (["games.stop"], [])
