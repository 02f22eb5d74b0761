"""The options of the rules: each test named by the number of what it tests (`rules.md` 4)."""

from typing import Any

import pytest
from msgspec.structs import replace

from eventstore.core.refusal import InvariantBroken, Refusal
from games.rules.cards import CODES, codes_of, pack_of
from games.rules.dealing import judged
from games.rules.decide import decide, default_action, legal_slaps
from games.rules.events import CardHit, CardSlapped, PileReshuffled, PlacedCard, SpreadLaid
from games.rules.initial import claims
from games.rules.options import PRESETS, RULES_VERSION, complete
from games.rules.result import Result
from games.rules.rulebook import rulebook
from games.rules.state import Hand, evolve, fold
from tests.unit.games.rules_tables import (
    after,
    answer,
    code,
    decided,
    ended,
    move,
    nets,
    options_of,
    table,
    texts,
)

SPREADS = {"m1": ("A", "5C 6C 7C")}


def slapped(hand: Hand, seat: int, text: str) -> Hand:
    """The hand after a legal slap of a seat."""
    found = decide(hand, seat, move(text))
    assert not isinstance(found, Refusal), found
    return fold(hand, found.events)


def caught_nets(options: dict[str, Any]) -> list[int]:
    """Nets where B knocks with 10 against 5, 8, 10 and 20."""
    hands = {"A": "5C", "B": "TC", "C": "8D", "D": "TD", "E": "KC KD"}
    return nets(ended(table("ABCDE", hands=hands, options=options), "K"))


def test_V1_a_table_has_two_to_six_seats() -> None:
    sets = [complete({"max_players": 6}, seats) for seats in range(1, 8)]
    assert [isinstance(found, Refusal) for found in sets] == [True, *[False] * 5, True]


@pytest.mark.parametrize("size", [3, 5, 7, 9, 12])
def test_V2_hand_sizes_and_the_short_pack(size: int) -> None:
    assert options_of(2, max_players=2, hand_size=size, deck=40).hand_size == size
    hand = table(hands={"A": "KD", "B": "6H 7H JH QH"}, options={"deck": 40}, stock="2C")
    assert code(after(hand, "S"), "L 6H 7H JH QH") == "ok"  # the seven and the jack are neighbours
    assert len(hand.setup.rules.pack.codes) == 40


def test_V3_faces_may_count_11_12_13() -> None:
    hand = table(hands={"A": "AC", "B": "TC JD QD KD"}, options={"face_values": [11, 12, 13]})
    assert hand.count(2) == 46


def test_V4_jokers_stand_for_cards_and_count_joker_value() -> None:
    options = {"jokers": 2, "joker_value": 15}
    hand = table(hands={"A": "KC", "B": "9C X1 9D 4S"}, stock="JS", options=options)
    assert hand.count(2) == 37
    hand = after(hand, "S")
    fact = decided(hand, "L 9C 9D X1").events[0]
    assert isinstance(fact, SpreadLaid)
    assert (fact.kind, fact.cards, fact.stands_for) == (
        "book",
        ("9C", "9D", "X1"),
        ("9C", "9D", "9H"),
    )
    assert after(hand, "L 9C 9D X1").count(2) == 14
    assert pack_of(52, 2).codes == tuple(range(54))


def test_V4_the_place_in_the_list_says_what_a_wild_card_stands_for() -> None:
    hands = {"A": "KC", "B": "X1 X2 3C 5C 6C KS"}
    hand = after(table(hands=hands, stock="JS", options={"jokers": 2}), "S")
    for text, stands_for in {
        "L X1 5C 6C": ("4C", "5C", "6C"),
        "L 5C 6C X1": ("5C", "6C", "7C"),
        "L 3C X2 5C 6C X1": ("3C", "4C", "5C", "6C", "7C"),
    }.items():
        fact = decided(hand, text).events[0]
        assert isinstance(fact, SpreadLaid)
        assert fact.stands_for == stands_for
    for wrong in ("L 5C X1 6C", "L X1 X2 3C", "L 3C X1 6C", "L X1 X2 KS", "L 3C X1 X2 6C 5C"):
        assert code(hand, wrong) == "bad_spread"
    bits = hand.setup.rules.pack.bits
    assert after(hand, "L X1 5C 6C").melds[0].wild == ((bits[CODES["X1"]], bits[CODES["4C"]]),)
    assert after(hand, "L X1 5C 6C").melds[0].fits == hand.setup.rules.pack.set_of(
        codes_of(["3C", "7C", "X1", "X2"])
    )


