"""How PostgreSQL goes about a posting."""

from uuid import uuid4

import pytest
from django.db import connection

from eventstore.core.ids import wallet_stream
from tests.databases import owner
from tests.integration.ledger.commands import Facts, command, deposit

pytestmark = pytest.mark.usefixtures("committed")


def test_no_posting_reads_a_whole_relation_however_small_the_books() -> None:
    """A plan outlives the size for which it was made."""
    player = uuid4()
    deposit(player, 100)
    with owner(connection.settings_dict["NAME"]) as planner:
        planner.execute("ANALYZE ledger.account_balance, ledger.entry, ledger.posting")
    connection.close()  # the next one plans anew, for books of one page
    deposit(player, 100)
    before = whole_reads()
    deposit(player, 100)
    command(wallet_stream(player), *(a_grant() for _ in range(3)))
    assert whole_reads() == before


def whole_reads() -> dict[str, int]:
    """How often each relation that a posting touches was read from end to end."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            """SELECT relname, seq_scan FROM pg_stat_user_tables WHERE schemaname = 'ledger'
            AND relname IN ('account_balance', 'entry', 'posting')"""
        )
        return dict(cursor.fetchall())


def a_grant() -> tuple[str, Facts]:
    return "ChipsGranted", {"amount": 1, "currency": "XTK", "reason_code": "test"}
