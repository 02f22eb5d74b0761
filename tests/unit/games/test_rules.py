"""The rules of the source, each test named by the rule that it tests (`rules.md` section 1)."""

import pytest

from eventstore.core.refusal import Refusal
from games.rules import rotation
from games.rules.cards import CODES, codes_of, pack_of
from games.rules.dealing import deal
from games.rules.events import PlacedCard
from games.rules.options import DEFAULTS, complete
from games.rules.payouts import Showdown, caught
from games.rules.rulebook import rulebook
from games.rules.selfplay import Run, SeededNumbers, random_setup
from games.rules.shuffles import Deck
from games.rules.state import Setup, with_deck
from tests.unit.games.rules_tables import after, code, ended, nets, options_of, table, texts

PLAIN = {"A": "KC KD 5H 7S 9C", "B": "AC 2D 3H 4S 6C"}


def setup_with(first: str, *, seats: int = 2, dealer: int = 1, **options: object) -> Setup:
    """A deal whose first cards are given; the rest follows in deck order."""
    rules = rulebook(options_of(seats, **options), seats)
    run = Run(rules.options, seats, "t")
    setup = random_setup(SeededNumbers("t"), run, hand="t", dealer=dealer)
    given = codes_of(first.split())
    rest = [card for card in rules.pack.codes if card not in given]
    return with_deck(setup, Deck((*given, *rest)))


def test_R1_two_or_three_play_by_default() -> None:
    assert [isinstance(complete({}, seats), Refusal) for seats in (1, 2, 3, 4)] == [
        True,
        False,
        False,
        True,
    ]


def test_R2_the_pack_has_52_cards_and_no_joker() -> None:
    assert pack_of(52).codes == tuple(range(52))
    assert not pack_of(52).bits[CODES["X1"]]


def test_R3_faces_count_10_the_ace_1() -> None:
    hand = table(hands={"A": "AC 2C", "B": "TD JD QD KD AD 9D"})
    assert (hand.count(1), hand.count(2)) == (3, 50)


def test_R4_R5_the_stake_is_paid_single_or_double() -> None:
    hands = {"A": "KC KD", "B": "4C"}
    melds = {"m1": ("A", "5C 6C 7C")}
    hand = table(hands=hands, melds=melds, stock="8C JD", discard="QH", stake=50)
    hand = after(hand, "S", "H 4C m1")
    assert nets(ended(hand, "D 8C")) == [-50, 50]
    assert nets(ended(hand, "H 8C m1")) == [-100, 100]


def test_R6_the_highest_card_deals_first() -> None:
    cut = rotation.cut(DEFAULTS, [1, 2, 3], codes_of(["9C", "KD", "AS"]))
    assert (cut.dealer, cut.order) == (2, (1, 2, 3))


def test_R7_the_deal_passes_to_the_left() -> None:
    assert rotation.next_dealer(DEFAULTS, [1, 2, 3], 3, "caught") == 1
    assert rotation.next_dealer(DEFAULTS, [1, 2, 5], 2, "caught") == 5
    assert rotation.next_dealer(DEFAULTS, [1, 5], 2, None) == 5


def test_R8_R9_five_cards_one_at_a_time_then_the_upcard_then_the_stock() -> None:
    first = "2C 9D 3C 8D 4C 7D 6H 2S 8H 3S QH JS"
    dealt = deal(setup_with(first, dealer=2))
    hand = dealt.hand
    assert hand.held_cards(1) == codes_of(["2C", "3C", "4C", "6H", "8H"])
    assert hand.held_cards(2) == codes_of(["2S", "3S", "7D", "8D", "9D"])
    assert (hand.top, hand.stock_count, hand.stock_next) == (CODES["QH"], 41, 11)
    assert dealt.upcard == PlacedCard(card="QH", place=10)
    assert dealt.next == 1
    assert after(hand, "S").held_number(1) == 6
    assert CODES["JS"] in after(hand, "S").held_cards(1)


@pytest.mark.parametrize(("last", "total"), [("KC", 50), ("9C", 49)])
def test_R10_dealt_49_or_50_wins_double_at_once(last: str, total: int) -> None:
    first = f"TC 2C JD 3D QH 5H KS 7S {last} 9H"
    dealt = deal(setup_with(first, dealer=1))
    assert dealt.result is not None
    assert (dealt.result.end, dealt.result.by, dealt.result.winners) == ("initial_tonk", None, (2,))
    assert nets(dealt.result) == [-2, 2]
    assert [held.count for held in dealt.result.held] == [26, total]
    assert (dealt.next, texts(dealt.hand)) == (None, [])
    assert [one.rule for one in dealt.result.transfers] == ["R10"]


def test_R11_two_such_hands_are_a_draw() -> None:
    dealt = deal(setup_with("TC TD JD JH QH QC KS KD KC 9S", dealer=1))
    assert dealt.result is not None
    assert (dealt.result.end, dealt.result.winners) == ("initial_draw", ())
    assert nets(dealt.result) == [0, 0]
    assert dealt.result.next_dealer == 2