def test_V4_legal_lists_each_meaning_of_the_same_cards() -> None:
    hands = {"A": "KC", "B": "X1 5C 6C KS 9D"}
    hand = after(table(hands=hands, stock="2H", options={"jokers": 1}), "S")
    assert [text for text in texts(hand) if text[0] == "L"] == ["L 5C 6C X1", "L X1 5C 6C"]


def test_V4_a_wild_card_hits_the_high_end_unless_low_is_named() -> None:
    hands = {"A": "KC", "B": "X1 X2 4C"}
    hand = table(hands=hands, melds=SPREADS, stock="JS", options={"jokers": 2})
    hand = after(hand, "S")
    hits = [text for text in texts(hand) if text[0] == "H"]
    assert hits[:3] == ["H 4C m1", "H X1 m1 low", "H X1 m1 high"]
    for text, stands_for in {"H X1 m1": "8C", "H X1 m1 low": "4C"}.items():
        fact = decided(hand, text).events[0]
        assert isinstance(fact, CardHit)
        assert fact.stands_for == stands_for
    assert code(after(hand, "H X1 m1 low"), "H 4C m1") == "bad_hit"


def test_V4_a_wild_card_goes_to_the_low_end_of_a_run_up_to_the_king() -> None:
    melds = {"m1": ("A", "JC QC KC"), "m2": ("A", "AD 2D 3D")}
    hand = table(hands={"A": "2C", "B": "X1 4H"}, melds=melds, stock="JS", options={"jokers": 1})
    hand = after(hand, "S")
    assert [text for text in texts(hand) if text[0] == "H"] == ["H X1 m1", "H X1 m2"]
    grown = after(hand, "H X1 m1")
    assert texts(grown).count("D X1") == 0
    fact = decided(hand, "H X1 m1").events[0]
    assert isinstance(fact, CardHit)
    assert fact.stands_for == "TC"


def test_V4_a_joker_fills_a_book_up_to_four() -> None:
    melds = {"m1": ("A", "9C 9D 9H")}
    hand = table(hands={"A": "2C", "B": "X1 9S 4D"}, melds=melds, stock="JS", options={"jokers": 1})
    hand = after(hand, "S", "H X1 m1")
    assert (hand.melds[0].fits, code(hand, "H 9S m1")) == (0, "bad_hit")


def test_V4_wild_deuces_are_natural_in_their_own_place() -> None:
    hands = {"A": "KC", "B": "AH 2H 3H 2D 2S 9S 7C"}
    hand = after(table(hands=hands, stock="5C", options={"deuces_wild": True}), "S")
    assert hand.count(2) == 1 + 2 + 3 + 2 + 2 + 9 + 7 + 5
    for text in ("L AH 2H 3H", "L 2H 2D 2S", "L 5C 2D 7C", "L 2H 3H 2D", "L AH 2D 3H"):
        assert code(hand, text) == "ok", text
    for text in ("L 2S 2H 9S", "L 3H 2H AH", "L 9S 2S 7C"):
        assert code(hand, text) == "bad_spread", text
    options = {"deuces_wild": True, "jokers": 2}
    few = table(hands={"A": "KC", "B": "2H 3H X1 X2"}, stock="9S", options=options)
    assert code(after(few, "S"), "L 2H X1 X2") == "bad_spread"  # no card tells the suit
    spreads = [text for text in texts(after(few, "S")) if text.startswith("L")]
    assert {"L 2H 3H X1", "L X1 2H 3H"} <= set(spreads)
    laid = decided(hand, "L 2H 3H 2D").events[0]
    assert isinstance(laid, SpreadLaid)
    assert laid.stands_for == ("2H", "3H", "4H")


