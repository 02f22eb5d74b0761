"""Over the source: a stored balance is set by the two functions that post, by nothing else."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

from tools.tidy.source import APPS, Source, checkout, plant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

POSTING = {"ledger.post", "ledger.post_batch"}
# A statement as far as it says what is set: up to its condition.
BALANCES = re.compile(
    r"\b(?:UPDATE|INTO)\s+(?:ONLY\s+)?(?:ledger\.)?account_balance\b(?:(?!\bWHERE\b)[^;])*",
    re.IGNORECASE,
)
SETS = re.compile(
    r"\bSET\b.*?\bbalance\s*=|\([^)]*\bbalance\b[^)]*\)\s*(?:VALUES|SELECT)",
    re.IGNORECASE | re.DOTALL,
)
TRIALS = "tonk_site/proving/"  # they try it, to see it refused
FUNCTION = re.compile(r"CREATE (?:OR REPLACE )?FUNCTION ([\w.]+)")
WRITES = frozenset({"bulk_create", "bulk_update", "create", "update", "update_or_create"})


def setters(sources: Iterable[Source]) -> Iterator[str]:
    """Where a stored balance is set outside the functions that post."""
    for source in sources:
        path = str(source.path)
        if source.app not in APPS or path.startswith(TRIALS):
            continue
        if source.path.suffix == ".sql":
            yield from _of_sql(source.text, path)
        elif source.is_python:
            yield from _of_python(source)


def _of_sql(text: str, where: str) -> Iterator[str]:
    for statement in BALANCES.finditer(text):
        functions = FUNCTION.findall(text[: statement.start()])
        if SETS.search(statement[0]) and (functions or [""])[-1] not in POSTING:
            yield f"{where}: {' '.join(statement[0].split())[:80]}"


def _of_python(source: Source) -> Iterator[str]:
    for node in source.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _of_sql(node.value, source.at(node))
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets = [node.target]
        if any(isinstance(one, ast.Attribute) and one.attr == "balance" for one in targets):
            yield f"{source.at(node)}: a balance is assigned"
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in WRITES:
            yield from (
                f"{source.at(node)}: a balance is written"
                for keyword in node.keywords
                if keyword.arg == "balance"
            )


def test_C3_nothing_sets_a_stored_balance_but_the_posting() -> None:
    sources = checkout()
    assert list(setters(sources)) == []
    posting = [one for one in sources if one.path.name == "0001_posting.sql"]
    moved = [BALANCES.findall(one.text) for one in posting]
    assert sum(bool(SETS.search(sql)) for one in moved for sql in one) == len(POSTING)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("ledger/services/a.py", "row.balance = row.balance + 5\n"),
        ("ledger/services/a.py", "row.balance -= 5\n"),
        ("games/services/a.py", "Wallet.objects.filter(id=1).update(balance=F('balance') + 5)\n"),
        ("ledger/store/a.py", 'SQL = "UPDATE ledger.account_balance SET balance = 5"\n'),
        (
            "ledger/migrations/a.sql",
            "UPDATE ledger.account_balance b\nSET version = 1, balance = 5",
        ),
        (
            "ledger/migrations/a.sql",
            """CREATE FUNCTION ledger.gift() AS $$
            INSERT INTO ledger.account_balance (account_id, balance) VALUES (1, 5) $$""",
        ),
    ],
)
def test_C3_one_that_does_is_found(path: str, text: str) -> None:
    assert len(list(setters([plant(path, text)]))) == 1


def test_C3_what_sets_something_else_is_let_pass() -> None:
    state = "UPDATE ledger.account_balance b SET state = 'frozen' WHERE b.balance = 5"
    assert list(setters([plant("ledger/migrations/a.sql", state)])) == []
