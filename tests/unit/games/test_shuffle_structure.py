"""The structure of the deal: what no sample of decks can show (`trust.md` section 8)."""

import ast
import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from typing_extensions import override

import games
from eventstore import ports
from eventstore.core.ids import uuid7
from games import dealer
from games.rules import events, fair
from tests.unit.games.test_anchors import commitment, revealed
from tests.unit.games.test_table import DEALT, OPENED
from tonk_site.proving.cards import fair_deal, shuffles
from tonk_site.proving.cards.dealt_hands import hands_of
from tonk_site.proving.cards.shuffles import Shuffle
from tonk_site.proving.cards.streams import HAND as HAND_ID
from tonk_site.proving.cards.streams import recorded

GAMES = Path(games.__file__).parent
WORDS = 1 << 32
SPEC = "std52/1"
HAND = UUID(HAND_ID)


class Listened(ports.System):
    """The real machine, and what its generator was asked for."""

    def __init__(self) -> None:
        self.drawn: list[bytes] = []

    @override
    def random_bytes(self, count: int) -> bytes:
        drawn = super().random_bytes(count)
        self.drawn.append(drawn)
        return drawn


@pytest.fixture
def machine() -> Iterator[Listened]:
    listened = Listened()
    with ports.machine(listened):
        yield listened


# --- F1: the seed ---------------------------------------------------------------------------------


def test_F1_a_seed_is_256_bits_of_the_systems_generator_and_nothing_else(machine: Listened) -> None:
    committed = [dealer.commit(HAND) for _ in range(3)]
    assert [one.server_seed for one in committed] == machine.drawn
    assert {len(one) * 8 for one in machine.drawn} == {256}
    assert len({one.commit for one in committed}) == 3


def test_F1_the_systems_generator_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def token_bytes(count: int) -> bytes:
        asked.append(count)
        return bytes(count)

    monkeypatch.setattr(secrets, "token_bytes", token_bytes)
    assert dealer.commit(HAND).server_seed == bytes(32)
    assert dealer.pack_for_cut(HAND, 52).server_seed == bytes(32)
    assert asked == [32, 32]


