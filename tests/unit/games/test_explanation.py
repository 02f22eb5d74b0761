"""The explanation of results: a worked example for each end, and sums for any hand."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.rules import events, initial
from games.rules.cards import TEXTS
from games.rules.dealing import judged
from games.rules.legality import refusal
from games.rules.moves import Move, parse
from games.rules.options import RULES_VERSION, Options, rules_hash
from games.rules.payment import Transfer, pay
from games.rules.result import hand_ended, settle
from games.rules.selfplay import SeededNumbers
from games.rules.state import Hand
from games.rules.words.explanation import (
    SeatTotal,
    Statement,
    as_data,
    explain,
    explain_voided,
    sentences,
)
from games.rules.words.explanation_texts import PHRASES, REASONS, STATEMENTS
from games.rules.words.other_numbers import other_numbers
from games.rules.words.plurals import Language, Text
from games.rules.words.sheet import sheet
from tests.unit.games.rules_tables import option_sets, options_of, play, table
from tonk_site.proving.cards.random_hands import dealt, walk

LANGUAGES: tuple[Language, ...] = get_args(Language)
NAMES = {1: "Ann", 2: "Bob", 3: "Cem", 4: "Dan"}
STAKE = 10
DIFFERENCE: dict[str, Any] = {"settlement": "difference", "difference_cap": 20}
LOW = {"A": "KC", "B": "5C 2D", "C": "3C 4D"}  # 10, 7, 7


def rule_set(options: Options) -> events.RuleSet:
    return events.RuleSet(
        preset=None, version=RULES_VERSION, hash=rules_hash(options), options=options
    )


def explained(hand: Hand, *texts: str, **fields: Any) -> tuple[Statement, ...]:
    """Statements of the result after moves that end a hand."""
    hand, result = play(hand, *texts)
    assert result is not None
    ended = hand_ended(hand, result, **fields)
    return explain(ended, rule_set(hand.setup.rules.options), hand.setup.stake)


def dealt_hands(hands: dict[str, str], **options: Any) -> tuple[Statement, ...]:
    """Statements of a hand that the deal ends."""
    claimed = judged(four(hands, **options))
    assert claimed.result is not None
    ended = hand_ended(claimed.hand, claimed.result)
    return explain(ended, rule_set(claimed.hand.setup.rules.options), STAKE)


def four(hands: dict[str, str], *, empty: bool = False, **options: Any) -> Hand:
    """A hand of as many players as there are hands, at the second player's turn."""
    piles: dict[str, Any] = {"stock": "QS"}
    if empty:
        piles = {"discard": "QS", "rest": "discard"}
    return table("".join(hands), hands=hands, stake=STAKE, options=options, **piles)


def keys(found: tuple[Statement, ...]) -> list[str]:
    """Keys but those of hands, sums and the next dealer, which always stand."""
    always = {"holds", "holds_deadwood", "holds_nothing", "net", "next_dealer"}
    return [one.key for one in found if one.key not in always]


def said(found: tuple[Statement, ...], language: Language = "en") -> list[str]:
    return sentences(found, language=language, names=NAMES, money=lambda minor: f"{minor} c")


def payments(found: tuple[Statement, ...]) -> list[str]:
    """Sentences of payments."""
    chosen = tuple(one for one in found if one.key in ("payment", "debt"))
    return said(chosen)


def first(found: tuple[Statement, ...], key: str) -> Statement:
    return next(one for one in found if one.key == key)


