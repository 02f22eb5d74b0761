"""The log's vectors, one verdict each, for `manage.py cases`.

One case per canonical value, refused text, record, root and inclusion proof. The members
`consistency`, `tiles` and `checkpoint` wait for consistency proofs, tiles and signed notes: they
are not run and not counted.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from eventstore.core import merkle
from eventstore.core.canonical import NotCanonicalError, decode, encode
from eventstore.core.record import FORMAT, NO_HASH, leaf_hash, read_record, record_bytes

Document = Mapping[str, Any]
Verdict = tuple[str, str | None]
"""Id of a case, and why it failed or None."""


def is_mine(document: object) -> bool:
    """Whether a decoded file holds vectors of the log."""
    return isinstance(document, Mapping) and document.get("format") == FORMAT


def run(document: Document) -> Iterator[Verdict]:
    """Verdicts of a file, member by member."""
    for case in document["canonical"]:
        yield f"canonical/{case['name']}", _canonical(case)
    for index, case in enumerate(document["refused"]):
        yield f"refused/{index}-{case['why']}", _refused(case)
    heads: dict[str, bytes] = {}
    for case in document["records"]:
        yield f"record/{case['log_index']}", _record(case, heads)
        heads[case["stream"]] = bytes.fromhex(case["hash"])
    leaves = [bytes.fromhex(case["hash"]) for case in document["records"]]
    for size, root in document["roots"].items():
        got = merkle.root(leaves[: int(size)]).hex()
        yield f"root/{size}", _differs("root", got, root)
    for case in document["inclusion"]:
        yield f"inclusion/{case['index']}-in-{case['size']}", _inclusion(case, leaves)


def _differs(what: str, got: object, expected: object) -> str | None:
    return None if got == expected else f"{what}: got {got!r} expected {expected!r}"


def _canonical(case: Document) -> str | None:
    text = encode(case["value"])
    return (
        _differs("canonical", text.decode(), case["canonical"])
        or _differs("leaf", leaf_hash(text).hex(), case["sha256_leaf"])
        or _differs("value read back", decode(case["canonical"]), case["value"])
    )


def _refused(case: Document) -> str | None:
    try:
        value = decode(case["json"])
    except NotCanonicalError:
        return None
    return f"accepted as {value!r}"


def _record(case: Document, heads: Mapping[str, bytes]) -> str | None:
    record = case["record"].encode()
    stored = read_record(record)
    return (
        _differs("hash", stored.hash.hex(), case["hash"])
        or _differs("stream", stored.stream, case["stream"])
        or _differs("version", stored.version, case["v"])
        or _differs("prev", stored.prev_hash, heads.get(case["stream"], NO_HASH))
        or _differs("record", record_bytes(stored), record)
    )


def _inclusion(case: Document, leaves: list[bytes]) -> str | None:
    index, size = case["index"], case["size"]
    path = merkle.path(leaves[:size], index)
    root = merkle.root_from_path(bytes.fromhex(case["leaf"]), index, size, path)
    return (
        _differs("path", [one.hex() for one in path], case["path"])
        or _differs("leaf", leaves[index].hex(), case["leaf"])
        or _differs("root", root and root.hex(), case["root"])
    )
