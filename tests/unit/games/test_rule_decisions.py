"""Where the source is silent: each test named by the decision that it tests (`rules.md` 2)."""

import pytest

from eventstore.core.refusal import InvariantBroken, Refusal
from games.rules import rotation
from games.rules.cards import CODES, codes_of
from games.rules.cards import texts as card_texts
from games.rules.decide import Decision, default_action, legal, time_out
from games.rules.events import CardDrawn, TurnTimedOut
from games.rules.initial import claims
from games.rules.moves import DISCARDS
from games.rules.options import DEFAULTS
from games.rules.state import Hand, evolve, fold
from tests.unit.games.rules_tables import (
    after,
    answer,
    code,
    decided,
    ended,
    nets,
    options_of,
    table,
    texts,
)

PLAIN = {"A": "KC KD 5H 7S 9C", "B": "AC 2D 3H 4S 6C"}


def forced(hand: Hand) -> list[str]:
    return [move.text for move in default_action(hand)]


def test_D1_those_tied_for_the_highest_draw_again() -> None:
    cut = rotation.cut(DEFAULTS, [1, 2, 3], codes_of(["KH", "9S", "KD", "4C", "JH"]))
    assert cut.dealer == 3
    assert [(one.round, one.seat) for one in cut.draws] == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 3)]


def test_D1_seat_by_cut_orders_every_tie() -> None:
    options = options_of(4, seat_by_cut=True)
    cards = codes_of(["9S", "KD", "9H", "3C", "2D", "7S"])
    assert rotation.cut(options, [1, 2, 3, 4], cards).order == (2, 3, 1, 4)


def test_D1_a_cut_needs_enough_cards() -> None:
    with pytest.raises(ValueError, match="ran out"):
        rotation.cut(DEFAULTS, [1, 2], codes_of(["KH", "KD"]))


def test_D2_drawn_and_void_hands_pass_the_deal_and_do_not_count() -> None:
    same = options_of(2, redeal_dealer="same")
    for end in ("initial_draw", "void"):
        assert rotation.next_dealer(DEFAULTS, [1, 2], 1, end) == 2
        assert rotation.next_dealer(same, [1, 2], 1, end) == 1
        assert rotation.next_dealer(same, [2, 3], 1, end) == 2
        assert not rotation.counted(end)
    assert rotation.counted("stock_out")


def test_D3_D4_one_player_has_one_claim_and_spreads_count_in_it() -> None:
    options = {"initial_spread": True, "initial_low": [[13, 2]]}
    hands = {"A": "9S TS JS QS KS", "B": "AD 2D 3D 4D 5D"}
    hand = table(hands=hands, start="deal", options=options)
    found = [(one.player, one.kind, one.total) for one in claims(hand)]
    assert found == [(0, "initial_tonk", 49), (1, "initial_spread", 15)]


def test_D5_a_held_spread_counts_unless_deadwood() -> None:
    hands = {"A": "KC", "B": "9C 9D 9H 2S"}
    assert table(hands=hands).count(2) == 29
    assert table(hands=hands, options={"count_method": "deadwood"}).count(2) == 2


def test_D6_the_taken_card_may_not_be_thrown_back_unless_it_is_the_last() -> None:
    hands, melds = {"A": "KC", "B": "4C"}, {"m1": ("A", "5C 6C 7C")}
    hand = after(table(hands=hands, melds=melds, discard="QH"), "T")
    refused = answer(hand, "D QH")
    assert refused == Refusal("same_discard", "D6", {"card": "QH"})
    assert ended(hand, "H 4C m1", "D QH").end == "discard_out"
    free = after(table(hands=hands, discard="QH", options={"allow_return_discard": True}), "T")
    assert code(free, "D QH") == "ok"


def test_D7_an_empty_hand_ends_all() -> None:
    hand = table(hands={"A": "KC", "B": "8C 8D"}, stock="8H", discard="QH")
    hand = fold(after(hand, "S"), decided(after(hand, "S"), "L 8C 8D 8H").events)
    assert (hand.over, hand.to_act, hand.phase, legal(hand)) == (True, None, "ended", ())
    assert code(hand, "S", seat=1) == code(hand, "D 8C", seat=2) == "hand_over"