def test_V4_a_deuce_that_hits_goes_high_unless_its_own_place_is_named() -> None:
    melds = {"m1": ("A", "3C 4C 5C"), "m2": ("A", "2D 2H 2S")}
    options = {"deuces_wild": True}
    hand = table(hands={"A": "KD", "B": "2C 9D"}, melds=melds, stock="JS", options=options)
    hand = after(hand, "S")
    for text, stands_for in {"H 2C m1": "6C", "H 2C m1 low": "2C", "H 2C m2": "2C"}.items():
        fact = decided(hand, text).events[0]
        assert isinstance(fact, CardHit)
        assert fact.stands_for == stands_for
    low = after(hand, "H 2C m1 low")
    assert code(low, "H 9D m1") == "bad_hit"
    assert low.melds[0].wild == ()


def test_V4_books_grow_by_naturals_and_wild_cards() -> None:
    melds = {"m1": ("A", "9D 9H X1"), "m2": ("A", "2D 2H 2S")}
    options = {"jokers": 2, "deuces_wild": True}
    hand = table(hands={"A": "KC", "B": "9C 2C X2 KD"}, melds=melds, stock="JS", options=options)
    hand = after(hand, "S")
    cards = hand.setup.rules.pack.set_of
    nines, deuces = hand.melds
    assert nines.fits == cards(codes_of(["9C", "9S", "2C", "2D", "2H", "2S", "X2"]))
    assert deuces.fits == cards(codes_of(["2C", "X1", "X2"]))
    natural = after(hand, "H 9C m1").melds[0]
    assert (natural.fits, natural.span, natural.owner) == (
        0,
        cards(codes_of(["9C", "9D", "9H"])),
        0,
    )
    wild = after(hand, "H 2C m1").melds[0]
    assert (wild.fits, wild.span, wild.owner) == (0, nines.span, 0)
    grown = after(hand, "H 2C m2").melds[1]
    assert (grown.fits, grown.span) == (0, cards(codes_of(["2C", "2D", "2H", "2S"])))


def test_V4_a_wild_deuce_in_a_book_stands_for_a_missing_suit() -> None:
    hand = table(hands={"A": "KC", "B": "9D 9H 2C KS"}, stock="JS", options={"deuces_wild": True})
    laid = decided(after(hand, "S"), "L 2C 9D 9H").events[0]
    assert isinstance(laid, SpreadLaid)
    assert (laid.cards, laid.stands_for) == (("2C", "9D", "9H"), ("9C", "9D", "9H"))
    hand = table(hands={"A": "KC", "B": "9C 9D 2C KS"}, stock="JS", options={"deuces_wild": True})
    laid = decided(after(hand, "S"), "L 2C 9C 9D").events[0]
    assert isinstance(laid, SpreadLaid)
    assert (laid.kind, laid.cards, laid.stands_for) == (
        "book",
        ("9C", "9D", "2C"),
        ("9C", "9D", "9H"),
    )


def test_V4_a_whole_suit_with_a_wild_card_is_closed() -> None:
    options = {"jokers": 1, "ace_runs": "high_or_low", "deck": 40}
    hands = {"A": "KC", "B": "AH 2H 3H 4H 5H X1 7H JH QH KH 7S"}
    hand = after(table(hands=hands, stock="JS", options=options), "S")
    runs = [text for text in texts(hand) if text.startswith("L") and len(text.split()) == 11]
    assert runs == [
        "L 2H 3H 4H 5H X1 7H JH QH KH AH",
        "L AH 2H 3H 4H 5H X1 7H JH QH KH",
    ]
    for text in runs:
        assert after(hand, text).melds[0].fits == 0
        (laid,) = decided(hand, text).events
        assert isinstance(laid, SpreadLaid)
        assert laid.kind == "run"


def test_V4_deadwood_counts_what_no_choice_of_spreads_takes() -> None:
    options = {"count_method": "deadwood", "jokers": 1, "joker_value": 20}
    hand = table(hands={"A": "KC", "B": "9C 9D X1 TC JC"}, options=options)
    # The joker joins the tens of the run; the nine of diamonds is left over.
    assert hand.count(2) == 9


