"""What can be wrong with a receipt: for every error of a verifier, damage that it alone must find.

Damage to records is hashed and signed again, so that only the check named can see it. Damage to
what is around the records is left as it is.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any

from eventstore.core.canonical import encode
from tests.verify.log import (
    ORIGIN,
    OTHER_SEED,
    SEED,
    VKEY,
    Change,
    Edit,
    Receipt,
    Row,
    Rows,
    checkpoint_text,
    signed_note,
    verifier_key,
)
from tests.verify.stories import JONAS, RUTA, STAFF

ORDER_OF_THE_BASE_POINT = 2**252 + 27742317777372353535851937790883648493
Rewrite = Callable[[bytes], bytes]


@dataclass(frozen=True)
class Plan:
    """One kind of damage: to which story, and what a verifier says."""

    story: str
    check: str
    error: str
    about: str
    change: Change | None = None
    edit: Edit | None = None
    rewrite: Rewrite | None = None  # of the whole file


# --- finding and changing records -----------------------------------------------------------------


def nth(rows: Rows, kind: str, number: int = -1, **having: Any) -> Row:
    """The record of that type with these fields, by default the last."""
    found = [
        row
        for row in rows
        if row.record["type"] == kind
        and all(row.record["data"].get(name) == value for name, value in having.items())
    ]
    return found[number]


def put(kind: str, number: int = -1, /, **fields: Any) -> Change:
    """Other values in the data of a record."""
    return lambda rows: nth(rows, kind, number).record["data"].update(fields)


def edited(kind: str, edit: Callable[[dict[str, Any]], object], number: int = -1) -> Change:
    """The data of a record changed."""
    return lambda rows: edit(nth(rows, kind, number).record["data"])


def became(kind: str, number: int = -1) -> Change:
    """A record becomes one that says nothing: its version stays."""

    def change(rows: Rows) -> None:
        record = nth(rows, kind, number).record
        record["type"], record["data"] = "TablePaused", {"reason": "asked"}

    return change


def member(**members: Any) -> Change:
    """Other members of the last record of a discard, or of the last record at all."""

    def change(rows: Rows) -> None:
        discards = [row for row in rows if row.record["type"] == "CardDiscarded"]
        (discards or [row for row in rows if row.record["type"] == "DepositRecorded"])[
            -1
        ].record.update(members)

    return change


def both(*changes: Change) -> Change:
    """Several changes."""
    return lambda rows: [change(rows) for change in changes]


def raw(old: str, new: str) -> Change:
    """Other bytes of the deposit's record; what is hashed are these bytes."""

    def change(rows: Rows) -> None:
        row = nth(rows, "DepositRecorded")
        row.record["prev"] = "0" * 64
        text = encode(row.record).decode()
        assert old in text
        row.raw = text.replace(old, new, 1).encode()

    return change


def turned(text: str) -> str:
    """A hash with its first digit changed."""
    return f"{int(text[0], 16) ^ 1:x}{text[1:]}"


def other_card(card: str) -> str:
    """A card that is another one."""
    return "2D" if card != "2D" else "3D"


# --- changing the receipt -------------------------------------------------------------------------


def at(*path: str | int, value: Any) -> Edit:
    """Another value somewhere in the receipt."""
    return partial(_put_at, path, lambda _: value)


def by(*path: str | int, change: Callable[[Any], Any]) -> Edit:
    """A value somewhere in the receipt, changed."""
    return partial(_put_at, path, change)


def _put_at(path: tuple[str | int, ...], change: Callable[[Any], Any], receipt: Any) -> None:
    *way, last = path
    for step in way:
        receipt = receipt[step]
    receipt[last] = change(receipt[last])


def edits(*several: Edit) -> Edit:
    """Several edits."""
    return lambda receipt: [edit(receipt) for edit in several]


def note(change: Callable[[str], str]) -> Edit:
    """The note changed."""
    return by("log", "checkpoint", change=change)


def resigned(*seeds: bytes, text: Callable[[str], str] = lambda text: text) -> Edit:
    """The note signed again, with another text or by other keys."""
    return note(lambda old: signed_note(text(old.partition("\n\n")[0] + "\n"), *seeds))


def _with_big_scalar(old: str) -> str:
    """The same signature with S + L: right by arithmetic, refused by RFC 8032."""
    text, _, line = old.partition("\n\n")
    dash, name, body = line.strip("\n").split(" ")
    data = b64decode(body)
    scalar = int.from_bytes(data[36:], "little") + ORDER_OF_THE_BASE_POINT
    data = data[:36] + scalar.to_bytes(32, "little")
    return f"{text}\n\n{dash} {name} {b64encode(data).decode()}\n"