def test_R12_R24_an_empty_hand_or_the_lowest_total_wins() -> None:
    hands = {"A": "KC KD", "B": "4C"}
    hand = table(hands=hands, melds={"m1": ("A", "5C 6C 7C")}, stock="8C", discard="QH")
    assert ended(hand, "S", "H 4C m1", "H 8C m1").winners == (2,)
    assert ended(hand, "K").winners == (2,)


def test_R13_a_total_of_50_means_nothing_in_play() -> None:
    hands = {"A": "2C 3D", "B": "9C TD JH QS KC"}
    hand = after(table(hands=hands, stock="AD", discard="4S"), "S", "D 9C")
    assert hand.to_act == 1


def test_R14_the_dealers_left_starts_and_turns_go_clockwise() -> None:
    hand = deal(setup_with("2C 9D 3C 8D 4C 7D 6H 2S 8H 3S", dealer=1)).hand
    assert hand.to_act == 2
    assert code(hand, "S", seat=1) == "not_your_turn"
    hand = after(hand, "S", "D 2C")
    assert (hand.to_act, hand.round) == (1, 1)
    hand = after(hand, "S", "D 9D")
    assert (hand.to_act, hand.round) == (2, 2)


def test_R15_R29_R30_a_knock_ends_the_play_and_the_lowest_knocker_is_paid() -> None:
    result = ended(table(hands=PLAIN, discard="QH"), "K")
    assert (result.end, result.by, nets(result)) == ("knock_win", 2, [-1, 1])
    assert [held.count for held in result.held] == [41, 16]
    assert [one.rule for one in result.transfers] == ["R30"]


def test_R16_one_card_is_drawn_from_stock_or_pile() -> None:
    hand = table(hands=PLAIN, stock="JS", discard="QH")
    assert texts(hand) == ["S", "T", "K"]
    drawn, taken = after(hand, "S"), after(hand, "T")
    assert (drawn.drew, drawn.taken, drawn.stock_count) == ("stock", -1, hand.stock_count - 1)
    assert (taken.drew, taken.taken, taken.top) == ("discard", CODES["QH"], -1)
    assert code(drawn, "S") == code(drawn, "T") == "already_drawn"


def test_R17_spreads_and_hits_reduce_the_hand() -> None:
    hands = {"A": "KC KD", "B": "4C 4D 4H 8C"}
    hand = table(hands=hands, melds={"m1": ("A", "5C 6C 7C")}, stock="JS", discard="QH")
    hand = after(hand, "S", "L 4H 4C 4D", "H 8C m1")
    assert hand.held_number(2) == 1


def test_R18_a_discard_ends_the_turn() -> None:
    hand = after(table(hands=PLAIN, stock="JS", discard="QH"), "S", "D 6C")
    assert (hand.to_act, hand.top, hand.drew) == (1, CODES["6C"], None)


def test_R19_only_the_top_discard_can_be_taken() -> None:
    hand = after(table(hands=PLAIN, discard="QH 9D"), "T")
    assert hand.taken == CODES["9D"]
    assert CODES["QH"] not in hand.held_cards(2)


def test_R20_what_is_laid_no_longer_counts() -> None:
    hands = {"A": "KC KD", "B": "4C 4D 4H 2C"}
    hand = after(table(hands=hands, stock="3S", discard="QH"), "S", "L 4C 4D 4H")
    assert hand.count(2) == 5
    assert code(hand, "L 2C 3S") == "bad_spread"


def test_R21_a_book_is_three_or_four_of_one_rank() -> None:
    hand = after(table(hands={"A": "KC", "B": "TC JD QH 9C 9D 9H"}, stock="9S"), "S")
    assert code(hand, "L TC JD QH") == "bad_spread"
    assert code(hand, "L 9C 9D 9H") == code(hand, "L 9S 9C 9D 9H") == "ok"
    assert len([text for text in texts(hand) if text[0] == "L"]) == 5


def test_R22_a_run_is_of_one_suit_with_the_ace_low() -> None:
    hand = after(table(hands={"A": "KC", "B": "AS 2S 3S QS KS 4C 6C"}, stock="5S"), "S")
    assert code(hand, "L AS 2S 3S") == "ok"
    for wrong in ("QS KS AS", "KS AS 2S", "4C 5S 6C", "2S 3S 5S"):
        assert code(hand, f"L {wrong}") == "bad_spread"


def test_R23_a_hit_adds_to_any_spread_before_the_discard() -> None:
    melds = {"m1": ("A", "5C 6C 7C"), "m2": ("B", "9H 9D 9S")}
    hands = {"A": "KC KD 8C", "B": "4C 9C 2D"}
    hand = table(hands=hands, melds=melds, stock="JS", discard="QH")
    assert code(hand, "H 4C m1") == "must_draw_first"
    hand = after(hand, "S")
    assert code(hand, "H 8C m1", seat=1) == "not_your_turn"
    assert code(hand, "H 9C m1") == code(hand, "H 4C m3") == "bad_hit"
    hand = after(hand, "H 4C m1", "H 9C m2", "D JS")
    assert code(hand, "H 2D m1", seat=2) == "not_your_turn"