def test_V4_a_time_out_lays_the_highest_meaning_and_never_throws_by_rank() -> None:
    options = {"jokers": 1, "must_spread": True, "joker_value": 25}
    hand = table(hands={"A": "KC", "B": "X1 5C 6C 9D"}, stock="KD", options=options)
    assert [one.text for one in default_action(hand)] == ["S", "L 5C 6C X1", "D KD"]


def test_V5_totals_that_claim_their_multiplier_and_ties() -> None:
    options: dict[str, Any] = {"initial_tonk_counts": [15], "initial_tonk_multiplier": 4}
    hands = {"A": "9S TS JS QS KS", "B": "AD 2D 3D 4D 5D"}
    hand = table(hands=hands, start="deal", options=options)
    assert [(one.player, one.multiplier) for one in claims(hand)] == [(1, 4)]
    none = table(hands=hands, start="deal", options={"initial_tonk_counts": []})
    assert claims(none) == []
    assert rulebook(options_of(hand_size=7), 2).initial_counts == ()


def test_V5_of_several_claims_the_better_wins_and_equal_ones_are_a_draw() -> None:
    options: dict[str, Any] = {"initial_tie": "higher_wins", "initial_low": [[20, 1]]}
    better = {"A": "TC JD QH KS 9C", "B": "TD JS QC KD KH", "C": "AC AD 2C 2D 3H"}
    result = judged(table("ABC", hands=better, start="deal", options=options)).result
    assert result is not None
    assert (result.end, result.winners) == ("initial_tonk", (2,))
    equal = {"A": "TC JD QH KS QD", "B": "TD JS QC KD KH", "C": "AC AD 2C 2D 3H"}
    result = judged(table("ABC", hands=equal, start="deal", options=options)).result
    assert result is not None
    assert (result.end, result.winners) == ("initial_draw", ())


def test_V6_low_hands_tiers_and_spread_hands() -> None:
    hands = {"A": "AS AC 2S 2C 3C", "B": "AD 2D 3D 4D 5D"}
    low = {"initial_low": [[9, 3], [13, 2]]}
    (claim,) = claims(table(hands=hands, start="deal", options=low))
    assert (claim.kind, claim.total, claim.multiplier) == ("initial_low", 9, 3)
    (claim,) = claims(table(hands=hands, start="deal", options={"initial_spread": True}))
    assert (claim.player, claim.kind) == (1, "initial_spread")
    won = table(hands={"A": "KC", "B": "4C 5D"}, options={"drop_low": [[5, 3], [9, 2]]})
    assert nets(ended(won, "K")) == [-2, 2]


def test_V7_hits_hold_the_owner_of_the_spread() -> None:
    hands = {"A": "2C 2D", "B": "8C 9C KD"}
    for options, holds in (
        ({"hit_hold_first": 2}, (2, 0)),
        ({"hit_hold_first": 2, "hit_hold_extra": 1}, (3, 0)),
    ):
        hand = table(hands=hands, melds=SPREADS, stock="JD", options=options)
        assert after(hand, "S", "H 8C m1", "H 9C m1").holds == holds
    own = {"m1": ("B", "5C 6C 7C")}
    for myself, holds in ((False, (0, 0)), (True, (0, 1))):
        options = {"hit_hold_first": 1, "hit_hold_self": myself}
        hand = table(hands=hands, melds=own, stock="JD", options=options)
        assert after(hand, "S", "H 8C m1").holds == holds
    hand = table(hands={"A": "KC", "B": "8C 8D 8H 2S"}, stock="JD", options={"spread_hold": 3})
    assert after(hand, "S", "L 8C 8D 8H").holds == (0, 3)


def test_V8_when_and_with_what_one_may_knock() -> None:
    hands = {"A": "KC KD", "B": "4C 5D"}
    own_turn = after(table(hands=hands, stock="AD", options={"knock_when": "own_turn"}), "S")
    assert code(own_turn, "K") == "ok"
    took = table(hands=hands, discard="AD", options={"knock_when": "own_turn"})
    assert code(after(took, "T"), "K") == "ok"  # the taken card need not be laid
    early = table(hands=hands, round=1, options={"knock_from_round": 3})
    assert answer(early, "K") == Refusal("knock_too_early", "V8", {"round": 3})
    assert code(table(hands=hands, round=2, options={"knock_from_round": 3}), "K") == "ok"
    for limit, said in ((8, "knock_over_limit"), (9, "ok")):
        assert code(table(hands=hands, options={"knock_max_count": limit}), "K") == said