def test_why_was_i_caught_takes_two_sentences() -> None:
    hands = {"A": "5C 2D", "B": "TC", "C": "TD", "D": "KC 2C"}
    found = explained(four(hands), "K")
    assert said(found)[:2] == [
        "Bob knocked with 10 points (R15).",
        (
            "Bob was caught by Ann with 7 points and Cem with 10 points; a tie counts against the"
            " knocker (D11)."
        ),
    ]
    assert said(found, "lt")[:2] == [
        "Bob pabeldė; rankoje – 10 taškų (R15).",
        (
            "Žaidėją Bob sugavo: Ann – 7 taškai ir Cem – 10 taškų; lygi suma – pabeldusio žaidėjo"
            " nenaudai (D11)."
        ),
    ]
    assert payments(found) == [
        "Bob pays Ann 20 c (2 stakes): double, because Ann holds less than the knocker (R31).",
        "Bob pays Cem 20 c (2 stakes): double, because Cem holds as much as the knocker (R31).",
        "Bob pays Ann 10 c (1 stake): single for the lowest total (R32).",
        "Cem pays Ann 10 c (1 stake): single for the lowest total (R32).",
        "Dan pays Ann 10 c (1 stake): single for the lowest total (R32).",
    ]
    assert said(found)[-5:] == [
        "Ann wins 50 c (5 stakes) in all.",
        "Bob loses 50 c (5 stakes) in all.",
        "Cem wins 10 c (1 stake) in all.",
        "Dan loses 10 c (1 stake) in all.",
        "Bob deals next (R7).",
    ]


@pytest.mark.parametrize(
    ("options", "rule"),
    [({}, "R31"), ({"caught_rule": "low_only"}, "V9"), (DIFFERENCE, "V15")],
)
def test_ties_are_spoken_of_where_somebody_tied(options: dict[str, Any], rule: str) -> None:
    found = explained(four({"A": "AC", "B": "TC", "C": "KC 2C"}, **options), "K")
    assert said(found)[1] == f"Bob was caught by Ann with 1 point ({rule})."
    assert said(found, "lt")[1] == f"Žaidėją Bob sugavo: Ann – 1 taškas ({rule})."


def test_a_sentence_ends_with_one_full_stop() -> None:
    found = [Statement("paid_less", None, {"payer": 1, "receiver": 2, "owed": 30, "amount": 9})]
    (text,) = sentences(found, language="lt", money=lambda minor: f"{minor} žet.")
    assert text.endswith(" užteko tik 9 žet.")


def test_data_name_catchers_amounts_and_stakes() -> None:
    hands = {"A": "5C 2D", "B": "TC", "C": "TD"}
    found = as_data(explained(four(hands), "K"))
    assert msgspec.json.decode(msgspec.json.encode(found)) == found
    assert found[1] == {
        "key": "caught_tie",
        "rule": "D11",
        "also": [],
        "seat": 2,
        "total": 10,
        "catchers": [
            {"seat": 1, "total": 7, "how": "lower"},
            {"seat": 3, "total": 10, "how": "equal"},
        ],
    }
    assert found[2] == {
        "key": "holds",
        "rule": "V11",
        "also": [],
        "seat": 1,
        "total": 7,
        "cards": ["5C", "2D"],
    }
    assert found[5] == {
        "key": "payment",
        "rule": "R31",
        "also": [],
        "payer": 2,
        "receiver": 1,
        "amount": 20,
        "why": "double_lower",
        "multiplier": 2,
        "stakes": 2,
    }
    assert found[-2] == {
        "key": "net",
        "rule": None,
        "also": [],
        "seat": 3,
        "amount": 10,
        "stakes": 1,
    }


def test_r33_tied_lowest_are_each_paid() -> None:
    hands = {"A": "3C 4D", "B": "TC", "C": "5C 2D"}
    found = explained(four(hands), "K")
    tied = "single for the lowest total; tied lowest are each paid (R32, R33)."
    assert payments(found)[2:] == [
        f"Bob pays Ann 10 c (1 stake): {tied}",
        f"Bob pays Cem 10 c (1 stake): {tied}",
    ]


def test_v9_others_only_spares_the_knocker_the_single() -> None:
    found = explained(
        four({"A": "3C", "B": "TC", "C": "KC 2D"}, caught_bonus_from="others_only"), "K"
    )
    assert [(one.rule, one.facts["payer"]) for one in found if one.key in ("payment", "debt")] == [
        ("R31", 2),
        ("R32", 3),
    ]


def test_v9_low_only() -> None:
    hands = {"A": "3C", "B": "TC", "C": "9C"}
    assert payments(explained(four(hands, caught_rule="low_only"), "K")) == [
        "Bob pays Ann 20 c (2 stakes): double from the knocker for the lowest total (V9).",
        "Cem pays Ann 10 c (1 stake): single for the lowest total (V9).",
    ]
    tied = payments(explained(four(hands | {"C": "3D"}, caught_rule="low_only"), "K"))
    assert len(tied) == 2
    assert all(one.endswith("lowest total; tied lowest are each paid (V9, R33).") for one in tied)


