"""SQL of a migration from a file beside it, so that an auditor can read it as it runs."""

from __future__ import annotations

from pathlib import Path

from django.db import migrations

LOCK_SECONDS_MAX = 1  # a migration that must wait longer stops traffic: run it again later


def run_file(
    migration: str, name: str, *, reverse: str | None = None, elidable: bool = False
) -> migrations.RunSQL:
    """Operation that runs the file `name` beside `migration` (its `__file__`), in one round trip.

    The text may hold several statements and any `%`: it is sent without parameters. `reverse` names
    the file that undoes it; without one the migration cannot be undone.
    """
    folder = Path(migration).parent
    return migrations.RunSQL(
        _script(folder / name),
        reverse_sql=_script(folder / reverse) if reverse else None,
        elidable=elidable,
    )


def _script(path: Path) -> str:
    """The file's text, under a limit on waiting for locks that ends with the transaction."""
    return f"SET LOCAL lock_timeout = '{LOCK_SECONDS_MAX}s';\n{path.read_text(encoding='utf-8')}"
