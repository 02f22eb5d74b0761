"""Random option sets and random hands: the same numbers give the same hands."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eventstore.core.refusal import InvariantBroken, Refusal
from games.rules.decide import Decision, decide, legal, legal_slaps
from games.rules.domains import Choice, Counts, Range, Tiers
from games.rules.moves import KNOCK, Move
from games.rules.options import DOMAINS, Options, complete
from games.rules.selfplay import QUIET_KNOCK_CHANCE, Random, Run, pick, random_setup
from games.rules.shuffles import Deck
from games.rules.state import Hand, Setup, dealt_hand, fold, with_deck

Act = tuple[int, Move]
"""Who moves, by seat, and how."""

CHANGED_MAX = 10
"""Options that one set changes; most hands change a few, so that options meet in pairs."""
RIGGED_CHANCE, RIGGED_CHANCE_OF_SPREADS = 0.1, 0.5
"""How often one player is dealt what claims: by chance alone such hands are one in hundreds, and
one in thousands where the whole hand must be a spread."""


def below(rng: Random, limit: int) -> int:
    """A number from 0 to `limit` - 1."""
    return int(rng.random() * limit)


def random_overrides(rng: Random) -> dict[str, Any]:
    """Options of random values, often such as contradict one another."""
    names, count = list(DOMAINS), below(rng, CHANGED_MAX + 1)
    # A set of names would have another order in another process.
    picked = dict.fromkeys(pick(rng, names) for _ in range(count))
    chosen = {name: _value(rng, name) for name in picked}
    if chosen.get("settlement") == "difference" and rng.random() < 0.9:
        chosen["difference_cap"] = 1 + below(rng, 40)
    return chosen


def repaired(overrides: Mapping[str, Any], seats: int) -> Options:
    """The set with as many of these options as go together, at a table for so many players."""
    chosen = {"max_players": max(seats, 3)} | dict(overrides)
    while True:
        options = complete(chosen, seats)
        if not isinstance(options, Refusal):
            return options
        problems: Any = options.facts["problems"]
        faulty = problems[0]["option"]
        # What is at fault without having been chosen lies with its counterpart.
        for name in (faulty, *_COUNTERPARTS.get(faulty, ())):
            if chosen.pop(name, None) is not None:
                break
        chosen.setdefault("max_players", max(seats, 3))


_COUNTERPARTS: Mapping[str, Sequence[str]] = {
    "difference_cap": ("settlement",),
    "hand_size": ("deck", "max_players"),
    "stockout_tie": ("on_empty_stock",),
}


def _value(rng: Random, name: str) -> Any:
    domain = DOMAINS[name]
    match domain:
        case Choice():
            return pick(rng, domain.values)
        case Range():
            if domain.default is None and rng.random() < 0.2:
                return None
            return domain.low + below(rng, domain.high - domain.low + 1)
        case Counts():
            return tuple(sorted({20 + below(rng, 41) for _ in range(below(rng, 5))}))
        case Tiers():
            totals = sorted({below(rng, domain.total_max + 1) for _ in range(below(rng, 4))})
            return tuple((total, 1 + below(rng, domain.multiplier_max)) for total in totals)
        case _:
            raise TypeError(f"no random value of {name}")


def random_deal(rng: Random, options: Options, seats: int, *, hand: str) -> Setup:
    """A hand about to be dealt; some are rigged so that a player may claim at once."""
    run = Run(options, seats, hand, stake=1 + below(rng, 9))
    setup = random_setup(rng, run, hand=hand, dealer=1 + below(rng, seats))
    chance = RIGGED_CHANCE_OF_SPREADS if options.initial_spread else RIGGED_CHANCE
    if rng.random() >= chance:
        return setup
    return with_deck(setup, Deck(_rigged(rng, setup), setup.shuffler))


def _rigged(rng: Random, setup: Setup) -> tuple[int, ...]:
    """The deck with low cards, a suit in order or the dearest cards at the places of one player."""
    deck, count, size = list(setup.deck or ()), len(setup.seats), setup.rules.options.hand_size
    codes = setup.rules.pack.codes
    first = below(rng, len(codes) - size)
    wanted = pick(
        rng,
        (
            codes[first : first + size],
            sorted(codes, key=lambda card: card % 13)[:size],
            sorted(codes, key=lambda card: -(card % 13))[first % 8 :][:size],
        ),
    )
    player = below(rng, count)
    for nth, card in enumerate(wanted):
        place, now = player + nth * count, deck.index(card)
        deck[place], deck[now] = deck[now], deck[place]
    return tuple(deck)


def dealt(rng: Random, options: Options, seats: int) -> Hand:
    """A hand dealt at random, claims ignored."""
    run = Run(options, seats, "t", stake=7)
    setup = random_setup(rng, run, hand="t", dealer=1 + below(rng, seats))
    upcard = (setup.deck or ())[seats * options.hand_size] if options.initial_upcard else None
    return dealt_hand(setup, upcard=upcard)


def walk(hand: Hand, rng: Random) -> Iterator[tuple[Hand, Act, Decision, Hand]]:
    """Random play to the end: state, act, decision, next state. Raises: InvariantBroken."""
    while not hand.over:
        seat, chosen = mover(hand, rng)
        found = decide(hand, seat, chosen)
        if isinstance(found, Refusal):
            raise InvariantBroken(f"legal move {chosen.text} is refused: {found.code}")
        following = fold(hand, found.events)
        yield hand, (seat, chosen), found, following
        hand = following


def mover(hand: Hand, rng: Random) -> Act:
    """Who moves next, and how: a slap where there is one, as often as not."""
    slaps = [(seat, one) for seat in hand.setup.seats for one in legal_slaps(hand, seat)]
    if slaps and rng.random() < 0.5:
        return pick(rng, slaps)
    return hand.to_act or 0, _choose(hand, rng)


def _choose(hand: Hand, rng: Random) -> Move:
    """A random legal move; a knock is rare, so that hands grow long."""
    found = legal(hand)
    if found[-1] == KNOCK and len(found) > 1 and rng.random() > QUIET_KNOCK_CHANCE:
        found = found[:-1]
    # Laying and hitting are what options are about: half of the moves are the first choice.
    return found[0] if rng.random() < 0.5 else pick(rng, found)
