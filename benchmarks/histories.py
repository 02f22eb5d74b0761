"""Histories to measure with: hands played by simple policies, sealed as the product seals them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING

from eventstore.core.chain import START, Fact, head_of, seal
from eventstore.core.ids import table_stream, uuid7
from eventstore.core.refusal import InvariantBroken, Refusal
from games.rules import events, fair
from games.rules.dealing import Dealt, deal
from games.rules.decide import decide, legal
from games.rules.options import RULES_VERSION, complete, rules_hash
from games.rules.result import hand_ended
from games.rules.rulebook import rulebook
from games.rules.selfplay import POLICIES, SeededNumbers, pick
from games.rules.shuffles import Deck, KeyedShuffle
from games.rules.state import Setup, evolve, with_deck

if TYPE_CHECKING:
    from collections.abc import Iterator
    from uuid import UUID

    from eventstore.core.record import Stored
    from games.rules.options import Options

AT = datetime(2026, 12, 1, 8, tzinfo=UTC)
SEATS = 3
STACK = 10_000
CLOCK = events.Clock(profile="normal", move_ms=20_000, first_move_ms=20_000, bank_ms=0)


@dataclass(frozen=True, slots=True)
class Played:
    """One hand: its events from the commitment to the reveal, and what opens it."""

    facts: tuple[events.Event, ...]
    sealed: fair.SealedDeck


class Ids:
    """Ids that are the same in every run."""

    def __init__(self, seed: str) -> None:
        self._seed, self._numbers = seed, count()

    def __call__(self) -> UUID:
        """The next one."""
        number = next(self._numbers)
        return uuid7(number, sha256(f"{self._seed}/{number}".encode()).digest()[:10])


def hands(number: int, seats: int = SEATS, seed: str = "bench") -> Iterator[Played]:
    """That many hands by the default rules, every player by a policy drawn for the hand."""
    options = complete({"max_players": seats}, seats)
    if isinstance(options, Refusal):
        raise InvariantBroken(options.code)
    ids = Ids(seed)
    players = [ids() for _ in range(seats)]
    for hand_no in range(1, number + 1):
        yield _hand(options, players, hand_no, ids())


def records(played: Iterator[Played], seed: str = "bench") -> Iterator[tuple[Stored, ...]]:
    """The records of each hand, all hands in one table's stream."""
    ids, head, at = Ids(f"{seed}/records"), START, AT
    stream = table_stream(ids())
    for one in played:
        sealed: list[Stored] = []
        for fact in one.facts:
            at += timedelta(milliseconds=700)
            made = seal(stream, head, [Fact(fact, "worker:bots")], at=at, ids=[ids(), ids()])
            head = head_of(made)
            sealed += made
        yield tuple(sealed)


def _hand(options: Options, players: list[UUID], hand_no: int, hand: UUID) -> Played:
    seats = range(1, len(players) + 1)
    server_seed = sha256(b"seed" + hand.bytes).digest()
    commitment = fair.commit(hand.bytes, server_seed)
    spec = fair.deck_spec(options.deck, options.jokers)
    pairs = list(zip(seats, players, strict=True))
    dealt_in = [fair.SeatSeed(seat, player.bytes) for seat, player in pairs]
    transcript = fair.transcript(hand.bytes, commitment=commitment, spec=spec, seats=dealt_in)
    key = fair.hand_key(server_seed, transcript)
    sealed = fair.seal(key, hand=hand.bytes, cards=fair.DECKS[spec])
    setup = with_deck(
        Setup(
            hand=str(hand), rules=rulebook(options, len(players)), seats=tuple(seats),
            players=tuple(map(str, players)), stacks=(STACK,) * len(players),
            dealer=1 + hand_no % len(players), stake=10, currency="XTK", deck=None,
        ),
        Deck(sealed.order, KeyedShuffle(hand.bytes, key)),
    )  # fmt: skip
    dealt = deal(setup)
    first = events.HandDealt(
        hand=str(hand), hand_no=hand_no,
        rules=events.RuleSet(
            preset=None, version=RULES_VERSION, hash=rules_hash(options, RULES_VERSION),
            options=options,
        ),
        fairness="commit", deck_spec=spec, commit=commitment.hex(), transcript=transcript.hex(),
        deck_root=sealed.root.hex(), beacon=None,
        players=tuple(
            events.DealtPlayer(
                seat=seat, player=str(player), bot=None, stack=STACK, bank_ms=0, seed="none"
            )
            for seat, player in pairs
        ),
        away=(), dealer=setup.dealer, stake=10, currency="XTK", payment="full",
        rake=events.Rake(bp=0, cap=None), clock=CLOCK, hand_size=options.hand_size,
        upcard=dealt.upcard, next=dealt.next,
    )  # fmt: skip
    committed = events.ShuffleCommitted(
        hand=str(hand), hand_no=hand_no, commit=commitment.hex(), deck_spec=spec,
        fairness="commit",
        seats=tuple(
            events.CommittedSeat(seat=one.seat, player=one.player, bot=None, anchored=False)
            for one in first.players
        ),
        dealer=setup.dealer, reveal_by=None, beacon=None,
    )  # fmt: skip
    facts = (committed, first, *_moves(dealt, str(hand)))
    last = events.HandRevealed(hand=str(hand), server_seed=server_seed.hex())
    return Played((*facts, last), sealed)


def _moves(dealt: Dealt, seed: str) -> Iterator[events.Event]:
    """The facts between the deal and the reveal."""
    rng, hand, result = SeededNumbers(seed), dealt.hand, dealt.result
    policies = [pick(rng, tuple(POLICIES.values())) for _ in hand.setup.seats]
    while result is None:
        move = policies[hand.actor](legal(hand), rng)
        decided = decide(hand, hand.setup.seats[hand.actor], move)
        if isinstance(decided, Refusal):
            raise InvariantBroken(f"legal move {move.text} is refused: {decided.code}")
        for fact in decided.events:
            hand = evolve(hand, fact)
            yield fact
        result = decided.result
    yield hand_ended(hand, result)
