#!/usr/bin/env python3
"""Check a receipt or an export of a Tonk log, or watch a log, without trusting its server.

    tonk_verify.py FILE [--key VKEY]... [--witness VKEY]... [--json]
        check a receipt or an export (`-` reads stdin)
    tonk_verify.py watch URL --state FILE [--key VKEY]... [--witness VKEY]...
        fetch the newest note, hold it to the last

One file, Python 3.11 or newer, the standard library alone. It shares no code with the server: it
was written from the specification (`eventstore.md`), so an error of the server is not repeated
here. FILE is never sent anywhere; only `watch` uses the network.

What `verified` proves, if the key is the log's own:

- the records lie, unchanged and in order, under a note that the log's key signed;
- the entry of the books is what its source event states, and it balances;
- every hand in the records was dealt from the deck that the dealer had committed to before any seat
  showed a seed and that the seeds shown decided together; every card named is the card at its
  place; hands, counts and amounts follow from the draws, plays and transfers in the records.

What it does not prove: that a move was legal or that a rule of payment was applied rightly (that
needs the rules of the game); that there is no other log with the same key (compare notes with other
people: `watch`, witnesses); that a beacon's bytes are those of its public round; names, `made_at`,
the id of the entry and when it was recorded, which stand in no record. A seed whose anchor lies
before the records can be held to the seeds after it only; in the hand that a receipt is about,
every seed must hang on an anchor. Without --key the key is taken from the file: then the file
proves only that it agrees with itself. With --witness the note must also have a line of each
witness named.

Exit status: 0 verified; 1 a check failed, for `watch` a fault of the log (a fork, a log that
shrank, a note that is not signed); 2 nothing was checked: no file, no answer, a wrong call.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import urllib.request
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, lru_cache
from hashlib import sha256, sha512
from hmac import digest as hmac_digest
from http.client import HTTPException
from operator import itemgetter
from pathlib import Path
from struct import unpack
from typing import Any, NoReturn, TextIO
from urllib.error import HTTPError

CHECKS = {
    "V01": ("file", ("bad_file",)),
    "V02": ("members", ("bad_field",)),
    "V03": ("note", ("bad_note",)),
    "V04": ("signature", ("unknown_key", "bad_signature")),
    "V05": ("canonical records", ("not_canonical",)),
    "V06": ("records of their streams", ("bad_record", "gap")),
    "V07": ("chain", ("broken_chain",)),
    "V08": ("times and ids", ("time_runs_back", "duplicate_id")),
    "V09": ("inclusion", ("not_included", "checkpoint_mismatch", "short_export")),
    "V10": ("source", ("source_mismatch",)),
    "V11": ("entry and claim", ("entry_not_balanced", "claim_mismatch")),
    "V12": ("amounts", ("amount_mismatch",)),
    "V13": ("money of hands", ("hand_not_balanced",)),
    "V14": ("order of deals", ("deal_out_of_order", "commit_mismatch")),
    "V15": ("seeds", ("bad_seed",)),
    "V16": ("decks", ("transcript_mismatch", "deck_mismatch")),
    "V17": ("places", ("place_taken_twice", "wrong_place")),
    "V18": ("cards", ("card_mismatch", "not_held")),
    "V19": ("hands at the end", ("hand_mismatch", "count_mismatch")),
    "V20": ("aborted deals", ("abort_mismatch",)),
    "V21": ("cash-out", ("stack_mismatch",)),
    "V22": ("prizes", ("prize_mismatch",)),
    "V23": ("people and sequence", ("same_person", "bad_sequence")),
}
"""Checks in their order: name and errors (`eventstore.md` 6.2; the last two of V09 are of 6.4)."""
CODE_OF = {error: code for code, (_, errors) in CHECKS.items() for error in errors}
OF_RECORDS = ("V05", "V06", "V07", "V08")
OF_HANDS = tuple(f"V{number}" for number in range(13, 21))
OF_EXPORTS = (*(f"V{number:02}" for number in range(1, 10)), *OF_HANDS)
NOT_CHECKED = "legality of moves"
KEY_FROM_FILE = "key taken from the file"
OF_ITSELF = "agrees with itself only: the key came from {} (give --key)"

RECEIPT, EXPORT, RECORD = "tonk/receipt/1", "tonk/export/1", "tonk/event/1"
RECORD_BYTES_MAX = 65_535
RECORDS_MAX = 20_000  # of one slice
LINE_BYTES_MAX = 1 << 20  # of an export: longer than any record, escaped
RECEIPT_BYTES_MAX = 1 << 28  # slices are shorter by far
NOTE_BYTES_MAX = 1 << 16
SIGNATURES_MAX = 100  # of a note, as in Go's signed notes: each may cost a look at a signature
INTEGER_MAX = 2**53 - 1
STRING_MAX = 1024
NESTING_MAX = 9  # eight of data, and the record around it
KEYS_MET_MAX = 4096  # keys of all events are far fewer

Json = Any
Fields = dict[str, Any]


class Failed(Exception):
    """A check that did not hold: its error, its code, and the place where."""

    def __init__(self, error: str, place: str) -> None:
        super().__init__(f"FAILED {CODE_OF[error]} {error}: {place}")
        self.error, self.place = error, place

    @property
    def code(self) -> str:
        """Number of the check."""
        return CODE_OF[self.error]


# --- JSON, strictly -------------------------------------------------------------------------------


class _Strict(ValueError):
    """Not JSON as it is read here."""


def read_json(data: bytes) -> Json:
    """The value of a text from outside. Raises: ValueError for anything doubtful.

    Duplicate keys, NaN and Infinity are refused; floats come as floats, which fit no member.
    """
    try:
        return _OUTER.decode(data.decode("utf-8"))
    except RecursionError as fault:
        raise _Strict("nested too deep") from fault


def _no_constant(text: str) -> NoReturn:
    raise _Strict(f"{text} is no value of JSON")


def _no_float(text: str) -> NoReturn:
    raise _Strict(f"no integer: {text}")


def _once(pairs: list[tuple[str, Json]]) -> Fields:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Strict("a key twice")
    return found


def _exact(text: str) -> int:
    """An integer in its range; -0 is told by encoding again."""
    value = int(text)
    if len(text) > 15 and not -INTEGER_MAX <= value <= INTEGER_MAX:
        raise _Strict("an integer out of range")
    return value


def _plain_keys(value: Fields) -> Fields:
    """An object whose keys are the log's; those met before are known without a look."""
    if not _met.issuperset(value):
        for key in value:
            if not _is_key(key):
                raise _Strict(f"an unknown member, {key[:40]}")
        if len(_met) < KEYS_MET_MAX:
            _met.update(value)
    return value


def _outer_int(text: str) -> int | float:
    """An integer around the records; -0 and what no reader keeps exact is a float: it fits none."""
    return int(text) if text != "-0" and len(text) <= 17 else float("nan")


_is_key = re.compile(r"[a-z0-9_]{1,40}\Z").match
_met: set[str] = set()
_OUTER = json.JSONDecoder(
    object_pairs_hook=_once, parse_int=_outer_int, parse_constant=_no_constant
)
_INNER = json.JSONDecoder(
    object_hook=_plain_keys, parse_int=_exact, parse_float=_no_float, parse_constant=_no_constant
)
_encode = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False
).encode


def canonical(value: Json) -> bytes:
    """RFC 8785 text of a value in the log's domain: keys are plain ASCII, numbers integers."""
    return _encode(value).encode()


def read_record(raw: bytes) -> Fields:
    """The object of a canonical text. Raises: ValueError where the bytes are not canonical.

    A key twice, -0 or another order do not survive encoding again. What would survive it (foreign
    keys, large integers, long strings, lone surrogates, depth) is refused on the way or below.
    """
    if len(raw) > RECORD_BYTES_MAX:
        raise _Strict(f"{len(raw)} bytes")
    text = raw.decode("utf-8")
    try:
        value, end = _INNER.raw_decode(text)
        same = end == len(text) and _encode(value) == text
    except RecursionError as fault:
        raise _Strict("nested too deep") from fault
    if not same or type(value) is not dict:
        raise _Strict("another text than the canonical one")
    short = len(text) <= STRING_MAX or max(map(len, text.split('"'))) <= STRING_MAX
    flat = text.count("{") + text.count("[") <= NESTING_MAX
    if not (short and flat and "\\" not in text):
        _check_domain(value, 1)
    return value


def _check_domain(value: Json, depth: int) -> None:
    kind = type(value)
    if kind is dict or kind is list:
        if depth > NESTING_MAX:
            raise _Strict("nested too deep")
        for item in value.values() if kind is dict else value:
            _check_domain(item, depth + 1)
    elif kind is str:
        value.encode("utf-8")  # refuses lone surrogates
        if len(value) > STRING_MAX:
            raise _Strict("a long string")


# --- shapes of values -----------------------------------------------------------------------------

Shape = Any  # a test of one value, {name: shape}, [shape of every item]
_uuid = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z").match
_hash = re.compile(r"[0-9a-f]{64}\Z").match
_LEAP = r"(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DAY = (  # of the calendar
    r"(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"
    rf"|02-(?:0[1-9]|1\d|2[0-8]))|{_LEAP}-02-29)"
)
_INSTANT = _DAY + r"T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z"
_time = re.compile(_INSTANT + r"\Z", re.ASCII).match
_stream = re.compile(
    r"(?:table|tournament|wallet|player|log)/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z"
).match
_type = re.compile(r"[A-Z][A-Za-z]{2,39}\Z").match
_currency = re.compile(r"[A-Z][A-Z0-9]{2,11}\Z").match
_code = re.compile(r"[a-z0-9_]{1,40}\Z").match
_entry_key = re.compile(r"(.{1,80})@([1-9]\d{0,15})#(0|[1-9]\d{0,9})\Z", re.ASCII).match
RANKS, SUITS = "A23456789TJQK", "CDHS"
CARDS = (*(rank + suit for suit in SUITS for rank in RANKS), "X1", "X2")
CODES = {card: code for code, card in enumerate(CARDS)}


def is_text(value: Json) -> bool:
    """Whether a value is a string that UTF-8 can hold."""
    try:
        return type(value) is str and bool(value.encode("utf-8") or True)
    except UnicodeEncodeError:
        return False


def _matching(match: Callable[[str], object]) -> Callable[[Json], bool]:
    return lambda value: type(value) is str and match(value) is not None


is_uuid, is_hash, is_when = _matching(_uuid), _matching(_hash), _matching(_time)
is_stream, is_currency, is_code = _matching(_stream), _matching(_currency), _matching(_code)


def is_int(value: Json) -> bool:
    """Whether a value is an integer that every reader keeps exact; true and false are none."""
    return type(value) is int and -INTEGER_MAX <= value <= INTEGER_MAX


def is_count(value: Json) -> bool:
    """Whether a value is an integer from 0."""
    return type(value) is int and 0 <= value <= INTEGER_MAX


def is_positive(value: Json) -> bool:
    """Whether a value is an integer from 1."""
    return type(value) is int and 1 <= value <= INTEGER_MAX


def is_flag(value: Json) -> bool:
    """Whether a value is true or false."""
    return type(value) is bool


def is_seat(value: Json) -> bool:
    """Whether a value is a seat's number."""
    return type(value) is int and 1 <= value <= 6


def is_card(value: Json) -> bool:
    """Whether a value is a card's text."""
    return type(value) is str and value in CODES


def one_of(*values: Json) -> Callable[[Json], bool]:
    """A test for these values alone."""
    kinds = [(type(one), one) for one in values]
    return lambda value: (type(value), value) in kinds


def or_null(shape: Shape) -> Callable[[Json], bool]:
    """A test for null, or for what fits the shape."""
    test = test_of(shape)
    return lambda value: value is None or test(value)


def having(shape: dict[str, Shape]) -> Callable[[Json], bool]:
    """A test for an object with at least these members."""
    return lambda value: (
        type(value) is dict
        and all(name in value and fits(value[name], inner) for name, inner in shape.items())
    )


def fits(value: Json, shape: Shape) -> bool:
    """Whether a value has a shape: exactly the members named, each as its own shape says."""
    return test_of(shape)(value)


def test_of(shape: Shape) -> Callable[[Json], bool]:
    """The test that a shape stands for, made once where it is asked often."""
    if type(shape) is dict:
        return _object_test({name: test_of(inner) for name, inner in shape.items()})
    if type(shape) is list:
        inner = test_of(shape[0])
        return lambda value: type(value) is list and all(map(inner, value))
    test: Callable[[Json], bool] = shape
    return test


def _object_test(tests: dict[str, Callable[[Json], bool]]) -> Callable[[Json], bool]:
    names, pairs = tests.keys(), tuple(tests.items())

    def test(value: Json) -> bool:
        if type(value) is not dict or value.keys() != names:
            return False
        return all(inner(value[name]) for name, inner in pairs)

    return test


# --- hashes and trees (RFC 6962, RFC 9162) --------------------------------------------------------