def imports_of(source: str) -> set[str]:
    """All modules that a source imports, also with the names taken from them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return found


def test_F1_random_is_imported_nowhere_in_the_games_but_for_the_choices_of_bots() -> None:
    imports = {
        str(path.relative_to(GAMES)): imports_of(path.read_text(encoding="utf-8"))
        for path in sorted(GAMES.rglob("*.py"))
    }
    assert len(imports) > 50
    chance = {"random", "numpy", "secrets", "games.bots.rng"}
    guilty = {name for name, modules in imports.items() if modules & chance}
    assert guilty == {"bots/rng.py", "bots/ladder.py"}
    assert "random.shuffle" in imports_of("def f():\n    from random import shuffle")


def test_F1_seeds_and_key_come_after_the_commitment_since_it_is_in_them() -> None:
    seats = [fair.SeatSeed(1, bytes(16), b"\x05" * 32)]
    commitment = fair.commit(HAND.bytes, b"\x07" * 32)
    before = fair.transcript_preimage(HAND.bytes, commitment=commitment, spec=SPEC, seats=seats)
    assert commitment in before
    assert seats[0].seed in before


def out_of_order(*facts: msgspec.Struct) -> list[str]:
    """What breaks the order of one hand at a table."""
    (hand,) = hands_of(recorded([OPENED, *facts]))
    return [one.what for one in fair_deal.out_of_order(hand)]


def test_F1_the_live_part_wants_commitment_seeds_cards_end_and_reveal_in_this_order() -> None:
    committed, given = commitment(), revealed()
    card = events.CardDiscarded(seat=1, card="KC", place=3)
    assert out_of_order(committed, given, DEALT, card) == []
    assert out_of_order(given, DEALT) == ["no commitment before the deal"]
    assert out_of_order(committed, DEALT, given) == ["a seed after the deal"]
    assert out_of_order(committed, card, given, DEALT) == ["a card before the deal"]
    reveal = events.HandRevealed(hand=HAND_ID, server_seed="07" * 32)
    assert out_of_order(committed, DEALT, reveal) == ["no reveal right after the end"]


# --- F7: rejection --------------------------------------------------------------------------------


def is_bounded(shuffle: Shuffle) -> bool:
    """Whether for every number of cards 1..52 words that would favour a card are passed over.

    The first word drawn for n cards chooses among n. The greatest word below the bound chooses
    the last card; the bound and all above are passed over, so each choice has as many words.
    """
    return all(_is_bounded(shuffle, count) for count in range(1, 53))


def _is_bounded(shuffle: Shuffle, count: int) -> bool:
    if count == 1:
        return used(shuffle, count, []) == 0
    bound = WORDS - WORDS % count
    below = used(shuffle, count, [bound - 1])
    passed = [used(shuffle, count, [word]) for word in sorted({bound, WORDS - 1}) if word < WORDS]
    last = shuffle(range(count), stream([bound - 1], count))[-1]
    choices = Counter(
        shuffle(range(count), stream([bound - 1 - back], count))[-1] for back in range(2 * count)
    )
    if bound < WORDS and passed != [count] * len(passed):
        return False
    return below == count - 1 and last == count - 1 and set(choices.values()) == {2}


def stream(first: Sequence[int], count: int) -> Iterator[int]:
    """These words, then such as choose the lowest card; no more than two for each card."""
    yield from first
    yield from [0] * (2 * count)


def used(shuffle: Shuffle, count: int, first: Sequence[int]) -> int:
    """Number of words that a shuffle of so many cards takes."""
    taken = 0

    def counted() -> Iterator[int]:
        nonlocal taken
        for word in stream(first, count):
            taken += 1
            yield word

    shuffle(range(count), counted())
    return taken


def test_F7_words_that_would_favour_a_card_are_passed_over_at_every_number_of_cards() -> None:
    assert is_bounded(fair.fisher_yates)


@pytest.mark.parametrize("mutant", [shuffles.modulo_16, shuffles.modulo_8, *shuffles.MUTANTS])
def test_F7_shuffles_without_rejection_are_found_by_their_structure(mutant: Shuffle) -> None:
    """Among them the remainder of 16 bits, which 200,000 decks did not show."""
    assert not is_bounded(mutant)


def test_F7_a_remainder_of_32_bits_without_rejection_is_found() -> None:
    def unbounded(cards: Sequence[int], words: Iterator[int]) -> tuple[int, ...]:
        order = list(cards)
        for last in range(len(order) - 1, 0, -1):
            other = next(words) % (last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)

    assert not is_bounded(unbounded)


def test_F7_each_choice_has_as_many_words_as_every_other() -> None:
    for count in range(1, 53):
        assert (WORDS - WORDS % count) % count == 0
        assert WORDS % count < count


# --- F5: keys -------------------------------------------------------------------------------------


def seats_with(seed: bytes) -> list[fair.SeatSeed]:
    return [fair.SeatSeed(1, bytes(16), seed), fair.SeatSeed(2, bytes([1]) * 16)]


def test_F5_a_key_is_of_one_hand_alone() -> None:
    """Everything that makes a hand this one goes into its key: the same key never comes twice."""
    first: dict[str, Any] = {
        "hand": HAND.bytes,
        "commitment": bytes(32),
        "spec": SPEC,
        "seats": seats_with(bytes(32)),
        "beacon": b"",
    }
    others: list[dict[str, Any]] = [
        {"hand": uuid7(0, bytes(10)).bytes},
        {"commitment": b"\x01" * 32},
        {"spec": "std52j1/1"},
        {"seats": seats_with(b"\x01" * 32)},
        {"seats": seats_with(b"")},
        {"seats": seats_with(bytes(32))[:1]},
        {"beacon": bytes(32)},
    ]
    transcripts = [
        fair.transcript(given.pop("hand"), **given)
        for given in [dict(first), *(first | other for other in others)]
    ]
    keys = [fair.hand_key(bytes(32), one) for one in transcripts]
    keys += [fair.hand_key(b"\x01" * 32, transcripts[0]), fair.cut_key(bytes(32), HAND.bytes)]
    assert len(set(keys)) == len(others) + 3


def play(seeds: Sequence[bytes], monkeypatch: pytest.MonkeyPatch) -> list[dealer.Shuffled]:
    """Hands of the same two seats, one after the other, for which the dealer drew these seeds."""
    drawn = iter(seeds)
    monkeypatch.setattr(dealer, "random_bytes", lambda count: next(drawn))
    hands = [UUID(int=number) for number in range(1, len(seeds) + 1)]
    return [dealer.shuffle(dealer.commit(hand), SPEC, seats_with(bytes(32))) for hand in hands]


def test_F5_five_revealed_hands_give_nothing_about_the_sixth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With all of five hands known, the sixth may be any: it hangs on its own seed alone.

    The dealer keeps nothing from hand to hand: the same sixth seed gives the same sixth deck
    whatever came before, and after the same five hands another seed gives another deck.
    """
    known, others = [bytes([n]) * 32 for n in range(5)], [bytes([n + 9]) * 32 for n in range(5)]
    sixth, another = b"\x66" * 32, b"\x67" * 32
    first = play([*known, sixth], monkeypatch)
    second = play([*known, another], monkeypatch)
    third = play([*others, sixth], monkeypatch)
    for five, again in zip(first[:5], second[:5], strict=True):
        assert (five.deck.cards, five.transcript) == (again.deck.cards, again.transcript)
    assert first[5].deck.cards != second[5].deck.cards
    assert first[5].deck.cards == third[5].deck.cards
    assert first[5].transcript == third[5].transcript


def test_F5_what_is_public_changes_wholly_with_any_bit_of_the_seed() -> None:
    """Commitment and key are hashes: half of their bits change, whichever bit of the seed does."""
    seed = bytes(range(32))
    changes = []
    for bit in range(256):
        other = (int.from_bytes(seed, "big") ^ 1 << bit).to_bytes(32, "big")
        changes += [
            changed_bits(fair.commit(HAND.bytes, seed), fair.commit(HAND.bytes, other)),
            changed_bits(fair.hand_key(seed, bytes(32)), fair.hand_key(other, bytes(32))),
        ]
    assert min(changes) > 80
    assert max(changes) < 176


def changed_bits(one: bytes, other: bytes) -> int:
    return (int.from_bytes(one, "big") ^ int.from_bytes(other, "big")).bit_count()
