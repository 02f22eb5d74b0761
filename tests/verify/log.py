"""A small log for tests of verifiers: records sealed by the product's core, notes by a test key.

Whoever damages a record may have everything after it hashed and signed again, as a server would
that rewrites its history: so a test can reach each check of a verifier on its own.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from eventstore.core import merkle
from eventstore.core.canonical import encode
from eventstore.core.chain import START, Fact, Head, head_of, seal
from eventstore.core.ids import uuid7
from eventstore.core.record import Stored, leaf_hash, record_bytes, time_text
from ledger.core.accounts import unstriped
from ledger.core.entries import Entry, entries_for

if TYPE_CHECKING:
    import msgspec

ORIGIN = "tonk.example/log/7"
SEED, OTHER_SEED, NEXT_SEED = b"\x42" * 32, b"\x43" * 32, b"\x44" * 32
START_AT = datetime(2026, 12, 1, 8, tzinfo=UTC)
STEP = timedelta(milliseconds=1250)
ENTRY_ID = 4711  # id of the entry in the books; no part of any hash

Record = dict[str, Any]
Receipt = dict[str, Any]


def public_of(seed: bytes) -> bytes:
    """Public key of a private seed."""
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def key_id(name: str, public: bytes, kind: int = 1) -> bytes:
    """First bytes of a key's hash, which signature lines carry."""
    return sha256(name.encode() + b"\n" + bytes((kind,)) + public).digest()[:4]


def verifier_key(seed: bytes = SEED, name: str = ORIGIN, kind: int = 1) -> str:
    """The text by which a key is given to a verifier."""
    public = public_of(seed)
    body = b64encode(bytes((kind,)) + public).decode()
    return f"{name}+{key_id(name, public, kind).hex()}+{body}"


VKEY = verifier_key()
WITNESS_SEED, WITNESS_NAME, WITNESSED_AT = b"\x45" * 32, "w.example", 1_796_112_000
WITNESS = verifier_key(WITNESS_SEED, WITNESS_NAME, 4)


def cosignature(note: str, seed: bytes = WITNESS_SEED) -> str:
    """The line of a witness under a note."""
    text = note.partition("\n\n")[0] + "\n"
    message = f"cosignature/v1\ntime {WITNESSED_AT}\n{text}".encode()
    signature = Ed25519PrivateKey.from_private_bytes(seed).sign(message)
    payload = key_id(WITNESS_NAME, public_of(seed), 4) + WITNESSED_AT.to_bytes(8, "big")
    return f"— {WITNESS_NAME} {b64encode(payload + signature).decode()}\n"


def checkpoint_text(size: int, root: bytes, origin: str = ORIGIN) -> str:
    """What is signed of a state of the log."""
    return f"{origin}\n{size}\n{b64encode(root).decode()}\n"


def signature_line(text: str, seed: bytes = SEED, name: str = ORIGIN) -> str:
    """One line of a note."""
    signature = Ed25519PrivateKey.from_private_bytes(seed).sign(text.encode())
    return f"— {name} {b64encode(key_id(name, public_of(seed)) + signature).decode()}\n"


def signed_note(text: str, *seeds: bytes) -> str:
    """A text with a line by each seed, by the test log's own without one."""
    lines = [signature_line(text, seed, text.split("\n", 1)[0]) for seed in seeds or (SEED,)]
    return text + "\n" + "".join(lines)


@dataclass
class Log:
    """Streams that grow together; every append is one command a little later."""

    order: list[Stored] = field(default_factory=list)
    at: datetime = START_AT
    _heads: dict[str, Head] = field(default_factory=dict)
    _ids: int = 0

    def append(
        self, stream: str, *events: msgspec.Struct, actor: str = "worker:dealer", auto: bool = False
    ) -> tuple[Stored, ...]:
        """The events as one append."""
        self.at += STEP
        facts = [Fact(event, actor, auto=auto) for event in events]
        ids = [self.new_id() for _ in range(len(facts) + 1)]
        sealed = seal(stream, self._heads.get(stream, START), facts, at=self.at, ids=ids)
        self._heads[stream] = head_of(sealed)
        self.order += sealed
        return sealed

    def new_id(self) -> Any:
        """The next id: a UUIDv7 of the log's instant, the same in every run."""
        self._ids += 1
        random = sha256(b"id" + self._ids.to_bytes(4, "big")).digest()[:10]
        return uuid7(int(self.at.timestamp() * 1000), random)

    def version(self, stream: str) -> int:
        """Newest version of a stream."""
        return self._heads[stream].version