def leaf_hash(record: bytes) -> bytes:
    """Hash of a record: the link of its stream and its leaf in the tree."""
    return sha256(b"\x00" + record).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash over two subtrees."""
    return sha256(b"\x01" + left + right).digest()


class Frontier:
    """Roots of the complete subtrees of a growing tree, the largest first."""

    __slots__ = ("hashes", "size")

    def __init__(self, size: int = 0, hashes: Sequence[bytes] = ()) -> None:
        if len(hashes) != size.bit_count():
            raise ValueError(f"{len(hashes)} subtrees of {size} leaves")
        self.size, self.hashes = size, list(hashes)

    def push(self, leaf: bytes) -> None:
        """The tree with one more leaf."""
        size, hashes = self.size, self.hashes
        while size & 1:
            leaf = node_hash(hashes.pop(), leaf)
            size >>= 1
        hashes.append(leaf)
        self.size += 1

    def root(self) -> bytes:
        """Root of the tree as it is."""
        if not self.hashes:
            return sha256(b"").digest()
        root = self.hashes[-1]
        for left in reversed(self.hashes[:-1]):
            root = node_hash(left, root)
        return root


def root_of(leaves: Iterable[bytes]) -> bytes:
    """Root over leaf hashes."""
    tree = Frontier()
    for leaf in leaves:
        tree.push(leaf)
    return tree.root()


def root_from_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """Root that an inclusion path leads to; None where it can be none (RFC 9162 2.1.3.2)."""
    if not 0 <= index < size:
        return None
    first, last, root = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return None
        if first & 1 or first == last:
            root = node_hash(sibling, root)
            while not first & 1 and first:
                first, last = first >> 1, last >> 1
        else:
            root = node_hash(root, sibling)
        first, last = first >> 1, last >> 1
    return root if last == 0 else None


def is_consistent(
    old_size: int, old_root: bytes, new_size: int, new_root: bytes, path: Sequence[bytes]
) -> bool:
    """Whether a tree is the older one with leaves added (RFC 9162 2.1.4.2); sizes from 1 on."""
    if not 1 <= old_size <= new_size:
        return False
    if old_size == new_size:
        return not path and old_root == new_root
    steps = list(path)
    if old_size & (old_size - 1) == 0:
        steps.insert(0, old_root)
    if not steps:
        return False
    first, last = old_size - 1, new_size - 1
    while first & 1:
        first, last = first >> 1, last >> 1
    old = new = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if first & 1 or first == last:
            old, new = node_hash(step, old), node_hash(step, new)
            while not first & 1 and first:
                first, last = first >> 1, last >> 1
        else:
            new = node_hash(new, step)
        first, last = first >> 1, last >> 1
    return last == 0 and old == old_root and new == new_root


# --- Ed25519 (RFC 8032) ---------------------------------------------------------------------------

Point = tuple[int, int, int, int]  # extended homogeneous coordinates (5.1.4)
_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)
_NEUTRAL: Point = (0, 1, 1, 0)


def ed25519_verify(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether a signature is right (5.1.7): S below the order, the equation without cofactor.

    Keys of small order, which no honest signer has, are refused: they would sign anything.
    """
    if len(public) != 32 or len(signature) != 64:
        return False
    key, scalar = _decoded(public), int.from_bytes(signature[32:], "little")
    if key is None or scalar >= _L or _is_small(key):
        return False
    hashed = sha512(signature[:32] + public + message).digest()
    challenge = int.from_bytes(hashed, "little") % _L
    x, y, z, t = key
    expected = _sum(ed25519_multiple(scalar), _times(challenge, (-x % _P, y, z, -t % _P)))
    return ed25519_encoded(expected) == signature[:32]


def ed25519_multiple(scalar: int) -> Point:
    """A multiple of the base point."""
    return _times(scalar, _base())


