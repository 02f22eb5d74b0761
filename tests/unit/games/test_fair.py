"""The fair deal against the vectors, and the properties that they can not show."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import fair_cases
from games.rules import fair

VECTORS = Path(__file__).parents[2] / "cases" / "fair" / "vectors.json"
DOCUMENT = json.loads(VECTORS.read_text(encoding="utf-8"))
VERDICTS = list(fair_cases.run(DOCUMENT))

seeds = st.binary(min_size=32, max_size=32)
ids = st.binary(min_size=16, max_size=16)


@pytest.mark.parametrize(("case", "why"), VERDICTS, ids=[case for case, _ in VERDICTS])
def test_vector(case: str, why: str | None) -> None:
    assert why is None


def test_every_member_is_counted() -> None:
    openings = sum(len(vector["openings"]) for vector in DOCUMENT["vectors"])
    others = len(DOCUMENT["vectors"]) + len(DOCUMENT["fisher_yates"]) + len(DOCUMENT["links"])
    assert len(VERDICTS) == openings + others
    assert len(dict(VERDICTS)) == len(VERDICTS)
    assert fair_cases.is_mine(DOCUMENT)
    assert not fair_cases.is_mine({"format": "tonk/event/1"})


def test_a_wrong_vector_is_named() -> None:
    vector: dict[str, Any] = {**DOCUMENT["vectors"][0], "key": "00" * 32}
    wrong = {**DOCUMENT, "vectors": [vector]}
    assert next(case for case, why in fair_cases.run(wrong) if why) == vector["name"]


def test_packs_are_those_of_the_vectors() -> None:
    assert {name: list(codes) for name, codes in fair.DECKS.items()} == DOCUMENT["deck_specs"]
    assert {fair.deck_spec(deck, jokers) for deck in (52, 40) for jokers in (0, 1, 2)} == set(
        fair.DECKS
    )


@given(seeds, ids, st.sampled_from(sorted(fair.DECKS)), st.data())
def test_every_position_opens_and_nothing_else_does(
    key: bytes, hand: bytes, spec: str, draw: st.DataObject
) -> None:
    deck = fair.seal(key, hand=hand, cards=fair.DECKS[spec])
    assert sorted(deck.order) == list(fair.DECKS[spec])
    assert deck.order == fair.shuffle(key, 0, fair.DECKS[spec])
    position = draw.draw(st.integers(0, len(deck.order) - 1))
    opening = fair.open_card(deck, position)
    assert fair.opens(opening, deck.root)
    assert deck.salts[position] == fair.salt(key, 0, position)
    others = [
        replace(opening, position=(position + 1) % opening.size),
        replace(opening, position=-1),
        replace(opening, size=opening.size + 64),
        replace(opening, shuffle_no=1),
        replace(opening, hand=hand[::-1] + b"x"),
        replace(opening, code=(opening.code + 1) % 54),
        replace(opening, code=54),
        replace(opening, salt=opening.salt[:-1]),
        replace(opening, path=opening.path[:-1]),
        replace(opening, path=(*opening.path, deck.root)),
        replace(opening, root=bytes(32)),
    ]
    assert not any(fair.opens(one, deck.root) for one in others)
    assert not fair.opens(opening, bytes(32))


def test_positions_outside_the_deck_do_not_open() -> None:
    deck = fair.seal(bytes(32), hand=bytes(16), cards=range(5))
    with pytest.raises(IndexError):
        fair.open_card(deck, 5)


@given(seeds, seeds)
def test_a_link_follows_its_own_chain_only(root: bytes, other: bytes) -> None:
    anchor = fair.link(root)
    assert fair.is_next_link(root, anchor)
    assert fair.is_next_link(other, anchor) == (other == root)
    assert not fair.is_next_link(root[:-1], fair.link(root[:-1]))


def test_a_sealed_deck_does_not_print() -> None:
    deck = fair.seal(bytes(32), hand=bytes(16), cards=range(52))
    assert str(deck.order) not in repr(deck)
    assert deck.salts[0].hex() not in repr(deck)


@given(seeds, ids)
def test_cut_and_hand_have_different_keys(server_seed: bytes, same: bytes) -> None:
    assert fair.cut_key(server_seed, same) != fair.hand_key(server_seed, same)


@given(st.permutations([1, 2, 3, 4, 5, 6]), ids)
def test_the_transcript_does_not_depend_on_the_order_of_seats(
    order: list[int], hand: bytes
) -> None:
    seats = [fair.SeatSeed(seat, bytes(16), bytes([seat]) * 32) for seat in order]
    spec = "std52/1"
    assert fair.transcript(hand, commitment=bytes(32), spec=spec, seats=seats) == fair.transcript(
        hand, commitment=bytes(32), spec=spec, seats=sorted(seats, key=lambda one: one.seat)
    )
