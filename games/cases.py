"""Runs case files of `kind: rules` against the rules core (`cases/README.md`)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from eventstore.case_files import Verdict, verdicts
from eventstore.core.refusal import Refusal
from games.case_reading import (
    ENDS,
    Case,
    Fault,
    action_of,
    arranged,
    cards_of,
    check_keys,
    demand,
    mapping,
    names_of,
    seat_of,
)
from games.rules import rotation
from games.rules.cards import texts
from games.rules.dealing import judged
from games.rules.decide import Decision, decide, time_out
from games.rules.liability import liability
from games.rules.moves import Move, meld_name
from games.rules.options import SEATS_MIN, Options, complete
from games.rules.pot import out_of_pot
from games.rules.result import Result
from games.rules.rulebook import rulebook
from games.rules.state import Hand, Setup, fold

KIND = "rules"


def run(document: Case) -> Iterator[Verdict]:
    """Verdicts of a decoded file of this kind, one per case."""
    return verdicts(document, kind=KIND, run_case=run_case)


def run_case(case: Case) -> str | None:
    """Why a case fails, None if it passes."""
    try:
        return _run(case)
    except (Fault, ValueError) as fault:
        return f"schema: {fault}"


def _run(case: Case) -> str | None:
    check_keys(case)
    players, start = case["players"], case["start"]
    options = complete(mapping(case, "options"), len(players))
    if start == "config":
        return _config(case, options)
    if isinstance(options, Refusal):
        return differs("options", _inner_code(options), None)
    if start == "cut":
        return _cut(case, options)
    return _rotation(case, options) if start == "rotation" else _played(case, options)


def differs(what: str, got: object, expected: object) -> str | None:
    """Why a case fails by this fact, None where it is as expected; true is not 1."""
    if got == expected and type(got) is type(expected):
        return None
    return f"{what}: got {json.dumps(got)} expected {json.dumps(expected)}"


def _inner_code(refusal: Refusal) -> object:
    problems = refusal.facts["problems"]
    return problems[0]["code"] if isinstance(problems, list) else None


def _config(case: Case, options: Options | Refusal) -> str | None:
    code = _inner_code(options) if isinstance(options, Refusal) else None
    found = differs("invalid", code, case["expect"].get("invalid"))
    if found or isinstance(options, Refusal):
        return found
    return _liability(case, options)


def _liability(case: Case, options: Options) -> str | None:
    worst = liability(options, len(case["players"]), case.get("stake", 1))
    return differs("liability", worst, case["expect"].get("liability", worst))


def _cut(case: Case, options: Options) -> str | None:
    cards, expect = cards_of(case["cut"], "cut"), case["expect"]
    demand(len(set(cards)) == len(cards), "a card twice in the cut")
    demand(set(cards) <= set(rulebook(options, SEATS_MIN).pack.codes), "a card not of the pack")
    try:
        found = rotation.cut(options, range(1, len(case["players"]) + 1), cards)
    except ValueError as error:
        raise Fault(str(error)) from None
    (dealer,), order = names_of(case, [found.dealer]), names_of(case, found.order)
    return (
        differs("dealer", dealer, expect.get("dealer", dealer))
        or differs("order", order, expect.get("order", order))
        or _liability(case, options)
    )


def _rotation(case: Case, options: Options) -> str | None:
    ends, expect = case["ends"], case["expect"]
    good = isinstance(ends, list) and all(isinstance(end, str) and end in ENDS for end in ends)
    demand(good and ends, "ends")
    seats = range(1, len(case["players"]) + 1)
    dealers = [seat_of(case, case["dealer"])]
    for end in ends:
        dealers.append(rotation.next_dealer(options, seats, dealers[-1], end))
    *names, following = names_of(case, dealers)
    number = sum(map(rotation.counted, ends))
    return (
        differs("dealers", names, expect.get("dealers", names))
        or differs("next_dealer", following, expect.get("next_dealer", following))
        or differs("counted", number, expect.get("counted", number))
        or _liability(case, options)
    )


@dataclass(frozen=True, slots=True)
class _Played:
    """Where a case stands: the hand, and its result once it is over."""

    hand: Hand
    result: Result | None


def _played(case: Case, options: Options) -> str | None:
    state = _opening(case, options)
    actions = case.get("actions", [])
    demand(isinstance(actions, list), "actions")
    for number, action in enumerate(actions, start=1):
        seat, move, expected = action_of(case, state.hand, action)
        decided = answer(state.hand, seat, move)
        got = decided.code if isinstance(decided, Refusal) else "ok"
        if got != expected:
            return differs(f"action {number}", got, expected)
        if isinstance(decided, Decision):
            state = _Played(fold(state.hand, decided.events), decided.result)
        if not _is_whole(state.hand):
            return differs(f"action {number} cards", "lost or doubled", "the whole deck")
    return _judge(case, state)


def answer(hand: Hand, seat: int, move: Move | None) -> Decision | Refusal:
    """What the rules answer to a recorded move, or for None to the time-out of that seat."""
    if move is not None:
        return decide(hand, seat, move)
    if hand.to_act not in (None, seat):
        return Refusal("not_your_turn", "R14")
    return time_out(hand, in_row=1, bank_ms=0)


def _is_whole(hand: Hand) -> bool:
    pack, deck = hand.setup.rules.pack, hand.setup.deck or ()
    places = [pack.cards_in(cards) for cards in hand.cards]
    places += [pack.cards_in(meld.cards) for meld in hand.melds]
    places += [hand.pile, deck[hand.stock_next : hand.stock_next + hand.stock_count]]
    return sorted(card for cards in places for card in cards) == list(pack.codes)


def _opening(case: Case, options: Options) -> _Played:
    """The hand that a case starts from; at a deal initial claims are judged."""
    hand = arranged(case, options)
    if case["start"] == "deal":
        dealt = judged(hand)
        return _Played(dealt.hand, dealt.result)
    return _Played(hand, None)


def _judge(case: Case, state: _Played) -> str | None:
    """The first expectation that does not hold."""
    expect, hand, result = case["expect"], state.hand, state.result
    found = differs("end", result.end if result else None, expect["end"])
    if found:
        return found
    if result:
        found = _judge_result(case, result)
    elif "next" in expect:
        (to_act,) = names_of(case, [hand.to_act or 0])
        found = differs("next", to_act, expect["next"])
    return (
        found
        or _judge_table(case, hand)
        or _judge_piles(case, state)
        or _liability(case, hand.setup.rules.options)
    )


def _judge_result(case: Case, result: Result) -> str | None:
    expect, players = case["expect"], case["players"]
    net = dict(zip(players, result.net.values(), strict=True))
    found = differs("net", net, {player: expect["net"][player] for player in players})
    if not found and "pot" in expect:
        out = out_of_pot(result.net, case.get("stake", 1))
        pot = dict(zip(players, out.values(), strict=True))
        found = differs("pot", pot, expect["pot"])
    return found


def _judge_table(case: Case, hand: Hand) -> str | None:
    expect, setup = case["expect"], hand.setup
    for player, count in mapping(expect, "count").items():
        if found := differs(f"count {player}", hand.count(seat_of(case, player)), count):
            return found
    for player, cards in mapping(expect, "hands").items():
        held = hand.cards[seat_of(case, player) - 1]
        if found := _differs_cards(f"hands {player}", setup, held, cards):
            return found
    laid = {meld_name(meld.number): meld.cards for meld in hand.melds}
    for name, cards in mapping(expect, "melds").items():
        if found := _differs_cards(f"melds {name}", setup, laid.get(name, 0), cards):
            return found
    return None


def _differs_cards(what: str, setup: Setup, got: int, expected: object) -> str | None:
    wanted = sorted(cards_of(expected, what))
    return differs(what, texts(setup.rules.pack.cards_in(got)), texts(wanted))


def _judge_piles(case: Case, state: _Played) -> str | None:
    expect, hand, setup = case["expect"], state.hand, state.hand.setup
    top = texts([hand.top])[0] if hand.pile else None
    end = state.result.end if state.result else None
    dealer = rotation.next_dealer(setup.rules.options, setup.seats, setup.dealer, end)
    (following,) = names_of(case, [dealer])
    return (
        differs("top", top, expect.get("top", top))
        or differs("stock", hand.stock_count, expect.get("stock", hand.stock_count))
        or differs("next_dealer", following, expect.get("next_dealer", following))
    )
