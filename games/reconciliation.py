"""What the reconciliation of the books asks of cash tables (`ledger.md` section 6.3, R8)."""

from collections.abc import Iterator

from eventstore.core.ids import table_stream
from games import folds
from games.models import Table
from ledger.reconciliation.found import Finding, Found, Scope, finding
from ledger.reconciliation.work import behind
from ledger.selectors import seats


def stacks(_: Scope) -> Found:
    """R8: what lies before each seat of an open cash table is what its account holds.

    Tables with a running hand, or whose money is not posted yet, are left to the next run.
    """
    waiting = behind()
    open_tables = Table.objects.filter(tournament=None).exclude(status="closed").order_by("id")
    at_rest = [row for row in open_tables if table_stream(row.id) not in waiting]
    findings = [one for row in at_rest for one in _of_table(row)]
    return Found({"tables": len(at_rest)}, findings)


def _of_table(row: Table) -> Iterator[Finding]:
    table = folds.without_deck(row.id, row.hand_version).table
    if table.playing:
        return
    booked = {player: amount for player, amount in seats(row.id).items() if amount}
    told = {place.player: place.stack for place in table.places if place.stack}
    for player in sorted(booked.keys() | told.keys()):
        if booked.get(player, 0) != told.get(player, 0):
            where = f"{table_stream(row.id)} {player}"
            yield finding(where, booked.get(player, 0), told.get(player, 0))