@pytest.mark.parametrize(
    ("options", "net"),
    [
        ({}, [6, -7, 1, 1, -1]),
        ({"caught_bonus_from": "others_only"}, [5, -6, 1, 1, -1]),
        ({"caught_rule": "low_only"}, [5, -2, -1, -1, -1]),
        ({"caught_rule": "knocker_pays_table"}, [4, -4, 0, 0, 0]),
        ({"caught_rule": "single_each"}, [1, -3, 1, 1, 0]),
    ],
)
def test_V9_what_a_caught_knocker_pays(options: dict[str, Any], net: list[int]) -> None:
    assert caught_nets(options) == net
    assert sum(net) == 0


@pytest.mark.parametrize(
    ("options", "owed"),
    [
        (
            {"caught_rule": "low_only"},
            [(2, 1, 4, "V9"), (4, 1, 2, "V9"), (2, 3, 4, "V9"), (4, 3, 2, "V9")],
        ),
        ({"caught_rule": "knocker_pays_table"}, [(2, 1, 3, "V9"), (2, 3, 3, "V9")]),
        ({"caught_rule": "single_each"}, [(2, 1, 2, "V9"), (2, 3, 2, "V9"), (2, 4, 2, "V9")]),
        (
            {"settlement": "difference", "difference_cap": 9},
            [(2, 1, 18, "V15"), (2, 3, 18, "V15")],
        ),
    ],
)
def test_V9_V15_every_payment_of_a_caught_knocker(
    options: dict[str, Any], owed: list[tuple[int, int, int, str]]
) -> None:
    hands = {"A": "5C", "B": "TC", "C": "5D", "D": "8D"}
    result = ended(table("ABCD", hands=hands, options=options, stake=2), "K")
    assert paid(result) == owed


@pytest.mark.parametrize(
    ("rule", "owed"),
    [
        ("low_only", [(2, 1, 2, "V9"), (2, 3, 2, "V9")]),
        ("knocker_pays_table", [(2, 1, 1, "V9"), (2, 3, 1, "V9")]),
    ],
)
def test_V9_a_knocker_who_ties_with_the_lowest_is_none_of_them(
    rule: str, owed: list[tuple[int, int, int, str]]
) -> None:
    hands = {"A": "5C", "B": "5S", "C": "5D"}
    assert paid(ended(table("ABC", hands=hands, options={"caught_rule": rule}), "K")) == owed


def paid(result: Result) -> list[tuple[int, int, int, str]]:
    """Payments as (from, to, amount, rule)."""
    return [(one.from_seat, one.to_seat, one.amount, one.rule) for one in result.transfers]


@pytest.mark.parametrize(
    ("tie", "owed"),
    [
        ("each_paid", [(1, 2, 5, "R34"), (3, 2, 5, "R34"), (1, 4, 5, "R34"), (3, 4, 5, "R34")]),
        # From the dealer's left C pays first: B's share, then A pays D's.
        ("split", [(3, 2, 5, "R34"), (1, 4, 5, "R34")]),
        ("no_payment", []),
    ],
)
def test_V14_every_payment_at_the_end_of_the_stock(
    tie: str, owed: list[tuple[int, int, int, str]]
) -> None:
    hands = {"A": "KC", "B": "4C", "C": "KD", "D": "4D"}
    options = {"stockout_tie": tie}
    hand = table("ABCD", hands=hands, rest="discard", discard="QH", options=options, stake=5)
    assert paid(ended(hand, "S")) == owed


def test_V14_D21_shares_are_filled_by_payers_in_order() -> None:
    hands = {"A": "KC", "B": "4C", "C": "KD", "D": "4D", "E": "4H"}
    options = {"stockout_tie": "split"}
    hand = table("ABCDE", hands=hands, rest="discard", discard="QH", options=options, stake=5)
    # Ten units for three: B, D and E in order from the dealer's left get 4, 3 and 3.
    assert paid(ended(hand, "S")) == [
        (3, 2, 4, "R34"),
        (1, 4, 2, "R34"),
        (3, 4, 1, "R34"),
        (1, 5, 3, "R34"),
    ]