def test_D8_a_knock_comes_before_the_draw_from_the_first_turn_on() -> None:
    hand = table(hands=PLAIN, round=0, stock="JS", discard="QH")
    assert code(hand, "K") == "ok"
    assert code(after(hand, "S"), "K") == "knock_only_at_turn_start"
    empty = table(hands=PLAIN, rest="discard", discard="QH")
    assert code(empty, "K") == "ok"


def test_D9_spreads_and_hits_in_any_order_also_on_a_new_spread() -> None:
    hands = {"A": "KC", "B": "4C 5C 6C 7C KD"}
    hand = after(table(hands=hands, stock="3C", discard="QH"), "S", "L 4C 5C 6C", "H 7C m1")
    hand = after(hand, "H 3C m1")
    assert hand.melds[0].owner == 1
    assert hand.setup.rules.pack.cards_in(hand.melds[0].cards) == codes_of(
        ["3C", "4C", "5C", "6C", "7C"]
    )


def test_D10_runs_grow_to_thirteen_and_books_stop_at_four() -> None:
    run = "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC"
    melds = {"m1": ("A", run), "m2": ("A", "9D 9H 9S")}
    hand = after(table(hands={"A": "KD", "B": "AC KC 2D"}, melds=melds, stock="5H"), "S")
    hand = after(hand, "H KC m1", "H AC m1")
    assert hand.melds[0].fits == 0
    high = table(
        hands={"A": "KD", "B": "AC 2D"},
        melds={"m1": ("A", run + " KC")},
        options={"ace_runs": "high_or_low"},
        stock="5H",
    )
    assert after(high, "S", "H AC m1").melds[0].fits == 0
    assert code(after(high, "S"), "H AC m1 low") == code(after(high, "S"), "H AC m1 high") == "ok"


@pytest.mark.parametrize(("tie", "end"), [("caught", "caught"), ("knocker_wins", "knock_win")])
def test_D11_the_knocker_loses_ties(tie: str, end: str) -> None:
    hand = table(hands={"A": "AC 6D", "B": "2C 5D"}, options={"knock_tie": tie})
    assert ended(hand, "K").end == end


def test_D12_the_single_comes_from_the_knocker_too_unless_others_only() -> None:
    hands = {"A": "2C 3D", "B": "TC", "C": "8S"}
    assert nets(ended(table("ABC", hands=hands), "K")) == [4, -5, 1]
    others = {"caught_bonus_from": "others_only"}
    assert nets(ended(table("ABC", hands=hands, options=others), "K")) == [3, -4, 1]


def test_D13_tied_lowest_do_not_pay_one_another() -> None:
    result = ended(table("ABC", hands={"A": "5C", "B": "TC", "C": "5D"}), "K")
    assert all(one.from_seat == 2 for one in result.transfers)


@pytest.mark.parametrize(
    ("tie", "net"), [("each_paid", [1, 1, -2]), ("split", [2, 3, -5]), ("no_payment", [0, 0, 0])]
)
def test_D14_D21_ties_at_the_end_of_the_stock(tie: str, net: list[int]) -> None:
    hands = {"A": "2C 3D", "B": "AC 4S", "C": "9S"}
    stake = 5 if tie == "split" else 1
    options = {"stockout_tie": tie}
    hand = table("ABC", hands=hands, rest="discard", options=options, stake=stake)
    assert nets(ended(hand, "S")) == net


def test_D15_asking_for_the_empty_stock_is_not_fined() -> None:
    hands = {"A": "AC 2D", "B": "KC KD"}
    hand = table(hands=hands, rest="discard", discard="QH")
    assert nets(ended(hand, "S")) == [1, -1]
    assert nets(ended(hand, "K")) == [3, -3]


