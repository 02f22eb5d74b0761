"""The log against its vectors."""

import json
from pathlib import Path
from typing import Any

import pytest

from eventstore import cases

VECTORS = Path(__file__).parents[2] / "cases" / "log" / "vectors.json"
DOCUMENT: dict[str, Any] = json.loads(VECTORS.read_text(encoding="utf-8"))
VERDICTS = list(cases.run(DOCUMENT))


@pytest.mark.parametrize(("case", "why"), VERDICTS, ids=[case for case, _ in VERDICTS])
def test_vector(case: str, why: str | None) -> None:
    assert why is None


def test_every_member_is_counted() -> None:
    lists = {"canonical", "refused", "records", "roots", "inclusion", "consistency"}
    assert set(DOCUMENT) - {"format"} == lists | {"tiles", "checkpoint"}
    tiles = DOCUMENT["tiles"]
    more = len(tiles["tiles"]) + len(tiles["inclusion"]) + 1 + 2  # its root; two notes
    assert len(VERDICTS) == sum(len(DOCUMENT[member]) for member in lists) + more
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


@pytest.mark.parametrize(
    ("member", "change"),
    [
        ("consistency", {"path": ["00" * 32]}),
        ("consistency", {"root_from": "00" * 32}),
    ],
)
def test_a_wrong_proof_fails(member: str, change: dict[str, Any]) -> None:
    *rest, last = DOCUMENT[member]
    wrong = {**DOCUMENT, member: [*rest, {**last, **change}]}
    assert [case for case, why in cases.run(wrong) if why]


@pytest.mark.parametrize("name", ["root", "tiles", "inclusion"])
def test_a_wrong_tile_fails(name: str) -> None:
    part: Any = DOCUMENT["tiles"][name]
    changed: dict[str, dict[str, object]] = {
        "tiles": {"sha256": "00" * 32},
        "inclusion": {"path": []},
    }
    wrong = "00" * 32 if name == "root" else [{**part[0], **changed[name]}, *part[1:]]
    verdicts = cases.run({**DOCUMENT, "tiles": {**DOCUMENT["tiles"], name: wrong}})
    assert len([case for case, why in verdicts if why]) == 1


@pytest.mark.parametrize("name", ["vkey", "key_id", "signature", "note", "note_with_witness"])
def test_a_wrong_note_fails(name: str) -> None:
    part = DOCUMENT["checkpoint"]
    wrong = part[name].replace("e4", "e5", 1) if name != "note" else part[name] + "x\n"
    if wrong == part[name]:
        wrong = part[name].replace("8", "9", 1)
    verdicts = cases.run({**DOCUMENT, "checkpoint": {**part, name: wrong}})
    assert [case for case, why in verdicts if why]


def test_whose_files() -> None:
    assert cases.is_mine(DOCUMENT)
    assert not cases.is_mine({"protocol": "tonk/fair/1"})
