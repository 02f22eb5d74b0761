"""The log against its vectors."""

import json
from pathlib import Path
from typing import Any

import pytest

from eventstore import cases

VECTORS = Path(__file__).parents[2] / "cases" / "log" / "vectors.json"
DOCUMENT: dict[str, Any] = json.loads(VECTORS.read_text(encoding="utf-8"))
VERDICTS = list(cases.run(DOCUMENT))
WAITING = {"consistency", "tiles", "checkpoint"}


@pytest.mark.parametrize(("case", "why"), VERDICTS, ids=[case for case, _ in VERDICTS])
def test_vector(case: str, why: str | None) -> None:
    assert why is None


def test_every_member_is_counted_or_waits() -> None:
    counted = {"canonical", "refused", "records", "roots", "inclusion"}
    assert set(DOCUMENT) - {"format"} == counted | WAITING
    assert len(VERDICTS) == sum(len(DOCUMENT[member]) for member in counted)
    assert len(dict(VERDICTS)) == len(VERDICTS)


@pytest.mark.parametrize(
    ("member", "change"),
    [
        ("canonical", {"canonical": "{}"}),
        ("refused", {"json": "{}"}),
        ("records", {"hash": "00" * 32}),
        ("inclusion", {"root": "00" * 32}),
    ],
)
def test_a_wrong_vector_fails(member: str, change: dict[str, Any]) -> None:
    first, *rest = DOCUMENT[member]
    wrong = {**DOCUMENT, member: [{**first, **change}, *rest]}
    assert [case for case, why in cases.run(wrong) if why]


def test_whose_files() -> None:
    assert cases.is_mine(DOCUMENT)
    assert not cases.is_mine({"protocol": "tonk/fair/1"})
