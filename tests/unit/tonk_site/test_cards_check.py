"""Each card in one place after every event, and proof that a card too many is found."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from eventstore.core.refusal import Refusal
from games.rules import events
from games.rules.decide import decide, legal, time_out
from games.rules.selfplay import SeededNumbers
from games.rules.state import Hand, evolve, fold
from tests.unit.games.rules_tables import options_of
from tonk_site.proving.cards import cards
from tonk_site.proving.cards.cards import PILE, STOCK, TABLE, Cards
from tonk_site.proving.cards.random_hands import dealt, walk

Evolve = Callable[[Hand, msgspec.Struct], Hand]


def test_G1_each_card_is_in_one_place_after_every_event() -> None:
    found = cards.hands("few", range(1, 201))
    assert found.breaches == []
    assert found.done["hands"] == 200
    assert found.done["events"] > 5_000


def found_with(planted: Evolve, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """What the check says of an engine whose fold is this one."""
    monkeypatch.setattr(cards, "evolve", planted)
    breaches = cards.hands("planted", range(1, 120)).breaches
    assert all("--seed planted --only" in one.rerun for one in breaches)
    return {one.what for one in breaches}


def test_G1_a_taken_card_that_stays_in_the_pile_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(hand: Hand, fact: msgspec.Struct) -> Hand:
        after = evolve(hand, fact)
        taken = isinstance(fact, events.CardDrawn) and fact.source == "discard"
        return replace(after, pile=hand.pile) if taken else after

    assert "cards at pile" in found_with(forgetful, monkeypatch)


def test_G1_a_reshuffle_that_keeps_copies_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def copying(hand: Hand, fact: msgspec.Struct) -> Hand:
        after = evolve(hand, fact)
        again = isinstance(fact, events.PileReshuffled)
        return replace(after, pile=hand.pile) if again else after

    assert "cards at pile" in found_with(copying, monkeypatch)


def test_G1_a_card_discarded_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(hand: Hand, fact: msgspec.Struct) -> Hand:
        after = evolve(hand, fact)
        thrown = isinstance(fact, events.CardDiscarded)
        return replace(after, pile=(*after.pile, after.pile[-1])) if thrown else after

    assert "cards at pile" in found_with(twice, monkeypatch)


def test_G2_a_draw_that_takes_a_card_of_an_opponent_too_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def greedy(hand: Hand, fact: msgspec.Struct) -> Hand:
        after = evolve(hand, fact)
        if not isinstance(fact, events.CardDrawn):
            return after
        held = list(after.cards)
        victim = (after.actor + 1) % len(held)
        stolen = held[victim] & -held[victim]
        held[victim] ^= stolen
        held[after.actor] |= stolen
        return replace(after, cards=tuple(held))

    assert any(what.startswith("cards at") for what in found_with(greedy, monkeypatch))


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_G2_a_draw_takes_one_card_and_hands_obey_the_phase(seats: int) -> None:
    rng = SeededNumbers(f"sizes/{seats}")
    hand = dealt(rng, options_of(seats), seats)
    parted = dict.fromkeys(hand.setup.seats, 0)
    for before, (seat, _), decision, after in walk(hand, rng):
        moved = {one: after.held_number(one) - before.held_number(one) for one in parted}
        drew = any(isinstance(fact, events.CardDrawn) for fact in decision.events)
        laid = sum(meld.cards.bit_count() for meld in after.melds) - sum(
            meld.cards.bit_count() for meld in before.melds
        )
        parted[seat] += laid
        assert moved.pop(seat) == drew - laid - (len(after.pile) > len(before.pile))
        assert not any(moved.values())
        for one, gone in parted.items():
            drawn = after.phase == "play" and one == after.to_act
            if not after.over:
                assert after.held_number(one) == 5 - gone + drawn


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("slap", [False, True])
def test_G7_what_can_be_dealt_yet_is_the_deck_without_all_that_lies_elsewhere(
    seats: int, slap: bool
) -> None:
    """At any time the stock is the pack less hands, spreads and pile; no discard is in it."""
    rng = SeededNumbers(f"stock/{seats}/{slap}")
    again = 0
    for _ in range(6):
        hand = dealt(rng, options_of(seats, on_empty_stock="reshuffle", slap=slap), seats)
        known = Cards(hand)
        for before, _, decision, after in walk(hand, rng):
            for fact in decision.events:
                known.move(fact)
                again += isinstance(fact, events.PileReshuffled)
                if isinstance(fact, events.PileReshuffled):
                    known.check(evolve(before, fact))
            known.check(after)
            deck, bits = after.setup.deck or (), known.bits
            stock = deck[after.stock_next : after.stock_next + after.stock_count]
            elsewhere = known.sets[PILE] | known.sets[TABLE]
            for seat in hand.setup.seats:
                elsewhere |= known.sets[seat]
            assert sum(bits[card] for card in stock) == known.sets[STOCK] == sum(bits) ^ elsewhere
    assert again


# --- an empty stock -------------------------------------------------------------------------------


def with_stock(hand: Hand, left: int) -> Hand:
    """The hand with so many cards left in the stock; those above them lie in the pile."""
    deck, gone = hand.setup.deck or (), hand.stock_count - left
    thrown = deck[hand.stock_next : hand.stock_next + gone]
    top = hand.pile[-1:]
    pile = (*hand.pile[:-1], *thrown, *top)
    return replace(hand, pile=pile, stock_next=hand.stock_next + gone, stock_count=left)


def moments(seats: int, **options: Any) -> list[Hand]:
    """A hand at each phase of a turn, with none or one card in the stock."""
    rng = SeededNumbers(f"empty/{seats}")
    found: dict[str, Hand] = {}
    for before, *_ in walk(dealt(rng, options_of(seats, **options), seats), rng):
        if before.stock_count > 1 and before.turn:
            found.setdefault(before.phase, before)
    assert set(found) == {"draw", "play"}
    return [with_stock(hand, left) for hand in found.values() for left in (0, 1)]


@pytest.mark.parametrize("seats", [2, 3, 6])
@pytest.mark.parametrize(
    ("options", "end"),
    [
        ({"on_empty_stock": "end"}, "stock"),
        ({"on_empty_stock": "void"}, "void"),
        ({"on_empty_stock": "reshuffle"}, None),
    ],
)
def test_G3_an_empty_stock_ends_the_hand_or_is_made_anew_at_each_phase(
    seats: int, options: dict[str, Any], end: str | None
) -> None:
    """Whatever is played, also by a clock that runs out: never a fault, and the rule of V14."""
    for hand in moments(seats, **options):
        acts = [decide(hand, hand.to_act or 0, move) for move in legal(hand)]
        acts.append(time_out(hand, in_row=1, bank_ms=0))
        ends, reshuffles = set(), 0
        for decision in acts:
            assert not isinstance(decision, Refusal)
            after = fold(hand, decision.events)
            assert after.stock_count >= 0
            if after.finish in ("stock", "void"):
                ends.add(after.finish)
                assert decision.result is not None
                assert sum(decision.result.net.values()) == 0
            if any(isinstance(one, events.PileReshuffled) for one in decision.events):
                reshuffles += 1
                assert after.stock_count == len(hand.pile) - 2  # all but the top, one drawn
        asked = hand.phase == "draw" and hand.stock_count == 0
        assert ends == ({end} if asked and end else set())
        assert (reshuffles > 0) == (asked and end is None)


@pytest.mark.parametrize("seats", [2, 3, 6])
@pytest.mark.parametrize("rule", ["end", "void", "reshuffle"])
def test_G3_play_goes_on_from_an_empty_stock_to_the_end_of_the_hand(seats: int, rule: str) -> None:
    for number, hand in enumerate(moments(seats, on_empty_stock=rule)):
        rng = SeededNumbers(f"on/{number}")
        last = [after for *_, after in walk(hand, rng)][-1]
        assert last.over