def test_v9_the_knocker_pays_the_table() -> None:
    hands = {"A": "3C", "B": "TC", "C": "9C", "D": "KC"}
    assert payments(explained(four(hands, caught_rule="knocker_pays_table"), "K")) == [
        (
            "Bob pays Ann 30 c (3 stakes): one stake for each player but the knocker, to the lowest"
            " total (V9)."
        )
    ]
    found = explained(four(hands | {"C": "3D"}, caught_rule="knocker_pays_table"), "K")
    assert payments(found)[0] == (
        "Bob pays Ann 15 c: a share of one stake for each player but the knocker, to the tied"
        " lowest totals (V9)."
    )
    assert "stakes" not in first(found, "payment").facts


def test_v9_single_each() -> None:
    hands = {"A": "3C", "B": "TC", "C": "TD"}
    assert payments(explained(four(hands, caught_rule="single_each"), "K")) == [
        "Bob pays Ann 10 c (1 stake): single, because Ann holds less than the knocker (V9).",
        "Bob pays Cem 10 c (1 stake): single, because Cem holds as much as the knocker (V9).",
    ]


def test_v10_a_tie_counts_for_the_knocker() -> None:
    hands = {"A": "5C", "B": "TC", "C": "TD", "D": "TH"}
    found = explained(four(hands, knock_tie="knocker_wins"), "K")
    assert said(found)[1:3] == [
        "Bob was caught by Ann with 5 points (R31).",
        "A tie counts for the knocker: Cem with 10 points and Dan with 10 points (V10).",
    ]
    found = explained(four(hands | {"A": "KC"}, knock_tie="knocker_wins"), "K")
    assert said(found)[:3] == [
        "Bob knocked with 10 points (R15).",
        "Bob has the lowest total, so the knock wins (R30).",
        (
            "A tie counts for the knocker: Ann with 10 points, Cem with 10 points and Dan with 10"
            " points (V10)."
        ),
    ]


def test_v15_a_caught_knocker_pays_twice_the_difference() -> None:
    found = explained(four({"A": "3C", "B": "TC", "C": "9C"}, **DIFFERENCE), "K")
    assert payments(found) == [
        (
            "Bob pays Ann 140 c (14 points): twice the difference to the lowest total, at least 1"
            " point (V15)."
        )
    ]
    assert "stakes" not in first(found, "net").facts
    found = explained(four({"A": "3C", "B": "KC 9H", "C": "3D"}, **DIFFERENCE), "K")
    assert payments(found)[0] == (
        "Bob pays Ann 200 c (20 of 32 points): twice the difference to the lowest total, at least"
        " 1 point; tied lowest are each paid (V15, R33)."
    )
    found = explained(four({"A": "TD", "B": "TC"}, **DIFFERENCE), "K")
    assert first(found, "payment").facts["points"] == 1


def test_r30_a_knock_that_wins() -> None:
    hands = {"A": "3C", "B": "2C", "C": "TD"}
    found = explained(four(hands, knock_when="own_turn"), "K")
    assert said(found)[0] == "Bob knocked with 2 points (V8)."
    assert payments(found)[0] == "Ann pays Bob 10 c (1 stake): for the knock that won (R30)."
    found = explained(four(hands, drop_low=((1, 4), (2, 3), (9, 2))), "K")
    assert payments(found)[1] == (
        "Cem pays Bob 30 c (3 stakes): for a knock won with 2 or less (R30, V6)."
    )
    found = explained(four(hands, drop_low=((2, 3),), **DIFFERENCE), "K")
    assert payments(found)[1] == (
        "Cem pays Bob 240 c (3 times 8 points): for a knock won with 2 or less (R30, V6, V15)."
    )
    assert "(3 kartus po 8 taškus)" in said(found, "lt")[6]


