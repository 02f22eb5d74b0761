"""The page docs/reference/incidents.md: faults that others shipped, and the tests that cover them.

    python -m tools.incidents      writes it

The rows are data, `tests/incidents.toml`; which test covers which follows from the tests' names.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from tools.tidy.source import ROOT, checkout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from tools.tidy.source import Source

PAGE = ROOT / "docs/reference/incidents.md"
ROWS = ROOT / "tests/incidents.toml"
TITLE = """# Incidents

Faults that other projects shipped, and the test that each of them owes us: `test_A1_...` covers row
A1. This page is made by `python -m tools.incidents` from `tests/incidents.toml` and from the names
of the tests. A row without a test says which part of the product it waits for; one with neither,
or with both, fails `make docs`. {covered} of {rows} rows are covered.
"""
TEST = re.compile(r"^ *(?:async )?def (test_((?:[A-K]\d+_)+)\w+)\(", re.MULTILINE)
# There the D numbers are decisions of the rules.
OF_RULES, RULES_LETTER = "tests/unit/games/", "D"

Covered = dict[str, list[str]]
"""The tests of each row."""


@dataclass(frozen=True, slots=True)
class Row:
    """A fault of somebody else, and what we owe it."""

    source: str
    fault: str
    shows: str
    waits: str = ""
    """Part of the product that the whole row waits for."""
    rest: str = ""
    """Part that one clause of it waits for."""


@dataclass(frozen=True, slots=True)
class Incidents:
    """The rows by their ids, and the titles by their letters."""

    sections: Mapping[str, str]
    rows: Mapping[str, Row]

    @classmethod
    def read(cls, text: str) -> Self:
        """Rows as TOML. Raises: TypeError for a member that no row has."""
        found = tomllib.loads(text)
        sections = found.pop("sections")
        return cls(sections, {name: Row(**members) for name, members in found.items()})


def covered_by(sources: Iterable[Source]) -> Covered:
    """Tests whose names say which rows they cover, with their files."""
    found: Covered = {}
    for source in sources:
        path = str(source.path)
        if not path.startswith("tests/") or not source.is_python:
            continue
        for name, ids in TEST.findall(source.text):
            for one in ids.rstrip("_").split("_"):
                if not (path.startswith(OF_RULES) and one[0] == RULES_LETTER):
                    found.setdefault(one, []).append(f"`{name}` in `{path}`")
    return found


def complaints(incidents: Incidents, covered: Covered) -> Iterator[str]:
    """Rows that nobody covers and that wait for nothing, or for what is there; tests of no row."""
    for name, row in incidents.rows.items():
        if name[0] not in incidents.sections:
            yield f"incident {name}: there is no section {name[0]}"
        if name in covered and row.waits:
            yield f"incident {name}: it has a test and waits for {row.waits}"
        if name not in covered and not row.waits:
            yield f"incident {name}: no test is named after it, and it waits for nothing"
    yield from (
        f"incident {name}: {tests[0]} is named after no row"
        for name, tests in covered.items()
        if name not in incidents.rows
    )


def page(incidents: Incidents, covered: Covered) -> str:
    """The page as it must be."""
    done = sum(name in covered for name in incidents.rows)
    lines = [TITLE.format(covered=done, rows=len(incidents.rows))]
    for letter, title in incidents.sections.items():
        lines.append(f"## {letter}. {title}\n")
        lines.append("| row | fault | what the test shows | tests |\n|---|---|---|---|")
        lines += [
            f"| {name} | {row.fault} ({row.source}) | {row.shows} | {_tests(row, covered[name])} |"
            if name in covered
            else f"| {name} | {row.fault} ({row.source}) | {row.shows} | waits: {row.waits} |"
            for name, row in incidents.rows.items()
            if name[0] == letter
        ]
        lines.append("")
    return "\n".join(lines)


def _tests(row: Row, tests: Sequence[str]) -> str:
    return "; ".join([*sorted(tests), *([f"a part waits: {row.rest}"] if row.rest else [])])


def read() -> tuple[Incidents, Covered]:
    """The rows of the checkout and what covers them."""
    return Incidents.read(ROWS.read_text(encoding="utf-8")), covered_by(checkout())


def faults(path: Path = PAGE) -> list[str]:
    """What is wrong with the rows, and whether the page is not as it must be."""
    incidents, covered = read()
    found = list(complaints(incidents, covered))
    if not path.exists() or path.read_text(encoding="utf-8") != page(incidents, covered):
        found.append(f"{path.name}: `python -m tools.incidents` writes it")
    return found


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(*read()), encoding="utf-8")


if __name__ == "__main__":
    main()
