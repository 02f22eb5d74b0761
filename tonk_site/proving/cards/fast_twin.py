"""The fast twin of `games/bots/twin.py` beside the rules core: the same hands, move by move.

Options are random, but for those that the twin does not play. Legal moves, the greedy choice, cards
and spreads agree after every move; then the end, the counts and the nets.
"""

from collections import Counter

from eventstore.core.refusal import InvariantBroken, Refusal
from games.bots.twin import Twin
from games.bots.twin_greedy import greedy
from games.rules.dealing import deal
from games.rules.decide import decide, legal
from games.rules.moves import KNOCK, Move
from games.rules.options import Options
from games.rules.result import Result
from games.rules.selfplay import Random, SeededNumbers, pick
from games.rules.state import Setup, fold
from tonk_site.proving.cards.random_hands import below, random_deal, random_overrides, repaired
from tonk_site.proving.checks import Check, Found, Order, in_processes
from tonk_site.proving.differing import FAULTS, breach, same

KNOCK_CHANCES = (0.02, 0.1, 1.0)
FIRST_MOVE_CHANCE = 0.5
NOT_PLAYED = ("jokers", "joker_value", "deuces_wild", "slap")


def twin_options(rng: Random, seats: int) -> Options:
    """A random set that the twin plays."""
    overrides = random_overrides(rng)
    for name in NOT_PLAYED:
        overrides.pop(name, None)
    if overrides.get("on_empty_stock") == "reshuffle":
        del overrides["on_empty_stock"]
    return repaired(overrides, seats)


def compare(hand_seed: str) -> tuple[int, str]:
    """Play one hand in both; its moves and its end. Raises: Differs."""
    rng = SeededNumbers(hand_seed)
    seats = 2 + below(rng, 5)
    return _Pair(rng, random_deal(rng, twin_options(rng, seats), seats, hand=hand_seed)).play()


class _Pair:
    """One hand in the core and in the twin."""

    def __init__(self, rng: Random, setup: Setup) -> None:
        self.rng, self.moves, self.knock_chance = rng, 0, pick(rng, KNOCK_CHANCES)
        self.options = setup.rules.options
        dealt = deal(setup)
        self.hand, self.result = dealt.hand, dealt.result
        self.twin = Twin(self.options, len(setup.seats), setup.stake)
        self.twin.deal(setup.deck or (), setup.dealer - 1)

    def play(self) -> tuple[int, str]:
        """To the end, comparing after every move."""
        while self.result is None:
            move = self.choice(self.check_legal())
            decided = decide(self.hand, self.hand.to_act or 0, move)
            if isinstance(decided, Refusal):
                raise InvariantBroken(f"legal move {move.text} is refused: {decided.code}")
            self.hand, self.result = fold(self.hand, decided.events), decided.result
            self.twin.apply(self.twin.tables.number_of(move))
            self.moves += 1
            self.check_position()
        self.check_end(self.result)
        return self.moves, self.result.end

    def choice(self, moves: tuple[Move, ...]) -> Move:
        """A legal move: half of them the first, so that much is laid; rarely a knock."""
        if moves[-1] == KNOCK and len(moves) > 1 and self.rng.random() > self.knock_chance:
            moves = moves[:-1]
        return moves[0] if self.rng.random() < FIRST_MOVE_CHANCE else pick(self.rng, moves)

    def check_legal(self) -> tuple[Move, ...]:
        """The legal moves, the same in both and each once; the greedy choice is the first."""
        moves, numbers, move_of = legal(self.hand), self.twin.legal(), self.twin.tables.move_of
        same("legal moves", set(moves), {move_of(number) for number in numbers})
        same("legal moves, each once", len(moves), len(numbers))
        same("greedy choice", moves[0], move_of(greedy(self.twin)))
        return moves

    def check_position(self) -> None:
        """Cards, turn and what the spreads take."""
        hand, twin = self.hand, self.twin
        pile = tuple(twin.tables.move_of(card).cards[0] for card in twin.pile)
        position = (hand.cards, hand.actor, hand.pile, hand.turn)
        same("position", position, (tuple(twin.held), twin.actor, pile, twin.turn))
        bit = twin.tables.bit
        same("cards", twin.held, [sum(bit[card] for card in cards) for cards in twin.cards])
        same("spreads", self.taking(), twin.fits)

    def taking(self) -> list[int]:
        """Cards that each spread takes; by option books take none."""
        runs_only = self.options.hit_targets == "runs_only"
        return [0 if runs_only and meld.kind == "book" else meld.fits for meld in self.hand.melds]

    def check_end(self, result: Result) -> None:
        """The end, what each player holds and what it is worth to him."""
        same("no move is left", (), tuple(self.twin.legal()))
        same("end and nets", (result.end, list(result.net.values())), self.twin.result())
        same("counts", [held.count for held in result.held], self.twin.counts)


def hands(seed: str, numbers: range) -> Found:
    """Compare these hands of a seed."""
    found = Found(seen={"ends": Counter()})
    for number in numbers:
        try:
            moves, end = compare(f"{seed}/{number}")
        except FAULTS as error:
            found.breaches.append(breach(error, CHECK.name, seed, number))
            continue
        found.done.update(hands=1, moves=moves)
        found.seen["ends"][end] += 1
    return found


def run(order: Order) -> Found:
    """All hands of an order."""
    return in_processes(hands, order)


CHECK = Check(
    name="fast-twin",
    promise=2,
    quick={"hands": 1_000, "moves": 1_000},
    full={"hands": 100_000, "moves": 100_000},
    run=run,
)
