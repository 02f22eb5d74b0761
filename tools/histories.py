"""Golden histories: whole logs, recorded once, with what their replay gives, kept for ever.

    python -m tools.record_history NAME      plays a new one; none is written twice

A later build must read every record of an old log and come to the same states and the same books.
What is compared of a state are the members named here, not its whole document: a document may say
more one day, but what it said once must stay true.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eventstore.core import merkle
from eventstore.core.chain import verify_chain
from eventstore.core.record import leaf_hash, read_record, time_text
from eventstore.core.refusal import Refusal
from games.rules.table import evolve
from games.rules.views import PUBLIC, state_document
from ledger.core.entries import entries_for
from tournaments.replay import state_document as tournament_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from eventstore.core.record import Stored

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "golden" / "histories"
EXPECTED = "expected.json"
FILE_BYTES_MAX = 200_000
# Member: True for its value, or what is taken of it (of each item of a list).
Essence = dict[str, Any]
OF_A_TABLE: Essence = {
    **dict.fromkeys(
        (
            "version", "status", "hand_no", "dealer", "to_act", "stake", "currency",
            "discard_top", "discard_count", "stock_count",
        ),
        True,
    ),
    "seats": dict.fromkeys(("seat", "player_id", "stack", "chips", "cards_held"), True),
    "melds": dict.fromkeys(("meld", "owner", "kind", "cards"), True),
    "result": {
        **dict.fromkeys(("end", "by"), True),
        "held": dict.fromkeys(("seat", "cards", "count"), True),
        "net": dict.fromkeys(("seat", "amount"), True),
    },
}  # fmt: skip
OF_A_TOURNAMENT: Essence = {
    **dict.fromkeys(
        ("status", "entered", "left", "level", "paid_places", "vector", "prizes", "closed"), True
    ),
    "entries": dict.fromkeys(("player", "entry_no", "status", "place"), True),
}


def essence(value: object, wanted: object) -> object:
    """What is compared of a value."""
    if isinstance(value, list):
        return [essence(item, wanted) for item in value]
    if isinstance(value, dict) and isinstance(wanted, dict):
        return {
            name: essence(value[name], inner) for name, inner in wanted.items() if name in value
        }
    return value


def digest(values: Iterable[object]) -> str:
    """One hash over values, each as a line of JSON."""
    found = sha256()
    for value in values:
        line = json.dumps(value, sort_keys=True, separators=(",", ":"), default=list)
        found.update(line.encode() + b"\n")
    return found.hexdigest()


def replayed(records: Sequence[bytes]) -> dict[str, Any]:
    """What the records of a log, in its order, lead to. Raises: ValueError for a broken chain."""
    log = [read_record(record) for record in records]
    streams: dict[str, list[Stored]] = defaultdict(list)
    for one in log:
        streams[one.stream].append(one)
    for stored in streams.values():
        fault = verify_chain(stored)
        if fault is not None:
            raise ValueError(f"{fault.stream}@{fault.version}: {fault.code}")
    return {
        "records": len(records),
        "root": merkle.root([leaf_hash(record) for record in records]).hex(),
        "books": digest(_books(log)),
        "streams": {
            name: {"versions": len(stored), "states": digest(_states(name, stored))}
            for name, stored in sorted(streams.items())
        },
    }


def _states(name: str, stored: Sequence[Stored]) -> Iterator[object]:
    """What is compared of the state after each version; of other streams what is read of them."""
    kind, _, subject = name.partition("/")
    if kind == "table":
        table = None
        for one in stored:
            table = evolve(table, one)
            document = state_document(
                table, PUBLIC, table_id=subject, names={}, time_text=time_text
            )
            yield essence(dict(document), OF_A_TABLE)
    elif kind == "tournament":
        for version in range(1, len(stored) + 1):
            yield essence(tournament_document(stored[:version]), OF_A_TOURNAMENT)
    else:
        for one in stored:
            yield [one.version, type(one.event).__name__, one.payload]


def _books(log: Iterable[Stored]) -> Iterator[object]:
    """Key and hash of each entry, then the balances of all accounts."""
    balances: Counter[str] = Counter()
    for event in log:
        made = entries_for(event)
        if isinstance(made, Refusal):
            yield [event.stream, event.version, made.code]
            continue
        for entry in made:
            balances.update(dict(entry.legs))
            yield [entry.key, entry.hash.hex()]
    yield sorted((code, amount) for code, amount in balances.items() if amount)


# --- files ----------------------------------------------------------------------------------------


def names() -> list[str]:
    """All histories."""
    return sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


def records_of(name: str) -> list[bytes]:
    """Exact bytes of the records of a history, in the order of its log."""
    parts = sorted((FOLDER / name).glob("records-*.ndjson"))
    return [line for part in parts for line in part.read_bytes().splitlines()]


def expected_of(name: str) -> Mapping[str, Any]:
    """What the replay of a history gave when it was recorded."""
    found: Mapping[str, Any] = json.loads((FOLDER / name / EXPECTED).read_text())
    return found


def write(name: str, records: Sequence[bytes]) -> None:
    """A new history. Raises: FileExistsError where there is one of that name."""
    found = json.dumps(replayed(records), indent=1)
    (FOLDER / name).mkdir(parents=True)
    for number, part in enumerate(_parts(records), 1):
        path = FOLDER / name / f"records-{number:02}.ndjson"
        path.write_bytes(b"".join(record + b"\n" for record in part))
    (FOLDER / name / EXPECTED).write_text(found + "\n", encoding="utf-8")


def _parts(records: Iterable[bytes]) -> Iterator[list[bytes]]:
    part: list[bytes] = []
    size = 0
    for record in records:
        if part and size + len(record) + 1 > FILE_BYTES_MAX:
            yield part
            part, size = [], 0
        part.append(record)
        size += len(record) + 1
    yield part