def ed25519_encoded(point: Point) -> bytes:
    """The 32 bytes of a point (5.1.2)."""
    x, y, z, _ = point
    inverse = pow(z, -1, _P)
    x, y = x * inverse % _P, y * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _decoded(text: bytes) -> Point | None:
    """The point of 32 bytes, None where there is none (5.1.3)."""
    y, sign = int.from_bytes(text, "little"), text[31] >> 7
    y &= (1 << 255) - 1
    if y >= _P:
        return None
    above, below = (y * y - 1) % _P, (_D * y * y + 1) % _P
    x = above * pow(below, 3, _P) * pow(above * pow(below, 7, _P), (_P - 5) // 8, _P) % _P
    if below * x * x % _P == -above % _P:
        x = x * _ROOT_OF_MINUS_ONE % _P
    if below * x * x % _P != above or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _sum(left: Point, right: Point) -> Point:
    x1, y1, z1, t1 = left
    x2, y2, z2, t2 = right
    a, b = (y1 - x1) * (y2 - x2) % _P, (y1 + x1) * (y2 + x2) % _P
    c, d = 2 * t1 * t2 * _D % _P, 2 * z1 * z2 % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _is_small(point: Point) -> bool:
    for _ in range(3):
        point = _sum(point, point)
    x, y, z, _ = point
    return x == 0 and y == z


def _times(scalar: int, point: Point) -> Point:
    found = _NEUTRAL
    for row in _windows(point):
        found = _sum(found, row[scalar & 15])
        scalar >>= 4
    return found


@lru_cache(maxsize=16)
def _windows(point: Point) -> tuple[tuple[Point, ...], ...]:
    """For each four bits of a scalar the multiples of a point: a log has few keys, many notes."""
    rows = []
    for _ in range(64):
        row = [_NEUTRAL]
        while len(row) < 16:
            row.append(_sum(row[-1], point))
        rows.append(tuple(row))
        point = _sum(row[-1], point)
    return tuple(rows)


@lru_cache(maxsize=1)
def _base() -> Point:
    y = 4 * pow(5, -1, _P) % _P
    point = _decoded(y.to_bytes(32, "little"))
    if point is None:
        raise AssertionError("the base point of RFC 8032 has an even x")
    return point


# --- keys and notes (C2SP signed-note, tlog-checkpoint) -------------------------------------------

ED25519, COSIGNATURE = 1, 4  # algorithms of keys
_name = re.compile(r"[^\s+]{1,255}\Z").match
_size = re.compile(r"0|[1-9]\d{0,15}\Z", re.ASCII).fullmatch


@dataclass(frozen=True)
class Key:
    """A verifier key: the name that signs, the id that its lines carry, the public key."""

    name: str
    id: bytes
    public: bytes


@dataclass(frozen=True)
class Note:
    """A checkpoint: what is signed, and its signature lines as (name, key id, signature)."""

    text: str
    origin: str
    size: int
    root: bytes
    lines: tuple[tuple[str, bytes, bytes], ...]


def is_name(text: str) -> bool:
    """Whether a text may name who signs."""
    return _name(text) is not None


def strict_base64(text: str) -> bytes:
    """Bytes of standard base64 in its one spelling. Raises: ValueError."""
    data = b64decode(text, validate=True)
    if b64encode(data).decode() != text:
        raise ValueError("another spelling of base64")
    return data


def key_id(name: str, public: bytes, algorithm: int = ED25519) -> bytes:
    """The four bytes by which a note's lines name a key."""
    return sha256(name.encode() + b"\n" + bytes((algorithm,)) + public).digest()[:4]


def read_key(text: str, algorithm: int = ED25519) -> Key:
    """The key of `<name>+<hex id>+<base64>`. Raises: ValueError."""
    name, hex_id, body = (*text.split("+", 2), "", "")[:3]
    data = _key_bytes(body)
    if not _name(name) or len(data) != 33 or data[0] not in _NOT_HERE:
        raise ValueError("no verifier key: <name>+<8 hex>+<base64>")
    key = Key(name, key_id(name, data[1:], data[0]), data[1:])
    if key.id.hex() != hex_id:
        raise ValueError(f"{hex_id} does not belong to this name and key: copied wrongly?")
    if data[0] != algorithm:
        raise ValueError(_NOT_HERE[data[0]])
    return key


def _key_bytes(body: str) -> bytes:
    try:
        return strict_base64(body)
    except ValueError:
        return b""


_NOT_HERE = {
    ED25519: "this is a log's key: give it as --key",
    COSIGNATURE: "this is a witness's key: give it as --witness",
}


def is_verifier_key(value: Json) -> bool:
    """Whether a value is the text of a key."""
    try:
        return is_text(value) and bool(read_key(value))
    except ValueError:
        return False


def read_note(note: str) -> Note:
    """A note taken apart. Raises: Failed with `bad_note`."""
    text, found, signatures = note.partition("\n\n")
    lines = signatures.split("\n")
    parts = text.split("\n")
    if not found or len(parts) != 3 or lines.pop() != "" or not lines:
        raise Failed("bad_note", "three lines, an empty one, signatures")
    if len(lines) > SIGNATURES_MAX:
        raise Failed("bad_note", f"{len(lines)} signature lines")
    origin, size, root = parts
    try:
        if not _name(origin) or not _size(size) or len(strict_base64(root)) != 32:
            raise Failed("bad_note", "origin, size, root")
        signed = tuple(map(_signature_line, lines))
        return Note(text + "\n", origin, int(size), strict_base64(root), signed)
    except ValueError as fault:
        raise Failed("bad_note", "base64") from fault


def _signature_line(line: str) -> tuple[str, bytes, bytes]:
    dash, name, body = (*line.split(" "), "", "")[:3]
    data = strict_base64(body)
    if dash != "—" or not _name(name) or line.count(" ") != 2 or len(data) < 5:
        raise Failed("bad_note", "a signature line")
    return name, data[:4], data[4:]


def check_signature(note: Note, keys: Iterable[str], origin: str | None = None) -> None:
    """One valid signature by one of the keys is enough; lines of others are not looked at.

    Raises: Failed with `unknown_key`, `bad_signature`.
    """
    if origin is not None and note.origin != origin:
        raise Failed("unknown_key", f"the note is of {note.origin}")
    trusted = {(key.name, key.id): key for key in map(read_key, keys) if key.name == note.origin}
    known = [(trusted[line[:2]], line[2]) for line in note.lines if line[:2] in trusted]
    if not known:
        raise Failed("unknown_key", f"no trusted key of {note.origin} signed it")
    message = note.text.encode()
    if not any(ed25519_verify(key.public, message, signature) for key, signature in known):
        raise Failed("bad_signature", f"size {note.size}")


def check_witnesses(note: Note, witnesses: Iterable[str]) -> tuple[int, ...]:
    """Unix times at which each of these witnesses saw the note (cosignature/v1).

    Raises: Failed with `bad_signature` where the valid line of one is missing.
    """
    return tuple(_witnessed(note, read_key(text, COSIGNATURE)) for text in witnesses)


def _witnessed(note: Note, key: Key) -> int:
    lines = [line[2] for line in note.lines if line[:2] == (key.name, key.id)]
    for payload in lines:
        seconds = int.from_bytes(payload[:8], "big")
        message = f"cosignature/v1\ntime {seconds}\n{note.text}".encode()
        if ed25519_verify(key.public, message, payload[8:]):
            return seconds
    why = "the line is not signed by its key" if lines else "no line of it"
    raise Failed("bad_signature", f"witness {key.name}, size {note.size}: {why}")


def check_note(note: str, keys: Iterable[str], origin: str | None = None) -> Note:
    """The note, read and with a valid signature. Raises: Failed (V03, V04)."""
    found = read_note(note)
    check_signature(found, keys, origin)
    return found


# --- the fair deal: tonk/fair/1 -------------------------------------------------------------------

PLACES_PER_SHUFFLE = 64
ANCHOR_LENGTH_MAX = 65_536


def framed(data: bytes) -> bytes:
    """E of 5.1: the length before the bytes."""
    return len(data).to_bytes(4, "big") + data


def _tag(name: str) -> bytes:
    return framed(b"tonk/fair/1/" + name.encode())


def _decks() -> dict[str, tuple[int, ...]]:
    full = tuple(range(52))
    short = tuple(code for code in full if code % 13 not in (7, 8, 9))
    return {
        f"std{len(pack)}{f'j{jokers}' if jokers else ''}/1": (*pack, *range(52, 52 + jokers))
        for pack in (full, short)
        for jokers in (0, 1, 2)
    }


DECKS = _decks()


def link(seed: bytes) -> bytes:
    """What a seed was fixed by: the link before it."""
    return sha256(_tag("link") + framed(seed)).digest()


def commitment(hand: bytes, server_seed: bytes) -> bytes:
    """What the dealer publishes before any seat shows a seed."""
    return sha256(_tag("commit") + framed(hand) + framed(server_seed)).digest()


def transcript_preimage(
    hand: bytes, commit: bytes, spec: str, beacon: bytes, seats: Iterable[tuple[int, bytes, bytes]]
) -> bytes:
    """Everything that was fixed before the shuffle; seats are (seat, player, seed)."""
    dealt_in = sorted(seats)
    head = b"".join(map(framed, (hand, commit, spec.encode(), beacon)))
    tail = b"".join(
        seat.to_bytes(2, "big") + framed(player) + framed(seed) for seat, player, seed in dealt_in
    )
    return _tag("transcript") + head + len(dealt_in).to_bytes(2, "big") + tail


def hand_key(server_seed: bytes, transcript: bytes) -> bytes:
    """Key of all orders and salts of a hand."""
    return hmac_digest(server_seed, _tag("key") + framed(transcript), "sha256")


def stream_block(key: bytes, shuffle_no: int, block: int) -> bytes:
    """Eight words of the stream that orders one shuffle."""
    message = _tag("stream") + shuffle_no.to_bytes(4, "big") + block.to_bytes(4, "big")
    return hmac_digest(key, message, "sha256")


def stream_words(key: bytes, shuffle_no: int) -> Iterator[int]:
    """The words of a shuffle, without end."""
    block = 0
    while True:
        yield from unpack(">8I", stream_block(key, shuffle_no, block))
        block += 1


def shuffled(cards: Sequence[int], words: Iterator[int]) -> list[int]:
    """The cards in the order of the words (5.3, step 4).

    >>> shuffled(range(5), iter([4294967295, 7, 5, 4294967294, 1]))
    [0, 3, 4, 1, 2]
    """
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        bound = last + 1
        fair = 2**32 - 2**32 % bound
        word = next(words)
        while word >= fair:
            word = next(words)
        chosen = word % bound
        order[last], order[chosen] = order[chosen], order[last]
    return order


def card_leaves(key: bytes, hand: bytes, shuffle_no: int, order: Sequence[int]) -> list[bytes]:
    """Salted leaf of every position of a shuffle."""
    number = shuffle_no.to_bytes(4, "big")
    salt, card = _tag("salt") + number, b"\x00" + _tag("card") + framed(hand) + number
    found = []
    for position, code in enumerate(order):
        at = position.to_bytes(2, "big")
        blinding = hmac_digest(key, salt + at, "sha256")
        found.append(sha256(card + at + bytes((code,)) + blinding).digest())
    return found


def is_opening(opening: Fields, root: bytes) -> bool:
    """Whether one card shown during play is proved by the root of its shuffle (5.3, step 7)."""
    shape = {
        "hand": is_uuid, "shuffle_no": is_count, "position": is_count, "size": is_positive,
        "place": is_count, "card": is_card, "code": is_count, "salt": is_hash, "path": [is_hash],
        "root": is_hash,
    }  # fmt: skip
    if not fits(opening, shape) or bytes.fromhex(opening["root"]) != root:
        return False
    number, position, size = opening["shuffle_no"], opening["position"], opening["size"]
    if not position < size <= PLACES_PER_SHUFFLE or CODES[opening["card"]] != opening["code"]:
        return False
    if opening["place"] != PLACES_PER_SHUFFLE * number + position or number >= 2**32:
        return False
    hand = _raw_id(opening["hand"])
    head = b"\x00" + _tag("card") + framed(hand) + number.to_bytes(4, "big")
    body = position.to_bytes(2, "big") + bytes((opening["code"],)) + bytes.fromhex(opening["salt"])
    path = [bytes.fromhex(step) for step in opening["path"]]
    return root_from_path(sha256(head + body).digest(), position, size, path) == root


def _raw_id(text: str) -> bytes:
    return bytes.fromhex(text.replace("-", ""))


# --- what cards count -----------------------------------------------------------------------------

HELD_MAX = 13  # twelve dealt and one drawn


@dataclass(frozen=True)
class Counting:
    """How a hand counts: from the options in `HandDealt`."""

    deck: int
    face_values: tuple[int, ...]
    joker_value: int
    deuces_wild: bool
    high_aces: bool
    deadwood: bool

    @classmethod
    def of(cls, options: Fields) -> Counting:
        """The counting of an option set."""
        return cls(
            deck=options["deck"],
            face_values=tuple(options["face_values"]),
            joker_value=options["joker_value"],
            deuces_wild=options["deuces_wild"],
            high_aces=options["ace_runs"] == "high_or_low",
            deadwood=options["count_method"] == "deadwood",
        )

    def total(self, cards: Sequence[int]) -> int | None:
        """Held total of card codes: all of them, or the least that disjoint spreads leave over.

        None for more cards than a hand may hold: no count is right.
        """
        if len(cards) > HELD_MAX:
            return None
        points = [self._points(card) for card in cards]
        return sum(points) - (self._most_laid(cards, points) if self.deadwood else 0)

    def _points(self, card: int) -> int:
        if card >= 52:
            return self.joker_value
        rank = card % 13
        return rank + 1 if rank < 10 else self.face_values[rank - 10]

    def _most_laid(self, cards: Sequence[int], points: Sequence[int]) -> int:
        """Most points in disjoint spreads: each card in turn is left over or leads a spread."""
        spreads: dict[int, list[tuple[int, int]]] = {}
        for chosen in range(1, 1 << len(cards)):
            members = [index for index in range(len(cards)) if chosen >> index & 1]
            if len(members) >= 3 and self._is_spread([cards[index] for index in members]):
                worth = sum(points[index] for index in members)
                spreads.setdefault(members[0], []).append((chosen, worth))

        @cache
        def best(free: int) -> int:
            if not free:
                return 0
            first = (free & -free).bit_length() - 1
            most = best(free & ~(1 << first))
            for chosen, worth in spreads.get(first, ()):
                if chosen & ~free == 0:
                    most = max(most, worth + best(free & ~chosen))
            return most

        return best((1 << len(cards)) - 1)

    def _is_spread(self, cards: Sequence[int]) -> bool:
        return self._is_book(cards) or self._is_run(cards)

    def _is_wild(self, card: int) -> bool:
        return card >= 52 or (self.deuces_wild and card % 13 == 1)

    def _is_book(self, cards: Sequence[int]) -> bool:
        """Three or four; two or more naturals of one rank; deuces are naturals among themselves."""
        if len(cards) > 4:
            return False
        naturals = [card % 13 for card in cards if not self._is_wild(card)]
        deuces = sum(card < 52 and card % 13 == 1 for card in cards)
        if naturals:
            return len(naturals) >= 2 and len(set(naturals)) == 1
        return deuces >= 2

    def _is_run(self, cards: Sequence[int]) -> bool:
        """Two or more naturals of one suit within as many ranks as there are cards."""
        naturals = [card for card in cards if not self._is_wild(card)]
        deuces = [card for card in cards if card < 52 and card % 13 == 1 and self.deuces_wild]
        options = [naturals] + [[*naturals, deuce] for deuce in deuces]
        return any(self._is_run_of(chosen, len(cards)) for chosen in options)

    def _is_run_of(self, naturals: Sequence[int], length: int) -> bool:
        if len(naturals) < 2 or len({card // 13 for card in naturals}) != 1:
            return False
        ranks = [rank for rank in range(13) if self.deck == 52 or rank not in (7, 8, 9)]
        low = sorted(ranks.index(card % 13) for card in naturals)
        spans = [low]
        if self.high_aces and low[0] == 0:
            spans.append([*low[1:], len(ranks)])
        top = len(ranks) + self.high_aces
        return length <= len(ranks) and any(span[-1] - span[0] < length <= top for span in spans)


# --- events that are read -------------------------------------------------------------------------

_OPTIONS = having(
    {
        "hand_size": one_of(3, 5, 7, 9, 12),
        "deck": one_of(52, 40),
        "face_values": one_of([10, 10, 10], [11, 12, 13]),
        "jokers": one_of(0, 1, 2),
        "joker_value": is_count,
        "deuces_wild": is_flag,
        "ace_runs": one_of("low", "high_or_low"),
        "count_method": one_of("all_held", "deadwood"),
        "initial_upcard": is_flag,
    }
)
_KINDS: dict[str, Shape] = {
    "uuid": is_uuid, "hash": is_hash, "when": is_when, "text": is_text, "code": is_code,
    "int": is_int, "count": is_count, "positive": is_positive, "flag": is_flag, "seat": is_seat,
    "card": is_card, "currency": is_currency, "options": _OPTIONS, "spec": one_of(*DECKS),
    "fairness": one_of("commit", "strict", "beacon"), "payment": one_of("full", "table_stakes"),
    "source": one_of("stock", "discard"), "kind": one_of("book", "run"),
    "state": one_of("revealed", "missing", "none"),
}  # fmt: skip
CATALOGUE = """
rules preset:code? version:positive hash:hash options:options
rake bp:count cap:count?
clock profile:code move_ms:count first_move_ms:count bank_ms:count
beacon chain:hash round:count
committed seat:seat player:uuid bot:text? anchored:flag
dealt seat:seat player:uuid bot:text? stack:int bank_ms:count seed:state
away seat:seat player:uuid bot:text? stack:int reason:code
placed card:card place:count
held seat:seat cards:card* places:count* count:count
transfer from_seat:seat to_seat:seat amount:count rule:text
paid from_seat:seat to_seat:seat amount:count
of_seat seat:seat player:uuid amount:int
of_player player:uuid amount:count
prize place:positive player:uuid amount:count ticket_for:uuid?
refund player:uuid entry_no:count pool:count fee:count bounty:count
debit player:uuid wallet:count receivable:count
leg account:text amount:int

SeatTaken seat:seat player:uuid bot:text? buy_in:count currency:currency
StackToppedUp seat:seat player:uuid amount:count currency:currency
SeatCashedOut seat:seat player:uuid amount:count currency:currency
SeedAnchored seat:seat player:uuid anchor:hash length:positive
ShuffleCommitted hand:uuid hand_no:positive commit:hash deck_spec:spec fairness:fairness
    seats:committed* dealer:seat reveal_by:when? beacon:beacon?
SeedRevealed hand:uuid seat:seat player:uuid index:positive seed:hash
ShuffleAborted hand:uuid missing:seat* reason:code server_seed:hash
HandDealt hand:uuid hand_no:positive rules:rules fairness:fairness deck_spec:spec commit:hash
    transcript:hash deck_root:hash beacon:hash? players:dealt* away:away* dealer:seat stake:count
    currency:currency payment:payment rake:rake clock:clock hand_size:positive upcard:placed?
    next:seat?
CardDrawn seat:seat source:source place:count card:card?
SpreadLaid seat:seat meld:code kind:kind cards:card* stands_for:card* places:count*
CardHit seat:seat meld:code card:card stands_for:card place:count
CardDiscarded seat:seat card:card place:count
CardSlapped seat:seat meld:code card:card stands_for:card place:count shed:placed?
PileReshuffled hand:uuid shuffle_no:positive places:count* root:hash
HandEnded hand:uuid end:code by:seat? winners:seat* held:held* transfers:transfer* paid:paid*?
    net:of_seat* rake:of_seat* stacks:of_seat* next_dealer:seat? currency:currency
HandRevealed hand:uuid server_seed:hash
HandVoided hand:uuid reason:code server_seed:hash? stacks:of_seat* next_dealer:seat?

EntryPaid player:uuid entry_no:count buy_in:count fee:count bounty:count currency:currency
ReEntered player:uuid entry_no:count buy_in:count fee:count bounty:count currency:currency
RebuyBought player:uuid entry_no:count amount:count chips:count currency:currency
AddOnBought player:uuid entry_no:count amount:count chips:count currency:currency
EntryRefunded player:uuid entry_no:count pool:count fee:count bounty:count currency:currency
    reason:code
BountyPaid head:uuid paid:of_player* added_to_head:of_player* currency:currency
PrizesComputed part:positive parts:positive currency:currency overlay:count rake:count fees:count
    heads_to_pool:count prizes:prize* vector_hash:hash?
Cancelled part:positive parts:positive policy:code reason_code:code currency:currency rake:count
    fees_kept:count refunds:refund*
CompensationPosted part:positive parts:positive currency:currency reason_code:code debits:debit*
    credits:of_player*

DepositRecorded amount:positive currency:currency method:code reference:text approved_by:uuid*
ChipsGranted amount:positive currency:currency reason_code:code
WithdrawalRequested withdrawal:uuid amount:positive currency:currency
WithdrawalPaid withdrawal:uuid amount:positive currency:currency method:code reference:text
    approved_by:uuid*
WithdrawalReturned withdrawal:uuid amount:positive currency:currency reason_code:code
AdjustmentProposed adjustment:uuid lines:leg* currency:currency reason_code:code proposer:uuid
    reverses:text? effective:text?
AdjustmentApproved adjustment:uuid lines:leg* currency:currency reason_code:code proposer:uuid
    reverses:text? effective:text? approver:uuid
AdjustmentRejected adjustment:uuid reason_code:code rejected_by:uuid?
"""
"""Members of the events that are read here, and of what lies in them (section 7): `*` is a list,
`?` may be null. Each is in its first and only schema."""


def _catalogue() -> dict[str, Callable[[Json], bool]]:
    known = dict(_KINDS)
    for line in CATALOGUE.replace("\n    ", " ").split("\n"):
        name, *members = line.split() or [""]
        if name:
            pairs = (member.split(":") for member in members)
            FIELDS[name] = {member: _shape(text, known) for member, text in pairs}
            known[name] = test_of(FIELDS[name])
    return {name: test for name, test in known.items() if name[0].isupper()}


def _shape(text: str, known: Mapping[str, Shape]) -> Shape:
    if text.endswith("?"):
        return or_null(_shape(text[:-1], known))
    return [known[text[:-1]]] if text.endswith("*") else known[text]


FIELDS: dict[str, dict[str, Shape]] = {}
SHAPES = _catalogue()


# --- records and streams --------------------------------------------------------------------------

MEMBERS = ("at", "data", "fmt", "id", "meta", "prev", "schema", "stream", "type", "v")
_texts_of = itemgetter("at", "id", "prev", "stream", "type")
_META = frozenset({"actor", "cmd", "cause", "auto"})
NO_HASH = "0" * 64
_envelope = re.compile(
    _INSTANT  # at
    + r" [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12} [0-9a-f]{64}"  # id, prev
    r" (?:table|tournament|wallet|player|log)/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r" [A-Z][A-Za-z]{2,39}"  # type
    r" [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z",  # meta.cmd
    re.ASCII,
).match


def is_record(record: Fields) -> bool:
    """Whether an object read from a canonical text has the ten members of a record."""
    if tuple(record) != MEMBERS or record["fmt"] != RECORD or not _is_meta(record["meta"]):
        return False
    try:
        texts = " ".join((*_texts_of(record), record["meta"]["cmd"]))
    except TypeError:  # one of them is no string
        return False
    numbers = is_positive(record["schema"]) and is_positive(record["v"])
    return numbers and type(record["data"]) is dict and _envelope(texts) is not None


def _is_meta(meta: Json) -> bool:
    """Who did it, by which command; where it applies what caused it, and that the clock did."""
    if type(meta) is not dict or "cmd" not in meta or type(meta.get("actor")) is not str:
        return False
    if len(meta) == 2:
        return True
    further = type(meta.get("cause", "")) is str and meta.get("auto", True) is True
    return further and meta.keys() <= _META


def check_fields(record: Fields, place: str) -> None:
    """The fields of an event that is read here. Raises: Failed with `bad_record`."""
    test = SHAPES.get(record["type"])
    if test is not None and (record["schema"] != 1 or not test(record["data"])):
        why = (
            fault_of(record["data"], FIELDS[record["type"]]) if record["schema"] == 1 else "schema"
        )
        raise Failed("bad_record", f"{place}: data of {record['type']}, {why}")


_TEN: dict[str, Shape] = {
    "at": is_when, "data": lambda value: type(value) is dict, "fmt": one_of(RECORD), "id": is_uuid,
    "meta": lambda value: _is_meta(value) and is_uuid(value["cmd"]), "prev": is_hash,
    "schema": is_positive, "stream": is_stream, "type": _matching(_type), "v": is_positive,
}  # fmt: skip


def fault_of(value: Fields, shape: dict[str, Shape]) -> str:
    """The first member that is not as it must be, and why; empty where all are."""
    for name in sorted(value.keys() ^ shape.keys()):
        return f"{name[:40]}: {'unknown' if name in value else 'missing'}"
    wrong = (name for name, inner in shape.items() if not fits(value[name], inner))
    return next((f"{name}: not what belongs there" for name in wrong), "")


class Head:
    """Where a stream stands: version, hash, time of the last record seen; its hands."""

    __slots__ = ("at", "hands", "hash", "version")

    def __init__(self, version: int = 0) -> None:
        self.version, self.hash, self.at = version, NO_HASH if version == 0 else "", ""
        self.hands: Hands | None = None

    def follow(self, record: Fields, record_hash: str, place: str) -> None:
        """The record as the next one. Raises: Failed `gap`, `broken_chain`, `time_runs_back`."""
        if record["v"] != self.version + 1:
            raise Failed("gap", f"{place}: version {self.version + 1} is missing")
        if record["prev"] != self.hash and self.hash:
            raise Failed("broken_chain", place)
        if record["at"] < self.at:
            raise Failed("time_runs_back", place)
        self.version, self.hash, self.at = record["v"], record_hash, record["at"]


def place_of(stream: str, version: int, index: int | None = None) -> str:
    """How a record is named: its stream and version, in an export its index in the log too."""
    at = "" if index is None else f"record {index}, "
    return f"{at}{stream} v{version}"


# --- hands ----------------------------------------------------------------------------------------


@dataclass
class Anchor:
    """A seat's chain of seeds: the last link shown, how many were, how many there are."""

    link: str
    used: int
    length: int
    proved: bool = True  # false: the anchor itself lies before the records


@dataclass
class Commitment:
    """An open `ShuffleCommitted`, the anchors in force at it, the seeds shown since."""

    data: Fields
    anchors: dict[tuple[int, str], Anchor]
    seeds: dict[int, str] = field(default_factory=dict)
    unproved: list[int] = field(default_factory=list)  # seats whose anchor lies before the records
    seated: frozenset[tuple[int, str]] = frozenset()  # who sat down in the records

    def seat(self, number: int) -> Fields | None:
        """The seat that was committed to."""
        return next((one for one in self.data["seats"] if one["seat"] == number), None)


@dataclass
class Hand:
    """A dealt hand, by places: who holds what, what lies on the pile, what was named."""

    dealt: Fields
    commitment: Commitment
    held: dict[int, set[int]]
    stock: int  # place of the top of the stock
    stock_end: int
    pile: list[int] = field(default_factory=list)
    named: list[tuple[int, str, str]] = field(default_factory=list)  # place, card, where
    reshuffles: list[tuple[Fields, str]] = field(default_factory=list)
    ended: Fields | None = None
    ended_version: int = 0

    @property
    def players(self) -> dict[int, str]:
        """Seat to player of all who were dealt in."""
        return {one["seat"]: one["player"] for one in self.dealt["players"]}


@dataclass
class Deck:
    """The shuffles of a hand once its key is known: card codes by place."""

    hand: bytes
    key: bytes
    card_at: dict[int, int] = field(default_factory=dict)
    shuffles: int = 0

    def shuffle(self, cards: Sequence[int], root: str) -> bool:
        """Add the next shuffle of these cards; whether its root is the one stated."""
        number, self.shuffles = self.shuffles, self.shuffles + 1
        order = shuffled(cards, stream_words(self.key, number))
        for position, code in enumerate(order):
            self.card_at[PLACES_PER_SHUFFLE * number + position] = code
        return root_of(card_leaves(self.key, self.hand, number, order)).hex() == root


class Hands:
    """The hands of one table's stream, judged as its records come (V13 to V20).

    Every fault is handed to `fail`, and the fold goes on as well as it can: a receipt reports the
    first check that failed, an export the first record. What began before the first record that
    was seen (`whole` is false) is not judged.
    """

    def __init__(self, fail: Callable[[Failed], None], *, whole: bool) -> None:
        self._fail, self._whole = fail, whole
        self._anchors: dict[tuple[int, str], Anchor] = {}
        self._commitment: Commitment | None = None
        self._hand: Hand | None = None
        self._seated: set[tuple[int, str]] = set()
        self._prefix = not whole  # inside what began earlier
        self.seen: set[str] = set()  # types of what was judged
        self.judged: dict[int, Hand] = {}  # by version of HandEnded; kept by receipts alone
        self.keep = False
        self.place = ""
        self.unopened: list[str] = []  # hands voided without a seed: nobody can check their deals

    def feed(self, record: Fields, place: str) -> None:
        """One more record of the table."""
        act = _ACTS.get(record["type"])
        hand = self._hand
        if hand is not None and hand.ended is not None and record["type"] != "HandRevealed":
            self._refuse("deal_out_of_order", place, "HandRevealed does not follow HandEnded")
            self._hand = None
        if act is not None:
            self.place = place
            self.seen.add(record["type"])
            act(self, record["data"], record["v"])

    def finish(self) -> None:
        """The records are over: a hand may run on, but an ended one is revealed at once."""
        if self._hand is not None and self._hand.ended is not None:
            self._refuse("deal_out_of_order", self.place, "HandRevealed is missing")

    def _refuse(self, error: str, place: str, why: str) -> None:
        self._fail(Failed(error, f"{place}: {why}" if why else place))

    def _bad(self, error: str, why: str = "") -> None:
        self._refuse(error, self.place, why)

    # Seeds and commitments

    def _sat_down(self, data: Fields, _: int) -> None:
        """Whoever sits down starts without an anchor, also where he sat before (5.2)."""
        seat = data["seat"], data["player"]
        self._anchors.pop(seat, None)
        self._seated.add(seat)

    def _anchored(self, data: Fields, _: int) -> None:
        seat = data["seat"], data["player"]
        self._anchors[seat] = Anchor(data["anchor"], 0, data["length"])

    def _committed(self, data: Fields, _: int) -> None:
        if self._commitment or self._hand:
            self._bad("deal_out_of_order", "another hand is open")
        seats = [one["seat"] for one in data["seats"]]
        if seats != sorted(set(seats)) or len(seats) < 2 or data["dealer"] not in seats:
            self._bad("deal_out_of_order", "seats")
        self._prefix, self._hand = False, None
        self._commitment = Commitment(data, dict(self._anchors), seated=frozenset(self._seated))

    def _revealed_seed(self, data: Fields, _: int) -> None:
        made = self._commitment
        if self._prefix:
            self._take_unproved(data)
            return
        seat = made.seat(data["seat"]) if made and made.data["hand"] == data["hand"] else None
        if made is None or seat is None or seat["player"] != data["player"]:
            self._bad("bad_seed", "nobody asked for it")
            return
        if not seat["anchored"] or data["seat"] in made.seeds:
            self._bad("bad_seed", "a seat without an anchor, or a second seed")
        made.seeds[data["seat"]] = data["seed"]
        anchor = made.anchors.get((data["seat"], data["player"]))
        if anchor is not None:
            self._take(anchor, data)
        elif not self._whole and (data["seat"], data["player"]) not in made.seated:
            self._take_unproved(data)
        else:
            self._bad("bad_seed", "no anchor")
        if anchor is None or not anchor.proved:
            made.unproved.append(data["seat"])

    def _take(self, anchor: Anchor, data: Fields) -> None:
        if data["index"] != anchor.used + 1 or data["index"] > anchor.length:
            self._bad("bad_seed", f"index {data['index']}")
        if link(bytes.fromhex(data["seed"])).hex() != anchor.link:
            self._bad("bad_seed", f"seat {data['seat']}: no link to the last one")
        anchor.link, anchor.used = data["seed"], data["index"]

    def _take_unproved(self, data: Fields) -> None:
        """A seed whose anchor lies before the records: those after it must link to it."""
        seat = data["seat"], data["player"]
        known = self._anchors.get(seat)
        if known is None:
            self._anchors[seat] = Anchor(
                data["seed"], data["index"], ANCHOR_LENGTH_MAX, proved=False
            )

    def _aborted(self, data: Fields, _: int) -> None:
        made, self._commitment = self._commitment, None
        if made is None or made.data["hand"] != data["hand"]:
            if not self._prefix:
                self._bad("abort_mismatch", "no commitment of this hand is open")
            return
        if not self._opens(made.data, data["server_seed"]):
            self._bad("abort_mismatch", "commitment")
        for number in data["missing"]:
            seat = made.seat(number)
            if seat is None or not seat["anchored"] or number in made.seeds:
                self._bad("abort_mismatch", f"seat {number}")

    def _opens(self, data: Fields, server_seed: str) -> bool:
        made = commitment(_raw_id(data["hand"]), bytes.fromhex(server_seed))
        return bool(made.hex() == data["commit"])

    # The deal

    def _dealt(self, data: Fields, _: int) -> None:
        made, self._commitment = self._commitment, None
        if self._prefix:
            return
        if made is None or self._hand is not None:
            self._bad("deal_out_of_order", "no ShuffleCommitted before HandDealt")
            self._hand = None
            return
        self._check_commitment(data, made)
        self._check_seed_states(data, made)
        options, count = data["rules"]["options"], len(data["players"])
        jokers = f"j{options['jokers']}" if options["jokers"] else ""
        spec = f"std{options['deck']}{jokers}/1"
        size = options["hand_size"]
        if data["deck_spec"] != spec:
            self._bad("deck_mismatch", "deck_spec is not that of the rules")
        if data["hand_size"] != size or (data["upcard"] is None) == options["initial_upcard"]:
            self._bad("wrong_place", "hand_size or upcard is not that of the rules")
        seats = [one["seat"] for one in data["players"]]
        first = seats.index(data["dealer"]) + 1 if data["dealer"] in seats else 0
        order = [seats[(first + turn) % count] for turn in range(count)] if count else []
        hand = Hand(
            dealt=data,
            commitment=made,
            held={seat: set(range(turn, count * size, count)) for turn, seat in enumerate(order)},
            stock=count * size,
            stock_end=len(DECKS[data["deck_spec"]]),
        )
        if data["upcard"] is not None:
            if data["upcard"]["place"] != hand.stock:
                self._bad("wrong_place", "upcard")
            self._name(hand, data["upcard"])
            hand.pile.append(hand.stock)
            hand.stock += 1
        self._hand = hand

    def _check_commitment(self, data: Fields, made: Commitment) -> None:
        before = made.data
        if data["commit"] != before["commit"]:
            self._bad("commit_mismatch", "HandDealt names another one")
        same = all(
            data[name] == before[name]
            for name in ("hand", "hand_no", "deck_spec", "fairness", "dealer")
        )
        seats = [(one["seat"], one["player"], one["bot"]) for one in before["seats"]]
        if not same or seats != [
            (one["seat"], one["player"], one["bot"]) for one in data["players"]
        ]:
            self._bad("deal_out_of_order", "HandDealt is not what was committed to")

    def _check_seed_states(self, data: Fields, made: Commitment) -> None:
        strict = data["fairness"] == "strict"
        for one in data["players"]:
            seat = made.seat(one["seat"])
            silent = "missing" if seat is not None and seat["anchored"] else "none"
            state = "revealed" if one["seat"] in made.seeds else silent
            if one["seed"] != state:
                self._bad("bad_seed", f"seat {one['seat']} is {state}, not {one['seed']}")
            elif strict and (state == "missing" or (state == "none" and one["bot"] is None)):
                self._bad("bad_seed", f"strict, but seat {one['seat']} gave none")

    # The play, by places

    def _name(self, hand: Hand, card: Fields) -> None:
        hand.named.append((card["place"], card["card"], self.place))

    def _drawn(self, data: Fields, _: int) -> None:
        hand = self._hand
        if hand is None:
            self._stray()
            return
        place, held = data["place"], hand.held.get(data["seat"])
        if held is None:
            self._bad("wrong_place", f"seat {data['seat']} is not dealt in")
            return
        if data["source"] == "discard":
            if not hand.pile or hand.pile[-1] != place or data["card"] is None:
                self._bad("wrong_place", "not the top discard")
            else:
                self._name(hand, data)
                hand.pile.pop()
        elif place != hand.stock or hand.stock >= hand.stock_end:
            error = "place_taken_twice" if place < hand.stock else "wrong_place"
            self._bad(error, f"place {place}, the stock is at {hand.stock}")
        else:
            hand.stock += 1
            if data["card"] is not None:
                self._name(hand, data)
        held.add(place)

    def _stray(self) -> None:
        if not self._prefix:
            self._bad("deal_out_of_order", "no hand is running")

    def _lay(self, seat: int, cards: Iterable[Fields]) -> list[int]:
        """The places of cards that leave a hand."""
        hand = self._hand
        if hand is None:
            self._stray()
            return []
        places = []
        for card in cards:
            held = hand.held.get(seat, set())
            if card["place"] not in held:
                self._bad("not_held", f"seat {seat}, place {card['place']}")
            held.discard(card["place"])
            self._name(hand, card)
            places.append(card["place"])
        return places

    def _spread(self, data: Fields, _: int) -> None:
        if len(data["cards"]) != len(data["places"]):
            self._bad("not_held", "as many cards as places")
        pairs = zip(data["cards"], data["places"], strict=False)
        self._lay(data["seat"], [{"card": card, "place": place} for card, place in pairs])

    def _hit(self, data: Fields, _: int) -> None:
        self._lay(data["seat"], [data])

    def _discarded(self, data: Fields, _: int) -> None:
        places = self._lay(data["seat"], [data])
        if self._hand is not None:
            self._hand.pile += places

    def _slapped(self, data: Fields, _: int) -> None:
        hand = self._hand
        if hand is None:
            self._stray()
            return
        if not hand.pile or hand.pile[-1] != data["place"]:
            self._bad("wrong_place", "not the top discard")
        else:
            hand.pile.pop()
            self._name(hand, data)
        if data["shed"] is not None:
            hand.pile += self._lay(data["seat"], [data["shed"]])

    def _reshuffled(self, data: Fields, _: int) -> None:
        hand = self._hand
        if hand is None:
            self._stray()
            return
        right = data["hand"] == hand.dealt["hand"] and data["places"] == hand.pile[:-1]
        number = len(hand.reshuffles) + 1
        if not right or data["shuffle_no"] != number or hand.stock != hand.stock_end:
            self._bad("wrong_place", "not the covered discards, bottom first")
        hand.reshuffles.append((data, self.place))
        hand.pile = hand.pile[-1:]
        hand.stock = PLACES_PER_SHUFFLE * number
        hand.stock_end = hand.stock + len(data["places"])

    # The end

    def _ended(self, data: Fields, version: int) -> None:
        hand = self._hand
        if hand is None:
            self._stray()
            return
        self._check_money(hand, data)
        if data["hand"] != hand.dealt["hand"]:
            self._bad("deal_out_of_order", "another hand ends")
        players = list(hand.players.items())
        listed = [(one["seat"], one["player"]) for one in data["net"]]
        if listed != players or [one["seat"] for one in data["held"]] != list(hand.players):
            self._bad("deal_out_of_order", "other seats or players than dealt in")
        hand.ended, hand.ended_version = data, version

    def _check_money(self, hand: Hand, data: Fields) -> None:
        dealt = hand.dealt
        net = dict.fromkeys(hand.players, 0)
        moves = data["transfers"] if data["paid"] is None else data["paid"]
        for one in moves:
            if (
                one["from_seat"] == one["to_seat"]
                or not {one["from_seat"], one["to_seat"]} <= net.keys()
            ):
                self._bad("hand_not_balanced", "a transfer of other seats")
                return
            net[one["from_seat"]] -= one["amount"]
            net[one["to_seat"]] += one["amount"]
        chips = dealt["currency"] == "CHIPS"
        if data["currency"] != dealt["currency"] or (data["paid"] is not None and not chips):
            self._bad("hand_not_balanced", "currency or payments")
        told: dict[int, int] = {one["seat"]: one["amount"] for one in data["net"]}
        if told != net or len(told) != len(data["net"]) or sum(told.values()) != 0:
            self._bad("hand_not_balanced", "net is not the sum of the transfers")
        rake = {one["seat"]: one["amount"] for one in data["rake"]}
        fair = all(0 < part <= net.get(seat, 0) for seat, part in rake.items())
        if len(rake) != len(data["rake"]) or not fair:
            self._bad("hand_not_balanced", "rake")
        after = [
            (one["seat"], one["player"], one["stack"] + net[one["seat"]] - rake.get(one["seat"], 0))
            for one in dealt["players"]
        ]
        players = {one["seat"]: one["player"] for one in (*data["net"], *data["rake"])}
        if after != _amounts(data["stacks"]) or not players.items() <= hand.players.items():
            self._bad("hand_not_balanced", "stacks")
        may_owe = chips and dealt["payment"] == "full"
        if not may_owe and any(stack < 0 for _, _, stack in after):
            self._bad("hand_not_balanced", "a stack below 0")

    def _revealed(self, data: Fields, version: int) -> None:
        hand, self._hand = self._hand, None
        if hand is None or hand.ended is None:
            if not self._prefix:
                self._bad("deal_out_of_order", "HandRevealed without HandEnded")
            return
        if data["hand"] != hand.dealt["hand"] or version != hand.ended_version + 1:
            self._bad("deal_out_of_order", "another hand is revealed")
        card_at = self._open(hand, data["server_seed"])
        self._check_held(hand, hand.ended, card_at)
        if self.keep:
            self.judged[hand.ended_version] = hand

    def _voided(self, data: Fields, _: int) -> None:
        hand, self._hand = self._hand, None
        made, self._commitment = self._commitment, None
        if hand is None and made is None:
            self._stray()
            return
        begun = hand.dealt if hand else made.data if made else {}
        if data["hand"] != begun["hand"]:
            self._bad("deal_out_of_order", "another hand is voided")
        players = hand.dealt["players"] if hand else []
        as_dealt = [(one["seat"], one["player"], one["stack"]) for one in players]
        if _amounts(data["stacks"]) != as_dealt:
            self._bad("hand_not_balanced", "stacks are not as dealt")
        if data["server_seed"] is None:
            self._without_seed(data)
        elif hand:
            self._open(hand, data["server_seed"])
        elif not self._opens(begun, data["server_seed"]):
            self._bad("commit_mismatch")

    def _without_seed(self, data: Fields) -> None:
        """A hand that is given up shows its seed, but for the one reason that it is lost (5.4)."""
        if data["reason"] == "dealer_key_lost":
            self.unopened.append(self.place)
        else:
            self._bad("commit_mismatch", "no seed")

    def _open(self, hand: Hand, server_seed: str) -> dict[int, int]:
        """Card codes by place, from the dealer's seed; deck and named cards are checked."""
        dealt, secret = hand.dealt, bytes.fromhex(server_seed)
        if not self._opens(dealt, server_seed):
            self._bad("commit_mismatch")
        raw = _raw_id(dealt["hand"])
        beacon = bytes.fromhex(dealt["beacon"] or "")
        if bool(beacon) != (dealt["fairness"] == "beacon"):
            self._bad("transcript_mismatch", "beacon")
        seeds = hand.commitment.seeds
        seats = [
            (one["seat"], _raw_id(one["player"]), bytes.fromhex(seeds.get(one["seat"], "")))
            for one in dealt["players"]
        ]
        commit, spec = bytes.fromhex(dealt["commit"]), dealt["deck_spec"]
        transcript = sha256(transcript_preimage(raw, commit, spec, beacon, seats)).digest()
        if transcript.hex() != dealt["transcript"]:
            self._bad("transcript_mismatch")
        deck = Deck(raw, hand_key(secret, transcript))
        if not deck.shuffle(DECKS[spec], dealt["deck_root"]):
            self._bad("deck_mismatch", "deck_root")
        for data, place in hand.reshuffles:
            cards = [deck.card_at.get(one, -1) for one in data["places"]]
            if -1 in cards or len(cards) > PLACES_PER_SHUFFLE:
                self._refuse("deck_mismatch", place, "places that are none")
            elif not deck.shuffle(cards, data["root"]):
                self._refuse("deck_mismatch", place, "root")
        for at, card, place in hand.named:
            if deck.card_at.get(at) != CODES[card]:
                self._refuse("card_mismatch", place, f"{card} is not at place {at}")
        return deck.card_at

    def _check_held(self, hand: Hand, ended: Fields, card_at: Mapping[int, int]) -> None:
        counting = Counting.of(hand.dealt["rules"]["options"])
        for one in ended["held"]:
            places = sorted(hand.held.get(one["seat"], ()))
            cards = [CARDS[card_at[place]] for place in places if place in card_at]
            stated = sorted(zip(one["places"], one["cards"], strict=False))
            if one["places"] != places or [card for _, card in stated] != cards:
                self._bad("hand_mismatch", f"seat {one['seat']}")
            if len(one["cards"]) != len(one["places"]):
                self._bad("hand_mismatch", f"seat {one['seat']}")
            if counting.total([CODES[card] for card in one["cards"]]) != one["count"]:
                self._bad("count_mismatch", f"seat {one['seat']}")


def _amounts(items: Iterable[Fields]) -> list[tuple[int, str, int]]:
    return [(one["seat"], one["player"], one["amount"]) for one in items]


def without_seed(tables: Iterable[Hands]) -> tuple[str, ...]:
    """What to be warned of where hands were voided whose deals nobody can check any more."""
    places = [place for hands in tables for place in hands.unopened]
    if not places:
        return ()
    count = len(places)
    said = f"{count} voided without a seed (dealer_key_lost), so not checked by it: {places[0]}"
    return (said + (" and others" if count > 1 else ""),)


_ACTS: dict[str, Callable[[Hands, Fields, int], None]] = {
    "SeatTaken": Hands._sat_down,
    "SeedAnchored": Hands._anchored,
    "ShuffleCommitted": Hands._committed,
    "SeedRevealed": Hands._revealed_seed,
    "ShuffleAborted": Hands._aborted,
    "HandDealt": Hands._dealt,
    "CardDrawn": Hands._drawn,
    "SpreadLaid": Hands._spread,
    "CardHit": Hands._hit,
    "CardDiscarded": Hands._discarded,
    "CardSlapped": Hands._slapped,
    "PileReshuffled": Hands._reshuffled,
    "HandEnded": Hands._ended,
    "HandRevealed": Hands._revealed,
    "HandVoided": Hands._voided,
}


_NEEDS = {
    "V13": {"HandEnded", "HandVoided"},
    "V14": {"ShuffleCommitted", "HandDealt", "HandEnded", "HandRevealed"},
    "V15": {"SeedRevealed", "HandDealt"},
    "V16": {"HandRevealed", "HandVoided"},
    "V17": {"HandDealt"},
    "V18": {"HandRevealed", "HandVoided"},
    "V19": {"HandRevealed"},
    "V20": {"ShuffleAborted"},
}
"""What a file must have for a check of hands to say anything: one of these events."""


# --- what events state of money (`ledger.md` section 3) -------------------------------------------

Legs = list[tuple[str, int]]  # account without a stripe, amount: debit above 0, credit below
KINDS = (
    "hand", "cash_out", "prize", "bounty", "refund", "compensation", "deposit", "grant",
    "withdrawal_paid", "withdrawal_returned", "adjustment", "reversal",
)  # fmt: skip
OF_TOURNAMENTS = ("prize", "bounty", "refund", "compensation")
FIRST_PAYOUT = 10
MANUAL = "manual"
HOUSE_ROLES = frozenset(
    ("cash", "rake", "fee_income", "overlay", "promotion", "payment_costs", "bad_debt", "opening",
     "issue", "adjustment")
)  # fmt: skip
_stripe = re.compile(r"[0-9]{2}\Z").match


def unstriped(account: str, key: str) -> str | None:
    """An account without the stripe that its entry's key gives; None for another stripe."""
    head, _, tail = account.rpartition(":")
    if account.partition(":")[0] not in HOUSE_ROLES or not _stripe(tail):
        return account
    return head if int(tail) == sha256(key.encode()).digest()[0] & 15 else None


def stated(record: Fields, part: int) -> tuple[str, Legs] | None:
    """Kind and legs of one entry that an event states; None where it states no such entry."""
    data, subject = record["data"], record["stream"].partition("/")[2]
    currency = data.get("currency")
    money = _MONEY.get(record["type"])
    if money is None or currency is None or currency == "CHIPS":
        return None
    found = money(data, subject, f":{currency}", part)
    if found is None:
        return None
    kind, legs = found
    kept = sorted((account, amount) for account, amount in legs if amount)
    return (kind, kept) if kept else None


Stated = tuple[str, Legs] | None


def _of_hand(data: Fields, table: str, end: str, part: int) -> Stated:
    rake = {one["player"]: one["amount"] for one in data["rake"]}
    legs = [
        (f"seat:{table}:{one['player']}{end}", rake.get(one["player"], 0) - one["amount"])
        for one in data["net"]
    ]
    return ("hand", [*legs, (f"rake{end}", -sum(rake.values()))]) if part == 0 else None


def _of_cash_out(data: Fields, table: str, end: str, part: int) -> Stated:
    player = data["player"]
    legs = _move(data["amount"], f"seat:{table}:{player}{end}", f"wallet:{player}{end}")
    return ("cash_out", legs) if part == 0 else None


def _of_prizes(data: Fields, tournament: str, end: str, part: int) -> Stated:
    prize = _item(data["prizes"], part)
    if prize is None:
        return None
    wallet = f"wallet:{prize['player']}{end}"
    return "prize", _move(prize["amount"], f"tournament:{tournament}{end}", wallet)


def _of_bounty(data: Fields, tournament: str, end: str, part: int) -> Stated:
    paid = _item(data["paid"], part)
    if paid is None:
        return None
    wallet = f"wallet:{paid['player']}{end}"
    return "bounty", _move(paid["amount"], f"bounty:{tournament}{end}", wallet)


def _of_refund(data: Fields, tournament: str, end: str, part: int) -> Stated:
    return ("refund", _back(data, tournament, end)) if part == 0 else None


def _of_cancelled(data: Fields, tournament: str, end: str, part: int) -> Stated:
    refund = _item(data["refunds"], part)
    return ("refund", _back(refund, tournament, end)) if refund is not None else None


def _of_compensation(data: Fields, _: str, end: str, part: int) -> Stated:
    legs: Legs = []
    for one in data["debits"]:
        legs.append((f"wallet:{one['player']}{end}", one["wallet"]))
        legs.append((f"receivable:{one['player']}{end}", one["receivable"]))
    legs += [(f"wallet:{one['player']}{end}", -one["amount"]) for one in data["credits"]]
    return ("compensation", legs) if part == 0 else None


def _of_deposit(data: Fields, player: str, end: str, part: int) -> Stated:
    legs = _move(data["amount"], f"cash:{data['method']}{end}", f"wallet:{player}{end}")
    return ("deposit", legs) if part == 0 else None


def _of_grant(data: Fields, player: str, end: str, part: int) -> Stated:
    legs = _move(data["amount"], f"issue{end}", f"wallet:{player}{end}")
    return ("grant", legs) if part == 0 else None


def _of_paid(data: Fields, player: str, end: str, part: int) -> Stated:
    legs = _move(data["amount"], f"withdrawal:{player}{end}", f"cash:{data['method']}{end}")
    return ("withdrawal_paid", legs) if part == 0 else None


def _of_returned(data: Fields, player: str, end: str, part: int) -> Stated:
    legs = _move(data["amount"], f"withdrawal:{player}{end}", f"wallet:{player}{end}")
    return ("withdrawal_returned", legs) if part == 0 else None


def _of_adjustment(data: Fields, _: str, __: str, part: int) -> Stated:
    kind = "adjustment" if data["reverses"] is None else "reversal"
    legs = [(one["account"], one["amount"]) for one in data["lines"]]
    return (kind, legs) if part == 0 else None


def _move(amount: int, debit: str, credit: str) -> Legs:
    return [(debit, amount), (credit, -amount)]


def _back(refund: Fields, tournament: str, end: str) -> Legs:
    parts = [("tournament", "pool"), ("fees", "fee"), ("bounty", "bounty")]
    legs = [(f"{role}:{tournament}{end}", refund[name]) for role, name in parts]
    return [*legs, (f"wallet:{refund['player']}{end}", -sum(amount for _, amount in legs))]


def _item(items: Sequence[Fields], part: int) -> Fields | None:
    return items[part - FIRST_PAYOUT] if 0 <= part - FIRST_PAYOUT < len(items) else None


_MONEY: dict[str, Callable[[Fields, str, str, int], Stated]] = {
    "HandEnded": _of_hand,
    "SeatCashedOut": _of_cash_out,
    "PrizesComputed": _of_prizes,
    "BountyPaid": _of_bounty,
    "EntryRefunded": _of_refund,
    "Cancelled": _of_cancelled,
    "CompensationPosted": _of_compensation,
    "DepositRecorded": _of_deposit,
    "ChipsGranted": _of_grant,
    "WithdrawalPaid": _of_paid,
    "WithdrawalReturned": _of_returned,
    "AdjustmentApproved": _of_adjustment,
}


# --- receipts -------------------------------------------------------------------------------------

_SOURCE = {"stream": is_stream, "version": is_positive}
_INCLUSION = {"index": is_count, "size": is_positive, "path": [is_hash]}
_POSTING = {"line": is_positive, "account": is_text, "amount": is_int, "currency": is_currency}
_LOG = {"origin": is_text, "keys": [is_verifier_key], "checkpoint": is_text}
_RECEIPT = {
    "format": one_of(RECEIPT),
    "made_at": is_when,
    "log": _LOG,
    "claim": {
        "kind": one_of(*KINDS), "entry": is_positive, "line": is_positive, "account": is_text,
        "player": is_uuid, "amount": is_positive, "currency": is_currency, "source": _SOURCE,
    },
    "entry": {
        "id": is_positive, "key": _matching(_entry_key), "kind": one_of(*KINDS),
        "source_stream": is_stream, "source_version": is_positive, "source_hash": is_hash,
        "recorded_at": is_when, "reverses": or_null(_matching(_entry_key)),
        "postings": [_POSTING],
    },
    "streams": [
        {
            "stream": is_stream, "from": is_positive, "to": is_positive, "records": [is_text],
            "inclusion": _INCLUSION,
        }
    ],
    "names": lambda value: type(value) is dict
    and all(is_uuid(player) and is_text(name) for player, name in value.items()),
}  # fmt: skip


@dataclass(frozen=True)
class Verified:
    """What was proved: a claim, or so many records of a log; and what to be warned of."""

    words: str
    claim: Fields | None = None
    records: int = 0
    size: int = 0
    root: bytes = b""
    warnings: tuple[str, ...] = ()


@dataclass
class Slice:
    """One slice of a receipt with its records read."""

    stream: str
    first: int
    last: int
    texts: list[bytes]
    inclusion: Fields
    records: list[Fields] = field(default_factory=list)
    hashes: list[str] = field(default_factory=list)

    def place(self, ordinal: int) -> str:
        """How the record of that ordinal is named."""
        return place_of(self.stream, self.first + ordinal)


Report = Callable[[str, str], object]
"""Is told of each check that holds: its code and its name; no name where nothing was to check."""


def verify(
    receipt: bytes,
    keys: Sequence[str] = (),
    report: Report = lambda *_: None,
    witnesses: Sequence[str] = (),
) -> Verified:
    """Check a whole receipt, V01 to V23 in order. Raises: Failed at the first that does not hold.

    `keys` are verifier keys from another source than the receipt; without them its own are used,
    and the answer carries a warning.
    """
    checked = _Receipt(receipt, keys, witnesses)
    for code, (name, _) in CHECKS.items():
        report(code, name if checked.check(code) else "")
    claim = checked.claim
    words = f"{claim['kind']} {claim['amount']} {claim['currency']} to {claim['player']}"
    note = checked.note
    warnings = (*(() if keys else (KEY_FROM_FILE,)), *without_seed(checked.hands()))
    count = sum(len(one.records) for one in checked.slices)
    return Verified(words, claim, count, note.size, note.root, warnings)


class _Receipt:
    """A receipt while it is checked; each check may rely on those before it."""

    def __init__(self, data: bytes, keys: Sequence[str], witnesses: Sequence[str]) -> None:
        self._data, self._keys, self._witnesses = data, list(keys), witnesses
        self.claim: Fields = {}
        self.note: Note = Note("", "", 0, b"", ())
        self.slices: list[Slice] = []
        self._whole: Fields = {}
        self._entry: Fields = {}
        self._source: Fields = {}
        self._part = 0
        self._faults: list[Failed] | None = None  # of hands
        self._hands: dict[str, Hands] = {}
        self._checks: dict[str, Callable[[], bool | None]] = {
            "V01": self._file, "V02": self._members, "V03": self._note, "V04": self._signature,
            "V05": self._canonical, "V06": self._records, "V07": self._chain, "V08": self._order,
            "V09": self._inclusion, "V10": self._origin, "V11": self._balance,
            "V12": self._amounts, "V21": self._cash_out, "V22": self._prizes, "V23": self._people,
        }  # fmt: skip

    def check(self, code: str) -> bool:
        """Whether there was something to check. Raises: Failed."""
        check = self._checks.get(code)
        return self._of_hands(code) if check is None else check() is not False

    # V01 to V04: the file and the note

    def _file(self) -> None:
        try:
            self._whole = read_json(self._data)
        except ValueError as fault:
            raise Failed("bad_file", str(fault)) from fault
        if type(self._whole) is not dict or self._whole.get("format") != RECEIPT:
            raise Failed("bad_file", f"no {RECEIPT}")

    def _members(self) -> None:
        whole = self._whole
        _check_members(whole, _RECEIPT)
        self.claim, self._entry = whole["claim"], whole["entry"]
        for one in whole["streams"]:
            texts = [text.encode() for text in one["records"]]
            if not 1 <= len(texts) <= RECORDS_MAX or one["to"] < one["from"]:
                raise Failed("bad_field", f"streams: {one['stream']}")
            made = Slice(one["stream"], one["from"], one["to"], texts, one["inclusion"])
            self.slices.append(made)
        names = [one.stream for one in self.slices]
        if names != sorted(set(names)):
            raise Failed("bad_field", "streams: one slice a stream, in order")

    def _note(self) -> None:
        self.note = read_note(self._whole["log"]["checkpoint"])

    def _signature(self) -> None:
        log = self._whole["log"]
        check_signature(self.note, self._keys or log["keys"], log["origin"])
        check_witnesses(self.note, self._witnesses)

    # V05 to V09: records, chains, proofs

    def _canonical(self) -> None:
        for one in self.slices:
            for ordinal, text in enumerate(one.texts):
                try:
                    one.records.append(read_record(text))
                except ValueError as fault:
                    raise Failed("not_canonical", f"{one.place(ordinal)}: {fault}") from fault

    def _records(self) -> None:
        for one in self.slices:
            for ordinal, record in enumerate(one.records):
                place = one.place(ordinal)
                if not is_record(record):
                    raise Failed("bad_record", f"{place}: {fault_of(record, _TEN)}")
                check_fields(record, place)
                if record["stream"] != one.stream:
                    raise Failed("bad_record", f"{place}: of {record['stream']}")
                if record["v"] != one.first + ordinal:
                    raise Failed("gap", f"{place}: version {record['v']}")
            if len(one.records) != one.last - one.first + 1:
                raise Failed("gap", f"{one.stream}: {len(one.records)} records")

    def _chain(self) -> None:
        for one in self.slices:
            one.hashes = [leaf_hash(text).hex() for text in one.texts]
            before = NO_HASH if one.first == 1 else one.records[0]["prev"]
            for ordinal, record in enumerate(one.records):
                if record["prev"] != before:
                    raise Failed("broken_chain", one.place(ordinal))
                before = one.hashes[ordinal]

    def _order(self) -> None:
        seen: set[str] = set()
        for one in self.slices:
            at = ""
            for ordinal, record in enumerate(one.records):
                if record["at"] < at:
                    raise Failed("time_runs_back", one.place(ordinal))
                if record["id"] in seen:
                    raise Failed("duplicate_id", one.place(ordinal))
                at = record["at"]
                seen.add(record["id"])

    def _inclusion(self) -> None:
        for one in self.slices:
            leaf = bytes.fromhex(one.hashes[-1])
            if not is_included(one.inclusion, leaf, self.note):
                raise Failed("not_included", one.place(len(one.records) - 1))

    # V10 to V12: the entry of the books

    def _origin(self) -> None:
        claim, entry = self.claim, self._entry
        stream, version = entry["source_stream"], entry["source_version"]
        if claim["entry"] != entry["id"]:
            raise Failed("source_mismatch", "claim.entry")
        if claim["source"] != {"stream": stream, "version": version}:
            raise Failed("source_mismatch", "claim.source")
        found = next((one for one in self.slices if one.stream == stream), None)
        if found is None or not found.first <= version <= found.last:
            raise Failed("source_mismatch", f"{stream} v{version} is in no slice")
        if found.hashes[version - found.first] != entry["source_hash"]:
            raise Failed("source_mismatch", "entry.source_hash")
        key = _entry_key(entry["key"])
        if key is None or (key[1], key[2]) != (stream, str(version)):
            raise Failed("source_mismatch", "entry.key")
        if claim["kind"] in OF_TOURNAMENTS and found.first != 1:
            raise Failed("source_mismatch", f"{stream} does not begin at version 1")
        self._source, self._part = found.records[version - found.first], int(key[3])

    def _balance(self) -> None:
        claim, entry = self.claim, self._entry
        postings = entry["postings"]
        sums: Counter[str] = Counter()
        for line, one in enumerate(postings, 1):
            if one["amount"] == 0 or one["line"] != line:
                raise Failed("entry_not_balanced", f"line {line}")
            sums[one["currency"]] += one["amount"]
        if not postings or any(sums.values()):
            raise Failed("entry_not_balanced", "sum")
        if claim["line"] > len(postings) or claim["kind"] != entry["kind"]:
            raise Failed("claim_mismatch", "line or kind")
        mine = postings[claim["line"] - 1]
        sign = 1 if claim["kind"] == "withdrawal_paid" else -1
        names = {"account": claim["account"], "currency": claim["currency"]}
        if mine != names | {"line": claim["line"], "amount": sign * claim["amount"]}:
            raise Failed("claim_mismatch", f"line {claim['line']}")
        if not _is_owned(claim):
            raise Failed("claim_mismatch", f"{claim['account']} is not the player's")

    def _amounts(self) -> None:
        entry, found = self._entry, stated(self._source, self._part)
        if found is None or found[0] != entry["kind"]:
            raise Failed("amount_mismatch", "the source states no such entry")
        legs = [
            (unstriped(one["account"], entry["key"]), one["amount"]) for one in entry["postings"]
        ]
        ours = [(account or "", amount) for account, amount in legs]
        currencies = {one["currency"] for one in entry["postings"]}
        if sorted(ours) != found[1] or currencies != {self._source["data"]["currency"]}:
            raise Failed("amount_mismatch", "postings")
        if entry["reverses"] != self._source["data"].get("reverses"):
            raise Failed("amount_mismatch", "reverses")

    # V13 to V20: every hand

    def hands(self) -> Iterable[Hands]:
        """The hands of each table in the receipt."""
        return self._hands.values()

    def _of_hands(self, code: str) -> bool:
        if self._faults is None:
            self._faults = self._judge_hands()
        for fault in self._faults:
            if fault.code == code:
                raise fault
        return any(_NEEDS[code] & hands.seen for hands in self._hands.values())

    def _judge_hands(self) -> list[Failed]:
        faults: list[Failed] = []
        for one in self.slices:
            if not one.stream.startswith("table/"):
                continue
            hands = self._hands[one.stream] = Hands(faults.append, whole=one.first == 1)
            hands.keep = True
            for ordinal, record in enumerate(one.records):
                hands.feed(record, one.place(ordinal))
            hands.finish()
        if self.claim["kind"] == "hand":
            self._judge_claimed(faults)
        return faults

    def _judge_claimed(self, faults: list[Failed]) -> None:
        """The hand that the receipt is about is in the records from its seeds' anchors on."""
        source = self._source
        place = place_of(source["stream"], source["v"])
        hand = self._hands[source["stream"]].judged.get(source["v"])
        if hand is None:
            faults.append(Failed("deal_out_of_order", f"{place}: the hand is not here in full"))
        elif hand.commitment.unproved:
            seat = hand.commitment.unproved[0]
            faults.append(Failed("bad_seed", f"{place}: the anchor of seat {seat} is not here"))

    # V21 to V23: what belongs to a kind

    def _cash_out(self) -> bool:
        if self.claim["kind"] != "cash_out":
            return False
        slice_ = next(one for one in self.slices if one.stream == self._source["stream"])
        player, place = self.claim["player"], place_of(self._source["stream"], self._source["v"])
        first = slice_.records[0]
        if first["type"] != "SeatTaken" or first["data"]["player"] != player:
            raise Failed("stack_mismatch", f"{slice_.place(0)}: not the player's SeatTaken")
        stack = _followed_stack(slice_, player, self._source["v"])
        if stack != self._source["data"]["amount"] or self._source["data"]["player"] != player:
            raise Failed("stack_mismatch", place)
        return True

    def _prizes(self) -> bool:
        if self.claim["kind"] not in OF_TOURNAMENTS:
            return False
        records = next(one for one in self.slices if one.stream == self._source["stream"]).records
        parts = _parts_around(records, self._source)
        if self.claim["kind"] == "prize":
            pool = _pool(records, parts)
            paid = sum(one["amount"] for part in parts for one in part["data"]["prizes"])
            prize = self._source["data"]["prizes"][self._part - FIRST_PAYOUT]
            mine = (prize["player"], prize["amount"]) == (
                self.claim["player"],
                self.claim["amount"],
            )
            if paid != pool or not mine:
                raise Failed("prize_mismatch", f"prizes {paid}, pool {pool}")
        return True

    def _people(self) -> bool:
        records = next(one for one in self.slices if one.stream == self._source["stream"]).records
        before = [one for one in records if one["v"] < self._source["v"]]
        kind, data = self.claim["kind"], self._source["data"]
        if kind in ("adjustment", "reversal"):
            _check_adjustment(before, data)
        elif kind in ("withdrawal_paid", "withdrawal_returned"):
            _check_withdrawal(before, data)
        elif kind != "deposit":
            return False
        if data.get("method") == MANUAL and len(set(data["approved_by"])) != 2:
            raise Failed("same_person", "approved_by")
        return True


def _check_members(value: Fields, shape: dict[str, Shape]) -> None:
    """Exactly these members, each of its shape. Raises: Failed with `bad_field`, naming one."""
    fault = fault_of(value, shape)
    if fault:
        raise Failed("bad_field", fault)


def is_included(inclusion: Fields, leaf: bytes, note: Note) -> bool:
    """Whether a proof leads from a leaf to the root of a note."""
    path = [bytes.fromhex(step) for step in inclusion["path"]]
    sizes = inclusion["size"] == note.size and inclusion["index"] < note.size
    return sizes and root_from_path(leaf, inclusion["index"], note.size, path) == note.root


def _is_owned(claim: Fields) -> bool:
    """Whether the claimed account is one of the player's own."""
    role, *ids = claim["account"].split(":")
    if role == "seat" and len(ids) == 3:
        ids = ids[1:]
    own: bool = ids == [claim["player"], claim["currency"]]
    if claim["kind"] == "withdrawal_paid":
        return own and role == "withdrawal"
    return own and role in ("wallet", "seat", "withdrawal", "receivable")


def _followed_stack(slice_: Slice, player: str, until: int) -> int:
    """A stack from buy-in, top-ups and hands. Raises: Failed `stack_mismatch` on the way."""
    stack = 0
    for ordinal, record in enumerate(slice_.records[: until - slice_.first]):
        data, kind = record["data"], record["type"]
        if kind in ("SeatTaken", "StackToppedUp") and data["player"] == player:
            stack += data["buy_in"] if kind == "SeatTaken" else data["amount"]
            if ordinal and kind == "SeatTaken":
                raise Failed("stack_mismatch", f"{slice_.place(ordinal)}: a second SeatTaken")
        elif kind == "HandEnded":
            stack += _amount_of(data["net"], player) - _amount_of(data["rake"], player)
        told = _told_stack(record, player)
        if told is not None and told != stack:
            raise Failed("stack_mismatch", f"{slice_.place(ordinal)}: {told}, not {stack}")
        if kind == "SeatCashedOut" and data["player"] == player:
            raise Failed("stack_mismatch", f"{slice_.place(ordinal)}: cashed out before")
    return stack


def _told_stack(record: Fields, player: str) -> int | None:
    """The stack of a player as an event tells it."""
    name, member = {
        "HandDealt": ("players", "stack"),
        "HandEnded": ("stacks", "amount"),
        "HandVoided": ("stacks", "amount"),
    }.get(record["type"], ("", ""))
    told = [one[member] for one in record["data"].get(name, ()) if one["player"] == player]
    return told[0] if told else None


def _amount_of(items: Iterable[Fields], player: str) -> int:
    return sum(one["amount"] for one in items if one["player"] == player)


def _parts_around(records: Sequence[Fields], source: Fields) -> list[Fields]:
    """All parts of the event that the source is one of. Raises: Failed with `prize_mismatch`."""
    data = source["data"]
    if "parts" not in data:
        return [source]
    first, count = source["v"] - data["part"], data["parts"]
    parts = list(records[first : first + count]) if first >= 0 else []
    numbers = [
        (one["data"]["part"], one["data"]["parts"], one["data"]["currency"])
        for one in parts
        if one["type"] == source["type"]
    ]
    due = [(part, count, data["currency"]) for part in range(1, len(parts) + 1)]
    if len(parts) != count or numbers != due:
        raise Failed("prize_mismatch", f"{place_of(source['stream'], source['v'])}: parts")
    return parts


def _pool(records: Sequence[Fields], parts: Sequence[Fields]) -> int:
    """What there is to win: all that was paid in and not back, and what the event states."""
    paid_in = {"EntryPaid": "buy_in", "ReEntered": "buy_in", "RebuyBought": "amount",
               "AddOnBought": "amount"}  # fmt: skip
    pool = 0
    for record in records[: parts[0]["v"] - 1]:
        if record["type"] in paid_in:
            pool += record["data"][paid_in[record["type"]]]
        elif record["type"] == "EntryRefunded":
            pool -= record["data"]["pool"]
    for part in parts:
        data = part["data"]
        pool += data["overlay"] - data["rake"] + data["heads_to_pool"]
    return pool


def _check_adjustment(before: Sequence[Fields], approved: Fields) -> None:
    """Proposed by one, approved by another, the same to the last member."""
    about = [one for one in before if one["data"].get("adjustment") == approved["adjustment"]]
    if [one["type"] for one in about] != ["AdjustmentProposed"]:
        raise Failed("bad_sequence", "proposed once, not rejected")
    if {**about[0]["data"], "approver": approved["approver"]} != approved:
        raise Failed("bad_sequence", "approved is not what was proposed")
    if approved["proposer"] == approved["approver"]:
        raise Failed("same_person", "proposer and approver")


def _check_withdrawal(before: Sequence[Fields], concluded: Fields) -> None:
    """Requested once with this amount; neither paid nor returned before."""
    about = [one for one in before if one["data"].get("withdrawal") == concluded["withdrawal"]]
    types = [one["type"] for one in about if one["type"] in SHAPES]
    if types != ["WithdrawalRequested"] or about[0]["type"] != types[0]:
        raise Failed("bad_sequence", "requested once, neither paid nor returned before")
    asked = about[0]["data"]
    if any(asked[name] != concluded[name] for name in ("amount", "currency")):
        raise Failed("bad_sequence", "another amount than requested")


# --- exports --------------------------------------------------------------------------------------

_STREAM_HEADER = {
    "format": one_of(EXPORT), "kind": one_of("stream"), "stream": is_stream, "origin": is_text,
    "keys": [is_verifier_key], "checkpoint": is_text,
}  # fmt: skip
_LOG_HEADER = {
    "format": one_of(EXPORT), "kind": one_of("log"), "origin": is_text,
    "keys": [is_verifier_key], "checkpoint": is_text, "from": is_count, "size": is_positive,
}  # fmt: skip
_STREAM_END = {"inclusion": _INCLUSION, "count": is_count}
_LOG_END = {"count": is_count}
_LEAF_LINES = ({"i", "r"}, {"i", "h"})


def verify_export(
    lines: Iterable[bytes],
    keys: Sequence[str] = (),
    report: Report = lambda *_: None,
    witnesses: Sequence[str] = (),
) -> Verified:
    """Check an export line by line, as it comes. Raises: Failed at the first wrong record.

    Memory holds one head a stream and the hands that run; an id that stands twice is found within
    a stream's export, not across a whole log.
    """
    numbered = _numbered(lines)
    _, header = next(numbered, (0, None))
    if type(header) is not dict or header.get("format") != EXPORT:
        raise Failed("bad_file", f"no {EXPORT}")
    of_log = header.get("kind") == "log"
    shape = dict(_LOG_HEADER) if of_log else _STREAM_HEADER
    if of_log and header.get("from") != 0:
        shape["frontier"] = [is_hash]
    _check_members(header, shape)
    note = check_note(header["checkpoint"], keys or header["keys"], header["origin"])
    check_witnesses(note, witnesses)
    trusted = list(keys or header["keys"])
    export = _LogExport(header, note, trusted) if of_log else _StreamExport(header, note)
    for number, line in numbered:
        export.line(number, line)
    export.end()
    for code in OF_EXPORTS:
        report(code, CHECKS[code][0] if export.has(code) else "")
    own = (*export.warnings(), *without_seed(export.hands()))
    warnings = (*(() if keys else (KEY_FROM_FILE,)), *own)
    words = f"{export.words} of {export.count} records, size {note.size}"
    return Verified(words, None, export.count, note.size, note.root, warnings)


def _numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, Json]]:
    decode, once = _OUTER.decode, ValueError
    for number, line in enumerate(lines, 1):
        if len(line) > LINE_BYTES_MAX:
            raise Failed("bad_file", f"line {number} is too long")
        try:
            yield number, decode(line.decode("utf-8"))
        except (once, RecursionError) as fault:
            raise Failed("bad_file", f"line {number}: {fault}") from fault


def _raise(fault: Failed) -> NoReturn:
    raise fault


class _Export:
    """What exports share: records of streams, each held to the one before it."""

    def __init__(self, *, whole: bool) -> None:
        self._heads: dict[str, Head] = {}
        self._whole = whole
        self.count = 0
        self.ended = False

    def has(self, code: str) -> bool:
        """Whether there was something to check."""
        if code in OF_RECORDS:
            return bool(self._heads)
        return code not in _NEEDS or any(_NEEDS[code] & one.seen for one in self.hands())

    def hands(self) -> Iterable[Hands]:
        """The hands of each table that was read."""
        return (head.hands for head in self._heads.values() if head.hands is not None)

    def _record(self, index: int, text: Json) -> tuple[Fields, bytes]:
        """The record of a line, checked and in its chain; its hash."""
        if type(text) is not str:
            raise Failed("bad_field", f"record {index}")
        raw = text.encode("utf-8", "surrogatepass")
        try:
            record = read_record(raw)
        except ValueError as fault:
            raise Failed("not_canonical", f"record {index}: {fault}{_named(text)}") from fault
        if not is_record(record):
            where = f"record {index}{_named(text)}"
            raise Failed("bad_record", f"{where}: {fault_of(record, _TEN)}")
        stream = record["stream"]
        place = place_of(stream, record["v"], index)
        check_fields(record, place)
        head = self._heads.get(stream)
        if head is None:
            head = self._heads[stream] = Head(0 if self._whole else record["v"] - 1)
            if record["v"] == 1:
                head.hash = NO_HASH
        leaf = leaf_hash(raw)
        head.follow(record, leaf.hex(), place)
        if stream.startswith("table/"):
            if head.hands is None:
                head.hands = Hands(_raise, whole=record["v"] == 1)
            head.hands.feed(record, place)
        return record, leaf


def _named(text: str) -> str:
    """Stream and version of a record that is none, as well as they can be read."""
    stream = re.search(r'"stream":"([^"]{1,60})"', text)
    version = re.search(r'"v":(\d{1,16})\}\Z', text)
    return f", {stream[1]} v{version[1]}" if stream and version else ""


class _StreamExport(_Export):
    """One stream from version 1 on; its last record lies under the note, so all do."""

    def __init__(self, header: Fields, note: Note) -> None:
        super().__init__(whole=True)
        self._stream, self._note = header["stream"], note
        self._index, self._leaf = -1, b""
        self._ids: set[str] = set()
        self.words = self._stream

    def line(self, number: int, line: Json) -> None:
        """One line after the header."""
        if self.ended:
            raise Failed("bad_field", f"line {number}: behind the last line")
        if type(line) is dict and "count" in line:
            self._last(number, line)
            return
        if not fits(line, {"i": is_count, "r": is_text}) or line["i"] <= self._index:
            raise Failed("bad_field", f"line {number}")
        record, self._leaf = self._record(line["i"], line["r"])
        place = place_of(record["stream"], record["v"], line["i"])
        if record["stream"] != self._stream:
            raise Failed("bad_record", f"{place}: not of {self._stream}")
        if record["id"] in self._ids:
            raise Failed("duplicate_id", place)
        self._ids.add(record["id"])
        self._index = line["i"]
        self.count += 1

    def _last(self, number: int, line: Fields) -> None:
        if not fits(line, _STREAM_END):
            raise Failed("bad_field", f"line {number}")
        if line["count"] != self.count or not self.count:
            raise Failed("short_export", f"{self.count} of {line['count']} records")
        right = line["inclusion"]["index"] == self._index
        if not right or not is_included(line["inclusion"], self._leaf, self._note):
            raise Failed("not_included", place_of(self._stream, self.count, self._index))
        self.ended = True

    def end(self) -> None:
        """The file is over. Raises: Failed: `short_export`, or for a hand without its end."""
        if not self.ended:
            raise Failed("short_export", "the last line is missing")
        hands = self._heads[self._stream].hands
        if hands is not None:
            hands.finish()

    def warnings(self) -> tuple[str, ...]:
        """Nothing but what every export is warned of."""
        return ()


class _LogExport(_Export):
    """All streams in the order of the log; every signed size on the way has its own root."""

    def __init__(self, header: Fields, note: Note, keys: Sequence[str]) -> None:
        super().__init__(whole=header["from"] == 0)
        self._first, self._size, self._note, self._keys = header["from"], header["size"], note, keys
        if note.size != self._size or self._first >= self._size:
            raise Failed("bad_field", "from, size, checkpoint")
        try:
            frontier = [bytes.fromhex(one) for one in header.get("frontier", ())]
            self._tree = Frontier(self._first, frontier)
        except ValueError as fault:
            raise Failed("bad_field", f"frontier: {fault}") from fault
        self._signed = -1  # the size of the last note met
        self._foreign = 0
        self.words = f"log from {self._first}"

    def line(self, number: int, line: Json) -> None:
        """One line after the header."""
        if self.ended or type(line) is not dict:
            raise Failed("bad_field", f"line {number}")
        names = line.keys()
        if names in _LEAF_LINES:
            index = self._tree.size
            if type(line["i"]) is not int or line["i"] != index or index >= self._size:
                raise Failed("bad_field", f"line {number}: record {index} is missing")
            if "r" in line:
                leaf = self._record(index, line["r"])[1]
            elif is_hash(line["h"]):
                leaf = bytes.fromhex(line["h"])
            else:
                raise Failed("bad_field", f"line {number}")
            self._tree.push(leaf)
            self.count += 1
        elif names == {"c"} and is_text(line["c"]):
            self._checkpoint(line["c"])
        elif fits(line, _LOG_END):
            self._close(line["count"])
        else:
            raise Failed("bad_field", f"line {number}")

    def _checkpoint(self, text: str) -> None:
        """A note on the way. By an older key alone its root counts: the last note signs all."""
        note, size = read_note(text), self._tree.size
        if (note.size, note.root) != (size, self._tree.root()) or note.origin != self._note.origin:
            raise Failed("checkpoint_mismatch", f"size {size}, note of {note.size}")
        try:
            check_signature(note, self._keys)
        except Failed as fault:
            if fault.error != "unknown_key" or size == self._size:
                raise
            self._foreign += 1
        self._signed = size

    def _close(self, count: int) -> None:
        size = self._tree.size
        if count != self.count or size != self._size or self._signed != size:
            raise Failed("short_export", f"{self.count} records, to {size} of {self._size}")
        if self._tree.root() != self._note.root:
            raise Failed("checkpoint_mismatch", f"size {size}")
        for head in self._heads.values():
            if head.hands is not None:
                head.hands.finish()
        self.ended = True

    def end(self) -> None:
        """The file is over. Raises: Failed with `short_export`."""
        if not self.ended:
            raise Failed("short_export", f"it ends at {self._tree.size} of {self._size}")

    def warnings(self) -> tuple[str, ...]:
        """Notes on the way that no key given here has signed."""
        count = self._foreign
        said = f"{count} older notes are signed by other keys; their roots are right"
        return (said,) if count else ()


# --- watching -------------------------------------------------------------------------------------


class Broken(Exception):
    """What a watcher must not keep to himself: a fault of the log. The message says what."""


class Unchecked(OSError):
    """Nothing was learned about the log: it did not answer, or the kept state is damaged."""


Fetch = Callable[[str], bytes]


def fetched(url: str) -> bytes:
    """The body of an address of the web, and of no other. Raises: OSError."""
    opener = urllib.request.OpenerDirector()
    for handler in _WEB:
        opener.add_handler(handler())
    try:
        answer = opener.open(url, timeout=20)
        if answer is None:
            raise OSError(f"no address of the web: {url}")
        with answer:
            body = bytes(answer.read(NOTE_BYTES_MAX + 1))
    except (HTTPException, ValueError) as fault:  # no HTTP, or no address at all
        raise OSError(repr(fault)) from fault
    if len(body) > NOTE_BYTES_MAX:
        raise OSError(f"{url} answers more than {NOTE_BYTES_MAX} bytes")
    return body


_WEB = (
    urllib.request.ProxyHandler,
    urllib.request.HTTPHandler,
    urllib.request.HTTPSHandler,
    urllib.request.HTTPRedirectHandler,
    urllib.request.HTTPDefaultErrorHandler,
    urllib.request.HTTPErrorProcessor,
)


def watch(
    url: str,
    state: Path,
    keys: Sequence[str] = (),
    fetch: Fetch = fetched,
    witnesses: Sequence[str] = (),
) -> str:
    """Hold the newest note of a log to the last one kept, keep it, and say what was seen.

    `url` is the log's address, `.../api/v1/log`. Keys are kept with the first note: later ones
    must be signed by them. With witnesses the newest note that one of them has cosigned must have
    the line of each, and the newest note must go on from it too.

    Raises: Broken for a fork, a log that shrank, a note that is not signed or does not go on from
    the last one; Unchecked where the log gives no answer or the state is damaged; OSError.
    """
    base, ask = url.rstrip("/"), _asking(fetch)
    kept = _kept(state)
    if not keys:
        keys = kept["keys"] if kept else _served_keys(ask(f"{base}/key"))
    seen = _cosigned(base, keys, ask) if witnesses else None  # first: the newest can only be newer
    note = _signed(ask(f"{base}/checkpoint"), keys)
    said = f"first note kept, size {note.size}"
    if kept:
        said = _followed(base, note, read_note(kept["note"]), ask)
    if seen is not None:
        said += _by_witnesses(seen, witnesses)
        _followed(base, note, seen, ask)
    text = signed_text(note)
    write_state(state, {"url": base, "keys": list(keys), "note": text})
    return f"{note.origin}: {said}"


def _asking(fetch: Fetch) -> Fetch:
    """Ask and say what it means if nobody answers."""

    def ask(url: str) -> bytes:
        try:
            return fetch(url)
        except OSError as fault:
            raise Unchecked(f"no answer from {url}: {fault}; nothing was checked") from fault

    return ask


def _signed(answer: bytes, keys: Sequence[str]) -> Note:
    try:
        return check_note(answer.decode("utf-8"), keys)
    except (Failed, UnicodeDecodeError) as fault:
        raise Broken(f"the note is not as it must be: {fault}") from fault


def _cosigned(base: str, keys: Sequence[str], ask: Fetch) -> Note:
    """The newest note with a witness's line, which few have: a log is signed more often."""
    try:
        return _signed(ask(f"{base}/checkpoint?witnessed=1"), keys)
    except Unchecked as fault:
        if isinstance(fault.__cause__, HTTPError) and fault.__cause__.code == 404:
            raise Broken("the log has no note with a witness's line") from fault
        raise


def _by_witnesses(note: Note, witnesses: Sequence[str]) -> str:
    try:
        times = check_witnesses(note, witnesses)
    except Failed as fault:
        raise Broken(f"the note is not as it must be: {fault}") from fault
    names = (read_key(text, COSIGNATURE).name for text in witnesses)
    return "".join(
        f"; {name} saw size {note.size} at {_utc(seconds)}"
        for name, seconds in zip(names, times, strict=True)
    )


def _utc(seconds: int) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):  # beyond any calendar
        return f"second {seconds}"


