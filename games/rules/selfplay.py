"""Whole hands played by simple policies, as lines that replay alone (`cases/README.md`).

Randomness is data: every hand has its own stream of numbers, from the run's seed and its number.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Protocol, TypeVar

import msgspec

from eventstore.core.refusal import InvariantBroken, Refusal
from games.rules.cards import TEXTS, texts
from games.rules.dealing import deal
from games.rules.decide import decide, legal, legal_slaps
from games.rules.moves import KNOCK, Move, meld_name
from games.rules.options import RULES_VERSION, Options, as_dict
from games.rules.result import Result
from games.rules.rulebook import rulebook
from games.rules.shuffles import FIRST_RESHUFFLED
from games.rules.state import UNKNOWN, Hand, Setup, fold, places_of

NAMES = ("A", "B", "C", "D", "E", "F")
"""Players of the lines, in seat order."""
MOVES_MAX = 4_000
"""Moves of one hand: by far more than any, since a stock runs out; more would be a bug."""
QUIET_KNOCK_CHANCE = 0.02
"""How often a quiet player knocks when he may: rarely enough that hands reach an empty stock."""
SLAP_CHANCE = 0.7
MIXED = "mixed"

Item = TypeVar("Item")


class Random(Protocol):
    """A source of numbers."""

    def random(self) -> float:
        """The next number, from 0 up to but not including 1."""


class SeededNumbers:
    """Numbers from a text by SHA-256 in counter mode: the same on every machine and Python."""

    __slots__ = ("_block", "_count", "_seed")

    def __init__(self, seed: str) -> None:
        self._seed, self._count = seed.encode(), 0
        self._block = b""

    def random(self) -> float:
        """The next number in [0, 1), in steps of 2**-32."""
        if not self._block:
            self._block = sha256(self._seed + self._count.to_bytes(8, "big")).digest()
            self._count += 1
        word, self._block = self._block[:4], self._block[4:]
        return int.from_bytes(word, "big") / (1 << 32)


def pick(rng: Random, items: Sequence[Item]) -> Item:
    """One of `items`, evenly."""
    return items[int(rng.random() * len(items))]


def shuffled(rng: Random, items: Sequence[Item]) -> tuple[Item, ...]:
    """The items in random order (Fisher-Yates)."""
    deck, number = list(items), rng.random
    for last in range(len(deck) - 1, 0, -1):
        other = int(number() * (last + 1))
        deck[last], deck[other] = deck[other], deck[last]
    return tuple(deck)


class SeededShuffle(msgspec.Struct, frozen=True, gc=False):
    """The order of a reshuffle, from a seed of its own."""

    seed: str

    def again(self, cards: Sequence[int]) -> tuple[tuple[int, ...], str]:
        """The covered discards in random order; a line of self-play has no root."""
        return shuffled(SeededNumbers(f"{self.seed}/reshuffle"), cards), ""


Policy = Callable[[tuple[Move, ...], Random], Move]


def play_random(moves: tuple[Move, ...], rng: Random) -> Move:
    """Any legal move."""
    return pick(rng, moves)


def play_quiet(moves: tuple[Move, ...], rng: Random) -> Move:
    """Any legal move, but a knock only once in a while."""
    if moves[-1] == KNOCK and len(moves) > 1 and rng.random() >= QUIET_KNOCK_CHANCE:
        moves = moves[:-1]
    return pick(rng, moves)


def play_greedy(moves: tuple[Move, ...], rng: Random) -> Move:  # noqa: ARG001 -- one shape for all
    """The first legal move: their order is the choice order of `greedy-1`."""
    return moves[0]


POLICIES: Mapping[str, Policy] = MappingProxyType(
    {"random-0": play_random, "quiet-0": play_quiet, "greedy-1": play_greedy}
)
"""Policies by name; `mixed` draws one of them for each seat of each hand."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a run of self-play is asked for."""

    options: Options
    seats: int
    seed: str
    bots: tuple[str, ...] = (MIXED,)
    """Policy of each seat, from the first again where there are more seats."""
    stake: int = 1


def play(run: Run, hands: int) -> Iterator[dict[str, object]]:
    """Lines of that many hands one after the other; the deal passes as the rules say."""
    dealer = 1
    for number in range(1, hands + 1):
        seed = f"{run.seed}/{number}"
        line, dealer = _hand(run, number=number, seed=seed, dealer=dealer)
        yield line