def test_r27_r37_out_without_a_discard() -> None:
    hands, melds = {"A": "KC", "B": "8C 8D"}, {"m1": ("A", "5C 6C 7C")}
    spread = ("S", "L 8C 8D 8H")
    found = explained(table(hands=hands, stock="8H", stake=STAKE), *spread)
    assert said(found)[0] == "Bob went out without a discard (R27)."
    assert said(found)[2] == "Bob holds no cards."
    assert payments(found) == [
        "Ann pays Bob 20 c (2 stakes): double for going out without a discard (R27)."
    ]
    option = {"tonk_double_requires_new_spread": True}
    found = explained(table(hands=hands, stock="8H", stake=STAKE, options=option), *spread)
    assert keys(found) == ["tonk_out_new_spread", "payment"]
    assert payments(found)[0].endswith("with a new spread and without a discard (R27, R37).")
    hands = {"A": "KC", "B": "4C"}
    hand = table(hands=hands, melds=melds, stock="8C", stake=STAKE, options=option)
    found = explained(hand, "S", "H 4C m1", "H 8C m1")
    assert said(found)[0] == "Bob went out without a discard, by added cards alone (R27, R37)."
    assert payments(found) == [
        "Ann pays Bob 10 c (1 stake): single for going out by added cards alone (R27, R37)."
    ]


def test_v15_out_counts_the_points_held() -> None:
    option = DIFFERENCE | {"tonk_double_requires_new_spread": True}
    hands = {"A": "KC QD 5S", "B": "8C 8D"}
    hand = table(hands=hands, stock="8H", stake=STAKE, options=option)
    assert payments(explained(hand, "S", "L 8C 8D 8H")) == [
        (
            "Ann pays Bob 400 c (2 times 20 of 25 points): double for going out with a new spread"
            " and without a discard (R27, R37, V15)."
        )
    ]
    deadwood = option | {"count_method": "deadwood"}
    hands = {"A": "KC KD KS", "B": "8C 8D"}
    hand = table(hands=hands, stock="8H", stake=STAKE, options=deadwood)
    found = explained(hand, "S", "L 8C 8D 8H")
    assert keys(found) == ["tonk_out", "nothing_owed"]
    assert said(found)[1] == "Ann holds 0 points outside spreads: KC KD KS (V11)."
    assert said(found)[-2] == "Bob neither wins nor loses."


def test_r28_out_by_the_discard() -> None:
    hand = table(hands={"A": "KC", "B": "8C 8D 3S"}, stock="8H", stake=STAKE)
    found = explained(hand, "S", "L 8C 8D 8H", "D 3S")
    assert said(found)[0] == "Bob went out by discarding the last card (R28)."
    assert payments(found) == [
        "Ann pays Bob 10 c (1 stake): for going out by the last discard (R28)."
    ]


def test_r34_the_stock_is_out() -> None:
    found = explained(four({"A": "3C", "B": "TC", "C": "9C"}, empty=True), "S")
    assert said(found)[:2] == [
        "Bob asked for the empty stock, so the play ended (R26).",
        "Ann has the lowest total, 3 (R34).",
    ]
    assert payments(found)[0] == (
        "Bob pays Ann 10 c (1 stake): for the lowest total at the end of the stock (R34)."
    )
    found = explained(four({"A": "3C", "B": "TC"}, empty=True, **DIFFERENCE), "S")
    assert first(found, "payment").facts["points"] == 7


TIED = "Bob with 7 points and Cem with 7 points tie for the lowest total"


@pytest.mark.parametrize(
    ("tie", "sentence", "paid"),
    [
        (
            "each_paid",
            f"{TIED}; each is paid in full (D14).",
            [
                "Ann pays Bob 10 c (1 stake): for a tied lowest total, paid in full (R34, D14).",
                "Ann pays Cem 10 c (1 stake): for a tied lowest total, paid in full (R34, D14).",
            ],
        ),
        (
            "split",
            f"{TIED}; they share one payment of each other player (V14).",
            [
                "Ann pays Bob 5 c: a share for a tied lowest total (R34, V14).",
                "Ann pays Cem 5 c: a share for a tied lowest total (R34, V14).",
            ],
        ),
        (
            "no_payment",
            f"{TIED}, so nobody pays (V14).",
            [],
        ),
    ],
)
def test_v14_ties_at_the_end_of_the_stock(tie: str, sentence: str, paid: list[str]) -> None:
    found = explained(four(LOW, empty=True, stockout_tie=tie), "S")
    assert said(found)[1] == sentence
    assert payments(found) == paid
    found = explained(four(LOW | {"A": "7C"}, empty=True, stockout_tie=tie), "S")
    assert said(found)[1].startswith("All totals are equal, so nobody pays (")
    assert keys(found) == ["stock_out", "all_tie"]


