"""The rules core beside rlcard's gin rummy: random legal play, in one process, in turn.

The games differ (five cards here, ten there), so they are one class of game and no more. Whole
hands count on both sides: shuffle, deal, moves, result. A move of ours is `legal`, a choice,
`decide` and the fold of its events; a move of rlcard is one step of its `env.run`. Seconds are
those of the processor, so that a busy machine does not blur them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, repeat
from statistics import median
from time import process_time
from typing import TYPE_CHECKING

from benchmarks.measure import Figure, say
from eventstore.core.refusal import InvariantBroken, Refusal
from games.bots.rng import Chance
from games.rules.dealing import deal
from games.rules.decide import decide, legal
from games.rules.options import complete
from games.rules.selfplay import Run, pick, random_setup
from games.rules.state import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

SEATS = (2, 3)
PEER = "rlcard"
GOAL = 3.0
WARM_SECONDS = 0.3

Game = Callable[[], int]
"""Plays one game to its end; the number of its moves."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How long each engine plays in a round, and how many rounds there are."""

    seconds: float = 3.0
    rounds: int = 3


QUICK = Plan(seconds=0.6, rounds=1)


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


def measure(plan: Plan) -> Iterator[Figure]:
    """The core with two and with three seats, each beside the peer."""
    engines: dict[str, Game] = {_name(seats): core(seats) for seats in SEATS}
    peer = rlcard_game()
    if peer is None:
        say(f"rules: {PEER} is absent: `make bench` installs it")
    else:
        engines[PEER] = peer
    for game in engines.values():
        play(game, WARM_SECONDS)
    rounds = [_round(engines, plan, number) for number in range(1, plan.rounds + 1)]
    for seats in SEATS:
        yield _figure(seats, rounds)


def _round(engines: dict[str, Game], plan: Plan, number: int) -> dict[str, Played]:
    """Each engine for half its time in the order A B C, then for the other half in C B A."""
    say(f"rules: round {number} of {plan.rounds}")
    played = dict.fromkeys(engines, Played())
    for name in chain(engines, reversed(engines)):
        played[name] += play(engines[name], plan.seconds / 2)
    return played


def _figure(seats: int, rounds: list[dict[str, Played]]) -> Figure:
    own = [played[_name(seats)] for played in rounds]
    peers = [played[PEER] for played in rounds if PEER in played]
    total = sum(own, start=Played())
    return Figure(
        bench="rules",
        case=f"{seats} seats",
        rate=median(played.rate for played in own),
        peer=PEER,
        peer_rate=median(played.rate for played in peers) if peers else None,
        ratios=[ours.rate / theirs.rate for ours, theirs in zip(own, peers, strict=False)],
        goal=GOAL,
        facts={
            "engine": "rules core",
            "seats": seats,
            "games_per_s": round(total.games / total.seconds, 1),
            "moves_per_s": round(total.rate, 1),
            "moves_per_game": round(total.moves / total.games, 2),
        },
    )


def _name(seats: int) -> str:
    return f"core {seats}"


def play(game: Game, seconds: float) -> Played:
    """Whole games until the time is over."""
    games = moves = 0
    start = process_time()
    while (passed := process_time() - start) < seconds:
        moves += game()
        games += 1
    return Played(games, moves, passed)


class Numbers:
    """Numbers from Python's own generator: the peer's are not proof against attack either."""

    __slots__ = ("_chance",)
    steps = 1 << 32

    def __init__(self, seed: bytes) -> None:
        """The same seed gives the same games."""
        self._chance = Chance(seed)

    def random(self) -> float:
        """The next number in [0, 1)."""
        return self._chance.below(self.steps) / self.steps


def core(seats: int) -> Game:
    """Hands of our own by the default rules."""
    options = complete({"max_players": max(SEATS)}, seats)
    if isinstance(options, Refusal):
        raise InvariantBroken(options.code)
    rng, run = Numbers(b"bench"), Run(options=options, seats=seats, seed="bench")
    dealers = chain.from_iterable(repeat(range(1, seats + 1)))

    def game() -> int:
        dealt = deal(random_setup(rng, run, hand="bench", dealer=next(dealers)))
        hand, result, moves = dealt.hand, dealt.result, 0
        while result is None:
            decided = decide(hand, hand.setup.seats[hand.actor], pick(rng, legal(hand)))
            if isinstance(decided, Refusal):
                raise InvariantBroken(f"a legal move is refused: {decided.code}")
            hand, result, moves = fold(hand, decided.events), decided.result, moves + 1
        return moves

    return game


def rlcard_game() -> Game | None:
    """Games of rlcard's gin rummy between its random players, None where it is not installed."""
    try:
        rlcard = import_module("rlcard")
        agents = import_module("rlcard.agents")
    except ImportError:
        return None
    env = rlcard.make("gin-rummy", config={"seed": 1})
    env.set_agents([agents.RandomAgent(num_actions=env.num_actions) for _ in range(2)])

    def game() -> int:
        before: int = env.timestep
        env.run(is_training=False)
        after: int = env.timestep
        return after - before

    return game