def test_D16_must_spread_bites_at_the_discard_alone() -> None:
    hands = {"A": "KC", "B": "8C 8D 8H 2S"}
    hand = table(hands=hands, options={"must_spread": True}, stock="JS", discard="QH")
    assert code(hand, "K") == code(hand, "T") == "ok"
    assert code(after(hand, "S"), "D JS") == "must_spread"


def test_D17_after_so_many_takes_in_a_row_the_stock_must_be_drawn() -> None:
    hand = table(hands={"A": "KC 9D", "B": "AC KD"}, stock="2S", discard="QH")
    assert hand.setup.rules.discard_turn_cap == 6
    for _ in range(3):
        hand = after(hand, "T", texts(after(hand, "T"))[-1])
        hand = after(hand, "T", texts(after(hand, "T"))[-1])
    assert (hand.discard_turns, code(hand, "T")) == (6, "must_draw_stock")
    assert after(hand, "S").discard_turns == 0


def test_D18_a_time_out_draws_and_throws_what_it_drew() -> None:
    hand = table(hands=PLAIN, stock="JS", discard="QH")
    found = time_out(hand, in_row=2, bank_ms=500)
    assert isinstance(found, Decision)
    assert found.events[0] == TurnTimedOut(seat=2, in_row=2, bank_ms=500)
    assert forced(hand) == ["S", "D JS"]
    assert fold(hand, found.events).to_act == 1
    assert forced(after(hand, "T")) == ["D 6C"]


def test_D18_a_time_out_throws_the_dearest_card_last_in_order() -> None:
    hand = table(hands={"A": "2C", "B": "KC TH QD KS 9S"}, discard="QH")
    assert forced(after(hand, "T")) == ["D KS"]
    drawn = table(hands={"A": "2C", "B": "KC TH QD 9S"}, start="drawn")
    assert forced(drawn) == ["D TH"]


def test_D18_a_time_out_never_throws_the_taken_card_unless_it_is_the_only_one() -> None:
    hands, melds = {"A": "2D", "B": "4C"}, {"m1": ("A", "5C 6C 7C")}
    hand = after(table(hands=hands, melds=melds, discard="KH"), "T")
    assert forced(hand) == ["D 4C"]
    assert forced(after(hand, "H 4C m1")) == ["D KH"]


def test_D18_a_time_out_lays_what_must_be_laid_and_keeps_aces() -> None:
    hands = {"A": "2D", "B": "AC AD AH 5C 6C 7C 8C"}
    hand = table(hands=hands, options={"must_spread": True}, stock="KS")
    assert forced(hand) == ["S", "L 5C 6C 7C 8C", "D KS"]


def test_D18_a_time_out_hits_with_a_card_that_must_be_used() -> None:
    melds = {"m1": ("A", "JH JD JS"), "m2": ("A", "8H 9H TH")}
    hands = {"A": "2D", "B": "AC KD"}
    hand = table(hands=hands, melds=melds, discard="7H", options={"must_use_discard": True})
    assert forced(after(hand, "T")) == ["H 7H m2", "D KD"]


def test_D18_nobody_times_out_after_the_end() -> None:
    hand = fold(table(hands=PLAIN), decided(table(hands=PLAIN), "K").events)
    assert time_out(hand, in_row=1, bank_ms=0) == Refusal("hand_over", "D7")


def test_D22_two_cards_and_the_draw_can_be_a_book() -> None:
    hand = table(hands={"A": "KC", "B": "8C 8D"}, stock="8H")
    assert ended(hand, "S", "L 8C 8D 8H").end == "tonk_out"


def test_D23_the_first_turn_can_end_at_once() -> None:
    hands = {"A": "KC KD 5D 7S 9C", "B": "5H 6H 7H 8H 9H"}
    hand = table(hands=hands, round=0, stock="TH")
    assert ended(hand, "S", "L 5H 6H 7H 8H 9H TH").end == "tonk_out"
    assert ended(hand, "S", "L 5H 6H 7H 8H 9H", "D TH").end == "discard_out"