def _flipped_signature(old: str) -> str:
    text, _, line = old.partition("\n\n")
    dash, name, body = line.strip("\n").split(" ")
    data = bytearray(b64decode(body))
    data[20] ^= 1
    return f"{text}\n\n{dash} {name} {b64encode(data).decode()}\n"


def _other_base64(old: str) -> str:
    """The same root in another spelling: bits of the last digit that decode to nothing."""
    origin, size, root = old.partition("\n\n")[0].split("\n")
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    last = digits[digits.index(root[42]) ^ 1]
    return f"{origin}\n{size}\n{root[:42]}{last}=\n" + old[old.index("\n\n") + 1 :]


def amounts(change: Callable[[int], int]) -> Edit:
    """All amounts of entry and claim, changed alike."""

    def edit(receipt: Receipt) -> None:
        for posting in receipt["entry"]["postings"]:
            sign = 1 if posting["amount"] > 0 else -1
            posting["amount"] = sign * change(abs(posting["amount"]))
        receipt["claim"]["amount"] = change(receipt["claim"]["amount"])

    return edit


def _striped_seat(receipt: Receipt) -> None:
    """The stripe that a house account would have in this entry, on a player's seat."""
    stripe = sha256(receipt["entry"]["key"].encode()).digest()[0] & 15
    seat = next(one for one in receipt["entry"]["postings"] if one["account"].startswith("seat:"))
    seat["account"] += f":{stripe:02}"


def _beginning_missing(receipt: Receipt) -> None:
    """The first record of the tournament goes."""
    stream = receipt["entry"]["source_stream"]
    cut = next(one for one in receipt["streams"] if one["stream"] == stream)
    del cut["records"][0]
    cut["from"] = 2


def _line_missing(receipt: Receipt) -> None:
    """A posting goes, and the sum with it."""
    gone = 0 if receipt["claim"]["line"] != 1 else 1
    del receipt["entry"]["postings"][gone]
    for line, posting in enumerate(receipt["entry"]["postings"], 1):
        posting["line"] = line


# --- the plans, check by check --------------------------------------------------------------------

DEPOSIT, HAND, PRIZE = "deposit", "hand-revealed", "prize-parts"


def plans() -> Iterator[Plan]:
    """Damage to files, notes, records and entries (V01 to V12)."""
    yield from _of_files()
    yield from _of_notes()
    yield from _of_records()
    yield from _of_entries()


def _of_files() -> Iterator[Plan]:
    bad = partial(Plan, DEPOSIT, "V01", "bad_file")
    yield bad("cut", rewrite=lambda data: data[:-1])
    yield bad(
        "twice", rewrite=lambda data: data.replace(b'{"format"', b'{"names": {}, "format"', 1)
    )
    yield bad("nan", rewrite=lambda data: data.replace(b'"line": 1', b'"line": NaN', 1))
    yield bad("latin", rewrite=lambda data: data.replace(b"Ona", b"On\xe4"))
    yield bad("format", edit=at("format", value="tonk/receipt/2"))
    yield bad("list", rewrite=lambda data: b"[" + data + b"]")
    field = partial(Plan, DEPOSIT, "V02", "bad_field")
    yield field("missing", edit=lambda receipt: receipt.pop("names"))
    yield field("unknown", edit=lambda receipt: receipt.update(comment=""))
    yield field("inherited", edit=lambda receipt: receipt.update(constructor={}))
    yield field("inner", edit=lambda receipt: receipt["claim"].update(note=""))
    yield field("float", rewrite=lambda data: data.replace(b'"line": 1', b'"line": 1.0', 1))
    yield field("zero", edit=at("claim", "amount", value=0))
    yield field("flag", edit=at("claim", "line", value=True))
    yield field("large", edit=at("claim", "amount", value=2**53))
    yield field("kind", edit=at("claim", "kind", value="buy_in"))
    yield field("key", edit=at("log", "keys", value=[VKEY.replace("+e4", "+e5")]))
    yield field("time", edit=at("made_at", value="2026-12-01T09:00:00Z"))
    for name in ("2026-99-99", "2026-02-29", "2026-04-31", "2100-02-29"):
        yield field(name, edit=at("made_at", value=f"{name}T09:00:00.000000Z"))
    yield field("hour", edit=at("entry", "recorded_at", value="2026-12-01T24:00:00.000000Z"))
    yield field("minus zero", rewrite=_index_of_minus_zero)
    yield field("surrogate", rewrite=lambda data: data.replace(b"Ona", rb"\ud800"))
    yield field("empty", edit=at("streams", 0, "records", value=[]))
    yield Plan(PRIZE, "V02", "bad_field", "order", edit=lambda one: one["streams"].reverse())
    yield Plan(
        PRIZE,
        "V02",
        "bad_field",
        "same stream",
        edit=lambda one: one["streams"].append(one["streams"][1]),
    )


def _index_of_minus_zero(data: bytes) -> bytes:
    return re.sub(rb'"index": \d+', b'"index": -0', data, count=1)


