"""Tables that write whole hands to the log, and the settler that posts them."""

from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from uuid import UUID

from benchmarks.histories import STACK, hands
from eventstore import store
from eventstore.core.chain import START, Fact, Head, head_of
from eventstore.core.ids import table_stream
from eventstore.core.record import EVENTS_PER_APPEND_MAX
from eventstore.core.refusal import InvariantBroken
from eventstore.ports import new_id
from eventstore.services import Transaction, in_transaction
from games.rules.events import Event, HandDealt, HandEnded, SeatTaken
from ledger import services
from ledger.core.currencies import XTK
from ledger.core.events import ChipsGranted

ACTOR = "worker:bench"


@dataclass(slots=True)
class _Client:
    """What this process plays: the same hands at each of its tables, by players of its own."""

    hands: list[tuple[Event, ...]] = field(default_factory=list)
    players: list[str] = field(default_factory=list)
    heads: dict[str, Head] = field(default_factory=dict)


_client = _Client()


def play(number: int, count: int) -> None:
    """Play the hands of a table; they are written later."""
    _client.hands = [one.facts for one in hands(count, seed=f"ledger {number}")]
    dealt = next(fact for fact in _client.hands[0] if isinstance(fact, HandDealt))
    _client.players = [seat.player for seat in dealt.players]


def forget_cards() -> None:
    """Of all hands, write the ends alone: a log of money and of nothing else."""
    ends = [fact for facts in _client.hands for fact in facts if isinstance(fact, HandEnded)]
    _client.hands = [tuple(ends)]


def seat(tables: int) -> None:
    """Seat the players at so many new tables, with chips that are granted for it."""
    granted = ChipsGranted(amount=STACK * tables, currency=XTK.code, reason_code="bench")
    for player in _client.players:
        in_transaction(partial(_grant, player=UUID(player), fact=Fact(granted, ACTOR)))
    _client.heads = {}
    for _ in range(tables):
        stream = table_stream(new_id())
        _client.heads[stream] = in_transaction(partial(_seat, stream=stream))


def _grant(tx: Transaction, *, player: UUID, fact: Fact) -> None:
    services.record(tx, player, [fact])


def _seat(tx: Transaction, *, stream: str) -> Head:
    taken = [
        SeatTaken(seat=number, player=player, bot=None, buy_in=STACK, currency=XTK.code)
        for number, player in enumerate(_client.players, 1)
    ]
    sealed = tx.seal(stream, START, [Fact(one, ACTOR) for one in taken])
    services.post_inline(sealed, tx.now)
    store.append(sealed, START)
    return head_of(sealed)


def write() -> float:
    """Seconds in which every hand is written at every table, in as few appends as may be."""
    start = perf_counter()
    for facts in _client.hands:
        for stream, head in _client.heads.items():
            _client.heads[stream] = in_transaction(
                partial(_hand, stream=stream, head=head, facts=facts)
            )
    return perf_counter() - start


def _hand(tx: Transaction, *, stream: str, head: Head, facts: tuple[Event, ...]) -> Head:
    for first in range(0, len(facts), EVENTS_PER_APPEND_MAX):
        part = facts[first : first + EVENTS_PER_APPEND_MAX]
        sealed = tx.append(stream, head, [Fact(one, ACTOR) for one in part])
        head = head_of(sealed)
        for stored, fact in zip(sealed, part, strict=True):
            if isinstance(fact, HandEnded):
                services.mark_due(stream, version=stored.version, at=stored.at)
    return head


def settle() -> tuple[int, float]:
    """Settle all that is due: events of money, and seconds. Raises: InvariantBroken."""
    start, events = perf_counter(), 0
    while found := services.settle_due():
        parked = [one for one in found if one.parked_code]
        if parked:
            raise InvariantBroken(f"{parked[0].stream} is parked: {parked[0].parked_code}")
        events += sum(one.events for one in found)
    return events, perf_counter() - start