def test_D24_a_refusal_names_rule_and_facts() -> None:
    hand = table(hands=PLAIN, options={"knock_max_count": 5}, discard="QH")
    assert answer(hand, "K") == Refusal("knock_over_limit", "V8", {"count": 16, "limit": 5})
    assert answer(hand, "S", seat=1) == Refusal("not_your_turn", "R14", {"to_act": 2})
    assert answer(hand, "D KC") == Refusal("must_draw_first", "R16")
    assert answer(after(hand, "S"), "D KC") == Refusal("card_not_in_hand", "R17", {"card": "KC"})
    assert answer(hand, "P KC") == Refusal("slap_not_possible", "V16")


def test_D25_the_taken_card_keeps_a_use() -> None:
    options = {"must_use_discard": True, "hits_per_turn": 1}
    hands, melds = {"A": "KC", "B": "4C AD 2D"}, {"m1": ("A", "5C 6C 7C")}
    hand = after(table(hands=hands, melds=melds, discard="8C", options=options), "T")
    assert code(hand, "H 4C m1") == "must_use_discard"
    assert code(hand, "D AD") == "must_use_discard"
    assert code(after(hand, "H 8C m1"), "H 4C m1") == "hit_limit"
    assert code(after(hand, "H 8C m1"), "D AD") == "ok"
    useless = table(hands=hands, melds=melds, discard="KD", options=options)
    assert answer(useless, "T") == Refusal("discard_unusable", "V12", {"card": "KD"})


def test_D26_a_hold_is_charged_at_the_start_of_the_turn() -> None:
    options = {"hit_hold_first": 2, "hit_hold_extra": 1}
    hands, melds = {"A": "AC AD", "B": "8C 9C KH KD"}, {"m1": ("A", "5C 6C 7C")}
    hand = table(hands=hands, melds=melds, stock="JD JS JH TD", discard="QH", options=options)
    hand = after(hand, "S", "H 8C m1", "H 9C m1")
    assert hand.holds == (3, 0)
    hand = after(hand, "D JD")
    assert (hand.holds, hand.held, code(hand, "K")) == ((2, 0), True, "knock_held")


def test_D26_a_hold_of_ones_own_turn_counts_at_once() -> None:
    options = {"spread_hold": 1, "knock_when": "own_turn"}
    hand = table(hands={"A": "AC AD", "B": "8C 8D 8H 2S"}, stock="JD", options=options)
    assert code(after(hand, "S"), "K") == "ok"
    assert code(after(hand, "S", "L 8C 8D 8H"), "K") == "knock_held"


def test_the_fold_refuses_facts_that_can_not_follow() -> None:
    hand = table(hands=PLAIN, stock="JS", discard="QH")
    drawn = CardDrawn(seat=2, source="stock", place=hand.stock_next, card=None)
    wrong = (
        CardDrawn(seat=1, source="stock", place=hand.stock_next, card=None),
        CardDrawn(seat=2, source="stock", place=hand.stock_next + 1, card=None),
        CardDrawn(seat=2, source="discard", place=0, card="KH"),
    )
    assert evolve(hand, drawn).drew == "stock"
    for fact in wrong:
        with pytest.raises(InvariantBroken):
            evolve(hand, fact)


def test_legal_moves_stand_in_the_choice_order_of_greedy_1() -> None:
    melds = {"m1": ("A", "9C 9D 9H")}
    hand = table(hands={"A": "KC", "B": "3S 5C 7S 8H 9S"}, melds=melds, discard="8S")
    assert texts(hand) == ["T", "S", "K"]
    expected = ["L 7S 8S 9S", "H 9S m1", "D 5C", "D 3S", "D 9S", "D 8H", "D 7S"]
    assert texts(after(hand, "T")) == expected


def test_legal_offers_the_stock_first_where_the_discard_is_of_no_use() -> None:
    hand = table(hands=PLAIN, stock="JS", discard="QH")
    assert texts(hand)[0] == "S"
    assert DISCARDS[CODES["KC"]].text == "D KC"
    assert card_texts([hand.top]) == ["QH"]
