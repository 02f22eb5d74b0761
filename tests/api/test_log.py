"""The log over HTTP: what is public, what is hidden, and that a stranger can check it."""

from typing import Any

import pytest
from django.conf import settings
from django.db import connections

from eventstore import store, tree
from eventstore.core import merkle, notes, tiles
from eventstore.core.chain import START
from eventstore.core.ids import player_stream, table_stream, wallet_stream
from eventstore.core.record import leaf_hash, record_bytes
from eventstore.ports import new_id
from tests.api.callers import Caller, caller, refused
from tests.sealing import seal_log, sequencer
from tests.unit.eventstore.log_contract import sealed
from tonk_site.proving.acting.factories import a_table, sits_down
from tonk_site.proving.acting.play import play_out, turn_at

pytestmark = pytest.mark.usefixtures("committed")
HIDDEN = 32


def grow(events: int) -> None:
    """A sealed log of at least so many leaves."""
    for _ in range(-(-events // 64)):
        store.append(sealed(player_stream(new_id()), 64), START)
    seal_log()


def entries(content: bytes) -> list[bytes]:
    """Records of a bundle; the bare hash for one that is not shown."""
    found, at = [], 0
    while at < len(content):
        length = int.from_bytes(content[at : at + 2], "big")
        end = at + 2 + (length or HIDDEN)
        found.append(content[at + 2 : end])
        at = end
    return found


def leaves_of(bundle: list[bytes]) -> list[bytes]:
    return [one if len(one) == HIDDEN else leaf_hash(one) for one in bundle]


def test_before_the_first_signature_there_is_nothing() -> None:
    anybody = Caller()
    for path in ("checkpoint", "proofs/inclusion?index=0", "tile/0/000", "entries/000"):
        answer = anybody.get(f"/log/{path}")
        refused(answer, 409, "not_yet_sealed")
        assert answer.headers["Retry-After"] == "1"
    assert anybody.get("/log/checkpoints").document == {"items": []}
    assert anybody.get("/log/key").document == {"origin": "", "keys": [], "witnesses": []}


def test_note_and_keys() -> None:
    grow(3)
    answer = Caller().get("/log/checkpoint")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    note = notes.parse_note(answer.content.decode())
    document = Caller().get("/log/key").document
    (key,) = document["keys"]
    assert note.is_signed_by(notes.VerifierKey.read(key["key"]))
    assert (document["origin"], key["from_size"]) == (note.origin, 0)
    assert "to_size" not in key
    assert note.root == merkle.root(tree.leaf_hashes(0, note.size))


def test_the_newest_note_of_a_witness_is_served() -> None:
    grow(3)
    refused(Caller().get("/log/checkpoint?witnessed=1"), 404, "not_found")
    newest = tree.newest()
    assert newest is not None
    key = notes.VerifierKey("w.example", bytes(32), notes.COSIGNATURE)
    line = notes.signature_line(key.name, key.id, bytes(72))
    with connections["sequencer"].cursor() as cursor:
        cursor.execute(
            "INSERT INTO eventstore_log_cosignature VALUES (%s, %s, %s)",
            [newest.size, key.name, line],
        )
    grow(3)
    answer = Caller().get("/log/checkpoint?witnessed=1")
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.content.decode() == newest.note + line
    plain = Caller().get("/log/checkpoint?witnessed=0").content
    assert notes.parse_note(plain.decode()).size > newest.size
    refused(Caller().get("/log/checkpoint?witnessed=2"), 400, "invalid_field")


def test_known_witnesses_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    key = notes.VerifierKey("w.example", bytes(32), notes.COSIGNATURE).text
    monkeypatch.setattr(settings, "WITNESSES", (f"https://w.example#{key}", "https://x.example"))
    assert Caller().get("/log/key").document["witnesses"] == [{"name": "w.example", "key": key}]


def test_every_note_so_far_in_pages() -> None:
    for _ in range(3):
        grow(1)
    first = Caller().get("/log/checkpoints?limit=2").document
    rest = Caller().get(f"/log/checkpoints?limit=2&cursor={first['next']}").document
    found = [*first["items"], *rest["items"]]
    assert "next" not in rest
    assert [one["size"] for one in found] == [193, 129, 65]
    for one in found:
        note = notes.parse_note(one["note"])
        assert (note.size, note.root.hex()) == (one["size"], one["root"])
        assert one["signed_at"].endswith("Z")
    refused(Caller().get("/log/checkpoints?cursor=x"), 400, "bad_cursor")


def test_tiles_give_the_signed_root() -> None:
    grow(600)
    size = tree.size()
    answer = Caller().get("/log/tile/0/000")
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert "immutable" in answer.headers["Cache-Control"]
    widths = [256, 256, size - 512]
    paths = [f"/log/tile/0/{tiles.tile_path(n, width)}" for n, width in enumerate(widths)]
    hashes = b"".join(Caller().get(path).content for path in paths)
    newest = tree.newest()
    assert newest is not None
    assert merkle.root(tiles.split_hashes(hashes)) == newest.root
    above = Caller().get("/log/tile/1/000.p/2").content
    assert above == b"".join(
        merkle.root(tiles.split_hashes(hashes[at : at + tiles.TILE_BYTES])) for at in (0, 8192)
    )


@pytest.mark.parametrize(
    "path",
    ["0/001", "0/000.p/66", "0/000.p/0", "0/000.p/256", "0/0", "0/x000/000", "1/000.p/1", "9/000",
     "77777777777777777777/000", "0/000.p/1/1", "0/" + "x001/" * 1500 + "001"],
)  # fmt: skip
def test_a_tile_that_is_not_there(path: str) -> None:
    grow(64)
    refused(Caller().get(f"/log/tile/{path}"), 404, "not_found")
    if path.startswith("0/"):
        refused(Caller().get(f"/log/entries/{path[2:]}"), 404, "not_found")


def test_what_is_not_signed_is_not_served() -> None:
    grow(64)
    seal = tree.size()
    store.append(sealed(player_stream(new_id()), 3), START)
    assert sequencer().round() == 3
    assert tree.size() == seal + 3
    refused(Caller().get(f"/log/tile/0/000.p/{seal + 1}"), 404, "not_found")
    assert Caller().get(f"/log/tile/0/000.p/{seal}").status == 200
    refused(Caller().get(f"/log/entries/000.p/{seal + 1}"), 404, "not_found")
    refused(Caller().get(f"/log/proofs/inclusion?index=0&size={seal + 1}"), 400, "bad_proof_range")


def test_proofs() -> None:
    grow(300)
    first = tree.size()
    grow(64)
    size = tree.size()
    hashes = tree.leaf_hashes(0, size)
    for index in (0, 255, 256, first - 1):
        found = Caller().get(f"/log/proofs/inclusion?index={index}&size={first}").document
        path = [bytes.fromhex(one) for one in found["path"]]
        root = merkle.root_from_path(bytes.fromhex(found["leaf"]), index, first, path)
        assert root is not None
        assert root.hex() == found["root"]
        assert notes.parse_note(found["checkpoint"]).root == root
        assert found["leaf"] == hashes[index].hex()
    found = Caller().get(f"/log/proofs/consistency?from={first}").document
    assert (found["from"], found["to"]) == (first, size)
    path = [bytes.fromhex(one) for one in found["path"]]
    roots = bytes.fromhex(found["root_from"]), bytes.fromhex(found["root_to"])
    assert merkle.is_consistent(first, roots[0], size, roots[1], path)
    unsigned = Caller().get(f"/log/proofs/inclusion?index=0&size={first - 1}").document
    assert unsigned["checkpoint"] is None
    assert unsigned["root"] == merkle.root(hashes[: first - 1]).hex()


@pytest.mark.parametrize(
    "path",
    ["inclusion?index=65", "inclusion?index=0&size=66", "inclusion?index=5&size=5",
     "inclusion?index=0&size=0", "consistency?from=0&to=5", "consistency?from=6&to=5",
     "consistency?from=1&to=66"],
)  # fmt: skip
def test_a_range_that_is_none(path: str) -> None:
    grow(64)
    refused(Caller().get(f"/log/proofs/{path}"), 400, "bad_proof_range")


# --- records --------------------------------------------------------------------------------------


@pytest.fixture
def play(committed: None) -> Any:
    """Ona and Petras at a table with a running hand, sealed."""
    people = caller("ona"), caller("petras"), caller("auste", "auditor")
    table = a_table(people[0].who, seats=2)
    for one in people[:2]:
        sits_down(table, one.who)
    turn_at(table)
    seal_log()
    return table, *people


def bundle(who: Caller) -> list[bytes]:
    newest = tree.newest()
    assert newest is not None
    answer = who.get(f"/log/entries/000.p/{newest.size}")
    assert answer.headers["Cache-Control"] == "private, no-cache"
    found = entries(answer.content)
    assert leaves_of(found) == tree.leaf_hashes(0, newest.size)
    return found


def shown(found: list[bytes], stream: str) -> int:
    return sum(f'"stream":"{stream}"'.encode() in one for one in found)


def test_records_are_for_their_readers(play: Any) -> None:
    table, ona, petras, auditor = play
    stream = table_stream(table)
    events = store.load(stream).events
    commitment = next(one.version for one in events if one.type == "ShuffleCommitted")
    for who in (Caller(), ona, petras, auditor):
        assert shown(bundle(who), stream) == commitment - 1
    own = wallet_stream(ona.who.id)
    versions = len(store.load(own).events)
    found = [shown(bundle(who), own) for who in (Caller(), petras, ona, auditor)]
    assert found == [0, 0, versions, versions]
    play_out(table)
    seal_log()
    assert shown(bundle(Caller()), stream) == len(store.load(stream).events)


def test_the_head_of_a_stream(play: Any) -> None:
    table, ona, petras, auditor = play
    stream = table_stream(table)
    events = store.load(stream).events
    found = Caller().get(f"/log/streams/{stream}").document
    assert (found["stream"], found["version"]) == (stream, len(events))
    assert found["hash"] == events[-1].hash.hex()
    hashes = tree.leaf_hashes(0, tree.size())
    assert [hashes[index] for index in found["log_index"]] == [event.hash for event in events]
    own = f"/log/streams/{player_stream(ona.who.id)}"
    assert [who.get(own).status for who in (ona, auditor)] == [200, 200]
    for who in (Caller(), petras):
        refused(who.get(own), 404, "not_found")
    for path in (f"table/{new_id()}", f"other/{table}", f"player/{new_id()}"):
        refused(auditor.get(f"/log/streams/{path}"), 404, "not_found")


def test_a_stream_to_take_away(play: Any) -> None:
    table, *_ = play
    stream = table_stream(table)
    answer = Caller().get(f"/log/streams/{stream}?records=1")
    first = store.load(stream).events[0]
    assert answer.status == 200
    assert record_bytes(first).decode().replace('"', '\\"').encode() in answer.content