def test_V10_a_tie_may_go_to_the_knocker() -> None:
    assert caught_nets({"knock_tie": "knocker_wins"}) == [2 + 4, -4 - 1, 2 - 1, -1, -1]


def test_V11_deadwood_counts_at_knocks_limits_and_the_end_of_the_stock() -> None:
    options = {"count_method": "deadwood", "knock_max_count": 2}
    hand = table(hands={"A": "KC", "B": "9C 9D 9H 2S"}, options=options)
    assert nets(ended(hand, "K")) == [-1, 1]


def test_V12_the_discard_hits_and_their_targets() -> None:
    melds = {**SPREADS, "m2": ("A", "9C 9D 9H")}
    hands = {"A": "KC KD", "B": "4C 8C 9S"}
    one = table(hands=hands, melds=melds, stock="JD", options={"hits_per_turn": 1})
    assert code(after(one, "S", "H 8C m1"), "H 4C m1") == "hit_limit"
    runs = table(hands=hands, melds=melds, stock="JD", options={"hit_targets": "runs_only"})
    assert [text for text in texts(after(runs, "S")) if text[0] == "H"] == ["H 4C m1", "H 8C m1"]
    assert answer(after(runs, "S"), "H 9S m2") == Refusal(
        "bad_hit", "V12", {"card": "9S", "meld": "m2"}
    )
    free = table(hands=hands, discard="QH", options={"allow_return_discard": True})
    assert code(after(free, "T"), "D QH") == "ok"


def test_V13_the_ace_may_follow_the_king_but_never_stand_in_the_middle() -> None:
    hands = {"A": "2D", "B": "QS KS AS 2S 3S"}
    hand = after(table(hands=hands, stock="4D", options={"ace_runs": "high_or_low"}), "S")
    runs = [text for text in texts(hand) if text[0] == "L"]
    assert runs == ["L QS KS AS", "L AS 2S 3S"]
    options = {"ace_runs": "high_or_low", "must_spread": True}
    alone = table(hands={"A": "2D", "B": "QS KS AS 7H"}, stock="4D", options=options)
    assert texts(after(alone, "S")) == ["L QS KS AS"]
    wild = table(
        hands={"A": "2D", "B": "QS AS X1 7H"},
        stock="4D",
        options={"ace_runs": "high_or_low", "jokers": 1},
    )
    assert "L QS X1 AS" in texts(after(wild, "S"))
    assert code(after(alone, "S"), "D 7H") == "must_spread"
    suit = {"A": "2D", "B": "AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"}
    whole = after(table(hands=suit, stock="4D", options={"ace_runs": "high_or_low"}), "S")
    laid = [text.split()[1:] for text in texts(whole) if text[0] == "L"]
    assert len({frozenset(cards) for cards in laid}) == len(laid) == 66 + 10
    assert laid[0][-1] == "AH"
    assert code(hand, "L KS AS 2S") == "bad_spread"


def test_V14_the_empty_stock_ends_voids_or_is_made_anew() -> None:
    hands = {"A": "3C 9D", "B": "AC KD"}
    void = table(hands=hands, rest="discard", discard="QH", options={"on_empty_stock": "void"})
    result = ended(void, "S")
    assert (result.end, nets(result)) == ("void", [0, 0])


def reshuffling(**fields: Any) -> Hand:
    """A table whose stock is out, three cards under the top discard of a short pack."""
    melds = {
        "m1": ("A", "AC 2C 3C 4C 5C 6C 7C JC QC"),
        "m2": ("A", "AD 2D 3D 4D 5D 6D 7D JD QD"),
        "m3": ("B", "AH 2H 3H 4H 5H 6H 7H JH QH"),
        "m4": ("B", "AS 2S 3S 4S 5S 6S"),
    }
    options = {"on_empty_stock": "reshuffle", "deck": 40, "slap": True}
    fields = {"hands": {"A": "7S KC", "B": "QS KS"}, "discard": "KD KH JS"} | fields
    return table(melds=melds, options=options, **fields)


