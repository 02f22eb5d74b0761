"""The log's vectors, one verdict each, for `manage.py cases`.

One case per canonical value, refused text, record, root, proof, tile and note.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from eventstore.core import merkle, notes, tiles
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
    for case in document["consistency"]:
        yield f"consistency/{case['from']}-to-{case['to']}", _consistency(case, leaves)
    yield from _tiles(document["tiles"])
    yield "note/log", _note(document["checkpoint"])
    yield "note/witness", _cosigned_note(document["checkpoint"])


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


def _consistency(case: Document, leaves: list[bytes]) -> str | None:
    old, new = case["from"], case["to"]
    path = merkle.consistency_path(leaves[:new], old)
    given = [bytes.fromhex(one) for one in case["path"]]
    roots = bytes.fromhex(case["root_from"]), bytes.fromhex(case["root_to"])
    return (
        _differs("path", [one.hex() for one in path], case["path"])
        or _differs("root_from", merkle.root(leaves[:old]), roots[0])
        or _differs("root_to", merkle.root(leaves[:new]), roots[1])
        or (None if merkle.is_consistent(old, roots[0], new, roots[1], given) else "no proof")
    )


def _tiles(case: Document) -> Iterator[Verdict]:
    """Tiles of a tree, its root, and proofs made from nothing but its tiles."""
    size = case["size"]
    leaves = [_tile_leaf(index) for index in range(size)]
    edge = tiles.Edge()
    stored = {(tile.level, tile.n): tile.hashes for tile in edge.push(leaves)}
    for level, hashes in enumerate(edge.levels):
        stored.setdefault((level, size >> tiles.HEIGHT * (level + 1)), b"".join(hashes))
    for one in case["tiles"]:
        yield one["path"], _tile(one, stored)
    yield f"tiles/root-of-{size}", _differs("root", edge.root().hex(), case["root"])
    split = {place: tiles.split_hashes(hashes) for place, hashes in stored.items()}
    for one in case["inclusion"]:
        ranges = merkle.inclusion_ranges(one["index"], one["size"])
        found = [each.hex() for each in tiles.roots_of(ranges, split)]
        yield f"tiles/inclusion/{one['index']}", _differs("path", found, one["path"])


def _tile_leaf(index: int) -> bytes:
    return leaf_hash(f"leaf {index}".encode())


def _tile(case: Document, stored: Mapping[tiles.Place, bytes]) -> str | None:
    _, level, path = case["path"].split("/", 2)
    place = tiles.read_tile_path(path)
    if place is None:
        return f"path: got none expected {path}"
    hashes = stored.get((int(level), place[0]), b"")
    return (
        _differs("path", tiles.tile_path(*place), path)
        or _differs("bytes", len(hashes), case["bytes"])
        or _differs("width", len(hashes), place[1] * tiles.HASH_BYTES)
        or _differs("sha256", sha256(hashes).hexdigest(), case["sha256"])
    )


def _note(case: Document) -> str | None:
    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(case["private_seed"]))
    key = notes.VerifierKey(case["origin"], bytes.fromhex(case["public_key"]))
    text = notes.checkpoint_text(case["origin"], case["size"], bytes.fromhex(case["root"]))
    signature = private.sign(text.encode())
    note = f"{text}\n{notes.signature_line(key.name, key.id, signature)}"
    read = notes.parse_note(case["note"])
    return (
        _differs("text", text, case["text"])
        or _differs("key id", key.id.hex(), case["key_id"])
        or _differs("verifier key", key.text, case["vkey"])
        or _differs("verifier key read", notes.VerifierKey.read(case["vkey"]), key)
        or _differs("signature", signature.hex(), case["signature"])
        or _differs("note", note, case["note"])
        or (None if read.is_signed_by(key) else "no signature of the key")
        or _differs("parts", (read.origin, read.size), (case["origin"], case["size"]))
    )


def _cosigned_note(case: Document) -> str | None:
    witness = case["witness"]
    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(witness["private_seed"]))
    public = bytes.fromhex(witness["public_key"])
    key = notes.VerifierKey(witness["name"], public, notes.COSIGNATURE)
    message = notes.cosignature_message(case["text"], witness["time"])
    signature = private.sign(message)
    payload = notes.cosignature_payload(witness["time"], signature)
    line = notes.signature_line(key.name, key.id, payload)
    read = notes.parse_note(case["note_with_witness"])
    return (
        _differs("message", message.decode(), witness["signed_message"])
        or _differs("key id", key.id.hex(), witness["key_id"])
        or _differs("signature", signature.hex(), witness["signature"])
        or _differs("line", line, witness["line"])
        or _differs("note", case["note"] + line, case["note_with_witness"])
        or _differs("time", read.cosigned_at(key), witness["time"])
    )
