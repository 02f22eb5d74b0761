"""The client's arithmetic of the fair deal against the published vectors, all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from clients.python.tonk_client import fair
from clients.python.tonk_client import tonk_verify as verifier

VECTORS = json.loads((Path(__file__).resolve().parents[2] / "cases/fair/vectors.json").read_text())
HANDS = pytest.mark.parametrize("vector", VECTORS["vectors"], ids=lambda one: one["name"])


def raw(text: str) -> bytes:
    return bytes.fromhex(text)


def test_the_packs_are_the_published_ones() -> None:
    assert list(verifier.CARDS) == VECTORS["card_codes"]
    assert {spec: list(codes) for spec, codes in verifier.DECKS.items()} == VECTORS["deck_specs"]
    assert verifier.CODES["X2"] == 53


@HANDS
def test_chains_lead_from_the_root_to_the_anchor(vector: Any) -> None:
    for seat in vector["seats"]:
        if seat["state"] == "none":
            continue
        links = fair.chain(raw(seat["root"]), seat["length"])
        assert links[0].hex() == seat["anchor"]
        assert links[seat["index"] - 1].hex() == seat["last_link"]
        if seat["seed"]:
            assert links[seat["index"]].hex() == seat["seed"]


@HANDS
def test_seeds_give_commitment_transcript_and_key(vector: Any) -> None:
    hand, seed = raw(vector["hand"]), raw(vector["server_seed"])
    assert verifier.commitment(hand, seed).hex() == vector["commit"]
    seats = [(one["seat"], raw(one["player"]), raw(one["seed"])) for one in vector["seats"]]
    transcript = fair.transcript(
        hand,
        commit=raw(vector["commit"]),
        spec=vector["deck_spec"],
        seats=seats[::-1],
        beacon=raw(vector["beacon"]),
    )
    assert transcript.hex() == vector["transcript"]
    assert verifier.hand_key(seed, transcript).hex() == vector["key"]


@HANDS
def test_the_key_gives_orders_salts_and_roots(vector: Any) -> None:
    key, hand = raw(vector["key"]), raw(vector["hand"])
    for one in vector["shuffles"]:
        number = one["shuffle_no"]
        found = fair.shuffled(key, hand, one["input"], number)
        assert list(found.order) == one["order"]
        assert [verifier.CARDS[code] for code in found.order] == one["cards"]
        assert found.root.hex() == one["root"]
        leaves = verifier.card_leaves(key, hand, number, found.order)
        assert [leaf.hex() for leaf in leaves] == one["leaves"]
    assert vector["shuffles"][0]["root"] == vector["deck_root"]


@HANDS
def test_openings_are_accepted_and_refused(vector: Any) -> None:
    roots = {one["shuffle_no"]: one["root"] for one in vector["shuffles"]}
    for one in vector["openings"]:
        opening = {**one, "hand": str(UUID(vector["hand"]))}
        assert fair.opens(opening, raw(roots[one["shuffle_no"]])) == one["ok"]


@pytest.mark.parametrize(
    "change",
    [
        {"position": 52}, {"position": -1}, {"size": 65}, {"size": 1}, {"code": 54}, {"salt": "00"},
        {"path": []}, {"card": "2C"}, {"place": 1},
        {"hand": "0199c2b2-6c1f-71ff-b244-f819b9cd99ae"},
    ],
    ids=str,
)  # fmt: skip
def test_an_opening_of_something_else_proves_nothing(change: Any) -> None:
    vector = VECTORS["vectors"][0]
    opening = {**vector["openings"][0], "hand": str(UUID(vector["hand"]))}
    root = raw(vector["deck_root"])
    assert fair.opens(opening, root)
    assert not fair.opens(opening | change, root)


@pytest.mark.parametrize("words", VECTORS["fisher_yates"], ids=lambda one: str(one["words_used"]))
def test_words_order_a_list(words: Any) -> None:
    stream = iter(words["words"])
    assert verifier.shuffled(words["input"], stream) == words["order"]
    assert len(words["words"]) - len(list(stream)) == words["words_used"]


@pytest.mark.parametrize("pair", VECTORS["links"], ids=lambda one: one["seed"][:8])
def test_a_seed_is_the_next_link_or_not(pair: Any) -> None:
    assert (verifier.link(raw(pair["seed"])).hex() == pair["last_link"]) == pair["ok"]


@pytest.mark.parametrize(("root", "length"), [(bytes(31), 4), (bytes(32), 0), (bytes(32), 65_537)])
def test_what_is_no_chain_is_refused(root: bytes, length: int) -> None:
    with pytest.raises(ValueError, match="a chain has"):
        fair.chain(root, length)
