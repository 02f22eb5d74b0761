"""What must never be is told at once: each guard of the rules, broken on purpose."""

from typing import Any

import pytest
from msgspec.structs import replace

from eventstore.core.refusal import InvariantBroken
from games.rules import decide, events, facts, presets, selfplay
from games.rules.moves import KNOCK, TAKE, Move
from games.rules.options import DEFAULTS
from games.rules.result import hand_ended
from games.rules.selfplay import Run, SeededNumbers, random_setup
from games.rules.state import evolve
from tests.unit.games.rules_tables import after, decided, ended, table

PLAIN = {"A": "KC KD 5H", "B": "4C 4D 9S"}


def test_a_default_action_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "of_move", lambda hand, move: ())
    with pytest.raises(InvariantBroken, match="does not end"):
        decide.default_action(table(hands=PLAIN, stock="JS"))


def test_a_default_action_that_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "_forced", lambda hand: KNOCK)
    with pytest.raises(InvariantBroken, match="default action K is refused"):
        decide.time_out(after(table(hands=PLAIN, stock="JS"), "S"), in_row=1, bank_ms=0)


def test_a_slap_that_nothing_takes() -> None:
    with pytest.raises(InvariantBroken, match="slap"):
        facts.slap(table(hands=PLAIN, discard="QH"), 1, Move("P"))


def test_a_preset_that_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presets, "PRESETS", {"broken": {"deck": 1}})
    with pytest.raises(InvariantBroken, match="broken"):
        presets._complete("broken")


def test_nets_that_are_not_zero_sum() -> None:
    hand = table(hands=PLAIN, discard="QH")
    over = evolve(hand, decided(hand, "K").events[0])
    result = replace(ended(hand, "K"), net={1: 1, 2: 0})
    with pytest.raises(InvariantBroken, match="zero"):
        hand_ended(over, result)


@pytest.mark.parametrize(("card", "stands_for"), [("8C", "4C"), ("8C", "9C"), ("4D", "4D")])
def test_a_hit_at_a_place_that_is_not_there(card: str, stands_for: str) -> None:
    hands = {"A": "KD", "B": "8C 4D 9S"}
    hand = after(table(hands=hands, melds={"m1": ("A", "JC QC KC")}, stock="JS"), "S")
    fact = events.CardHit(seat=2, meld="m1", card=card, stands_for=stands_for, place=0)
    with pytest.raises(InvariantBroken, match="fit"):
        evolve(hand, fact)


def test_a_wild_card_that_would_stand_beside_the_run() -> None:
    hand = table(
        hands={"A": "KC", "B": "X1 9S"},
        melds={"m1": ("A", "5C 6C 7C")},
        stock="JS",
        options={"jokers": 1},
    )
    fact = events.CardHit(seat=2, meld="m1", card="X1", stands_for="9C", place=0)
    with pytest.raises(InvariantBroken, match="can not stand for 9C"):
        evolve(after(hand, "S"), fact)


def a_deal() -> Any:
    run = Run(DEFAULTS, 2, "guard")
    return random_setup(SeededNumbers("guard"), run, hand="guard", dealer=1)


def test_self_play_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfplay, "MOVES_MAX", 0)
    with pytest.raises(InvariantBroken, match="does not end"):
        selfplay.play_out(a_deal(), [selfplay.play_greedy] * 2, SeededNumbers("x"))


def test_a_policy_that_plays_what_is_not_legal() -> None:
    def stubborn(moves: tuple[Move, ...], rng: selfplay.Random) -> Move:
        del moves, rng
        return TAKE

    with pytest.raises(InvariantBroken, match="legal move T is refused: already_drawn"):
        selfplay.play_out(a_deal(), [stubborn] * 2, SeededNumbers("x"))
