"""Move texts, cards, the parts of events, results and their records."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest
from msgspec.structs import replace

from eventstore.core.refusal import InvariantBroken, Refusal
from games.rules import events, moves
from games.rules.cards import CODES, codes_of, pack_of
from games.rules.dealing import deal
from games.rules.result import hand_ended, settle
from games.rules.shuffles import Deck
from games.rules.state import evolve, fold, with_deck
from tests.unit.games.rules_tables import after, code, decided, ended, table

RULES = Path(__file__).parents[3] / "games" / "rules"


@pytest.mark.parametrize("name", sorted(path.stem for path in RULES.glob("*.py")))
def test_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(import_module(f"games.rules.{name}")).failed == 0


@pytest.mark.parametrize(
    "text",
    ["S", "T", "K", "P", "P 5C", "D 5C", "L 7S 8S 9S", "H 9S m1", "H 9S m12 low", "H X1 m1 high"],
)
def test_a_move_reads_as_it_is_written(text: str) -> None:
    found = moves.parse(text)
    assert isinstance(found, moves.Move)
    assert found.text == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "s", "S ", " S", "X", "S 5C", "T 5C", "K 5C", "D", "D 1C", "D 5C 6C", "D 5c"),
        *("L", "L 7S 7S", "L 7S  8S", "P 5C 6C", "H", "H 9S", "H 9S 1", "H 9S m0", "H 9S m01"),
        *("H 9S m100", "H 9S m1 mid", "H 9Z m1", "H 9S m1 low high", "D 5C\n", "L " + "7S " * 40),
    ],
)
def test_what_can_not_be_read_is_a_bad_card(text: str) -> None:
    refused = moves.parse(text)
    assert isinstance(refused, Refusal)
    assert refused.code == "bad_card"


def test_a_pack_of_40_has_no_eights_nines_and_tens() -> None:
    pack = pack_of(40)
    assert len(pack.codes) == 40
    assert pack.bits[CODES["8C"]] == pack.bits[CODES["TS"]] == 0
    assert pack.bits[CODES["7C"]] << 1 == pack.bits[CODES["JC"]]


def test_every_event_of_a_table_is_listed_once() -> None:
    names = [cls.__name__ for cls in events.TABLE_EVENTS]
    assert len(names) == len(set(names)) == 31
    for cls in events.TABLE_EVENTS:
        config = cls.__struct_config__
        assert (config.frozen, config.forbid_unknown_fields) == (True, True)
        with pytest.raises(TypeError, match="positional"):
            cls(*[1] * len(cls.__struct_fields__))
        assert not cls.__struct_defaults__


def test_a_spread_is_recorded_in_order_with_its_places() -> None:
    hand = table(
        hands={"A": "2C", "B": "KH QH AH 4C"}, options={"ace_runs": "high_or_low"}, stock="4D"
    )
    (fact,) = decided(after(hand, "S"), "L KH AH QH").events
    places = tuple(hand.setup.place_of[card] for card in codes_of(["QH", "KH", "AH"]))
    assert fact == events.SpreadLaid(
        seat=2,
        meld="m1",
        kind="run",
        cards=("QH", "KH", "AH"),
        stands_for=("QH", "KH", "AH"),
        places=places,
    )


def test_a_new_spread_gets_the_lowest_free_number() -> None:
    melds = {"m2": ("A", "9C 9D 9H")}
    hand = table(hands={"A": "2C", "B": "4C 4D 4H KC"}, melds=melds, stock="JS")
    hand = after(hand, "S", "L 4C 4D 4H")
    assert sorted(meld.number for meld in hand.melds) == [1, 2]


def test_the_end_records_every_amount() -> None:
    hand = table("ABC", hands={"A": "3D 2C", "B": "TC", "C": "KC KD"}, discard="QH", stake=100)
    done = fold(hand, decided(hand, "K").events)
    fact = hand_ended(done, settle(done), rake={1: 5, 2: 0}, next_dealer=3)
    assert [(one.seat, one.player, one.amount) for one in fact.net] == [
        (1, "A", 400),
        (2, "B", -300),
        (3, "C", -100),
    ]
    assert [(one.seat, one.amount) for one in fact.rake] == [(1, 5)]
    assert [one.amount for one in fact.stacks] == [395, -300, -100]
    assert (fact.end, fact.by, fact.winners, fact.next_dealer) == ("caught", 2, (1,), 3)
    assert fact.held[0] == events.HeldHand(seat=1, cards=("3D", "2C"), places=(0, 1), count=5)
    assert evolve(done, fact).end == "caught"


def test_what_is_paid_at_a_tournament_table_makes_the_net() -> None:
    hand = table(hands={"A": "2C", "B": "TC"}, discard="QH", stake=100)
    done = fold(hand, decided(hand, "K").events)
    paid = [events.Payment(from_seat=2, to_seat=1, amount=40)]
    fact = hand_ended(done, settle(done), paid=paid)
    assert [one.amount for one in fact.net] == [40, -40]
    assert (fact.paid, fact.transfers[0].amount) == (tuple(paid), 200)


def test_only_a_finished_hand_with_its_deck_settles() -> None:
    hand = table(hands={"A": "2C", "B": "TC"}, discard="QH")
    with pytest.raises(InvariantBroken):
        settle(hand)
    with pytest.raises(InvariantBroken):
        with_deck(hand.setup, Deck(tuple(range(51))))


def test_a_hand_voided_from_outside_pays_nothing() -> None:
    hand = table(hands={"A": "2C", "B": "TC"}, discard="QH")
    void = events.HandVoided(
        hand="t", reason="outage", server_seed=None, stacks=(), next_dealer=None
    )
    done = evolve(hand, void)
    result = settle(done)
    assert (done.over, done.end, result.end, result.by) == (True, "void", "void", None)
    assert not any(result.net.values())


def test_a_hand_does_not_end_while_somebody_is_to_act() -> None:
    hand = table(hands={"A": "2C", "B": "TC"}, discard="QH")
    done = fold(hand, decided(hand, "K").events)
    fact = hand_ended(done, settle(done))
    with pytest.raises(InvariantBroken):
        evolve(hand, fact)


@pytest.mark.parametrize(
    "fact",
    [
        events.SpreadLaid(
            seat=2,
            meld="m2",
            kind="run",
            cards=("2C", "3D", "4C"),
            stands_for=("2C", "3D", "4C"),
            places=(0, 1, 2),
        ),
        events.CardHit(seat=2, meld="m1", card="2C", stands_for="2C", place=0),
        events.CardHit(seat=2, meld="m3", card="9S", stands_for="9S", place=0),
        events.CardDiscarded(seat=2, card="2D", place=0),
    ],
)
def test_a_fold_stops_at_a_fact_that_was_changed(fact: events.Event) -> None:
    hand = table(hands={"A": "2C", "B": "TC JC"}, melds={"m1": ("A", "9C 9D 9H")}, stock="JS")
    with pytest.raises(InvariantBroken):
        evolve(after(hand, "S"), fact)


def test_a_book_has_no_ends() -> None:
    hand = table(hands={"A": "2C", "B": "9S JC"}, melds={"m1": ("A", "9C 9D 9H")}, stock="JS")
    hand = after(hand, "S")
    assert code(hand, "H 9S m1 high") == code(hand, "H 9S m1 low") == "bad_hit"
    assert code(hand, "H 9S m1") == "ok"


def test_a_deal_needs_the_deck() -> None:
    hand = table(hands={"A": "2C", "B": "TC"}, discard="QH")
    with pytest.raises(ValueError, match="deck"):
        deal(replace(hand.setup, deck=None))


def test_results_list_held_cards_in_order_of_places() -> None:
    result = ended(table(hands={"A": "KC 2C", "B": "AC"}), "K")
    assert result.held[0].cards == codes_of(["KC", "2C"])
