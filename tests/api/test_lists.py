"""Lists are read in a few statements, however many rows there are."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.api.callers import Caller
from tests.api.routes import ROUTES
from tests.api.world import World, address, undone
from tonk_site.proving.acting.factories import a_table, pays_in

pytestmark = pytest.mark.django_db

STATEMENTS_MAX = 8
FEW, MANY = 10, 1_000
# Who asks, and the relation and rows that the list shows.
LISTS = {
    "table.list": ("anon", "games_table", "true"),
    "tournament.list": ("anon", "tournaments_tournament", "true"),
    "deposit.list": ("admin", "ledger.payment_order", "direction = 'in'"),
    "withdrawal.list": ("admin", "ledger.payment_order", "direction = 'out'"),
    "adjustment.list": ("auditor", "ledger.adjustment", "true"),
    "proposal.list": ("admin", "players_proposal", "true"),
}
BOOKS = {
    "ledger.entries": ("auditor", ""),
    "ledger.accounts": ("auditor", ""),
    "payout.list": ("auditor", ""),
    "ledger.account": ("auditor", ""),
    "ledger.statement": ("player_own", "&currency=EUR"),
}
COPY = """INSERT INTO {0} SELECT (jsonb_populate_record(r, jsonb_build_object(
    'version', %s + n, 'subject', ('00000000-0000-7000-9000-' || lpad((%s + n)::text, 12, '0')),
    'id', ('00000000-0000-7000-8000-' || lpad((%s + n)::text, 12, '0'))::uuid))).*
    FROM {0} r, generate_series(1, %s) n
    WHERE r.id = (SELECT id FROM {0} WHERE {1} ORDER BY id LIMIT 1)"""


def statements(who: Caller, path: str) -> tuple[int, int]:
    """Number of statements that a list needs, and of its items."""
    with CaptureQueriesContext(connection) as found:
        answer = who.get(path)
    assert answer.status == 200, answer.document
    return len(found), len(answer.document["items"])


def copy_rows(relation: str, which: str, start: int, count: int) -> None:
    """More rows like the first one."""
    with connection.cursor() as cursor:
        cursor.execute(COPY.format(relation, which), [start, start, start, count])


def test_K6_lists_need_as_many_statements_for_10_rows_as_for_1000(world: World) -> None:
    world.deposit(), world.withdrawal(), world.adjustment(), world.proposal(), world.hand()
    for name, (role, relation, which) in LISTS.items():
        path = f"{address(ROUTES[name].path, world.ids)}?limit=100"
        with undone():  # nothing in the log says that these rows are there
            copy_rows(relation, which, 100, FEW)
            few, shown = statements(world.callers[role], path)
            assert shown >= FEW
            copy_rows(relation, which, 200, MANY)
            many, shown = statements(world.callers[role], path)
        assert shown == 100
        assert few == many <= STATEMENTS_MAX, name


def test_K6_lists_of_the_books_do_so_beyond_a_page(world: World) -> None:
    who = world.who("player_own")
    paths = {
        name: f"{address(ROUTES[name].path, {'code': f'wallet:{who.id}:EUR'})}?limit=100{more}"
        for name, (_, more) in BOOKS.items()
    }

    def counted() -> dict[str, int]:
        return {
            name: statements(world.callers[BOOKS[name][0]], path)[0] for name, path in paths.items()
        }

    for _ in range(FEW):
        pays_in(who, 100)
    few = counted()
    for _ in range(110):
        pays_in(who, 100)
    assert counted() == few
    assert max(few.values()) <= STATEMENTS_MAX, few


def test_K6_the_first_page_needs_as_many_for_each_table(ona: Caller) -> None:
    a_table(ona.who)

    def counted() -> int:
        with CaptureQueriesContext(connection) as found:
            assert ona.ask("GET", "/").status == 200
        return len(found)

    few = counted()
    with undone():
        copy_rows("games_table", "true", 0, 30)
        assert counted() == few <= STATEMENTS_MAX