def test_v14_a_share_of_points_has_no_points_of_its_own() -> None:
    found = explained(four(LOW, empty=True, stockout_tie="split", **DIFFERENCE), "S")
    assert payments(found)[0] == (
        "Ann pays Bob 15 c: a share for a tied lowest total (R34, V14, V15)."
    )


def test_void_hands() -> None:
    hand = four(LOW, empty=True, on_empty_stock="void", redeal_dealer="same")
    found = explained(hand, "S")
    assert keys(found) == ["void"]
    assert said(found)[0] == (
        "Bob asked for the empty stock, so the hand is void: nobody pays (V14)."
    )
    assert said(found)[-1] == "Ann deals next (V17)."
    hand = msgspec.structs.replace(four(LOW), finish="voided")
    ended = hand_ended(hand, settle(hand))
    found = explain(ended, rule_set(hand.setup.rules.options), STAKE)
    assert said(found)[0] == "The hand was declared void: nobody pays (D2)."
    voided = events.HandVoided(
        hand=ended.hand, reason="fault", server_seed=None, stacks=(), next_dealer=ended.next_dealer
    )
    without = explain_voided(voided, rule_set(hand.setup.rules.options))
    assert [one.key for one in without] == ["void_from_outside", "next_dealer"]
    lost = msgspec.structs.replace(voided, reason="dealer_key_lost")
    without = explain_voided(lost, rule_set(hand.setup.rules.options))
    assert [one.key for one in without] == ["void_key_lost", "next_dealer"]
    last = explain(
        msgspec.structs.replace(ended, next_dealer=None), rule_set(hand.setup.rules.options), STAKE
    )
    assert last == found[:-1]


FIFTY, FORTY_NINE = "TC JD QH KS KD", "TH JC QD KC 9S"
PLAIN = "AC 3D 5H 7S 9D"


def test_r10_a_dealt_total() -> None:
    found = dealt_hands({"A": FIFTY, "B": PLAIN})
    assert said(found)[0] == (
        "Ann was dealt a total of 50: a tonk, and the hand is not played (R10)."
    )
    assert payments(found) == ["Bob pays Ann 20 c (2 stakes): for the dealt total (R10)."]
    found = dealt_hands({"A": FIFTY, "B": PLAIN}, initial_tonk_multiplier=3, **DIFFERENCE)
    assert payments(found) == [
        "Bob pays Ann 600 c (3 times 20 of 25 points): for the dealt total (R10, V15)."
    ]


def test_v6_a_dealt_spread_and_a_low_total() -> None:
    found = dealt_hands({"A": "4C 5C 6C 7C 8C", "B": PLAIN}, initial_spread=True)
    assert said(found)[0] == (
        "All cards dealt to Ann are one spread, and the hand is not played (V6)."
    )
    assert payments(found) == ["Bob pays Ann 20 c (2 stakes): for the dealt spread (V6)."]
    low = {"A": "AH 2C 2D 3C 3H", "B": PLAIN}
    found = dealt_hands(low, initial_low=((9, 4), (13, 3)))
    assert said(found)[0] == (
        "Ann was dealt a total of 11, which is 13 or less; the hand is not played (V6)."
    )
    assert payments(found) == [
        "Bob pays Ann 30 c (3 stakes): for a dealt total of 13 or less (V6)."
    ]


