"""What holds for every hand under every option set (`style.md` section 8)."""

from itertools import combinations, permutations

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eventstore.core.refusal import Refusal
from games.rules import events, melds, moves, scoring
from games.rules.cards import CODES, pack_of
from games.rules.dealing import judged
from games.rules.decide import decide, legal, time_out
from games.rules.legality import refusal
from games.rules.liability import liability
from games.rules.options import DEFAULTS, Options
from games.rules.result import hand_ended, settle
from games.rules.rulebook import rulebook
from games.rules.selfplay import SeededNumbers
from games.rules.shuffles import Deck
from games.rules.state import Hand, evolve, fold, start
from tests.unit.games.rules_tables import option_sets
from tonk_site.proving.cards.random_hands import dealt, walk
from tonk_site.proving.cards.rules_twin import meaning
from tonk_site.proving.cards.streams import opening as table_opening

play = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
seats = st.shared(st.integers(2, 6), key="seats")
rule_sets = seats.flatmap(option_sets)
seeds = st.integers(0, 1 << 32).map(str)


def everything(hand: Hand) -> list[int]:
    """Codes of all cards, wherever they lie."""
    pack, deck = hand.setup.rules.pack, hand.setup.deck or ()
    found = [card for cards in hand.cards for card in pack.cards_in(cards)]
    found += [card for meld in hand.melds for card in pack.cards_in(meld.cards)]
    stock = deck[hand.stock_next : hand.stock_next + hand.stock_count]
    return sorted((*found, *hand.pile, *stock))


def conceivable(hand: Hand) -> list[moves.Move]:
    """Every move of a turn that anybody could name in a state; spreads of up to six cards."""
    rules = hand.setup.rules
    held = rules.pack.cards_in(hand.cards[hand.actor])
    found = [moves.DRAW, moves.TAKE, moves.KNOCK]
    found += [moves.DISCARDS[card] for card in rules.pack.codes]
    ends: tuple[moves.RunEnd | None, ...] = (None, "low", "high")
    found += [
        moves.hit(card, number, end)
        for card in rules.pack.codes
        for number in range(1, len(hand.melds) + 2)
        for end in ends
    ]
    for size in range(2, min(len(held), 6) + 1):
        for cards in combinations(held, size):
            wild = rules.pack.set_of(cards) & rules.shape.wilds and size < 5
            found += [moves.lay(*order) for order in (permutations(cards) if wild else [cards])]
    return found


def public(hand: Hand) -> tuple[object, ...]:
    """What everybody may know of a hand."""
    return (
        [hand.held_number(seat) for seat in hand.setup.seats],
        *(hand.melds, hand.pile, hand.stock_next, hand.stock_count, hand.turn, hand.to_act),
        *(hand.phase, hand.taken, hand.hits, hand.discard_turns, hand.holds, hand.held),
        *(hand.finish, hand.end, hand.round, hand.laid, hand.discarder),
    )


@play
@given(seats, rule_sets, seeds)
def test_D28_a_player_to_act_has_a_move_and_cards_are_conserved(
    count: int, options: Options, seed: str
) -> None:
    rng = SeededNumbers(seed)
    hand = dealt(rng, options, count)
    for before, _, decided, following in walk(hand, rng):
        assert everything(following) == list(hand.setup.rules.pack.codes)
        assert (decided.result is not None) == following.over
        assert bool(legal(following)) != following.over
        assert before != following