def signed_text(note: Note) -> str:
    """A note in full."""
    lines = "".join(
        f"— {name} {b64encode(number + signature).decode()}\n"
        for name, number, signature in note.lines
    )
    return f"{note.text}\n{lines}"


def _followed(base: str, note: Note, last: Note, fetch: Fetch) -> str:
    if note.origin != last.origin:
        raise Broken(f"another log: {note.origin} in place of {last.origin}")
    if note.size < last.size:
        raise Broken(f"the log shrank: size {note.size}, {last.size} was signed and kept")
    if note.size == last.size:
        if note.root != last.root:
            raise Broken(f"a fork: two roots of size {note.size} are signed")
        return f"unchanged, size {note.size}"
    if last.size and not _proved(base, note, last, fetch):
        raise Broken(f"a fork: size {note.size} does not go on from the signed size {last.size}")
    return f"size {last.size} to {note.size}, consistent"


def _proved(base: str, note: Note, last: Note, fetch: Fetch) -> bool:
    answer = fetch(f"{base}/proofs/consistency?from={last.size}&to={note.size}")
    try:
        path = read_json(answer)["path"]
    except (ValueError, KeyError, TypeError):
        return False
    if not fits(path, [is_hash]):
        return False
    steps = [bytes.fromhex(step) for step in path]
    return is_consistent(last.size, last.root, note.size, note.root, steps)


