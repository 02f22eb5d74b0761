"""One byte or one member changed anywhere: found, or nothing that is proved was changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from random import Random
from typing import Any

import pytest

from clients.verify.tonk_verify import Failed, verify, verify_export
from eventstore.core.canonical import NotCanonicalError
from tests.verify import receipts
from tests.verify.log import VKEY, Rows

CHANGES_EACH = 12
KEYS = [VKEY]
Judge = Callable[[bytes], object]


def judge_receipt(data: bytes) -> object:
    return verify(data, KEYS)


def judge_export(data: bytes) -> object:
    return verify_export(data.splitlines(keepends=True), KEYS)


def proved(data: bytes) -> Any:
    """A file without what no record states; None where it is no JSON."""
    try:
        lines = [json.loads(line) for line in data.decode().splitlines()]
    except ValueError:
        return None
    for line in lines:
        if isinstance(line, dict) and line.get("format") == "tonk/receipt/1":
            line.pop("made_at", None)
            line.pop("names", None)
            line.get("entry", {}).pop("recorded_at", None)
    if '"kind": "stream"' in data[:200].decode(errors="replace"):
        for line in lines[:-2]:  # of one stream the last place alone is proved
            line.pop("i", None)
    return lines


def other_bytes(data: bytes, numbers: Random) -> bytes:
    """The file with one byte changed, gone or new."""
    at, byte = numbers.randrange(len(data)), bytes((numbers.randrange(256),))
    way = numbers.randrange(4)
    if way == 0:
        return data[:at] + byte + data[at + 1 :]
    if way == 1:
        return data[:at] + bytes((data[at] ^ 1 << numbers.randrange(8),)) + data[at + 1 :]
    return data[:at] + (byte if way == 2 else b"") + data[at + (way == 3) :]


def members(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key or index) below a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items):
        yield value, key
        if isinstance(inner, dict | list):
            yield from members(inner)


def other_value(value: Any, numbers: Random) -> Any:
    """Another value in its place."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return numbers.choice([value + 1, value - 1, -value or 7, 0 if value else 1, 2**53])
    if isinstance(value, str) and value:
        at = numbers.randrange(len(value))
        return value[:at] + numbers.choice("0123456789abcdefXYZ/+= ") + value[at + 1 :]
    return numbers.choice([None, [], {}, 1, "x"])


def other_member(data: bytes, numbers: Random) -> bytes:
    """The file with one member changed or gone, in the file or in one of its lines."""
    lines = [json.loads(line) for line in data.splitlines()]
    places = [(lines, number) for number in range(len(lines))]
    for line in lines:
        places += members(line)
    container, key = numbers.choice(places)
    if numbers.randrange(5):
        container[key] = other_value(container[key], numbers)
    else:
        del container[key]
    return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)


def found(judge: Judge, data: bytes, whole: bytes) -> bool:
    """Whether the change was found; anything but a failed check is a bug and raises."""
    try:
        judge(data)
    except Failed:
        return True
    assert proved(data) == proved(whole), "a change went by unseen"
    return False


@pytest.mark.parametrize("change", [other_bytes, other_member])
@pytest.mark.parametrize(
    ("judge", "files"),
    [(judge_receipt, receipts.valid), (judge_export, receipts.exports)],
    ids=["receipts", "exports"],
)
def test_a_change_is_found(
    judge: Judge,
    files: Callable[[], dict[str, bytes]],
    change: Callable[[bytes, Random], bytes],
) -> None:
    seen = 0
    for name, whole in files().items():
        numbers = Random(f"{name} {change.__name__}")
        for _ in range(CHANGES_EACH):
            data = change(whole, numbers)
            seen += data != whole and found(judge, data, whole)
    assert seen > CHANGES_EACH * len(files()) * 0.8


def rewritten(rows: Rows, numbers: Random) -> None:
    """Something in one record is another value, or gone; the log is sealed and signed again."""
    record = numbers.choice(rows).record
    container, key = numbers.choice([place for place in members(record) if place[1] != "prev"])
    if numbers.randrange(6):
        container[key] = other_value(container[key], numbers)
    else:
        del container[key]


def test_a_rewritten_record_is_judged_whatever_it_holds() -> None:
    """A server may sign anything: the answer is a check that failed or none, never a crash."""
    judged = 0
    for number, name in enumerate((*receipts.STORIES, *receipts.STORIES, *receipts.STORIES)):
        numbers = Random(f"{name} {number}")
        for _ in range(4):
            try:
                data = receipts.case_of(name).build(partial(rewritten, numbers=numbers))
            except NotCanonicalError:
                continue  # what no canonical text can hold is not signed
            judged += 1
            with suppress(Failed):
                verify(data, KEYS)
    assert judged > 200
