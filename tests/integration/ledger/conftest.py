"""The books alone: these tests append facts of money to streams that no table or tournament has."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import connections

from eventstore.core.ids import table_stream, tournament_stream, wallet_stream
from ledger import cashier
from ledger.cashier.sandbox import Sandbox
from ledger.replay import differences
from ledger.services import settle_due
from players.core.roles import ADMIN
from players.selectors import Person
from tests.databases import owner
from tests.integration.ledger.commands import (
    cashed_out,
    command,
    deposit,
    entered,
    hand_ended,
    prizes,
    sit,
)
from tonk_site.proving.acting.factories import a_player


@pytest.fixture(autouse=True)
def replay(request: pytest.FixtureRequest) -> Iterator[None]:
    """In place of the whole replay: the books are what the log says, as far as they are settled.

    Modules that post beside the log say `BESIDE_THE_LOG = True`; those with real commits compare
    by a rebuild of their own.
    """
    in_test = request.node.get_closest_marker("django_db") is not None
    if not in_test or getattr(request.module, "BESIDE_THE_LOG", False):
        yield
        return
    request.getfixturevalue("db")
    yield
    if request.node.get_closest_marker("no_replay") is None:
        settle_due()
        assert list(differences()) == []


@pytest.fixture
def played() -> tuple[UUID, UUID]:
    """A table with a raked hand and a cash-out, a tournament to its end, a frozen wallet."""
    first, second, table, tournament = (uuid4() for _ in range(4))
    for player in (first, second):
        deposit(player, 5000)
        sit(table, player, 1000)
        entered(tournament, player, 1000, fee=100)
    command(table_stream(table), hand_ended({first: 100, second: -100}, {first: 5}))
    command(table_stream(table), cashed_out(first, 1095), cashed_out(second, 900))
    command(table_stream(table), ("TableClosed", {"reason": "empty"}))
    command(tournament_stream(tournament), prizes((second, 1200), (first, 600), rake=200, fees=200))
    command(tournament_stream(tournament), ("Settled", {"checked_version": 3}))
    people = {"reason_code": "review", "proposer": "s1", "approver": "s2"}
    command(wallet_stream(second), ("WalletFrozen", people))
    return first, second


@pytest.fixture
def tampered() -> Iterator[psycopg.Connection]:
    """The owner, with the guards of the books switched off."""
    guards = """SELECT c.relname, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        WHERE c.relnamespace = 'ledger'::regnamespace AND NOT t.tgisinternal"""
    with owner(connections["default"].settings_dict["NAME"]) as connection:
        found = connection.execute(guards).fetchall()
        for relation, guard in found:
            connection.execute(f"ALTER TABLE ledger.{relation} DISABLE TRIGGER {guard}")
        yield connection
        for relation, guard in found:
            connection.execute(f"ALTER TABLE ledger.{relation} ENABLE ALWAYS TRIGGER {guard}")


@pytest.fixture
def sandbox(settings: Any) -> Iterator[Sandbox]:
    """The sandbox beside the manual cashier; it has forgotten everything before."""
    settings.CASHIER_PROVIDERS = [
        "ledger.cashier.manual.Manual",
        "ledger.cashier.sandbox.Sandbox",
    ]
    cashier._made.cache_clear()
    found = cashier.provider_of("sandbox")
    assert isinstance(found, Sandbox)
    yield found
    cashier._made.cache_clear()


@pytest.fixture
def ona() -> Person:
    return a_player("ona")


@pytest.fixture
def algis() -> Person:
    return a_player("algis", ADMIN)


@pytest.fixture
def daiva() -> Person:
    return a_player("daiva", ADMIN)