def _of_notes() -> Iterator[Plan]:
    bad = partial(Plan, DEPOSIT, "V03", "bad_note")
    yield bad("no line", edit=note(lambda old: old.replace("\n\n", "\n")))
    yield bad("unsigned", edit=note(lambda old: old.partition("\n\n")[0] + "\n\n"))
    yield bad("zero", edit=resigned(text=lambda text: text.replace("\n3\n", "\n03\n")))
    yield bad("short root", edit=resigned(text=lambda _: checkpoint_text(3, bytes(31))))
    yield bad("spelling", edit=note(_other_base64))
    yield bad("extension", edit=resigned(text=lambda text: text + "more\n"))
    yield bad("hyphen", edit=note(lambda old: old.replace("—", "-")))
    yield bad("end", edit=note(lambda old: old[:-1]))
    yield bad("lines", edit=resigned(*[OTHER_SEED] * 100, SEED))
    unknown = partial(Plan, DEPOSIT, "V04", "unknown_key")
    yield unknown("other key", edit=resigned(OTHER_SEED))
    yield unknown("origin", edit=at("log", "origin", value="tonk.example/log/8"))
    yield unknown(
        "other log",
        edit=edits(
            at("log", "origin", value="tonk.example/log/8"),
            at("log", "keys", value=[verifier_key(OTHER_SEED, "tonk.example/log/8")]),
            resigned(OTHER_SEED, text=lambda text: text.replace(ORIGIN, "tonk.example/log/8")),
        ),
    )
    wrong = partial(Plan, DEPOSIT, "V04", "bad_signature")
    yield wrong("signature", edit=note(_flipped_signature))
    yield wrong("size", edit=note(lambda old: old.replace("\n3\n", "\n4\n")))
    yield wrong("scalar", edit=note(_with_big_scalar))


def _of_records() -> Iterator[Plan]:
    wrong = partial(Plan, DEPOSIT, "V05", "not_canonical")
    yield wrong("space", change=raw('"v":', '"v": '))
    yield wrong(
        "order",
        change=raw('"currency":"EUR","method":"manual"', '"method":"manual","currency":"EUR"'),
    )
    yield wrong("float", change=raw('"amount":5000', '"amount":5000.0'))
    yield wrong("exponent", change=raw('"amount":5000', '"amount":5e3'))
    yield wrong("minus zero", change=raw('"amount":5000', '"amount":-0'))
    yield wrong("large", change=raw('"amount":5000', f'"amount":{2**53}'))
    yield wrong("twice", change=raw('"amount":5000', '"amount":5000,"amount":5000'))
    yield wrong("key", change=raw('"reference":', '"Reference":'))
    yield wrong("escape", change=raw("bank-", "\\u0062ank-"))
    yield wrong("surrogate", change=raw("bank-", "\\ud800"))
    yield wrong("long", change=raw("bank-", "x" * 1025))
    yield wrong(
        "depth", change=raw('"reference":"bank-2026-000017"', '"reference":' + "[" * 9 + "]" * 9)
    )
    yield wrong(
        "deep",
        change=raw('"reference":"bank-2026-000017"', '"reference":' + "[" * 9999 + "]" * 9999),
    )
    yield wrong("list", change=raw("{", "[{"))
    yield wrong("infinity", change=raw('"amount":5000', '"amount":Infinity'))
    bad = partial(Plan, DEPOSIT, "V06", "bad_record")
    yield bad("fmt", change=member(fmt="tonk/event/2"))
    yield bad("member", change=member(extra=1))
    yield bad("id", change=member(id="0199C2B2-6C1F-75BE-B8DE-3552E46173AC"))
    yield bad("time", change=member(at="2026-12-01T08:00:00Z"))
    yield bad("no day", change=member(at="2026-99-99T08:00:00.000000Z"))
    yield bad("second", change=member(at="2026-12-31T23:59:60.000000Z"))
    yield bad("type", change=member(type="deposit"))
    yield bad("schema", change=member(schema=2))
    yield bad("meta", change=member(meta=[]))
    yield bad("no actor", change=member(meta={"cmd": STAFF[0]}))
    yield bad("inherited", change=member(meta={"actor": "x", "cmd": STAFF[0], "constructor": "x"}))
    yield bad("more meta", change=member(meta={"actor": "x", "cmd": STAFF[0], "key": "x"}))
    yield bad("stream", change=member(stream="wallet/0199c2b2-6c1f-7726-b502-f14087f9a32b"))
    yield bad("data", change=put("DepositRecorded", amount="5000"))
    yield bad("absent", change=edited("DepositRecorded", lambda data: data.pop("method")))
    gap = partial(Plan, HAND, "V06", "gap")
    yield gap("version", change=member(v=9999))
    yield gap("missing", edit=lambda receipt: receipt["streams"][0]["records"].pop(3))
    yield gap("to", edit=by("streams", 0, "to", change=lambda to: to + 1))
    yield gap("first", edit=by("streams", 0, "from", change=lambda first: first + 1))
    broken = partial(Plan, HAND, "V07", "broken_chain")
    yield broken("link", change=lambda rows: setattr(nth(rows, "CardDrawn"), "prev", "01" * 32))
    yield Plan(
        DEPOSIT, "V07", "broken_chain", "first",
        change=lambda rows: setattr(nth(rows, "DepositRecorded"), "prev", "01" * 32),
    )  # fmt: skip
    yield Plan(
        HAND, "V08", "time_runs_back", "time", change=member(at="2026-11-30T08:00:00.000000Z")
    )
    yield Plan(HAND, "V08", "duplicate_id", "id", change=_same_id)
    included = partial(Plan, DEPOSIT, "V09", "not_included")
    yield included("path", edit=by("streams", 0, "inclusion", "path", 0, change=turned))
    yield included(
        "short", edit=by("streams", 0, "inclusion", "path", change=lambda path: path[1:])
    )
    yield included(
        "long", edit=by("streams", 0, "inclusion", "path", change=lambda path: [*path, path[0]])
    )
    yield included(
        "index", edit=by("streams", 0, "inclusion", "index", change=lambda index: index + 1)
    )
    yield included("far", edit=at("streams", 0, "inclusion", "index", value=2**40))
    yield included("size", edit=by("streams", 0, "inclusion", "size", change=lambda size: size + 1))
    yield included("root", edit=resigned(text=lambda _: checkpoint_text(3, bytes(32))))