def test_r11_v5_several_claims() -> None:
    hands = {"A": FIFTY, "B": FORTY_NINE, "C": PLAIN}
    found = dealt_hands(hands)
    assert keys(found) == ["claims_draw"]
    assert said(found)[0] == (
        "Hands that win before play were dealt to Ann with a total of 50 and Bob with a total of"
        " 49: a draw, nobody pays (R11)."
    )
    found = dealt_hands(hands, initial_tie="higher_wins")
    assert said(found)[1] == "It beats what was dealt to Bob with a total of 49 (V5)."
    low = {"C": "AC 2C 2D 3C 3H"}
    equal = hands | {"B": "TH JC QD KC TD"} | low
    found = dealt_hands(equal, initial_tie="higher_wins", initial_low=((13, 2),))
    assert keys(found) == ["claims_equal"]
    claims = found[0].facts["claims"]
    assert claims == (SeatTotal(1, 50, "initial_tonk"), SeatTotal(2, 50, "initial_tonk"))


def test_tournament_tables_say_what_was_really_paid() -> None:
    hand, result = play(four({"A": "5C 2D", "B": "TC", "C": "KC 2C"}), "K")
    assert result is not None
    due = [Transfer(one.from_seat, one.to_seat, one.amount) for one in result.transfers]
    outcome = pay(due, stacks={1: 50, 2: 25, 3: 50}, payment="table_stakes")
    paid = [
        events.Payment(from_seat=one.from_seat, to_seat=one.to_seat, amount=one.amount)
        for one in outcome.paid
    ]
    ended = hand_ended(hand, result, paid=paid)
    rules = rule_set(hand.setup.rules.options)
    found = explain(ended, rules, STAKE)
    assert [one.facts["owed"] for one in found if one.key == "paid_less"] == [30]
    assert "Bob could pay Ann only 25 c of 30 c." in said(found)
    assert "Ann wins 35 c in all." in said(found)
    check_sums(found, ended)
    none = msgspec.structs.replace(ended, paid=())
    assert {one.facts["amount"] for one in explain(none, rules, 10) if one.key == "paid_less"} == {
        0
    }


def test_the_house_takes_its_share() -> None:
    found = explained(four({"A": "3C", "B": "2C"}), "K", rake={2: 1})
    assert said(found)[-2] == "The house takes 1 c of what Bob won."


def test_players_without_a_name_are_named_by_their_seat() -> None:
    found = explained(four({"A": "3C", "B": "2C"}), "K")
    assert sentences(found, language="en")[0] == "Seat 2 knocked with 2 points (R15)."
    assert sentences(found, language="lt")[0] == "Nr. 2 pabeldė; rankoje – 2 taškai (R15)."
    braces = sentences(found, language="en", names={2: "{seat}"})
    assert braces[0] == "{seat} knocked with 2 points (R15)."


RULES = (
    {f"R{number}" for number in range(1, 38)}
    | {f"D{number}" for number in range(1, 29)}
    | {f"V{number}" for number in range(1, 18)}
)


def check_sums(found: tuple[Statement, ...], ended: events.HandEnded) -> None:
    """Payments less what could not be paid are the nets."""
    sums: Counter[object] = Counter()
    for one in found:
        if one.key not in ("payment", "debt", "paid_less"):
            continue
        amount, owed = one.facts["amount"], one.facts.get("owed", 0)
        assert isinstance(amount, int)
        assert isinstance(owed, int)
        moved = amount - owed if one.key == "paid_less" else amount
        sums[one.facts["receiver"]] += moved
        sums[one.facts["payer"]] -= moved
    nets = {one.facts["seat"]: one.facts["amount"] for one in found if one.key == "net"}
    assert nets == {one.seat: sums[one.seat] for one in ended.net}


def check_payments(found: tuple[Statement, ...], ended: events.HandEnded, stake: int) -> None:
    """Each transfer is explained once, under its own rule, and its factors make its amount."""
    told = [one for one in found if one.key in ("payment", "debt")]
    named = [
        (one.facts["payer"], one.facts["receiver"], one.facts["amount"], one.rule) for one in told
    ]
    owed = [(one.from_seat, one.to_seat, one.amount, one.rule) for one in ended.transfers]
    assert named == owed
    for one in told:
        facts: dict[str, Any] = dict(one.facts)
        if "multiplier" in facts:
            assert facts["amount"] == stake * facts["multiplier"] * facts.get("points", 1)
        if "stakes" in facts:
            assert facts["amount"] == stake * facts["stakes"]


