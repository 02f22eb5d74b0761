"""Every hand-worked case of the books, one after the other in one log."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest
import yaml

from eventstore.core.record import Stored
from eventstore.services import Transaction, in_transaction
from ledger import case_reading
from ledger.case_reading import Case, events_of, id_of, opening_entries
from ledger.core.entries import INLINE, Entry, key_of
from ledger.services import post, settle
from tests.integration.ledger.commands import append, command

CASES = Path(__file__).parents[2] / "cases/ledger"
STAND_IN = "WithdrawalApproved"  # moves nothing: the place in the log of an opening balance


def cases() -> Iterator[Case]:
    for path in sorted(CASES.glob("*.yaml")):
        yield from (case for case in yaml.safe_load(path.read_text())["cases"] if "events" in case)


def book_all(monkeypatch: pytest.MonkeyPatch) -> int:
    """Book what every case books; the number of cases. Ids are a case's own, versions run on."""
    booked = list(cases())
    for case in booked:
        with monkeypatch.context() as patched:
            patched.setattr(case_reading, "id_of", _ids_of(str(case["id"])))
            for entry in opening_entries(case):
                _open(entry)
            _book(case)
    return len(booked)


def _ids_of(case: str) -> Any:
    return lambda name: id_of(name) if name == "house" else str(uuid5(_namespace(case), name))


def _namespace(case: str) -> Any:
    return uuid5(NAMESPACE_URL, f"tonk:case:{case}")


def _open(entry: Entry) -> None:
    def work(tx: Transaction) -> None:
        (event,) = append(tx, entry.stream, (STAND_IN, {}))
        assert event.version == entry.version
        post(entry, tx.now)

    in_transaction(work)


def _book(case: Case) -> None:
    """The events that move something; a case's versions have gaps, the log's have none."""
    places: dict[str, str] = {}
    for one in events_of(case):
        if one.refusal is None and one.entries:
            made = _append(one.event, places, str(case["id"]))
            for part in (int(str(entry["part"])) for entry in one.entries):
                old = key_of(one.event.stream, one.event.version, part)
                places[old] = key_of(made.stream, made.version, part)


def _append(event: Stored, places: dict[str, str], case: str) -> Stored:
    fields = dict(event.payload)
    if "reference" in fields:
        fields["reference"] = f"{case}-{fields['reference']}"
    if fields.get("reverses"):
        fields["reverses"] = places[str(fields["reverses"])]
    (made,) = command(event.stream, (event.type, fields))
    if (event.type, event.schema) not in INLINE:
        assert settle(made.stream).parked_code is None
    return made