@settings(play, max_examples=play.max_examples // 4)
@given(seats, rule_sets, seeds)
def test_decide_accepts_exactly_the_legal_moves(count: int, options: Options, seed: str) -> None:
    rng = SeededNumbers(seed)
    for hand, *_ in walk(dealt(rng, options, count), rng):
        listed = [meaning(hand, move) for move in legal(hand)]
        assert len(set(listed)) == len(listed)
        for move in conceivable(hand):
            accepted = refusal(hand, hand.to_act or 0, move) is None
            assert accepted == (meaning(hand, move) in listed), move
        for seat in hand.setup.seats:
            other = decide(hand, seat, moves.DRAW)
            assert seat == hand.to_act or (
                isinstance(other, Refusal) and other.code == "not_your_turn"
            )


@play
@given(seats, rule_sets, seeds)
def test_nets_are_zero_sum_and_nobody_loses_more_than_the_liability(
    count: int, options: Options, seed: str
) -> None:
    rng = SeededNumbers(seed)
    claimed = judged(dealt(rng, options, count))
    result = claimed.result
    for _, _, decided, _ in () if result else walk(claimed.hand, rng):
        result = decided.result
    assert result is not None
    assert sum(result.net.values()) == 0
    assert min(result.net.values()) >= -liability(options, count, 7)
    assert all(one.amount > 0 for one in result.transfers)
    net = dict.fromkeys(result.net, 0)
    for one in result.transfers:
        net[one.from_seat] -= one.amount
        net[one.to_seat] += one.amount
    assert net == result.net


@play
@given(seats, rule_sets, seeds)
def test_a_time_out_is_always_possible_and_passes_the_turn(
    count: int, options: Options, seed: str
) -> None:
    rng = SeededNumbers(seed)
    for hand, *_ in walk(dealt(rng, options, count), rng):
        decided = time_out(hand, in_row=1, bank_ms=0)
        assert not isinstance(decided, Refusal)
        following = fold(hand, decided.events)
        assert following.over == (decided.result is not None)
        assert following.over or following.turn == hand.turn + 1
        assert not any(isinstance(fact, events.Knocked) for fact in decided.events)


@play
@given(seats, rule_sets, seeds, st.data())
def test_folds_agree_in_parts_after_storage_and_without_the_deck(
    count: int, options: Options, seed: str, data: st.DataObject
) -> None:
    rng = SeededNumbers(seed)
    first = dealt(rng, options, count)
    _, opening = table_opening(first, options)
    stored = msgspec.json.decode(msgspec.json.encode(opening), type=events.HandDealt)
    assert stored == opening
    deck = Deck(first.setup.deck or (), first.setup.shuffler)
    hand = start(stored, deck)
    blind = start(stored)
    assert hand.cards == first.cards
    facts: list[msgspec.Struct] = []
    for before, _, decided, _ in walk(first, rng):
        assert public(fold(hand, facts)) == public(fold(blind, facts)) == public(before)
        facts += decided.events
    done = fold(hand, facts)
    ended = hand_ended(done, settle(done))
    facts += [ended, events.HandRevealed(hand=ended.hand, server_seed="0" * 64)]
    again = [msgspec.json.decode(msgspec.json.encode(fact), type=type(fact)) for fact in facts]
    assert again == facts
    cut = data.draw(st.integers(0, len(facts)))
    whole = fold(hand, facts)
    assert fold(fold(hand, facts[:cut]), facts[cut:]) == whole
    assert public(fold(blind, facts)) == public(whole)
    assert fold(blind, facts).cards == whole.cards
    assert settle(whole) == settle(done)


@given(st.integers(2, 6), st.integers(1, 1000))
def test_liability_of_the_seed_is_three_stakes_for_each_other_player(
    count: int, stake: int
) -> None:
    assert liability(DEFAULTS, count, stake) == 3 * stake * (count - 1)


# The bit expressions of melds and points against plain loops over cards.


@st.composite
def card_sets(draw: st.DrawFn, deck: int) -> list[int]:
    codes = pack_of(deck).codes
    low = draw(st.integers(0, 3))
    near = [card for card in codes if card % 13 in range(low, low + 5)]
    return sorted(draw(st.sets(st.sampled_from(draw(st.sampled_from([codes, near]))), max_size=9)))


def ranks_of(deck: int) -> list[int]:
    return sorted({card % 13 for card in pack_of(deck).codes})


def is_book(cards: tuple[int, ...]) -> bool:
    return len(cards) in (3, 4) and len({card % 13 for card in cards}) == 1


def is_run(cards: tuple[int, ...], *, deck: int, high: bool) -> bool:
    if len(cards) < 3 or len({card // 13 for card in cards}) > 1:
        return False
    order = ranks_of(deck)
    places = [order.index(card % 13) for card in cards]
    raised = [len(order) if place == 0 and high else place for place in places]
    return any(
        sorted(found) == list(range(min(found), min(found) + len(found)))
        for found in (places, raised)
    )


@pytest.mark.parametrize("high", [False, True])
@pytest.mark.parametrize("deck", [52, 40])
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_spreads_are_those_of_a_plain_search(deck: int, high: bool, data: st.DataObject) -> None:
    cards = data.draw(card_sets(deck))
    pack = pack_of(deck)
    top = pack.rank_count + 1 if high else 0
    plain = {
        subset
        for size in range(3, len(cards) + 1)
        for subset in combinations(cards, size)
        if is_book(subset) or is_run(subset, deck=deck, high=high)
    }
    held = pack.set_of(cards)
    found = [pack.cards_in(spread) for spread in melds.spreads(held, top)]
    assert set(found) == plain
    assert len(found) == len(plain)
    assert melds.holds_spread(held, top) == bool(plain)
    kept = {subset for subset in plain if not (is_book(subset) and subset[0] % 13 == 0)}
    assert melds.must_lay(held, top) == bool(kept)
    for spread in found:
        check_fits(pack.set_of(spread), deck=deck, high=high)


def check_fits(laid: int, *, deck: int, high: bool) -> None:
    """A card fits a meld where the spread with it is one, and the meld grows to just that."""
    pack = pack_of(deck)
    ranks = pack.rank_count
    top = ranks + 1 if high else 0
    shape = melds.shape_of(ranks, high_aces=high)
    reading = melds.read(laid, top)
    assert reading is not None
    meld = melds.meld_of(1, 0, laid, reading, shape)
    for card in pack.codes:
        bit = pack.bits[card]
        with_card = pack.cards_in(laid | bit)
        longer = is_book(with_card) or is_run(with_card, deck=deck, high=high)
        assert bool(meld.fits & bit) == (longer and not laid & bit)
        if meld.fits & bit:
            place = melds.place_at(meld, bit, None, shape)
            longer_one = melds.read(laid | bit, top)
            assert longer_one is not None
            whole = melds.meld_of(1, 0, laid | bit, longer_one, shape)
            assert melds.grown(meld, bit, place, shape) == whole


@settings(max_examples=100, deadline=None)
@given(card_sets(52), st.booleans())
def test_deadwood_is_the_least_of_all_choices(cards: list[int], high: bool) -> None:
    pack, table = pack_of(52), scoring.points_table(52, (10, 10, 10))
    top = 14 if high else 0

    def least(held: tuple[int, ...]) -> int:
        best = sum(min(card % 13 + 1, 10) for card in held)
        for size in range(3, len(held) + 1):
            for subset in combinations(held, size):
                if is_book(subset) or is_run(subset, deck=52, high=high):
                    best = min(best, least(tuple(sorted(set(held) - set(subset)))))
        return best

    held = pack.set_of(cards)
    spreads = melds.spreads(held, top)
    assert scoring.deadwood(held, spreads, lambda some: scoring.points(some, table)) == least(
        tuple(cards)
    )
    assert scoring.points(held, table) == sum(min(card % 13 + 1, 10) for card in cards)


def test_dealt_totals_come_as_often_as_counted() -> None:
    """Numbers of `rules.md` section 12: five-card hands of 50 and 49, and their mean."""
    values = [min(card % 13 + 1, 10) for card in range(52)]
    ways = [[0] * 51 for _ in range(6)]
    ways[0][0] = 1
    for value in values:
        for cards in range(5, 0, -1):
            for total in range(50, value - 1, -1):
                ways[cards][total] += ways[cards - 1][total - value]
    assert (ways[5][50], ways[5][49], sum(ways[5])) == (4368, 7280, 2_598_960)


def test_the_hash_of_a_state_is_not_needed_by_its_fold() -> None:
    rules = rulebook(DEFAULTS, 3)
    assert rules is rulebook(DEFAULTS, 3)
    assert (rules.discard_turn_cap, rules.initial_counts) == (9, (49, 50))
    assert CODES["AC"] == 0


def test_facts_of_the_table_leave_a_hand_alone() -> None:
    hand = dealt(SeededNumbers("t"), DEFAULTS, 3)
    for fact in (
        events.TurnTimedOut(seat=1, in_row=1, bank_ms=0),
        events.ClockExtended(seat=1, until="", reason="pause"),
    ):
        assert evolve(hand, fact) is hand
