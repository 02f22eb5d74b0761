"""The output of `manage.py cases`: `tests/cases/README.md`, "Output, for every kind"."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command

if TYPE_CHECKING:
    from pathlib import Path

RULES = """
kind: rules
cases:
- {id: good, title: worst, stake: 100, players: [A, B, C], start: config, expect: {liability: 600}}
- {id: bad, title: worst, stake: 100, players: [A, B, C], start: config, expect: {liability: 1}}
"""


def run(*paths: Path) -> tuple[int, list[str]]:
    out = StringIO()
    try:
        call_command("cases", *map(str, paths), stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue().splitlines()
    return 0, out.getvalue().splitlines()


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.yaml"
    path.write_text(RULES)
    return path


def test_a_line_a_case_and_their_count(rules: Path) -> None:
    code, lines = run(rules)
    assert code == 1
    assert lines[0] == "ok good"
    assert lines[1].startswith("FAIL bad ")
    assert lines[-1] == "1 passed, 1 failed"


def test_all_passed_ends_with_zero(rules: Path) -> None:
    rules.write_text(RULES[: RULES.index("- {id: bad")])
    assert run(rules) == (0, ["ok good", "1 passed, 0 failed"])


def test_an_id_is_used_once_in_a_run(rules: Path, tmp_path: Path) -> None:
    second = tmp_path / "second.yaml"
    second.write_text(rules.read_text())
    code, lines = run(rules, second)
    assert code == 1
    assert "FAIL good schema: id twice" in lines


@pytest.mark.parametrize("text", ["kind: poker\n", "[1, 2]\n", "a: [\n", ""])
def test_a_file_that_nobody_can_run_is_a_failed_case(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(text)
    code, lines = run(path)
    assert code == 1
    assert lines[0].startswith(f"FAIL {path} schema: ")
    assert lines[-1] == "0 passed, 1 failed"


def test_no_case_at_all_is_a_failure(rules: Path) -> None:
    rules.write_text("kind: rules\ncases: []\n")
    assert run(rules) == (1, ["0 passed, 0 failed"])
