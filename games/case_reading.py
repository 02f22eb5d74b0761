"""Reads cases of `kind: rules`: what they may say, and the table that they describe.

Whatever a case may not say is a fault of the case (`cases/README.md`), never skipped.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, get_args

from msgspec.structs import replace

from games.rules import melds
from games.rules.cards import CODES, texts
from games.rules.domains import is_int
from games.rules.events import End
from games.rules.moves import DISCARDS, DRAW, KNOCK, TAKE, Move, hit, lay, meld_name, meld_number
from games.rules.options import SEATS_MAX, SEATS_MIN, Options
from games.rules.rulebook import rulebook
from games.rules.shuffles import Deck, GivenShuffle
from games.rules.state import UNKNOWN, Hand, Setup, begin_turn, with_deck

Case = Mapping[str, Any]

STARTS = frozenset({"deal", "turn", "drawn", "config", "cut", "rotation"})
PLAYED = frozenset({"deal", "turn", "drawn"})
REQUIRED = frozenset({"id", "title", "players", "start", "expect"})
KEYS = REQUIRED | {
    *("ref", "options", "stake", "dealer", "turn", "round", "holds", "taken", "hands", "melds"),
    *("stock", "discard", "rest", "reshuffle", "actions", "cut", "ends"),
}
REQUIRED_BY_START: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "deal": frozenset({"dealer", "hands"}),
        "turn": frozenset({"dealer", "hands", "turn"}),
        "drawn": frozenset({"dealer", "hands", "turn"}),
        "config": frozenset(),
        "cut": frozenset({"cut"}),
        "rotation": frozenset({"dealer", "ends"}),
    }
)
ONLY_WITH: Mapping[str, str] = MappingProxyType(
    {"taken": "drawn", "cut": "cut", "ends": "rotation"}
)
EXPECTATIONS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        **dict.fromkeys(
            PLAYED,
            frozenset(
                {"end", "net", "next", "count", "next_dealer", "top", "stock", "hands", "melds"}
                | {"pot", "liability"}
            ),
        ),
        "config": frozenset({"liability", "invalid"}),
        "cut": frozenset({"dealer", "order", "liability"}),
        "rotation": frozenset({"dealers", "next_dealer", "counted", "liability"}),
    }
)
ENDS = frozenset(get_args(End))


class Fault(Exception):
    """The case itself is wrong."""


def is_whole(value: object, *, least: int) -> bool:
    """Whether a value is a whole number of at least `least`."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def demand(condition: object, what: str) -> None:
    """Nothing where the condition holds. Raises: Fault, saying what is wrong."""
    if not condition:
        raise Fault(what)


def check_keys(case: Case) -> None:
    """Nothing where a case has the keys and plain values that it may have. Raises: Fault."""
    demand(isinstance(case, Mapping), "a case is a mapping")
    start = case.get("start")
    if not isinstance(start, str) or start not in STARTS:
        raise Fault(f"start {start!r}")
    for key in case:
        demand(key in KEYS, f"unknown key {key!r}")
        demand(ONLY_WITH.get(key, start) == start, f"{key} with start {start}")
    for key in REQUIRED | REQUIRED_BY_START[start]:
        demand(key in case, f"{key} is missing")
    check_players(case)
    demand(is_whole(case.get("round", 1), least=0), "round")
    players = case["players"]
    for key in ("dealer", "turn"):
        demand(key not in case or case[key] in players, key)
    _check_expectations(case)


def check_players(case: Case) -> None:
    """Nothing where players and stake are such as a hand may have. Raises: Fault."""
    players = case["players"]
    good = isinstance(players, list) and all(isinstance(one, str) for one in players)
    demand(good, "players is no list of names")
    demand(SEATS_MIN <= len(players) <= SEATS_MAX, "number of players")
    demand(len(set(players)) == len(players), "a player twice")
    demand(is_whole(case.get("stake", 1), least=1), "stake")