def _served_keys(answer: bytes) -> list[str]:
    """Verifier keys in what `/key` answers, wherever they stand in it."""
    try:
        found = list(_keys_in(read_json(answer)))
    except ValueError as fault:
        raise Broken(f"the keys are no JSON: {fault}") from fault
    if not found:
        raise Broken("the log serves no key")
    return found


def _keys_in(value: Json) -> Iterator[str]:
    if is_verifier_key(value):
        yield value
    elif type(value) in (list, dict):
        for item in value.values() if type(value) is dict else value:
            yield from _keys_in(item)


def _kept(state: Path) -> Fields | None:
    if not state.exists():
        return None
    damaged = (
        f"{state} is damaged ({{}}): it is no state of a watcher; this says nothing about the log"
    )
    try:
        kept = read_json(state.read_bytes())
        if not fits(kept, {"url": is_text, "keys": [is_verifier_key], "note": is_text}):
            raise Unchecked(damaged.format("other members"))
        check_note(kept["note"], kept["keys"])
    except (ValueError, Failed) as fault:
        raise Unchecked(damaged.format(fault)) from fault
    return dict(kept)


def write_state(path: Path, value: Fields, mode: int = 0o644) -> None:
    """Replace a file by JSON at one stroke: written aside, flushed, renamed, the folder flushed."""
    aside = path.with_name(f"{path.name}.{os.getpid()}.new")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "wb") as out:
        out.write(canonical_state(value))
        out.flush()
        os.fsync(out.fileno())
    aside.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def canonical_state(value: Fields) -> bytes:
    """A state file's bytes."""
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True).encode() + b"\n"


