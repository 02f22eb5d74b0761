"""The page of incidents: each row has its test or waits, and both are seen when they are wrong."""

from pathlib import Path

import pytest

from tools import incidents
from tools.incidents import Incidents, complaints, covered_by, page
from tools.tidy.source import Source, plant

ROWS = """
[sections]
A = "Paid twice"
D = "Arithmetic"
[A1]
source = "here #1"
fault = "It was paid twice."
shows = "It is paid once."
[D2]
source = "there #2"
fault = "A unit was lost."
shows = "No unit is lost."
"""
WAITING = ROWS + 'waits = "ledger: shares"\n'
LOST = """[Z1]
source = "here"
fault = "It was lost."
shows = "It is not."
waits = "later"
"""
IN_PART = ROWS + 'rest = "ledger: shares"\n'
FIRST = plant("tests/api/test_a.py", "def test_A1_once() -> None:\n")
BOTH = plant("tests/api/test_b.py", "    async def test_A1_D2_once() -> None:\n")


def test_every_row_is_covered_or_waits_and_the_page_says_which() -> None:
    assert incidents.faults() == []


@pytest.mark.parametrize(
    ("rows", "sources", "told"),
    [
        (ROWS, [BOTH], []),
        (IN_PART, [FIRST, BOTH], []),
        (WAITING, [FIRST], []),
        (WAITING, [BOTH], ["D2: it has a test and waits for ledger: shares"]),
        (ROWS, [FIRST], ["D2: no test is named after it"]),
        (IN_PART, [FIRST], ["D2: no test is named after it"]),
        (WAITING, [plant("games/test_a.py", "def test_A1_once() -> None:")], ["A1: no test"]),
        (WAITING, [plant("tests/unit/games/test_a.py", "def test_A1_D2_a() -> None:")], []),
        (WAITING, [FIRST, plant("tests/a.py", "def test_E4_a() -> None:")], ["E4: `test_E4_a`"]),
        (ROWS + LOST, [BOTH], ["Z1: there is no section"]),
    ],
)
def test_what_is_wrong_is_told(rows: str, sources: list[Source], told: list[str]) -> None:
    found = list(complaints(Incidents.read(rows), covered_by(sources)))
    assert len(found) == len(told)
    assert all(one.startswith(f"incident {start}") for one, start in zip(found, told, strict=True))


def test_the_page_names_tests_and_parts_that_wait() -> None:
    text = page(Incidents.read(WAITING), covered_by([FIRST]))
    assert "1 of 2 rows are covered" in text
    assert "| A1 | It was paid twice. (here #1) |" in text
    assert "`test_A1_once` in `tests/api/test_a.py` |" in text
    assert "| No unit is lost. | waits: ledger: shares |" in text
    both = page(Incidents.read(IN_PART), covered_by([BOTH]))
    assert "`test_A1_D2_once` in `tests/api/test_b.py`; a part waits: ledger: shares |" in both


def test_a_page_that_is_not_as_it_must_be_is_told(tmp_path: Path) -> None:
    old = tmp_path / "incidents.md"
    missing = incidents.faults(old)
    old.write_text("# Incidents\n")
    assert missing == incidents.faults(old)
    assert missing[-1] == "incidents.md: `python -m tools.incidents` writes it"


def test_a_row_with_an_unknown_member_is_refused() -> None:
    with pytest.raises(TypeError, match="wait"):
        Incidents.read(ROWS + 'wait = "ledger"\n')
