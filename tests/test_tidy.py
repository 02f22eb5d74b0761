"""The repository itself: each check runs on the checkout, and finds a planted violation."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.db.migrations.loader import MigrationLoader

from eventstore.core.registry import registry
from ledger.core.entries import MONEY, NO_MONEY
from tools import documents, golden, requirements
from tools.tidy import code, files
from tools.tidy.source import APPS, Source, checkout, plant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Check = Callable[[Iterable[Source]], Iterator[str]]

ROOT = Path(__file__).resolve().parents[1]
READ_BY_BOOKS = ("games.", "ledger.", "tournaments.")
LIMITS = tomllib.loads((ROOT / "tests/tidy_limits.toml").read_text())


def exceptions(sources: Iterable[Source]) -> Iterator[str]:
    return files.exceptions(sources, LIMITS)


LONG = "def f():\n" + "    g()\n" * 70
PROJECT = plant("pyproject.toml", '[project]\nversion = "2026.1"\n')
LOG = "# Changelog\n\n## 2026.1\n\n### Added\n"
# Each check with what it must find, and something close to it that it must let pass.
CHECKS: dict[Check, tuple[list[Source], list[Source]]] = {
    code.sizes: (
        [plant("games/a.py", LONG), plant("games/b.py", "a\n" * 701)],
        [plant("games/a.py", LONG.replace("    g()\n", "", 1)), plant("games/b.py", "a\n" * 700)],
    ),
    code.floats: (
        [
            plant("ledger/core/a.py", "x = 1.5\n"),
            plant("ledger/selectors.py", "x = y / 2\n"),
            plant("ledger/api/views.py", "x /= 2\n"),
            plant("tournaments/core/prizes.py", "x = round(y)\n"),
            plant("games/rules/scoring.py", "x: float\n"),
        ],
        [plant("ledger/core/a.py", "x = y // 2\n"), plant("games/bots/a.py", "x = 1.5\n")],
    ),
    code.purity: (
        [
            plant("games/rules/a.py", "import time\n"),
            plant("games/bots/a.py", "from random import Random\n"),
            plant("ledger/core/a.py", "from django.db import models\n"),
            plant("ledger/core/b.py", "import orjson\n"),
            plant("players/core/a.py", "from eventstore.store import load\n"),
            plant("players/core/b.py", "x = datetime.now(UTC)\n"),
            plant("games/rules/b.py", "SEEN = {}\n"),
            plant("games/rules/c.py", "SEEN: set[int] = set()\n"),
        ],
        [
            plant("games/rules/a.py", "from hashlib import sha256\nX = MappingProxyType({1: 2})\n"),
            plant("eventstore/core/a.py", "import orjson\n__all__ = ['a']\n"),
            plant("games/services/a.py", "import time\nSEEN = {}\n"),
        ],
    ),
    code.wake_ups: (
        [
            plant("games/services/a.py", "move.delay(1)\n"),
            plant("ledger/tasks.py", "transaction.on_commit(f)\n"),
            plant("ledger/wake.py", "send(eta=5)\n"),
        ],
        [plant("ledger/wake.py", "transaction.on_commit(f)\n"), plant("tools/a.py", "a.delay()\n")],
    ),
    code.patterns: (
        [plant("games/api/a.py", 'X = Meta(pattern="^[a-z]+$")\n')],
        [plant("games/api/a.py", 'X = Meta(pattern=r"^[a-z]+\\Z")\nY = f("$")\n')],
    ),
    code.writes: (
        [
            plant("games/api/views.py", "Table.objects.create(a=1)\n"),
            plant("games/selectors.py", "Table.objects.filter(a=1).update(a=2)\n"),
            plant("games/models.py", "self.save()\n"),
        ],
        [
            plant("games/services/tables.py", "Table.objects.create(a=1)\n"),
            plant("games/selectors.py", "found.update(a=2)\n"),
        ],
    ),
    code.strings: (
        [
            plant("players/models.py", 'models.ForeignKey("games.Table", models.PROTECT)\n'),
            plant("ledger/wake.py", 'after_commit("tournaments.sweep", queue="settle")\n'),
        ],
        [plant("games/models.py", 'models.ForeignKey("players.User", models.PROTECT)\n')],
    ),
    code.verifier: (
        [plant("clients/verify/tonk_verify.py", "import cryptography\n")],
        [plant("clients/verify/tonk_verify.py", "import hashlib\n")],
    ),
    files.form: (
        [
            plant("a.md", "x" * (files.FILE_BYTES_MAX + 1) + "\n"),
            plant("b.md", "space \n"),
            plant("c.md", "line\r\n"),
            plant("d.md", "no end"),
            plant("e.md", "see /" + "home/somebody/notes\n"),
            plant("f.md", "-----BEGIN PRIVATE" + " KEY-----\n"),
        ],
        [plant("a.md", "plain\n"), plant("b.md", "/api/v1/root/x and ~/work/x\n")],
    ),
    files.pins: (
        [
            plant("requirements.txt", "django==5.2\n"),
            plant("requirements-dev.txt", "django>=5 --hash=sha256:0\n"),
            plant("requirements-bench.txt", "--index-url https://example.org\n"),
        ],
        [plant("requirements.txt", "# made\ndjango==5.2 \\\n    --hash=sha256:0\n")],
    ),
    files.changelog: (
        [PROJECT, plant("CHANGELOG.md", LOG.replace("Added", "News").replace("2026.1", "2025.9"))],
        [PROJECT, plant("CHANGELOG.md", LOG)],
    ),
    exceptions: (
        [
            plant("games/a.py", "x = 1  # noqa\n"),
            plant("games/b.py", "x = 1  # type: ignore[attr-defined]\n"),
            plant("games/c.py", "# TODO: later\n"),
        ],
        [plant("games/a.py", "x = 1  # no exception\n")],
    ),
    documents.complaints: (
        [
            plant("docs/a.md", "# One\n\n# Two\n"),
            plant("docs/b.md", "# One\n\n[there](missing.md)\n"),
            plant("docs/c.md", "# One\n\n[there](#nowhere)\n"),
        ],
        [
            plant("docs/a.md", "# One\n\n[there](b.md#two), [out](https://example.org)\n"),
            plant("docs/b.md", "# B\n\n## Two\n\n```\n# no title\n```\n"),
        ],
    ),
}


@pytest.fixture(scope="module")
def sources() -> tuple[Source, ...]:
    return checkout(ROOT)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_checkout_is_tidy(check: Check, sources: tuple[Source, ...]) -> None:
    complaints = list(check(sources))
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_planted_violation_is_found(check: Check) -> None:
    bad, good = CHECKS[check]
    found = "\n".join(check(bad))
    for source in bad:
        assert source is PROJECT or str(source.path) in found
    assert not list(check(good))


def test_more_exceptions_than_the_limit_are_found() -> None:
    sources = [plant("games/a.py", "x = 1  # noqa: S105  a name, no secret\n")]
    assert list(files.exceptions(sources, {"noqa": 1})) == []
    assert list(files.exceptions(sources, {"noqa": 0})) != []


def test_the_requirements_belong_to_the_project(tmp_path: Path) -> None:
    assert requirements.stale() == []
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    for name in requirements.FILES:
        (tmp_path / name).write_text("# pyproject.toml: another\n")
    assert requirements.stale(tmp_path) == list(requirements.FILES)


def unread_events(pairs: Iterable[tuple[str, int]], *, of_money: bool) -> Iterator[str]:
    """Events without a golden file, or of which the books do not know whether they move money."""
    for name, schema in pairs:
        if not golden.path_of(name, schema).exists():
            yield f"{name} schema {schema}: no golden file; `python -m tools.golden` writes it"
        if of_money and ((name, schema) in NO_MONEY) == ((name, schema) in MONEY):
            yield f"{name}: entries_for must map it, or list it as without money"


def test_every_event_has_a_golden_file_and_a_place_in_the_ledger() -> None:
    complaints = [
        complaint
        for pair, cls in registry.pairs().items()
        for complaint in unread_events([pair], of_money=cls.__module__.startswith(READ_BY_BOOKS))
    ]
    assert not complaints, "\n".join(complaints)


def test_an_event_without_them_is_found() -> None:
    assert len(list(unread_events([("Unheard", 1)], of_money=True))) == 2


def one_way_migrations(loader: MigrationLoader) -> Iterator[str]:
    """Migrations of ours that can be undone by nothing and do not say why."""
    for (app, name), migration in loader.disk_migrations.items():
        module = type(migration).__module__
        reversible = all(operation.reversible for operation in migration.operations)
        said = getattr(migration, "irreversible", "")
        if module.split(".")[0] in APPS and not reversible and not said:
            yield f"{app}.{name}: it has no reverse, and no `irreversible = reason`"


def test_every_migration_can_be_undone() -> None:
    assert list(one_way_migrations(MigrationLoader(None))) == []