def _check_expectations(case: Case) -> None:
    expect, start = case["expect"], case["start"]
    demand(isinstance(expect, Mapping) and expect, "expect")
    for key in expect:
        demand(key in EXPECTATIONS[start], f"unknown expectation {key!r}")
    if start not in PLAYED:
        return
    demand("end" in expect, "expect.end is missing")
    end = expect["end"]
    demand(end is None or (isinstance(end, str) and end in ENDS), f"end {end!r}")
    demand(("net" in expect) == (end is not None), "expect.net goes with an end")
    demand("next" not in expect or end is None, "expect.next goes without an end")
    if end is not None:
        net = expect["net"]
        demand(isinstance(net, Mapping) and set(net) == set(case["players"]), "expect.net")
        good = all(map(is_int, net.values())) and sum(net.values()) == 0
        demand(good, "expect.net does not sum to 0")
    if "pot" in expect:
        pot = mapping(case, "options").get("stake_mode") == "pot"
        demand(pot and end is not None, "expect.pot goes with stake_mode pot and an end")


def mapping(case: Case, key: str) -> Mapping[str, Any]:
    """The mapping under a key, empty where there is none. Raises: Fault."""
    value = case.get(key, {})
    demand(isinstance(value, Mapping), key)
    found: Mapping[str, Any] = value
    return found


def cards_of(value: object, what: str) -> tuple[int, ...]:
    """Codes of a list of card texts. Raises: Fault."""
    if not isinstance(value, list):
        raise Fault(f"{what} is no list of cards")
    return tuple(map(card_of, value))


def card_of(text: object) -> int:
    """Code of a card's text. Raises: Fault."""
    if not isinstance(text, str) or text not in CODES:
        raise Fault(f"card {text!r}")
    return CODES[text]


def seat_of(case: Case, player: object) -> int:
    """Seat of a player, from 1 in the order of `players`. Raises: Fault."""
    demand(player in case["players"], f"player {player!r}")
    seat: int = case["players"].index(player) + 1
    return seat


def names_of(case: Case, seats: Iterable[int]) -> list[str]:
    """Names of the players at these seats."""
    return [case["players"][seat - 1] for seat in seats]


def action_of(case: Case, hand: Hand, action: object) -> tuple[int, Move | None, str]:
    """Seat, move (None: a time-out) and expected answer of a recorded action."""
    if not isinstance(action, list) or len(action) < 3 or not isinstance(action[-1], str):
        raise Fault(f"action {action!r}")
    player, verb, *arguments, expected = action
    seat = seat_of(case, player)
    if not isinstance(verb, str) or verb not in VERBS:
        raise Fault(f"verb {verb!r}")
    move = VERBS[verb](arguments)
    held = move.cards if move else ()
    demand(set(held) <= set(hand.setup.rules.pack.codes), f"a card not of the deck: {action!r}")
    return seat, move, expected


def _bare(move: Move | None) -> Callable[[list[Any]], Move | None]:
    def read(arguments: list[Any]) -> Move | None:
        demand(not arguments, f"arguments {arguments!r}")
        return move

    return read


def _read_spread(arguments: list[Any]) -> Move:
    demand(len(arguments) == 1, f"arguments {arguments!r}")
    return lay(*cards_of(arguments[0], "spread"))


def _read_hit(arguments: list[Any]) -> Move:
    match arguments:
        case [card, str() as meld] if meld_number(meld):
            return hit(card_of(card), meld_number(meld))
        case [card, str() as meld, ("low" | "high") as end] if meld_number(meld):
            return hit(card_of(card), meld_number(meld), end)
    raise Fault(f"arguments {arguments!r}")


def _read_discard(arguments: list[Any]) -> Move:
    demand(len(arguments) == 1, f"arguments {arguments!r}")
    return DISCARDS[card_of(arguments[0])]


def _read_slap(arguments: list[Any]) -> Move:
    demand(len(arguments) <= 1, f"arguments {arguments!r}")
    return Move("P", tuple(map(card_of, arguments)))


VERBS: Mapping[str, Callable[[list[Any]], Move | None]] = MappingProxyType(
    {
        "draw_stock": _bare(DRAW),
        "draw_discard": _bare(TAKE),
        "spread": _read_spread,
        "hit": _read_hit,
        "discard": _read_discard,
        "knock": _bare(KNOCK),
        "slap": _read_slap,
        "timeout": _bare(None),
    }
)
"""Reader of the arguments of each verb."""


