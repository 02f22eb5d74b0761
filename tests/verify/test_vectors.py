"""The verifier against both files of vectors, member by member."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from clients.verify import tonk_verify as verifier

CASES = Path(__file__).parents[1] / "cases"
LOG = json.loads((CASES / "log/vectors.json").read_text(encoding="utf-8"))
FAIR = json.loads((CASES / "fair/vectors.json").read_text(encoding="utf-8"))
LEAVES = [bytes.fromhex(one["hash"]) for one in LOG["records"]]


def raw(texts: list[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


# --- the log --------------------------------------------------------------------------------------


def test_every_member_is_known() -> None:
    assert set(LOG) == {
        "format", "canonical", "refused", "records", "roots", "inclusion", "consistency", "tiles",
        "checkpoint",
    }  # fmt: skip
    assert {"vectors", "fisher_yates", "links", "card_codes", "deck_specs"} <= set(FAIR)
    assert LOG["format"] == verifier.RECORD


@pytest.mark.parametrize("case", LOG["canonical"], ids=lambda case: case["name"])
def test_canonical(case: dict[str, Any]) -> None:
    text = case["canonical"].encode()
    assert verifier.canonical(case["value"]) == text
    assert verifier.read_record(text) == case["value"]
    assert verifier.leaf_hash(text).hex() == case["sha256_leaf"]


@pytest.mark.parametrize("case", LOG["refused"], ids=lambda case: case["json"])
def test_refused(case: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"."):
        verifier.read_record(case["json"].encode())


def test_records_are_chained() -> None:
    heads: dict[str, verifier.Head] = {}
    for index, case in enumerate(LOG["records"]):
        text = case["record"].encode()
        record = verifier.read_record(text)
        assert verifier.is_record(record)
        assert verifier.leaf_hash(text).hex() == case["hash"]
        head = heads.setdefault(record["stream"], verifier.Head())
        head.follow(record, case["hash"], str(index))


def test_roots() -> None:
    tree = verifier.Frontier()
    found = {0: tree.root().hex()}
    for leaf in LEAVES:
        tree.push(leaf)
        found[tree.size] = tree.root().hex()
    assert {int(size): found[int(size)] for size in LOG["roots"]} == {
        int(size): root for size, root in LOG["roots"].items()
    }


def test_inclusion() -> None:
    for case in LOG["inclusion"]:
        leaf, path = bytes.fromhex(case["leaf"]), raw(case["path"])
        root = verifier.root_from_path(leaf, case["index"], case["size"], path)
        assert root is not None
        assert root.hex() == case["root"]
        longer = verifier.root_from_path(leaf, case["index"], case["size"], [*path, leaf])
        assert longer is None or longer.hex() != case["root"]
        assert verifier.root_from_path(leaf, case["size"], case["size"], path) is None


def test_consistency() -> None:
    for case in LOG["consistency"]:
        old, new = bytes.fromhex(case["root_from"]), bytes.fromhex(case["root_to"])
        path = raw(case["path"])
        sizes = case["from"], case["to"]
        assert verifier.is_consistent(sizes[0], old, sizes[1], new, path)
        assert not verifier.is_consistent(sizes[0], bytes(32), sizes[1], new, path)
        assert not verifier.is_consistent(sizes[0], old, sizes[1], bytes(32), path)
        assert not verifier.is_consistent(sizes[0], old, sizes[1], new, [*path, old])
        if path:
            assert not verifier.is_consistent(sizes[0], old, sizes[1], new, path[:-1])
            turned = bytes((path[0][0] ^ 1,)) + path[0][1:]
            assert not verifier.is_consistent(sizes[0], old, sizes[1], new, [turned, *path[1:]])


def test_tiles() -> None:
    tiles = LOG["tiles"]
    leaves = [sha256(b"\x00leaf %d" % number).digest() for number in range(tiles["size"])]
    assert verifier.root_of(leaves).hex() == tiles["root"]
    for case in tiles["inclusion"]:
        root = verifier.root_from_path(
            bytes.fromhex(case["leaf"]), case["index"], case["size"], raw(case["path"])
        )
        assert root is not None
        assert root.hex() == tiles["root"]


def test_checkpoint() -> None:
    case = LOG["checkpoint"]
    key = verifier.read_key(case["vkey"])
    assert (key.id.hex(), key.public.hex()) == (case["key_id"], case["public_key"])
    note = verifier.read_note(case["note_with_witness"])
    for text in (case["note"], case["note_with_witness"]):
        checked = verifier.check_note(text, [case["vkey"]], case["origin"])
        found = (checked.text, checked.size, checked.root.hex())
        assert found == (case["text"], case["size"], case["root"])
        assert checked.lines[0][2].hex() == case["signature"]
        assert verifier.signed_text(checked) == text
    witness = case["witness"]
    name, number, signature = note.lines[1]
    assert (name, number.hex()) == (witness["name"], witness["key_id"])
    assert signature == witness["time"].to_bytes(8, "big") + bytes.fromhex(witness["signature"])
    public = bytes.fromhex(witness["public_key"])
    assert verifier.key_id(name, public, verifier.COSIGNATURE) == number
    assert verifier.ed25519_verify(public, witness["signed_message"].encode(), signature[8:])


# --- the fair deal --------------------------------------------------------------------------------


def test_cards_and_decks() -> None:
    assert FAIR["card_codes"] == list(verifier.CARDS)
    assert {name: list(deck) for name, deck in verifier.DECKS.items()} == FAIR["deck_specs"]


@pytest.mark.parametrize("case", FAIR["vectors"], ids=lambda case: case["name"])
def test_deal(case: dict[str, Any]) -> None:
    hand, secret = bytes.fromhex(case["hand"]), bytes.fromhex(case["server_seed"])
    commit = verifier.commitment(hand, secret)
    assert commit.hex() == case["commit"]
    assert sha256(bytes.fromhex(case["commit_preimage"])).digest() == commit
    for seat in case["seats"]:
        if seat["state"] == "revealed":
            assert verifier.link(bytes.fromhex(seat["seed"])).hex() == seat["last_link"]
    preimage = verifier.transcript_preimage(
        hand,
        commit,
        case["deck_spec"],
        bytes.fromhex(case["beacon"]),
        [
            (seat["seat"], bytes.fromhex(seat["player"]), bytes.fromhex(seat["seed"]))
            for seat in case["seats"]
        ],
    )
    assert preimage.hex() == case["transcript_preimage"]
    transcript = sha256(preimage).digest()
    assert transcript.hex() == case["transcript"]
    key = verifier.hand_key(secret, transcript)
    assert key.hex() == case["key"]
    roots = {}
    for shuffle in case["shuffles"]:
        number = shuffle["shuffle_no"]
        for block in (0, 1):
            made = verifier.stream_block(key, number, block).hex()
            assert made == shuffle[f"stream_block_{block}"]
        order = verifier.shuffled(shuffle["input"], verifier.stream_words(key, number))
        assert order == shuffle["order"]
        assert [verifier.CARDS[code] for code in order] == shuffle["cards"]
        leaves = verifier.card_leaves(key, hand, number, order)
        assert [leaf.hex() for leaf in leaves] == shuffle["leaves"]
        roots[number] = verifier.root_of(leaves)
        assert roots[number].hex() == shuffle["root"]
    assert roots[0].hex() == case["deck_root"]
    for opening in case["openings"]:
        shown = {name: value for name, value in opening.items() if name != "ok"}
        shown["hand"] = str(UUID(case["hand"]))
        root = roots.get(opening["shuffle_no"], b"")
        assert verifier.is_opening(shown, root) == opening["ok"], opening


@pytest.mark.parametrize("number", range(len(FAIR["fisher_yates"])))
def test_words(number: int) -> None:
    case = FAIR["fisher_yates"][number]
    assert verifier.shuffled(case["input"], iter(case["words"])) == case["order"]


@pytest.mark.parametrize("number", range(len(FAIR["links"])))
def test_links(number: int) -> None:
    case = FAIR["links"][number]
    right = verifier.link(bytes.fromhex(case["seed"])).hex() == case["last_link"]
    assert right == case["ok"]