def check_words(found: tuple[Statement, ...]) -> None:
    for one in found:
        assert ({one.rule, *one.also} - {None}) <= RULES
    for language in LANGUAGES:
        spoken = sentences(found, language=language)
        assert len(spoken) == len(found)
        for sentence in spoken:
            assert sentence.endswith(".")
            assert not re.search(r"[{}|]|None", sentence)
    assert sentences(found, language="en") != sentences(found, language="lt")


def refusing(hand: Hand, rng: SeededNumbers) -> set[str]:
    """Numbers of rules that refuse moves of any sort, of the player to act and of another."""
    cards = [TEXTS[hand.setup.rules.pack.codes[int(rng.random() * 40)]] for _ in range(3)]
    tried = ["K", "S", "T", "P", f"P {cards[0]}", f"H {cards[0]} m1", f"L {' '.join(cards)}"]
    held = [f"D {TEXTS[card]}" for card in hand.held_cards(hand.to_act)] if hand.to_act else []
    named = set()
    for seat in {hand.to_act or 1, hand.setup.seats[0]}:
        for text in (*tried, *held):
            found = parse(text)
            refused = refusal(hand, seat, found) if isinstance(found, Move) else None
            if refused is not None and refused.rule is not None:
                named.add(refused.rule)
    return named


def lines_of(options: Options) -> set[str]:
    """Numbers that have a line on the pages of an option set."""
    own = sheet(options, language="en")
    sections = (*own.sections, other_numbers(options, own))
    return {line.rule for section in sections for line in section.lines}


seats = st.shared(st.integers(2, 6), key="seats")


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seats, seats.flatmap(option_sets), st.integers(0, 1 << 32).map(str))
def test_every_transfer_of_any_hand_is_explained_once(
    count: int, options: Options, seed: str
) -> None:
    rng = SeededNumbers(seed)
    hand, named = dealt(rng, options, count), set[str]()
    if initial.claims(hand):
        hand = judged(hand).hand
    else:
        for before, _, _, after in walk(hand, rng):
            named |= refusing(before, rng)
            hand = after
    named |= refusing(hand, rng)
    ended = hand_ended(hand, settle(hand))
    found = explain(ended, rule_set(options), hand.setup.stake)
    named |= {number for one in found for number in (one.rule, *one.also) if number}
    assert named <= lines_of(options)
    check_payments(found, ended, hand.setup.stake)
    check_sums(found, ended)
    check_words(found)


@given(seats, st.integers(0, 1 << 32).map(str), st.sampled_from(["draw", "higher_wins"]))
def test_claims_are_those_that_the_deal_judged(count: int, seed: str, tie: str) -> None:
    options = options_of(
        count,
        initial_tie=tie,
        initial_tonk_counts=(30, 35),
        initial_low=((25, 3), (28, 2)),
        initial_spread=True,
    )
    hand = dealt(SeededNumbers(seed), options, count)
    claims = initial.claims(hand)
    if not claims:
        return
    claimed = judged(hand)
    assert claimed.result is not None
    ended = hand_ended(claimed.hand, claimed.result)
    found = explain(ended, rule_set(options), hand.setup.stake)
    check_payments(found, ended, hand.setup.stake)
    told = {
        total.seat
        for one in found
        if isinstance(totals := one.facts.get("claims"), tuple)
        for total in totals
        if isinstance(total, SeatTotal)
    }
    if ended.end == "initial_draw" and tie == "draw":
        assert told == {hand.setup.seats[claim.player] for claim in claims}
    elif ended.winners:
        assert len(told) == len(claims) - 1


@pytest.mark.parametrize("texts", [STATEMENTS, REASONS, PHRASES])
def test_texts_name_the_same_facts_in_both_languages(texts: Mapping[str, Text]) -> None:
    for text in texts.values():
        english, lithuanian = (set(re.findall(r"{(\w+)", each)) for each in (text.en, text.lt))
        assert english == lithuanian
        assert not text.en.endswith(".")
        assert not text.lt.endswith(".")