def _hand(run: Run, *, number: int, seed: str, dealer: int) -> tuple[dict[str, object], int]:
    """The line of one hand, and who deals the next."""
    rng = SeededNumbers(seed)
    bots = [_drawn_policy(rng, run.bots[seat % len(run.bots)]) for seat in range(run.seats)]
    setup = random_setup(rng, run, hand=seed, dealer=dealer)
    hand, result, actions = play_out(setup, [POLICIES[bot] for bot in bots], rng)
    line = {
        "hand": number,
        "seed": seed,
        "rules_version": RULES_VERSION,
        "options": as_dict(run.options),
        "stake": run.stake,
        "players": list(setup.players),
        "bots": bots,
        "dealer": setup.players[dealer - 1],
        "deck": texts(setup.deck or ()),
        "actions": actions,
        **outcome(hand, result),
    }
    reshuffled = texts((hand.setup.deck or ())[FIRST_RESHUFFLED:])
    return line | ({"reshuffle": reshuffled} if reshuffled else {}), result.next_dealer


def _drawn_policy(rng: Random, bot: str) -> str:
    return pick(rng, tuple(POLICIES)) if bot == MIXED else bot


def random_setup(rng: Random, run: Run, *, hand: str, dealer: int) -> Setup:
    """A hand about to be dealt from a shuffled pack; players are named A, B, C, ..."""
    rules = rulebook(run.options, run.seats)
    deck = shuffled(rng, rules.pack.codes)
    return Setup(
        hand=hand,
        rules=rules,
        seats=tuple(range(1, run.seats + 1)),
        players=NAMES[: run.seats],
        stacks=(0,) * run.seats,
        dealer=dealer,
        stake=run.stake,
        currency="",
        deck=deck,
        place_of=places_of(rules.pack, deck),
        shuffler=SeededShuffle(hand),
    )


def play_out(
    setup: Setup, policies: Sequence[Policy], rng: Random
) -> tuple[Hand, Result, list[list[object]]]:
    """The final hand, its result and its actions, each player moving by his policy."""
    dealt = deal(setup)
    hand, result = dealt.hand, dealt.result
    actions: list[list[object]] = []
    while result is None:
        if len(actions) == MOVES_MAX:
            raise InvariantBroken(f"hand {setup.hand} does not end")
        player, move = _slap(hand, rng) or (hand.actor, policies[hand.actor](legal(hand), rng))
        decided = decide(hand, setup.seats[player], move)
        if isinstance(decided, Refusal):
            raise InvariantBroken(f"legal move {move.text} is refused: {decided.code}")
        actions.append(recorded(setup.players[player], move))
        hand, result = fold(hand, decided.events), decided.result
    return hand, result, actions


def _slap(hand: Hand, rng: Random) -> tuple[int, Move] | None:
    """Index and move of a player who slaps the top discard; most possible slaps are made."""
    if hand.discarder == UNKNOWN:
        return None
    seats = enumerate(hand.setup.seats)
    possible = [(player, move) for player, seat in seats for move in legal_slaps(hand, seat)]
    if not possible or rng.random() >= SLAP_CHANCE:
        return None
    return pick(rng, possible)


def recorded(player: str, move: Move) -> list[object]:
    """An accepted move of a player in the notation of case files."""
    cards = [TEXTS[card] for card in move.cards]
    arguments: list[object]
    match move.verb:
        case "S":
            arguments = ["draw_stock"]
        case "T":
            arguments = ["draw_discard"]
        case "L":
            arguments = ["spread", cards]
        case "H":
            end = [move.end] if move.end else []
            arguments = ["hit", *cards, meld_name(move.meld), *end]
        case "D":
            arguments = ["discard", *cards]
        case "K":
            arguments = ["knock"]
        case _:
            arguments = ["slap", *cards]
    return [player, *arguments, "ok"]


def outcome(hand: Hand, result: Result) -> dict[str, object]:
    """What a line says about the end."""
    names = dict(zip(hand.setup.seats, hand.setup.players, strict=True))
    return {
        "end": result.end,
        "by": None if result.by is None else names[result.by],
        "net": {names[seat]: amount for seat, amount in result.net.items()},
        "counts": {names[held.seat]: held.count for held in result.held},
        "transfers": [
            [names[one.from_seat], names[one.to_seat], one.amount, one.rule]
            for one in result.transfers
        ],
        "next_dealer": names[result.next_dealer],
    }
