"""Tables for tests of the rules: written as cases write them, or drawn at random."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from eventstore.core.refusal import Refusal
from games.case_reading import arranged
from games.rules import moves
from games.rules.decide import Decision, decide, legal
from games.rules.domains import Choice, Counts, Domain, Range, Tiers
from games.rules.options import DOMAINS, Options, complete
from games.rules.result import Result
from games.rules.state import Hand, fold


def options_of(seats: int = 2, **overrides: Any) -> Options:
    """A complete set; room for six players."""
    options = complete({"max_players": 6, **overrides}, seats)
    assert isinstance(options, Options), options
    return options


def table(players: str = "AB", *, options: Mapping[str, Any] | None = None, **fields: Any) -> Hand:
    """A hand as a case describes it; by default the second player's turn begins."""
    case: dict[str, Any] = {"id": "t", "title": "t"}
    case |= {"players": list(players), "dealer": players[0], "start": "turn"}
    case |= {"turn": players[1]} | fields
    case["hands"] = {player: cards.split() for player, cards in fields["hands"].items()}
    for pile in {"stock", "discard"} & set(fields):
        case[pile] = fields[pile].split()
    case["melds"] = {
        name: {"owner": owner, "cards": cards.split()}
        for name, (owner, cards) in fields.get("melds", {}).items()
    }
    return arranged(case, options_of(len(players), **(options or {})))


def move(text: str) -> moves.Move:
    """The move of a text."""
    found = moves.parse(text)
    assert isinstance(found, moves.Move), found
    return found


def answer(hand: Hand, text: str, *, seat: int | None = None) -> Decision | Refusal:
    """What the rules say to a move of the seat to act, or of `seat`."""
    return decide(hand, seat or hand.to_act or 1, move(text))


def decided(hand: Hand, text: str) -> Decision:
    """The facts of a legal move of the seat to act."""
    found = answer(hand, text)
    assert isinstance(found, Decision), found
    return found


def code(hand: Hand, text: str, *, seat: int | None = None) -> str:
    """Code of the refusal of a move, or ok."""
    found = answer(hand, text, seat=seat)
    return found.code if isinstance(found, Refusal) else "ok"


def fold_of(hand: Hand, made: Decision) -> Hand:
    """The hand after the facts of a decision."""
    return fold(hand, made.events)


def play(hand: Hand, *texts: str) -> tuple[Hand, Result | None]:
    """The hand after moves of whoever is to act, all of which must be legal, and its result."""
    result = None
    for text in texts:
        found = decided(hand, text)
        hand, result = fold(hand, found.events), found.result
    return hand, result


def after(hand: Hand, *texts: str) -> Hand:
    """The hand after moves that leave it running."""
    hand, result = play(hand, *texts)
    assert result is None
    return hand


def ended(hand: Hand, *texts: str) -> Result:
    """The result after moves that end a hand."""
    result = play(hand, *texts)[1]
    assert result is not None
    return result


def nets(result: Result) -> list[int]:
    """Nets in seat order."""
    return list(result.net.values())


def texts(hand: Hand) -> list[str]:
    """Legal moves as texts."""
    return [one.text for one in legal(hand)]


def _values(domain: Domain) -> st.SearchStrategy[Any]:
    match domain:
        case Choice():
            return st.sampled_from(domain.values)
        case Range():
            whole = st.integers(domain.low, domain.high)
            return st.none() | whole if domain.default is None else whole
        case Counts():
            lists = st.lists(st.integers(20, 60), max_size=4, unique=True)
            return st.none() | lists.map(tuple)
        case Tiers():
            totals = st.lists(st.integers(0, domain.total_max), max_size=3, unique=True)
            return totals.map(lambda low: tuple((one, 1 + one % 4) for one in sorted(low)))
        case _:
            raise AssertionError(domain)


FREE = sorted(set(DOMAINS) - {"max_players", "joker_value"})


@st.composite
def option_sets(draw: st.DrawFn, seats: int) -> Options:
    """Playable option sets, a few options changed at a time."""
    names = draw(st.lists(st.sampled_from(FREE), max_size=8, unique=True))
    chosen = {name: draw(_values(DOMAINS[name])) for name in names}
    if chosen.get("settlement") == "difference":
        chosen = {**chosen, "difference_cap": 20, "stake_mode": "pay_each", "caught_rule": "seed"}
        chosen["caught_bonus_from"] = "all"
    else:
        chosen.pop("difference_cap", None)
    if chosen.get("must_use_discard"):
        chosen.pop("allow_return_discard", None)
    if not chosen.get("hit_hold_first"):
        chosen.pop("hit_hold_extra", None)
        chosen.pop("hit_hold_self", None)
    if chosen.get("on_empty_stock") == "void":
        chosen.pop("stockout_tie", None)
    if chosen.get("caught_rule", "seed") != "seed":
        chosen.pop("caught_bonus_from", None)
    if chosen.get("hand_size", 5) * seats + 2 * seats + 1 > chosen.get("deck", 52):
        chosen.pop("hand_size", None)
        chosen.pop("deck", None)
    options = complete({"max_players": max(seats, 2), **chosen}, seats)
    assert isinstance(options, Options), options
    return options
