"""The fair deal: what it costs the dealer, and what the check of a hand costs a player's client."""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time
from typing import TYPE_CHECKING, Any, Self

from benchmarks.goals import at_most, percentile
from benchmarks.histories import Ids, hands, records
from benchmarks.measure import Figure, say
from clients.python.tonk_client.hand import Hand
from eventstore.core.record import record_bytes, time_text
from games.rules import fair
from games.rules.openings import document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from uuid import UUID

    from benchmarks.histories import Played
    from eventstore.core.record import Stored

DEAL_SECONDS, CHECK_SECONDS = 0.001, 0.020
SEED = bytes(range(32))
SHARE = 0.95


@dataclass(frozen=True, slots=True)
class Plan:
    """Deals and checks of a round, and the number of rounds."""

    deals: int = 500
    rounds: int = 5


QUICK = Plan(deals=100, rounds=3)


def measure(plan: Plan) -> Iterator[Figure]:
    """The 95th percentile of each round."""
    ids = Ids("fairness")
    played = list(hands(plan.deals // 10))
    seen = [Seen.of(one, stored) for one, stored in zip(played, records(iter(played)), strict=True)]
    deals, checks = [], []
    for number in range(1, plan.rounds + 1):
        say(f"fairness: round {number} of {plan.rounds}")
        deals.append(percentile([deal(ids()) for _ in range(plan.deals)], SHARE))
        checks.append(percentile([check(one) for one in seen], SHARE))
    yield at_most("fairness", "full deal, p95", deals, DEAL_SECONDS)
    yield at_most("fairness", "check of a hand, p95", checks, CHECK_SECONDS)


def deal(hand: UUID) -> float:
    """Processor seconds from the seeds to the sealed deck of 52 cards."""
    start = process_time()
    commitment = fair.commit(hand.bytes, SEED)
    seats = [fair.SeatSeed(seat, hand.bytes, SEED) for seat in (1, 2, 3)]
    transcript = fair.transcript(hand.bytes, commitment=commitment, spec="std52/1", seats=seats)
    key = fair.hand_key(SEED, transcript)
    fair.seal(key, hand=hand.bytes, cards=fair.DECKS["std52/1"])
    return process_time() - start


@dataclass(frozen=True, slots=True)
class Seen:
    """A hand as its table serves it to a player's client."""

    player: str
    stream: str
    events: Sequence[dict[str, Any]]
    openings: Sequence[dict[str, Any]]
    records: Sequence[str]

    @classmethod
    def of(cls, played: Played, stored: Sequence[Stored]) -> Self:
        """All of it, every card opened."""
        opened = (
            fair.open_card(played.sealed, position) for position in range(len(played.sealed.order))
        )
        dealt: Any = stored[1].event
        return cls(
            player=dealt.players[0].player,
            stream=stored[0].stream,
            events=[_event(one) for one in stored],
            openings=[document(one) for one in opened],
            records=[record_bytes(one).decode() for one in stored],
        )


def _event(stored: Stored) -> dict[str, Any]:
    hidden = "card" in stored.payload and stored.payload["card"] is None
    data = {name: one for name, one in stored.payload.items() if name != "card" or not hidden}
    return {
        "version": stored.version,
        "type": stored.type,
        "at": time_text(stored.at),
        "hash": stored.hash.hex(),
        "data": data,
    }


def check(seen: Seen) -> float:
    """Processor seconds of a client that checks every event, every card and every record."""
    start = process_time()
    first, *middle, last = seen.events
    hand = Hand(first, seen.player)
    for event in middle:
        hand.take(event)
    for opening in seen.openings:
        hand.opened(opening)
    hand.take(last)
    hand.recorded(seen.stream, seen.records)
    return process_time() - start