@dataclass
class Row:
    """One record of a log that may be changed. `key` stays: its stream and version as made."""

    key: tuple[str, int]
    record: Record
    raw: bytes | None = None  # these bytes instead of the record's own
    prev: str | None = None  # this link instead of the right one


Rows = list[Row]
Change = Callable[[Rows], object]
Edit = Callable[[Receipt], object]


@dataclass(frozen=True)
class Slice:
    """Versions of one stream that go into a receipt."""

    stream: str
    first: int
    last: int


@dataclass(frozen=True)
class Claimed:
    """What a receipt is about: an entry of the books and the account of its player."""

    source: Stored
    part: int
    account: str
    player: str


@dataclass(frozen=True)
class Case:
    """A log and the receipt that is made from it."""

    records: tuple[Record, ...]
    claimed: Claimed
    slices: tuple[Slice, ...]

    def build(self, change: Change | None = None, edit: Edit | None = None) -> bytes:
        """The receipt, after `change` to the records (hashed and signed anew) and `edit`."""
        rows = rows_of(self.records)
        if change:
            change(rows)
        sealed = Sealed.of(rows)
        receipt = self._receipt(sealed)
        if edit:
            edit(receipt)
        return dumps(receipt)

    def _receipt(self, sealed: Sealed) -> Receipt:
        entry = self.entry
        hash_of = dict(zip((row.key for row in sealed.rows), sealed.leaves, strict=True))
        source = (entry.stream, entry.version)
        postings = [
            {
                "line": line,
                "account": unstriped(account),
                "amount": amount,
                "currency": entry.currency,
            }
            for line, (account, amount) in enumerate(entry.legs, 1)
        ]
        mine = next(one for one in postings if one["account"] == self.claimed.account)
        return {
            "format": "tonk/receipt/1",
            "made_at": time_text(START_AT + timedelta(hours=1)),
            "log": {"origin": ORIGIN, "keys": [VKEY], "checkpoint": sealed.note},
            "claim": {
                "kind": entry.kind.word,
                "entry": ENTRY_ID,
                "line": mine["line"],
                "account": mine["account"],
                "player": self.claimed.player,
                "amount": abs(int(str(mine["amount"]))),
                "currency": entry.currency,
                "source": {"stream": entry.stream, "version": entry.version},
            },
            "entry": {
                "id": ENTRY_ID,
                "key": entry.key,
                "kind": entry.kind.word,
                "source_stream": entry.stream,
                "source_version": entry.version,
                "source_hash": hash_of[source].hex(),
                "recorded_at": time_text(self.claimed.source.at),
                "reverses": entry.reverses,
                "postings": postings,
            },
            "streams": [sealed.slice(one) for one in sorted(self.slices, key=lambda s: s.stream)],
            "names": {self.claimed.player: "Ona"},
        }

    @property
    def entry(self) -> Entry:
        """The entry as the books make it of the source event."""
        made = entries_for(self.claimed.source)
        assert isinstance(made, tuple), made
        return next(entry for entry in made if entry.part == self.claimed.part)


@dataclass(frozen=True)
class Sealed:
    """A log whose records are chained, hashed and under one signed note."""

    rows: Rows
    texts: tuple[bytes, ...]
    leaves: tuple[bytes, ...]

    @classmethod
    def of(cls, rows: Rows) -> Sealed:
        """The rows, each linked to the row before it in its stream."""
        texts: list[bytes] = []
        last: dict[str, bytes] = {}
        for row in rows:
            stream = row.key[0]
            row.record["prev"] = row.prev or last.get(stream, bytes(32)).hex()
            texts.append(encode(row.record) if row.raw is None else row.raw)
            last[stream] = leaf_hash(texts[-1])
        return cls(rows, tuple(texts), tuple(map(leaf_hash, texts)))

    @property
    def note(self) -> str:
        """The signed note over all rows."""
        return signed_note(checkpoint_text(len(self.leaves), merkle.root(self.leaves)))

    def slice(self, wanted: Slice) -> dict[str, Any]:
        """A slice as a receipt holds it."""
        chosen = [
            index
            for index, row in enumerate(self.rows)
            if row.key[0] == wanted.stream and wanted.first <= row.key[1] <= wanted.last
        ]
        return {
            "stream": wanted.stream,
            "from": wanted.first,
            "to": wanted.last,
            "records": [self.texts[index].decode() for index in chosen],
            "inclusion": self.inclusion(chosen[-1]),
        }

    def inclusion(self, index: int) -> dict[str, Any]:
        """Proof of one record under the note."""
        path = merkle.path(self.leaves, index)
        return {"index": index, "size": len(self.leaves), "path": [one.hex() for one in path]}


