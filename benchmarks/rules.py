"""The rules core beside engines of other card games, and the fast twin beside the core.

Whole hands count on all sides: shuffle, deal, moves, result. A move of the core is `legal`, a
choice, `decide` and the fold of its events; one of the twin is `legal`, a choice, `apply`. All
engines take turns in one process. Seconds are those of the processor, so that a busy machine does
not blur them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain, cycle
from statistics import median
from time import process_time
from types import MappingProxyType
from typing import TYPE_CHECKING

from benchmarks.measure import Beside, Figure, say
from benchmarks.peers import PEERS, Game
from eventstore.core.refusal import InvariantBroken, Refusal
from games.bots.rng import Chance
from games.bots.twin import Twin
from games.bots.twin_greedy import greedy
from games.bots.twin_tables import KNOCK as TWIN_KNOCK
from games.rules.dealing import deal
from games.rules.decide import decide, legal
from games.rules.moves import KNOCK, Move
from games.rules.options import Options, complete
from games.rules.selfplay import Run, random_setup
from games.rules.state import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SEATS = (2, 3)
FLOORS = MappingProxyType({"rlcard": (3.0, 8.0), "open_spiel": (1.5, 4.0), "pokerkit": (5.0, 12.0)})
"""Floor and aim of the core's moves a second beside each peer's."""
TWIN_FLOOR = (5.0, 9.0)
"""The same of the twin beside the core, at the same seats and with the same play."""
WARM_SECONDS = 0.2
MOVES_A_LOOK = 300
"""Moves between two looks at the clock, which costs more than a move."""

Pick = Callable[["Sequence[Move]"], Move]


@dataclass(frozen=True, slots=True)
class Plan:
    """How long each engine plays in a round, and how many rounds there are."""

    seconds: float = 3.0
    rounds: int = 3


QUICK = Plan(seconds=0.4, rounds=1)


@dataclass(frozen=True, slots=True)
class Played:
    """Games played in a stretch of processor time."""

    games: int = 0
    moves: int = 0
    seconds: float = 0.0

    def __add__(self, other: Played) -> Played:
        """Both stretches together."""
        return Played(
            self.games + other.games, self.moves + other.moves, self.seconds + other.seconds
        )

    @property
    def rate(self) -> float:
        """Moves a second of the processor."""
        return self.moves / self.seconds


Round = Mapping[str, Played]


def measure(plan: Plan) -> Iterator[Figure]:
    """The core beside each peer, then the twin beside the core, with two and three seats."""
    engines: dict[str, Game] = {}
    for seats in SEATS:
        for way in WAYS:
            engines[_core(way, seats)] = core(seats, way)
            engines[_twin(way, seats)] = twin(seats, way)
    for name, make in PEERS.items():
        peer = make(Chance(b"peer").random)
        if peer is None:
            say(f"rules: {name} is absent: `make bench` installs it")
        else:
            engines[name] = peer
    for game in engines.values():
        play(game, WARM_SECONDS)
    rounds = [_round(engines, plan, number) for number in range(1, plan.rounds + 1)]
    for seats in SEATS:
        yield _figure_of_core(seats, rounds)
    for way in WAYS:
        for seats in SEATS:
            yield _figure_of_twin(way, seats, rounds)


def _round(engines: dict[str, Game], plan: Plan, number: int) -> Round:
    """Each engine for half its time in the order A B C, then for the other half in C B A."""
    say(f"rules: round {number} of {plan.rounds}")
    played = dict.fromkeys(engines, Played())
    for name in chain(engines, reversed(engines)):
        played[name] += play(engines[name], plan.seconds / 2)
    return played


def _figure_of_core(seats: int, rounds: list[Round]) -> Figure:
    name = _core(RANDOM, seats)
    first, *others = (_beside(name, peer, rounds, FLOORS[peer]) for peer in PEERS)
    return _figure(f"{seats} seats", name, rounds, (first, *others))


def _figure_of_twin(way: str, seats: int, rounds: list[Round]) -> Figure:
    name = _twin(way, seats)
    core_rate = _beside(name, _core(way, seats), rounds, TWIN_FLOOR)
    peers = (_beside(name, peer, rounds, None) for peer in PEERS)
    return _figure(f"twin, {seats} seats, {way}", name, rounds, (core_rate, *peers))


def _beside(name: str, peer: str, rounds: list[Round], goals: tuple[float, float] | None) -> Beside:
    both = [(played[name].rate, played[peer].rate) for played in rounds if peer in played]
    return Beside(
        peer=peer,
        rate=median(theirs for _, theirs in both) if both else None,
        ratios=[ours / theirs for ours, theirs in both],
        goal=goals[0] if goals else None,
        aim=goals[1] if goals else None,
    )


def _figure(case: str, name: str, rounds: list[Round], beside: Sequence[Beside]) -> Figure:
    total = sum((played[name] for played in rounds), start=Played())
    first, (engine, way, seats) = beside[0], name.split(", ")
    return Figure(
        bench="rules",
        case=case,
        rate=median(played[name].rate for played in rounds),
        peer=first.peer,
        peer_rate=first.rate,
        ratios=first.ratios,
        goal=first.goal or 0.0,
        aim=first.aim,
        others=beside[1:],
        facts={
            "engine": engine,
            "seats": int(seats),
            "play": way,
            "games_per_s": round(total.games / total.seconds, 1),
            "moves_per_s": round(total.rate, 1),
            "moves_per_game": round(total.moves / total.games, 2),
        },
    )


def _core(way: str, seats: int) -> str:
    return f"rules core, {way}, {seats}"


def _twin(way: str, seats: int) -> str:
    return f"fast twin, {way}, {seats}"


def play(game: Game, seconds: float) -> Played:
    """Whole games until the time is over."""
    games = moves = 0
    start = process_time()
    while (passed := process_time() - start) < seconds:
        enough = moves + MOVES_A_LOOK
        while moves < enough:
            moves += game()
            games += 1
    return Played(games, moves, passed)


RANDOM, QUIET, GREEDY = "random", "no knocks", "greedy"
WAYS = (RANDOM, QUIET, GREEDY)
"""Any legal move; the same, but a knock only where nothing else is legal; `greedy-1`."""


def _options(seats: int) -> Options:
    options = complete({"max_players": max(SEATS)}, seats)
    if isinstance(options, Refusal):
        raise InvariantBroken(options.code)
    return options


def core(seats: int, way: str = RANDOM) -> Game:
    """Hands of our own by the default rules."""
    numbers = Chance(b"bench")
    run = Run(options=_options(seats), seats=seats, seed="bench")
    dealers, pick = cycle(range(1, seats + 1)), _pick(way, numbers.random)

    def game() -> int:
        dealt = deal(random_setup(numbers, run, hand="bench", dealer=next(dealers)))
        hand, result, moves = dealt.hand, dealt.result, 0
        while result is None:
            decided = decide(hand, hand.setup.seats[hand.actor], pick(legal(hand)))
            if isinstance(decided, Refusal):
                raise InvariantBroken(f"a legal move is refused: {decided.code}")
            hand, result, moves = fold(hand, decided.events), decided.result, moves + 1
        return moves

    return game


def _pick(way: str, random: Callable[[], float]) -> Pick:
    def without_knock(moves: Sequence[Move]) -> Move:
        count = len(moves)
        if count > 1 and moves[-1] == KNOCK:
            count -= 1
        return moves[int(random() * count)]

    if way == GREEDY:
        return lambda moves: moves[0]
    if way == QUIET:
        return without_knock
    return lambda moves: moves[int(random() * len(moves))]


def twin(seats: int, way: str = RANDOM) -> Game:
    """The same hands on the fast twin."""
    hand, random = Twin(_options(seats), seats), Chance(b"bench").random
    dealers, apply, moves_of = cycle(range(seats)), hand.apply, hand.legal

    def at_random() -> int:
        hand.shuffle(random, next(dealers))
        moves = 0
        while not hand.finish:
            found = moves_of()
            apply(found[int(random() * len(found))])
            moves += 1
        hand.payoff()
        return moves

    def without_knocks() -> int:
        hand.shuffle(random, next(dealers))
        moves = 0
        while not hand.finish:
            found = moves_of()
            count = len(found)
            if count > 1 and found[-1] == TWIN_KNOCK:
                count -= 1
            apply(found[int(random() * count)])
            moves += 1
        hand.payoff()
        return moves

    def greedily() -> int:
        hand.shuffle(random, next(dealers))
        moves = 0
        while not hand.finish:
            apply(greedy(hand))
            moves += 1
        hand.payoff()
        return moves

    return {RANDOM: at_random, QUIET: without_knocks, GREEDY: greedily}[way]