def test_R25_R28_an_empty_hand_after_the_discard_wins_single() -> None:
    hands = {"A": "KC", "B": "4C", "C": "2C"}
    hand = table("ABC", hands=hands, melds={"m1": ("A", "5C 6C 7C")}, stock="JS")
    result = ended(hand, "S", "H 4C m1", "D JS")
    assert (result.end, nets(result), result.by) == ("discard_out", [-1, 2, -1], 2)
    assert [one.rule for one in result.transfers] == ["R28", "R28"]


def test_R26_the_empty_stock_is_played_by_discards_until_one_refuses() -> None:
    hand = table(hands={"A": "3C 9D", "B": "AC KD"}, rest="discard", stock="2S", discard="QH")
    hand = after(hand, "S", "D KD", "T", "D 9D", "T", "D 2S")
    assert (hand.stock_count, texts(hand)) == (0, ["S", "T", "K"])
    result = ended(hand, "S")
    assert (result.end, result.by) == ("stock_out", 1)


def test_R27_out_without_a_discard_pays_double() -> None:
    hand = table(hands={"A": "KC", "B": "8C 8D"}, stock="8H", discard="QH")
    result = ended(hand, "S", "L 8C 8D 8H")
    assert (result.end, nets(result)) == ("tonk_out", [-2, 2])
    assert result.transfers[0].rule == "R27"


def test_R31_R32_a_caught_knocker_pays_doubles_and_the_lowest_gets_singles() -> None:
    hands = {"A": "2C 3D", "B": "TC", "C": "KC KD"}
    result = ended(table("ABC", hands=hands, discard="QH"), "K")
    assert (result.end, result.by, result.winners) == ("caught", 2, (1,))
    assert nets(result) == [4, -3, -1]
    assert [(one.from_seat, one.to_seat, one.amount, one.rule) for one in result.transfers] == [
        (2, 1, 2, "R31"),
        (2, 1, 1, "R32"),
        (3, 1, 1, "R32"),
    ]


def test_R33_tied_lowest_are_each_paid() -> None:
    hands = {"A": "2C 3D", "B": "TC", "C": "AC 4S"}
    result = ended(table("ABC", hands=hands, discard="QH"), "K")
    assert (nets(result), result.winners) == ([3, -6, 3], (1, 3))


def test_R34_at_the_end_of_the_stock_the_lowest_is_paid() -> None:
    hands = {"A": "2C 3D", "B": "KC", "C": "4S 4D"}
    result = ended(table("ABC", hands=hands, rest="discard", discard="QH"), "S")
    assert (nets(result), result.winners) == ([2, -1, -1], (1,))
    assert {one.rule for one in result.transfers} == {"R34"}


@pytest.mark.parametrize(
    ("counts", "knocker", "net"),
    [
        ((10, 5), 0, [-3, 3]),
        ((5, 10, 20), 1, [4, -3, -1]),
        ((5, 5, 5), 0, [-6, 3, 3]),
        ((5, 10, 8, 10), 1, [5, -7, 1, 1]),
        ((5, 10, 5, 10, 20), 1, [5, -8, 5, 0, -2]),
    ],
)
def test_R31_to_R33_the_table_of_worked_nets(
    counts: tuple[int, ...], knocker: int, net: list[int]
) -> None:
    showdown = Showdown(DEFAULTS, 1, counts, tuple(range(len(counts))))
    found = [0] * len(counts)
    for one in caught(showdown, knocker):
        found[one.receiver] += one.amount
        found[one.payer] -= one.amount
    assert found == net


def test_R35_without_an_upcard_the_first_player_draws_from_the_stock() -> None:
    dealt = deal(setup_with("2C 9D 3C 8D 4C 7D 6H 2S 8H 3S QH", initial_upcard=False))
    assert dealt.upcard is None
    assert (texts(dealt.hand), dealt.hand.stock_count) == (["S", "K"], 42)
    assert code(dealt.hand, "T") == "no_discard"


def test_R36_a_spread_may_not_be_kept_but_aces() -> None:
    options = {"must_spread": True}
    hands = {"A": "KC", "B": "AC AD AH 8C 8D"}
    hand = after(table(hands=hands, options=options, stock="8H"), "S")
    assert code(hand, "D AC") == "must_spread"
    assert code(after(hand, "L 8C 8D 8H"), "D AC") == "ok"


def test_R37_double_only_with_a_new_spread() -> None:
    options = {"tonk_double_requires_new_spread": True}
    hands, melds = {"A": "KC", "B": "4C"}, {"m1": ("A", "5C 6C 7C")}
    hand = table(hands=hands, melds=melds, stock="8C", options=options)
    assert nets(ended(hand, "S", "H 4C m1", "H 8C m1")) == [-1, 1]
    hand = table(hands={"A": "KC", "B": "8C 8D"}, stock="8H", options=options)
    assert nets(ended(hand, "S", "L 8C 8D 8H")) == [-2, 2]
