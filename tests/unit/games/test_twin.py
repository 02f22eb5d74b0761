"""The fast twin beside the rules core (`bots.md` section 1), and what is the twin's alone."""

from itertools import cycle
from random import Random
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from games.bots import twin_pay
from games.bots.twin import Twin
from games.bots.twin_greedy import greedy
from games.bots.twin_spreads import largest
from games.bots.twin_tables import CARDS, DRAW, KNOCK, LAY, NUMBERS, TAKE, code_of, tables_of
from games.rules import melds, moves
from games.rules.cards import CODES, codes_of, pack_of
from games.rules.events import End
from games.rules.moves import Move
from games.rules.options import DEFAULTS
from tests.unit.games.rules_tables import move, options_of
from tonk_site.proving.cards import fast_twin

WHOLE_SUIT = {"hand_size": 12, "ace_runs": "high_or_low"}


@pytest.mark.slow
def test_twin_and_core_play_the_same_hands() -> None:
    found = fast_twin.hands("suite", range(1, 3_001))
    assert found.breaches == []
    assert found.done["hands"] == 3_000
    assert set(found.seen["ends"]) == set(get_args(End))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tier_multiplier", "knocked", "claimed"])
def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Planted: tiers that nobody reaches, knocks that cost nothing, claims that nobody makes."""
    planted: dict[str, Any] = {
        "tier_multiplier": lambda tiers, total: None,
        "knocked": lambda tables, knocker, counts, stake: ("caught", [0] * len(counts)),
        "claimed": lambda tables, hands: None,
    }
    for module in ("games.bots.twin", "games.bots.twin_pay"):
        monkeypatch.setattr(f"{module}.{name}", planted[name], raising=False)
    found = fast_twin.hands("planted", range(1, 600))
    assert found.breaches
    assert found.breaches[0].rerun.startswith("manage.py prove fast-twin --seed planted --only ")


@pytest.mark.parametrize(
    ("name", "value"),
    [("jokers", 1), ("deuces_wild", True), ("slap", True), ("on_empty_stock", "reshuffle")],
)
def test_what_the_twin_does_not_play_is_refused(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name} = "):
        Twin(replace(DEFAULTS, **{name: value}), 2)


def test_moves_are_numbers_and_back() -> None:
    tables = tables_of(DEFAULTS, 2)
    assert [NUMBERS[code_of(card)] for card in range(CARDS)] == list(range(CARDS))
    for text in ("S", "T", "K", "D AC", "D KS", "L 7S 8S 9S", "L 4C 4D 4S", "H TH m12"):
        assert tables.move_of(tables.number_of(move(text))).text == text
    with pytest.raises(ValueError, match="slaps"):
        tables.number_of(Move("P"))


def test_discards_are_numbered_from_the_highest_rank_down() -> None:
    texts = [tables_of(DEFAULTS, 2).move_of(card).text for card in (0, 3, 4, 51)]
    assert texts == ["D KC", "D KS", "D QC", "D AS"]


def test_a_whole_suit_lies_with_the_ace_at_either_end() -> None:
    tables = tables_of(options_of(2, **WHOLE_SUIT, max_players=3), 2)
    high, low = (
        "L 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC",
        "L AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC",
    )
    assert tables.number_of(move(high)) != tables.number_of(move(low))
    for text in (high, low, "L QC KC AC", "L AC 2C 3C", "L AC AD AH"):
        assert tables.move_of(tables.number_of(move(text))).text == text


def test_a_whole_suit_takes_no_card_whichever_way_it_lies() -> None:
    options = options_of(2, **WHOLE_SUIT, max_players=3)
    clubs = list(range(13))
    # The player at the dealer's left is dealt all clubs but the king, and draws it.
    mine, others = clubs[:12], list(range(20, 32))
    dealt = [card for pair in zip(mine, others, strict=True) for card in pair]
    rest = [card for card in range(52) if card not in {*dealt, 12, 51}]
    for number in (0, 1):
        twin = Twin(options, 2)
        twin.deal([*dealt, 51, 12, *rest], dealer=1)
        twin.apply(DRAW)
        whole = [one for one in twin.legal() if one >= LAY and one.bit_count() == 14 + number]
        assert len(whole) == 1
        twin.apply(whole[0])
        assert (twin.fits, twin.fitting, twin.finish) == ([0], 0, "empty")
        assert twin.payoff() == [2, -2]


def test_the_order_of_numbers_decides_the_cards_not_the_play() -> None:
    def cards(takes: bool) -> list[int]:
        twin, rng = Twin(DEFAULTS, 2), Random(3)
        twin.shuffle(rng.random, 0)
        seen = [*twin.cards[0], *twin.cards[1], *twin.pile]
        while not twin.finish:
            legal = twin.legal()
            if legal[0] == DRAW:
                before = len(twin.deck)
                twin.apply(TAKE if takes and TAKE in legal and twin.turn % 2 else DRAW)
                if len(twin.deck) < before:
                    seen.append(twin.cards[twin.actor][-1])
            else:
                twin.apply([one for one in legal if one < CARDS][-1])
        return seen

    straight, taking = cards(False), cards(True)
    assert sorted(straight) == list(range(52))
    assert taking[:20] == straight[:20]


def test_shuffled_cards_come_evenly() -> None:
    twin, rng, first = Twin(DEFAULTS, 3), Random(1), [0] * CARDS
    for dealer in cycle(range(3)):
        twin.shuffle(rng.random, dealer)
        twin.finish = None
        twin.apply(DRAW)
        first[twin.cards[twin.actor][-1]] += 1
        if sum(first) == 10_400:
            break
    assert min(first) > 140
    assert max(first) < 260


def test_a_hand_under_way_has_no_payoff() -> None:
    twin = Twin(DEFAULTS, 2)
    twin.deal(range(52), 0)
    assert twin.finish is None
    with pytest.raises(ValueError, match="not over"):
        twin.payoff()


def test_a_dealt_spread_wins_at_once_and_beats_a_low_hand() -> None:
    options = options_of(2, initial_spread=True, initial_low=[[30, 1]], initial_tie="higher_wins")
    run, low = codes_of(["3C", "4C", "5C", "6C", "7C"]), codes_of(["AD", "AH", "2D", "2H", "4S"])
    dealt = [card for pair in zip(run, low, strict=True) for card in pair]
    twin = Twin(options, 2)
    twin.deal([*dealt, *(card for card in range(52) if card not in dealt)], dealer=1)
    assert twin.legal() == ()
    assert twin.result() == ("initial_spread", [2, -2])


def test_greedy_play_ends_without_knocks() -> None:
    twin, rng = Twin(DEFAULTS, 3, stake=5), Random(2)
    for dealer in (0, 1, 2) * 20:
        twin.shuffle(rng.random, dealer)
        while not twin.finish:
            chosen = greedy(twin)
            assert chosen in twin.legal()
            assert chosen != KNOCK
            twin.apply(chosen)
        assert not sum(twin.payoff())


def test_the_fast_payments_of_a_knock_are_those_of_the_core() -> None:
    rng = Random(4)
    for _ in range(2_000):
        seats = rng.randint(2, 6)
        options = options_of(
            seats,
            knock_tie=rng.choice(["caught", "knocker_wins"]),
            caught_bonus_from=rng.choice(["all", "others_only"]),
            drop_low=[[3, 4], [6, 2]],
        )
        tables, knocker = tables_of(options, seats), rng.randrange(seats)
        counts = [rng.randint(0, 9) for _ in range(seats)]
        over = twin_pay.Finished(tables, "knock", knocker, 0, counts, 1)
        end, owed = twin_pay._owed(over, 3)
        nets = [0] * seats
        for _, receiver, payer, amount in owed:
            nets[receiver] += amount
            nets[payer] -= amount
        assert twin_pay.knocked(tables, knocker, counts, 3) == (end, nets)


def test_the_fast_payments_of_other_ends_are_those_of_the_core() -> None:
    rng, tables = Random(5), tables_of(options_of(4, tonk_double_requires_new_spread=True), 4)
    ends: list[tuple[twin_pay.Plain, int]]
    ends = [("stock", 1), ("discard", 1), ("empty", 1), ("empty", 2), ("initial_tonk", 2)]
    for finish, multiplier in ends * 50:
        actor, counts = rng.randrange(4), [rng.randint(0, 4) for _ in range(4)]
        over = twin_pay.Finished(tables, finish, actor, 0, counts, multiplier)
        assert twin_pay.fixed(finish, actor, counts, 3 * multiplier) == twin_pay.outcome(over, 3)


def test_every_spread_lies_in_one_of_the_largest() -> None:
    rng, pack = Random(6), pack_of(52)
    for _ in range(500):
        cards = pack.set_of(rng.sample(range(52), 13))
        spreads, whole = melds.spreads(cards, 0), largest(cards)
        assert set(whole) <= set(spreads)
        assert all(any(not spread & ~one for one in whole) for spread in spreads)
        assert not any(one & ~other == 0 for one in whole for other in whole if one != other)


def test_a_short_pack_has_no_other_cards() -> None:
    tables = tables_of(options_of(2, deck=40), 2)
    assert {code_of(card) for card in tables.deck} == set(pack_of(40).codes)
    assert tables.bit[NUMBERS[CODES["8C"]]] == 0
    assert moves.lay(*(CODES[one] for one in ("6C", "7C", "JC"))) == tables.move_of(
        tables.number_of(move("L 6C 7C JC"))
    )