# --- the command ----------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    with suppress(BrokenPipeError):
        return _watched(given[1:]) if given[:1] == ["watch"] else _verified(given)
    return 1


def _watched(given: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="tonk_verify.py watch", description="Watch a log.")
    parser.add_argument("url", help="address of the log, https://.../api/v1/log")
    parser.add_argument("--state", type=Path, required=True, help="file for the note that is kept")
    _add_keys(parser)
    asked = parser.parse_args(given)
    try:
        trusts_log = not asked.key and not asked.state.exists()
        said = watch(asked.url, asked.state, asked.key, witnesses=asked.witness)
    except Broken as fault:
        _say(f"FAILED watch: {fault}")
        return 1
    except OSError as fault:
        _say(str(fault), sys.stderr)
        return 2
    if trusts_log:
        _say(f"warning: {OF_ITSELF.format('this log')}")
    _say(f"ok {said}")
    return 0


def _add_keys(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--key", action="append", default=[], type=_key_argument(ED25519), metavar="VKEY",
        help="key of the log, <name>+<8 hex>+<base64>, from a place that its server does not "
        "write; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--witness", action="append", default=[], type=_key_argument(COSIGNATURE), metavar="VKEY",
        help="key of a witness whose line the note must have; may be repeated",
    )  # fmt: skip