def _same_id(rows: Rows) -> None:
    nth(rows, "CardDrawn").record["id"] = nth(rows, "CardDrawn", -2).record["id"]


def _of_entries() -> Iterator[Plan]:
    source = partial(Plan, DEPOSIT, "V10", "source_mismatch")
    yield source("entry", edit=at("claim", "entry", value=1))
    yield source("version", edit=at("claim", "source", "version", value=2))
    yield source("hash", edit=by("entry", "source_hash", change=turned))
    yield source("key", edit=by("entry", "key", change=lambda key: key.replace("@1#", "@2#")))
    yield source(
        "outside",
        edit=edits(
            at("claim", "source", "version", value=2), at("entry", "source_version", value=2)
        ),
    )
    for story in ("bounty", "refund", PRIZE):
        yield Plan(story, "V10", "source_mismatch", "beginning", edit=_beginning_missing)
    yield Plan(PRIZE, "V10", "source_mismatch", "slice", edit=lambda one: one["streams"].pop(1))
    sums = partial(Plan, DEPOSIT, "V11", "entry_not_balanced")
    yield sums(
        "amount", edit=by("entry", "postings", 0, "amount", change=lambda amount: amount + 1)
    )
    yield sums("zero", edit=at("entry", "postings", 0, "amount", value=0))
    yield sums("lines", edit=at("entry", "postings", 1, "line", value=3))
    yield sums("currency", edit=at("entry", "postings", 0, "currency", value="XTK"))
    yield sums("gone", edit=_line_missing)
    claim = partial(Plan, DEPOSIT, "V11", "claim_mismatch")
    yield claim("amount", edit=by("claim", "amount", change=lambda amount: amount + 1))
    yield claim("line", edit=at("claim", "line", value=1))
    yield claim("no line", edit=at("claim", "line", value=3))
    yield claim("player", edit=at("claim", "player", value=JONAS))
    yield claim("account", edit=at("claim", "account", value=f"wallet:{RUTA}:EUR"))
    yield claim("currency", edit=at("claim", "currency", value="XTK"))
    yield claim("kind", edit=at("claim", "kind", value="grant"))
    amount = partial(Plan, check="V12", error="amount_mismatch")
    for story in (DEPOSIT, "grant", HAND, "cash_out", PRIZE, "bounty", "refund", "refund-cancelled",
                  "compensation", "withdrawal_paid", "withdrawal_returned", "adjustment",
                  "reversal"):  # fmt: skip
        yield amount(story=story, about="doubled", edit=amounts(lambda one: one * 2))
    yield amount(
        story=DEPOSIT,
        about="kind",
        edit=edits(at("claim", "kind", value="grant"), at("entry", "kind", value="grant")),
    )
    yield amount(
        story=PRIZE, about="part", edit=by("entry", "key", change=lambda key: key[:-2] + "11")
    )
    yield amount(story="cash_out", about="stripe", edit=_striped_seat)
    yield amount(story="reversal", about="reverses", edit=at("entry", "reverses", value=None))
    yield amount(
        story=DEPOSIT,
        about="account",
        edit=by("entry", "postings", 0, "account", change=lambda one: one.replace("cash", "issue")),
    )
