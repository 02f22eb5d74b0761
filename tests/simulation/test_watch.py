"""The onlooker of a simulation sees what must never be committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

from tonk_site.proving import scratch
from tonk_site.proving.simulator.scheduler import Scheduler
from tonk_site.proving.simulator.watch import Answered, Broken, Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Commit = Callable[..., None]

TABLE = "table/00000000-0000-7000-8000-000000000001"
EVENT = f"""INSERT INTO eventstore_event
        (event_id, stream, version, type, schema, data, meta, at, prev_hash, hash)
    SELECT gen_random_uuid(), '{TABLE}', coalesce(max(version), 0) + 1, 'SatOut', 1, '{{}}',
        '{{"actor":"%s"}}', now(), sha256('x'), sha256('x')
    FROM eventstore_event"""
BY_PLAYER, BY_DEALER = EVENT % "player:ona", EVENT % "worker:dealer"
RECEIPT = f"""INSERT INTO eventstore_command_receipt
        (actor, key, fingerprint, status, stream, first_version, last_version)
    VALUES ('player:ona', 'the-key-of-receipt-%s', sha256('x'), 200, '{TABLE}', %s, %s)"""
OPEN = """INSERT INTO eventstore_command_receipt (actor, key, fingerprint)
    VALUES ('player:ona', 'the-key-of-receipt-0', sha256('x'))"""
CHANGE = "UPDATE eventstore_command_receipt SET status = 201"
HOUSE = "currency = 'XTK' AND role IN ('issue', 'promotion') AND stripe = 0"
POST = f"""SELECT ledger.post(1::smallint, 'XTK', '{TABLE}', 1, 0, now(), now(), NULL, sha256('x'),
    array_agg(id ORDER BY id), ARRAY[5, -5]) FROM ledger.account WHERE {HOUSE}"""
WITHOUT_GUARDS = """ALTER TABLE ledger.account_balance DROP CONSTRAINT floor;
    ALTER TABLE ledger.account_balance DISABLE TRIGGER USER;
    DROP TRIGGER check_legs ON ledger.posting"""
FLOOR = "UPDATE ledger.account_balance SET min_balance = 100"
CREDIT = "UPDATE ledger.account_balance SET balance = balance + 1"


@pytest.fixture(scope="module")
def servers() -> Iterator[scratch.Run]:
    """Scratch servers that all tests share."""
    with scratch.shared() as run:
        yield run


@pytest.fixture
def world(servers: scratch.Run) -> Iterator[tuple[Watch, Commit]]:
    """An onlooker of an empty database, and what commits statements in one transaction."""
    del servers
    with scratch.database() as place, psycopg.connect(place.superuser_url) as connection:

        def commit(*statements: str) -> None:
            for one in statements:
                connection.execute(one.encode())
            connection.commit()

        watch = Watch(place.superuser_url, Scheduler("1"), "1")
        watch.look()
        yield watch, commit
        watch.close()


def receipt(number: int, first: int, last: int) -> str:
    return RECEIPT % (number, first, last)


@pytest.mark.slow
def test_what_commands_workers_and_the_settler_do_is_sound(world: tuple[Watch, Commit]) -> None:
    watch, commit = world
    commit(BY_PLAYER, BY_DEALER, receipt(1, 1, 2))
    watch.look()
    commit(BY_DEALER)
    commit(POST)
    commit(BY_PLAYER, receipt(2, 4, 4))
    watch.told(Answered("seat.sit_out", "the-key-of-receipt-2", is_done=True))
    watch.look()
    watch.look()
    assert watch.versions == {TABLE: 4}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("transactions", "broken"),
    [
        ([[BY_PLAYER]], "no receipt names"),
        ([[BY_PLAYER], [receipt(1, 1, 1)]], "it did not make"),
        ([[BY_PLAYER, BY_PLAYER, receipt(1, 1, 1)]], "no receipt names"),
        ([[BY_PLAYER, receipt(1, 1, 2)]], "it did not make"),
        ([[BY_PLAYER, receipt(1, 1, 1), receipt(2, 1, 1)]], "it did not make"),
        ([[BY_PLAYER, receipt(1, 1, 1)], [], [CHANGE]], "it did not make"),
        ([[OPEN]], "has no answer"),
        ([[WITHOUT_GUARDS, FLOOR, POST]], "floor 100"),
        ([[WITHOUT_GUARDS], [POST], [CREDIT]], "postings"),
    ],
)  # fmt: skip
def test_what_must_never_be_is_seen(
    world: tuple[Watch, Commit], transactions: list[list[str]], broken: str
) -> None:
    watch, commit = world
    for statements in transactions:
        if statements:
            commit(*statements)
        else:
            watch.look()
    with pytest.raises(Broken, match=broken):
        watch.look()