def test_V14_D27_one_reshuffle_of_what_lies_under_the_top_discard() -> None:
    hand = reshuffling(reshuffle=["KH", "KD"])
    made = decided(hand, "S").events
    places = tuple(hand.setup.place_of[card] for card in codes_of(["KD", "KH"]))
    assert made[0] == PileReshuffled(hand="t", shuffle_no=1, places=places, root="")
    hand = after(hand, "S")
    assert (hand.stock_count, hand.top, hand.stock_next) == (1, CODES["JS"], 65)
    assert CODES["KH"] in hand.held_cards(2)
    hand = after(hand, "D QS", "S", "D KC")
    assert (hand.stock_count, len(hand.pile)) == (0, 3)
    result = ended(hand, "S")  # the second time the play ends
    assert (result.end, result.by) == ("stock_out", 2)


def test_D27_nothing_under_the_top_discard_ends_the_play() -> None:
    hands = {"A": "7S KC KD", "B": "QS KS KH"}
    assert ended(reshuffling(hands=hands, discard="JS"), "S").end == "stock_out"


def test_V14_a_reshuffle_that_is_not_that_of_the_hand_does_not_fold() -> None:
    hand = reshuffling(reshuffle=["KH", "KD"])
    good = decided(hand, "S").events[0]
    assert isinstance(good, PileReshuffled)
    for wrong in (
        PileReshuffled(hand="t", shuffle_no=1, places=good.places, root="ab"),
        PileReshuffled(hand="t", shuffle_no=1, places=good.places[::-1], root=""),
    ):
        with pytest.raises(InvariantBroken, match="key and its pile"):
            evolve(hand, wrong)
    with pytest.raises(InvariantBroken, match="may not be reshuffled"):
        evolve(after(hand, "S"), good)
    with pytest.raises(ValueError, match="reshuffle"):
        decide(reshuffling(), 2, move("S"))
    nobody = replace(hand, setup=replace(hand.setup, shuffler=None))
    with pytest.raises(InvariantBroken, match="nobody here knows"):
        decide(nobody, 2, move("S"))


def test_V15_the_difference_of_points_is_paid() -> None:
    options = {"settlement": "difference", "difference_cap": 20}
    hands = {"A": "KC KD 5D", "B": "4C"}
    assert nets(ended(table(hands=hands, options=options), "K")) == [-20, 20]
    assert nets(ended(table(hands={"A": "9C", "B": "4C"}, options=options), "K")) == [-5, 5]
    assert nets(ended(table(hands={"A": "4C", "B": "9C"}, options=options), "K")) == [10, -10]
    assert nets(ended(table(hands={"A": "9D", "B": "9C"}, options=options), "K")) == [1, -1]


def test_V15_the_pot_changes_no_net() -> None:
    hands = {"A": "KC", "B": "4C"}
    assert nets(ended(table(hands=hands, options={"stake_mode": "pot"}), "K")) == [-1, 1]


def test_V12_the_worst_hand_of_wild_cards_is_listed_whole() -> None:
    """Six wild cards, a taken card that must be laid: each spread once, none that strands it."""
    options = {
        "jokers": 2,
        "deuces_wild": True,
        "must_use_discard": True,
        "hand_size": 12,
        "deck": 40,
        "ace_runs": "high_or_low",
        "max_players": 2,
    }
    hands = {"A": "AS", "B": "X1 X2 2C 2D 2H 2S 3C 4C 5C 6C 7C JC"}
    hand = after(table(hands=hands, discard="KC", options=options), "T")
    found = texts(hand)
    assert len(set(found)) == len(found) == 11_304
    assert code(hand, found[0]) == code(hand, found[-1]) == "ok"


def window(**fields: Any) -> Hand:
    """B has thrown the eight of clubs, which fits a spread; A, B and C may slap it."""
    hands = fields.pop("hands", {"A": "KC KD", "B": "8C 2D 3H", "C": "JS JD"})
    fields = {"melds": SPREADS, "discard": "QH", "start": "drawn"} | fields
    hand = table("ABC", hands=hands, options={"slap": True}, **fields)
    return after(hand, "D 8C")


