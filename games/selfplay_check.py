"""Replays lines of `selfplay` from themselves alone (`cases/README.md`)."""

from typing import Any

import msgspec

from eventstore.core.refusal import Refusal
from games.case_reading import Case, Fault, action_of, cards_of, check_players, demand, seat_of
from games.cases import answer, differs
from games.rules.dealing import deal
from games.rules.decide import Decision
from games.rules.liability import liability
from games.rules.options import RULES_VERSION, RULES_VERSIONS, Options, complete
from games.rules.result import Result
from games.rules.rulebook import rulebook
from games.rules.shuffles import Deck, GivenShuffle
from games.rules.state import Hand, Setup, fold, with_deck


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Keys and types of a line, as `cases/README.md` defines them."""

    hand: int
    options: dict[str, Any]
    players: list[str]
    dealer: str
    deck: list[str]
    actions: list[list[Any]]
    end: str
    net: dict[str, int]
    counts: dict[str, int]
    stake: int = 1
    seed: str = ""
    preset: str = ""
    rules_version: int = RULES_VERSION
    bots: list[str] = []
    reshuffle: list[str] = []
    by: str | None = None
    transfers: list[tuple[str, str, int, str]] = []
    next_dealer: str = ""


def check_line(line: Case) -> str | None:
    """Why a recorded hand does not replay, None if it does."""
    try:
        msgspec.convert(line, Line)
        return _check(line)
    except (Fault, ValueError, msgspec.ValidationError) as fault:
        return f"schema: {fault}"


def _check(line: Case) -> str | None:
    demand(line.get("rules_version", RULES_VERSION) in RULES_VERSIONS, "rules_version")
    check_players(line)
    options = complete(line["options"], len(line["players"]))
    if isinstance(options, Refusal):
        return differs("options", options.code, "ok")
    dealt = deal(_setup(line, options))
    hand, result = dealt.hand, dealt.result
    for number, action in enumerate(line["actions"], start=1):
        seat, move, expected = action_of(line, hand, action)
        decided = answer(hand, seat, move)
        got = decided.code if isinstance(decided, Refusal) else "ok"
        if got != expected:
            return differs(f"action {number}", got, expected)
        if isinstance(decided, Decision):
            hand, result = fold(hand, decided.events), decided.result
    return _check_result(line, hand, result) if result else differs("end", None, line["end"])


def _setup(line: Case, options: Options) -> Setup:
    players, deck = line["players"], cards_of(line["deck"], "deck")
    rules = rulebook(options, len(players), line.get("rules_version", RULES_VERSION))
    demand(tuple(sorted(deck)) == rules.pack.codes, "the deck is not the whole pack")
    setup = Setup(
        hand=str(line["hand"]),
        rules=rules,
        seats=tuple(range(1, len(players) + 1)),
        players=tuple(players),
        stacks=(0,) * len(players),
        dealer=seat_of(line, line["dealer"]),
        stake=line.get("stake", 1),
        currency="",
        deck=None,
    )
    again = cards_of(line.get("reshuffle", []), "reshuffle")
    return with_deck(setup, Deck(deck, GivenShuffle(again)))


def _check_result(line: Case, hand: Hand, result: Result) -> str | None:
    setup = hand.setup
    names = dict(zip(setup.seats, setup.players, strict=True))
    transfers = [
        [names[one.from_seat], names[one.to_seat], one.amount, one.rule] for one in result.transfers
    ]
    got = {
        "end": result.end,
        "net": {names[seat]: amount for seat, amount in result.net.items()},
        "counts": {names[held.seat]: held.count for held in result.held},
        "by": None if result.by is None else names[result.by],
        "transfers": transfers,
        "next_dealer": names[result.next_dealer],
    }
    worst = -liability(setup.rules.options, len(names), setup.stake)
    if min(result.net.values()) < worst:
        return differs("liability", min(result.net.values()), worst)
    differences = (differs(what, value, line.get(what, value)) for what, value in got.items())
    return next(filter(None, differences), None)
