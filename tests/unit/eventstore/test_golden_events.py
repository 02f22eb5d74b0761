"""Golden files and the page of events: each type that was ever released is in both."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eventstore.core.canonical import encode
from eventstore.core.chain import verify_chain
from eventstore.core.record import read_record
from eventstore.core.registry import registry
from tools import event_catalogue
from tools import golden as files

PAIRS = sorted(registry.pairs())


def golden(name: str, schema: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files.path_of(name, schema).read_text())
    return found


def test_each_pair_has_a_file_and_each_file_a_pair() -> None:
    found = {path.name for path in files.GOLDEN.iterdir()}
    assert found == {files.path_of(*pair).name for pair in PAIRS}


@pytest.mark.parametrize(("name", "schema"), PAIRS)
def test_it_is_read_and_written_again_as_the_same_bytes(name: str, schema: int) -> None:
    found = golden(name, schema)
    stored = read_record(encode(found["record"]))
    assert (stored.type, stored.schema) == (name, schema)
    assert stored.hash.hex() == found["hash"]
    assert verify_chain([stored]) is None
    cls = registry.pairs()[name, schema]
    assert encode(msgspec.json.decode(stored.data, type=cls)) == stored.data.encode()
    assert stored.event is not None


@pytest.mark.parametrize(("name", "schema"), PAIRS)
def test_no_member_may_be_missing_or_foreign(name: str, schema: int) -> None:
    fields = golden(name, schema)["record"]["data"]
    cls = registry.pairs()[name, schema]
    for wrong in (fields | {"foreign": 1}, dict(list(fields.items())[1:])):
        if wrong != fields:
            with pytest.raises(msgspec.ValidationError):
                msgspec.convert(wrong, type=cls)


def test_a_changed_file_is_found() -> None:
    found = golden("CardDrawn", 1)
    found["record"]["data"]["seat"] = 2
    assert read_record(encode(found["record"])).hash.hex() != found["hash"]


def test_the_page_of_events_is_current(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert event_catalogue.is_current(), "python -m tools.event_catalogue writes it"
    assert all(f"| {name} | {schema} | " in event_catalogue.page() for name, schema in PAIRS)
    other = tmp_path / "events.md"
    other.write_text(event_catalogue.page().replace("inline", ""))
    monkeypatch.setattr(event_catalogue, "PAGE", other)
    assert not event_catalogue.is_current()