def _verified(given: Sequence[str]) -> int:
    words = (__doc__ or "").partition("\n")[0]
    more = (
        "`tonk_verify.py watch URL --state FILE` watches a log: see `tonk_verify.py watch --help`."
    )
    parser = argparse.ArgumentParser(prog="tonk_verify.py", description=words, epilog=more)
    parser.add_argument("file", help="a receipt or an export; - for stdin")
    _add_keys(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    asked = parser.parse_args(given)
    done: Fields = {"checks": [], "absent": []}

    def report(code: str, name: str) -> None:
        done["checks" if name else "absent"].append(code)
        if not asked.json:
            absent = f"ok {code} {CHECKS[code][0]}: nothing of the kind in this file"
            _say(f"ok {code} {name}" if name else absent)

    try:
        found = verify_file(asked.file, asked.key, report, asked.witness)
    except Failed as fault:
        failed = {"check": fault.code, "error": fault.error, "place": fault.place}
        _say(json.dumps({"ok": False, **done, **failed}) if asked.json else str(fault))
        return 1
    except OSError as fault:
        _say(f"{asked.file}: {fault}", sys.stderr)
        return 2
    _tell(found, done, as_json=asked.json)
    return 0


def verify_file(
    name: str,
    keys: Sequence[str] = (),
    report: Report = lambda *_: None,
    witnesses: Sequence[str] = (),
) -> Verified:
    """Check a file, whichever of the two it is. Raises: Failed, OSError."""
    with open(0, "rb", closefd=False) if name == "-" else Path(name).open("rb") as source:
        first = source.readline(LINE_BYTES_MAX + 1)
        if _is_export(first):
            return verify_export(_lines(first, source), keys, report, witnesses)
        whole = first + source.read(RECEIPT_BYTES_MAX)
        if len(whole) > RECEIPT_BYTES_MAX:
            raise Failed("bad_file", f"more than {RECEIPT_BYTES_MAX} bytes")
        return verify(whole, keys, report, witnesses)


def _lines(first: bytes, source: Any) -> Iterator[bytes]:
    line = first
    while line:
        yield line
        line = source.readline(LINE_BYTES_MAX + 1)


def _is_export(line: bytes) -> bool:
    try:
        header = read_json(line)
    except ValueError:
        return False
    return type(header) is dict and header.get("format") == EXPORT


def _tell(found: Verified, done: Fields, *, as_json: bool) -> None:
    if as_json:
        about = {"claim": found.claim} if found.claim else {}
        told = {
            "ok": True, **done, **about, "records": found.records,
            "size": found.size, "root": found.root.hex(), "not_checked": [NOT_CHECKED],
            "warnings": list(found.warnings), "verified": found.words,
        }  # fmt: skip
        _say(json.dumps(told, ensure_ascii=False))
        return
    for warning in found.warnings:
        _say(f"warning: {warning}")
    _say(f"not checked: {NOT_CHECKED}")
    if KEY_FROM_FILE in found.warnings:
        _say(OF_ITSELF.format("this file"))
    _say(f"verified: {found.words}")


def _key_argument(algorithm: int) -> Callable[[str], str]:
    def read(text: str) -> str:
        try:
            read_key(text, algorithm)
        except ValueError as fault:
            raise argparse.ArgumentTypeError(str(fault)) from fault
        return text

    return read


def _say(line: str, out: TextIO | None = None) -> None:
    """One line, whatever a file has put into it: nothing that starts another or moves a cursor."""
    shown = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in line)
    out = out or sys.stdout
    encoding = out.encoding or "ascii"
    shown = shown.encode(encoding, "backslashreplace").decode(encoding)
    out.write(f"{shown}\n")
    out.flush()


if __name__ == "__main__":
    sys.exit(main())
