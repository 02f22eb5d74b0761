"""Golden histories: what was recorded once is read for ever, and leads to the same."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from eventstore.core.canonical import encode
from eventstore.core.record import leaf_hash
from tools import golden_digests, histories

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ROOT = golden_digests.GOLDEN.parents[1]
NAMES = histories.names()


def test_there_is_a_history_of_every_kind_of_stream() -> None:
    streams = {name for one in NAMES for name in histories.expected_of(one)["streams"]}
    kinds = Counter(stream.partition("/")[0] for stream in streams)
    assert {"table", "tournament", "wallet", "player"} <= set(kinds)


@pytest.mark.parametrize("name", NAMES)
def test_a_history_leads_to_what_it_led_to(name: str) -> None:
    assert histories.replayed(histories.records_of(name)) == histories.expected_of(name)


def rewritten(records: Sequence[bytes], kind: str, **fields: Any) -> list[bytes]:
    """The records with other fields in the last event of a type, chained anew."""
    found = [json.loads(record) for record in records]
    next(one for one in reversed(found) if one["type"] == kind)["data"].update(fields)
    last: dict[str, str] = {}
    made = []
    for one in found:
        one["prev"] = last.get(one["stream"], "0" * 64)
        made.append(encode(one))
        last[one["stream"]] = leaf_hash(made[-1]).hex()
    return made


@pytest.mark.parametrize(
    ("kind", "fields", "differs"),
    [
        ("HandDealt", {"stake": 11}, {"streams"}),
        ("HandEnded", {"end": "void"}, {"streams"}),
        ("SeatCashedOut", {"amount": 1}, {"books"}),
        ("Completed", {"places": []}, {"streams"}),
        ("ChipsGranted", {"amount": 1}, {"books", "streams"}),
    ],
)
def test_another_fact_leads_elsewhere(kind: str, fields: Any, differs: set[str]) -> None:
    """So a fold that reads an old event in another way is found as well."""
    records = histories.records_of(NAMES[0])
    before = histories.expected_of(NAMES[0])
    assert rewritten(records, kind) == records
    after = histories.replayed(rewritten(records, kind, **fields))
    assert {name for name in before if after[name] != before[name]} == {"root", *differs}


def test_a_gap_and_a_name_that_is_taken_are_refused() -> None:
    records = histories.records_of(NAMES[0])
    with pytest.raises(ValueError, match="gap"):
        histories.replayed([*records[:40], *records[41:]])
    with pytest.raises(FileExistsError):
        histories.write(NAMES[0], records)


# --- golden files are never changed ---------------------------------------------------------------


def test_no_golden_file_was_changed() -> None:
    assert list(golden_digests.faults()) == []


def test_no_digest_was_ever_taken_back() -> None:
    """In a checkout; where there is none, nothing can be said of what was before."""
    if not (ROOT / ".git").exists():
        return
    log = ["git", "log", "-p", "--format=", "--", f"tests/golden/{golden_digests.DIGESTS}"]
    told = subprocess.run(log, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE).stdout
    added = {line[1:] for line in told.splitlines() if line[:1] == "+" and line[:3] != "+++"}
    kept = {
        f"{digest}  {path}" for path, digest in golden_digests.listed(ROOT / "tests/golden").items()
    }
    assert added <= kept


def test_a_changed_golden_file_is_found(tmp_path: Path) -> None:
    for name in ("kept", "changed", "gone"):
        (tmp_path / "events").mkdir(exist_ok=True)
        (tmp_path / "events" / name).write_text(name)
    assert golden_digests.add_missing(tmp_path) == ["events/changed", "events/gone", "events/kept"]
    assert list(golden_digests.faults(tmp_path)) == []
    (tmp_path / "events" / "changed").write_text("other")
    (tmp_path / "events" / "gone").unlink()
    (tmp_path / "events" / "new").write_text("new")
    assert list(golden_digests.faults(tmp_path)) == [
        "events/changed: it was changed",
        "events/gone: it is gone",
        "events/new: no digest; `python -m tools.golden_digests` adds it",
    ]
    assert golden_digests.add_missing(tmp_path) == ["events/new"]