def arranged(case: Case, options: Options) -> Hand:
    """The table as the case lists it. Places are given in this order: hands, melds, pile, stock."""
    players = case["players"]
    rules = rulebook(options, len(players))
    hands = _hands(case, options)
    table = _melds(case)
    pile = cards_of(case.get("discard", []), "discard")
    stock = cards_of(case.get("stock", []), "stock")
    listed = [card for cards in (*hands, *(laid for _, _, laid in table)) for card in cards]
    rest = _rest(rules.pack.codes, (*listed, *pile, *stock))
    where = case.get("rest", "stock")
    demand(where in ("stock", "discard"), "rest")
    pile, stock = (pile, stock + rest) if where == "stock" else (rest + pile, stock)
    deck = (*listed, *pile, *stock)
    setup = Setup(
        hand=str(case["id"]),
        rules=rules,
        seats=tuple(range(1, len(players) + 1)),
        players=tuple(players),
        stacks=(0,) * len(players),
        dealer=seat_of(case, case["dealer"]),
        stake=case.get("stake", 1),
        currency="",
        deck=None,
    )
    return _at_turn(
        case,
        Hand(
            setup=with_deck(setup, Deck(deck, _shuffler(case, rules.pack.codes))),
            cards=tuple(map(rules.pack.set_of, hands)),
            hidden=(0,) * len(players),
            melds=tuple(_meld(setup, *one) for one in table),
            pile=pile,
            stock_next=len(deck) - len(stock),
            stock_count=len(stock),
            turn=0,
            actor=setup.from_left[0],
            holds=_holds(case),
        ),
    )


def _at_turn(case: Case, hand: Hand) -> Hand:
    """The hand with the turn of the case begun: holds charged, a card perhaps drawn."""
    if case["start"] == "deal":
        return hand
    actor, taken = seat_of(case, case["turn"]) - 1, UNKNOWN
    if "taken" in case:
        taken = card_of(case["taken"])
        held = hand.cards[actor] & hand.setup.rules.pack.bits[taken]
        demand(held, "taken is not in the hand")
    hand = begin_turn(hand, turn=case.get("round", 1) * len(hand.cards), actor=actor)
    if case["start"] == "turn":
        return hand
    return replace(hand, drew="stock" if taken == UNKNOWN else "discard", drawn=taken)


def _rest(codes: Sequence[int], listed: Sequence[int]) -> tuple[int, ...]:
    twice = [card for card, times in Counter(listed).items() if times > 1]
    demand(not twice, f"a card twice: {texts(twice)}")
    strangers = set(listed) - set(codes)
    demand(not strangers, f"cards not of the deck: {texts(strangers)}")
    return tuple(card for card in codes if card not in listed)


def _hands(case: Case, options: Options) -> list[tuple[int, ...]]:
    hands = mapping(case, "hands")
    demand(set(hands) == set(case["players"]), "hands of all players")
    found = [cards_of(hands[player], "hand") for player in case["players"]]
    demand(all(found), "a hand without cards")
    if case["start"] == "deal":
        demand(all(len(cards) == options.hand_size for cards in found), "hand_size cards each")
    return found


def _holds(case: Case) -> tuple[int, ...]:
    holds = mapping(case, "holds")
    demand(set(holds) <= set(case["players"]), "holds")
    demand(all(is_whole(units, least=0) for units in holds.values()), "holds")
    return tuple(holds.get(player, 0) for player in case["players"])


def _melds(case: Case) -> list[tuple[int, int, tuple[int, ...]]]:
    """Number, index of the owner and cards of each spread on the table, by number."""
    table = []
    for name, meld in mapping(case, "melds").items():
        good = meld_number(str(name)) and isinstance(meld, Mapping)
        demand(good and set(meld) == {"owner", "cards"}, f"meld {name!r}")
        owner = seat_of(case, meld["owner"]) - 1
        table.append((meld_number(name), owner, cards_of(meld["cards"], "meld")))
    return sorted(table)


def _meld(setup: Setup, number: int, owner: int, cards: tuple[int, ...]) -> melds.Meld:
    rules = setup.rules
    reading = rules.read(cards)
    if reading is None:
        raise Fault(f"{meld_name(number)} is no spread")
    return melds.meld_of(number, owner, rules.pack.set_of(cards), reading, rules.shape)


def _shuffler(case: Case, codes: Sequence[int]) -> GivenShuffle:
    """The order of a reshuffle; a case that lists none must not come to one."""
    order = cards_of(case.get("reshuffle", []), "reshuffle")
    demand(set(order) <= set(codes) and len(set(order)) == len(order), "reshuffle")
    return GivenShuffle(order)