def test_V16_a_slapper_sheds_one_card_and_the_turn_order_stays() -> None:
    hand = window()
    assert [one.text for one in legal_slaps(hand, 1)] == ["P KC", "P KD"]
    assert [one.text for one in legal_slaps(hand, 2)] == ["P"]
    found = decide(hand, 1, move("P KC"))
    assert not isinstance(found, Refusal)
    places = hand.setup.place_of
    assert found.events == (
        CardSlapped(
            seat=1,
            meld="m1",
            card="8C",
            stands_for="8C",
            place=places[CODES["8C"]],
            shed=PlacedCard(card="KC", place=places[CODES["KC"]]),
        ),
    )
    hand = fold(hand, found.events)
    assert (hand.to_act, hand.top, hand.held_number(1)) == (3, CODES["KC"], 1)
    assert code(hand, "P KD", seat=1) == "slap_not_possible"  # one slap a discard
    assert hand.melds[0].fits == hand.setup.rules.pack.set_of(codes_of(["4C", "9C"]))


def test_V16_the_discarder_sheds_nothing() -> None:
    hand = window()
    assert code(hand, "P 2D", seat=2) == "slap_not_possible"
    hand = slapped(hand, 2, "P")
    assert (hand.top, hand.held_number(2), hand.to_act) == (CODES["QH"], 2, 3)


def test_V16_the_next_players_first_act_closes_the_window() -> None:
    hand = window(stock="4H")
    assert code(hand, "P JS", seat=3) == "ok"
    for text in ("S", "T"):
        assert code(after(hand, text), "P KC", seat=1) == "slap_not_possible"


def test_V16_a_slap_names_a_held_card_and_the_discard_must_fit() -> None:
    hand = window()
    assert code(hand, "P QS", seat=1) == code(hand, "P", seat=1) == "card_not_in_hand"
    assert code(window(melds={"m1": ("A", "5D 6D 7D")}), "P KC", seat=1) == "slap_not_possible"
    books = {"m1": ("A", "8D 8H 8S")}
    assert code(window(melds=books), "P KC", seat=1) == "ok"
    assert legal_slaps(after(hand, "S"), 1) == ()


def test_V16_a_slapper_without_cards_is_out_by_discard() -> None:
    hand = window(hands={"A": "KC", "B": "8C 2D 3H", "C": "JS JD"})
    found = decide(hand, 1, move("P KC"))
    assert not isinstance(found, Refusal)
    assert found.result is not None
    assert (found.result.end, found.result.by) == ("discard_out", 1)
    assert nets(found.result) == [2, -1, -1]
    over = fold(hand, found.events)
    assert (over.over, legal_slaps(over, 3)) == (True, ())
    assert code(over, "P JS", seat=3) == "hand_over"


def test_V16_a_slap_that_can_not_be_does_not_fold() -> None:
    hand = window()
    found = decide(hand, 1, move("P KC"))
    assert not isinstance(found, Refusal)
    with pytest.raises(InvariantBroken, match="may not be slapped"):
        evolve(after(hand, "S"), found.events[0])
    assert code(hand, "P KC", seat=6) == "slap_not_possible"  # of nobody who was dealt in


def test_V17_the_same_dealer_the_seats_by_cut_and_the_cap_of_discard_turns() -> None:
    hands = {"A": "KC 9D", "B": "4C 5D"}
    for cap, said in ((1, "must_draw_stock"), (2, "ok")):
        hand = table(hands=hands, discard="2H QH", options={"discard_turn_cap": cap})
        assert code(after(hand, "T", "D 4C"), "T") == said
    hand = table(hands=hands, discard="2H QH", stock="8S", options={"discard_turn_cap": 1})
    assert code(after(hand, "T", "D 4C", "S", "D 8S"), "T") == "ok"  # a stock draw starts anew


def test_an_unknown_version_of_the_rules_is_no_rulebook() -> None:
    with pytest.raises(InvariantBroken, match="version 9"):
        rulebook(options_of(), 2, 9)
    assert rulebook(options_of(), 2).version == RULES_VERSION
    for wrong in ({"hand_size": 4}, {"max_players": 1}, {"difference_cap": 5}):
        with pytest.raises(InvariantBroken, match="no table may have"):
            rulebook(replace(options_of(), **wrong), 3)
    assert set(PRESETS) >= {"gamerules", "classic_app"}
