"""Golden events: one file per (type, schema) with a record and its hash, never changed again.

    python -m tools.golden      writes the missing ones

An example is made of the class alone: each field has the first value that its type and its name
allow. Later classes must still read it, byte for byte.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import django
import msgspec
from msgspec import inspect

from eventstore.core.chain import START, Fact, seal
from eventstore.core.record import record_bytes, time_text
from eventstore.core.registry import registry
from tools import golden_digests

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eventstore.core.record import Stored

GOLDEN = Path(__file__).resolve().parents[1] / "tests/golden/events"
AT = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
INSTANT = time_text(AT)
COMMAND = UUID("019b7c9c-2f4e-7000-8000-000000000001")
EVENT_ID = UUID("019b7c9c-2f4e-7000-8000-000000000002")
SUBJECT = "019b7c9c-2f4e-7000-8000-000000000003"
STREAMS = {"games": "table", "tournaments": "tournament", "ledger": "wallet", "players": "player",
           "eventstore": "log"}  # fmt: skip


def _digest(name: str) -> str:
    return sha256(name.encode()).hexdigest()


# What a text is, by the end of its field's name; the first that fits.
TEXTS = (
    (("hash", "seed", "root", "commit", "transcript", "salt", "link"), _digest),
    (("at", "until", "deadline", "due"), lambda _: INSTANT),
    (("currency",), lambda _: "EUR"),
    (("card", "cards", "up", "discard"), lambda _: "5H"),
    (("player", "table", "hand", "tournament", "by", "id", "organiser", "entry", "user", "match"),
     lambda name: str(UUID(bytes=bytes.fromhex(_digest(name))[:16], version=4))),
)  # fmt: skip


def path_of(name: str, schema: int) -> Path:
    """File of one (type, schema)."""
    return GOLDEN / f"{name}.{schema}.json"


def example(cls: type[msgspec.Struct]) -> object:
    """An instance of `cls` as plain values, the same at each call."""
    return _value(inspect.type_info(cls), cls.__name__)


def record_of(cls: type[msgspec.Struct]) -> Stored:
    """The first record of a stream, which holds an example of a registered class."""
    stream = f"{STREAMS[cls.__module__.partition('.')[0]]}/{SUBJECT}"
    fact = Fact(msgspec.convert(example(cls), type=cls), f"player:{SUBJECT}")
    (record,) = seal(stream, START, [fact], at=AT, ids=[COMMAND, EVENT_ID])
    return record


def _value(kind: inspect.Type, name: str) -> object:
    """The first value that a type allows, of a field called `name`."""
    if isinstance(kind, inspect.StructType):
        return {field.encode_name: _value(field.type, field.name) for field in kind.fields}
    if isinstance(kind, inspect.UnionType):
        return _value(next(one for one in kind.types if not _is_none(one)), name)
    if isinstance(kind, inspect.DictType):
        return {"key": _value(kind.value_type, name)}
    if isinstance(kind, inspect.TupleType):
        return [_value(one, name) for one in kind.item_types]
    if isinstance(kind, inspect.CollectionType):
        return [_value(kind.item_type, name.removesuffix("s"))]
    return _plain(kind, name)


def _plain(kind: inspect.Type, name: str) -> object:
    """The same for a type without parts."""
    if isinstance(kind, inspect.LiteralType):
        return kind.values[0]
    if isinstance(kind, inspect.EnumType):
        return next(iter(kind.cls)).value
    if isinstance(kind, inspect.StrType):
        return _text(name)
    return isinstance(kind, inspect.BoolType) or 1


def _is_none(kind: inspect.Type) -> bool:
    return isinstance(kind, inspect.NoneType)


def _text(name: str) -> str:
    last = name.rpartition("_")[2]
    return next((make(name) for ends, make in TEXTS if last in ends), f"a {name}")


def write_missing(pairs: Mapping[tuple[str, int], type[msgspec.Struct]]) -> list[str]:
    """Write an example of each pair that has no file yet; their names."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    missing = [pair for pair in pairs if not path_of(*pair).exists()]
    for pair in missing:
        record = record_of(pairs[pair])
        golden = {"hash": record.hash.hex(), "record": json.loads(record_bytes(record))}
        path_of(*pair).write_text(json.dumps(golden, indent=2) + "\n", encoding="utf-8")
    return [path_of(*pair).name for pair in missing]


def main() -> None:
    """Write the missing files and name them."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tonk_site.settings")
    django.setup()
    sys.stdout.writelines(f"{name}\n" for name in write_missing(registry.pairs()))
    golden_digests.add_missing()


if __name__ == "__main__":
    main()
