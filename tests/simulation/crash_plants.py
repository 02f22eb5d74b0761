"""Products that are made to break a promise, each for the trial of one act, and the way back."""

from typing import Any
from unittest.mock import patch

from django.db import connections, transaction

from eventstore import services, wake
from eventstore.services import LiveRow, Outcome, Receipt, Row, Transaction
from tonk_site.proving.acting.factories import a_player
from tonk_site.proving.acting.sealing import seal_log
from tonk_site.proving.crash.crash_copies import Copy, copied, now, stop_time, use
from tonk_site.proving.crash.crash_points import Part, Report, try_out
from tonk_site.proving.crash.crash_snapshots import Bench
from tonk_site.proving.races.races_trial import Nobody


def told_at_once(part: Part) -> Report:
    """A message leaves while its transaction is open (B5)."""

    def after_commit(task: str, *arguments: str | int, queue: str) -> None:
        wake.send(task, *arguments, queue=queue)

    with patch.object(wake, "after_commit", after_commit):
        return try_out(part)


def receipt_apart(part: Part) -> Report:
    """The receipt is committed before the work that it is of (A7)."""

    def enter(receipt: Receipt, live: LiveRow | None) -> Row | None:
        with connections["owner"].cursor() as cursor:
            cursor.execute(
                """INSERT INTO eventstore_command_receipt (actor, key, fingerprint)
                VALUES (%s, %s, %s) ON CONFLICT DO NOTHING""",
                [receipt.actor, receipt.key, receipt.fingerprint],
            )
            is_new = cursor.rowcount
        return Transaction().lock([live])[0] if live and is_new else None

    with patch.object(services, "_enter", enter):
        return try_out(part)


def row_apart(part: Part) -> Report:
    """The live row is written after the commit: whoever dies between leaves it behind."""
    finish: Any = services._finish

    def without_row(receipt: Receipt, live: LiveRow | None, outcome: Outcome) -> Any:
        if live is not None:
            row, changes = live, dict(outcome.changes)
            transaction.on_commit(lambda: services.update_live(row, changes))
        return finish(receipt, None, outcome)

    with patch.object(services, "_finish", without_row):
        return try_out(part)


def there_and_back(part: Part) -> list[str]:
    """What a database and its keys are otherwise after some acts and the way back."""
    with copied(Copy(part.url, part.keys)) as copy:
        stop_time(copy, now())
        bench = Bench(copy)
        before = bench.snapshot()
        _act(copy)
        between = bench.snapshot()
        bench.go_back(before)
        found, after = Bench(copy), bench.snapshot()
    for name in ("public.players_user", "public.eventstore_event", "ledger.posting"):
        assert before.rows[name] != between.rows[name]
    assert before.files != between.files
    assert before.sequences != between.sequences
    parts = ("rows", "sequences", "files", "exact")
    differing = [name for name in parts if getattr(before, name) != getattr(after, name)]
    return differing + ["triggers"] * (found.triggers != bench.triggers)


def _act(copy: Copy) -> None:
    """An account is opened, and the log is signed."""
    use(copy)
    with wake.messages(Nobody()):
        a_player()
        seal_log()
    connections.close_all()