@dataclass(frozen=True)
class Exported:
    """How a log is exported."""

    first: int = 0  # index of the first leaf
    hidden: str = ""  # streams that begin so are shown as hashes
    notes: tuple[int, ...] = ()  # signed sizes on the way
    every: int = 0  # further signed sizes: the multiples of this number


def stream_lines(sealed: Sealed, stream: str) -> list[Receipt]:
    """Lines of a stream's export."""
    chosen = [index for index, row in enumerate(sealed.rows) if row.key[0] == stream]
    head = {"format": "tonk/export/1", "kind": "stream", "stream": stream}
    lines = [{"i": index, "r": sealed.texts[index].decode()} for index in chosen]
    last = {"inclusion": sealed.inclusion(chosen[-1]), "count": len(chosen)}
    return [head | signed_by(sealed.note), *lines, last]


def log_lines(sealed: Sealed, how: Exported) -> list[Receipt]:
    """Lines of an export of the log to its end."""
    size = len(sealed.leaves)
    head: Receipt = {"format": "tonk/export/1", "kind": "log"} | signed_by(sealed.note)
    head |= {"from": how.first, "size": size}
    if how.first:
        head["frontier"] = [one.hex() for one in frontier(sealed.leaves[: how.first])]
    lines, tree = [head], list(frontier(sealed.leaves[: how.first]))
    for index in range(how.first, size):
        tree = merged(tree, index, sealed.leaves[index])
        row = sealed.rows[index]
        if how.hidden and row.key[0].startswith(how.hidden):
            lines.append({"i": index, "h": sealed.leaves[index].hex()})
        else:
            lines.append({"i": index, "r": sealed.texts[index].decode()})
        if index + 1 in (*how.notes, size) or (how.every and (index + 1) % how.every == 0):
            lines.append({"c": signed_note(checkpoint_text(index + 1, folded(tree)))})
    return [*lines, {"count": size - how.first}]


def signed_by(note: str) -> Receipt:
    """Members of an export's header that say who signed it."""
    return {"origin": ORIGIN, "keys": [VKEY], "checkpoint": note}


def frontier(leaves: Sequence[bytes]) -> list[bytes]:
    """Roots of the complete subtrees of these leaves, the largest first."""
    found, done = [], 0
    for height in reversed(range(len(leaves).bit_length())):
        if len(leaves) >> height & 1:
            found.append(merkle.root(leaves[done : done + (1 << height)]))
            done += 1 << height
    return found


def merged(tree: list[bytes], size: int, leaf: bytes) -> list[bytes]:
    """The frontier of `size` leaves with one more."""
    while size & 1:
        leaf = merkle.node(tree.pop(), leaf)
        size >>= 1
    return [*tree, leaf]


def folded(tree: Sequence[bytes]) -> bytes:
    """The root of a frontier."""
    root = tree[-1]
    for left in reversed(tree[:-1]):
        root = merkle.node(left, root)
    return root


def ndjson(lines: Iterable[Receipt]) -> bytes:
    """Lines of an export as a file."""
    return b"".join(dumps(line) + b"\n" for line in lines)


def rows_of(records: Iterable[Record]) -> Rows:
    """Rows that may be changed without changing the records."""
    return [Row((one["stream"], one["v"]), deepcopy(one)) for one in records]


def records_of(log: Log) -> tuple[Record, ...]:
    """The records of a log, decoded."""
    return tuple(json.loads(record_bytes(one)) for one in log.order)


def case(log: Log, claimed: Claimed, *slices: Slice) -> Case:
    """The case of a log as it now stands."""
    return Case(records_of(log), claimed, slices)


def dumps(value: object) -> bytes:
    """JSON as a server writes it."""
    return json.dumps(value, ensure_ascii=False).encode()


def note_of(leaves: Sequence[bytes]) -> str:
    """The signed note over these leaves."""
    return signed_note(checkpoint_text(len(leaves), merkle.root(leaves)))
