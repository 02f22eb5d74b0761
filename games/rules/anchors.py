"""Chains of seeds that seats have fixed, folded from a table's stream (`eventstore.md` 5.2).

A chain is in force from its `SeedAnchored` on; while the seeds of a hand are being given, the chain
that was in force at its commitment answers, and a newer one waits for the hand to be dealt.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import msgspec

from games.rules import events, fair

ABORTS_WITHIN_HANDS = 20
"""Two silent aborts by one seat within so many hands cost it its anchor (5.5)."""
ANCHORED_BY = frozenset(
    {
        "SeedAnchored",
        "SeedRevealed",
        "SeatTaken",
        "SeatLeft",
        "SeatCashedOut",
        "DealerCut",
        "ShuffleAborted",
    }
)
"""Types that change chains at any time. What closes a window may change them too."""
CLOSED_BY = frozenset({"HandDealt", "HandVoided"})
"""Types that close a window for seeds, besides the abort."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A seat's chain: how far it has been shown."""

    player: str
    anchor: str
    length: int
    last_link: str
    used: int = 0
    silent_at: int | None = None
    """Number of the hand that this seat's silence aborted last."""
    following: tuple[str, int] | None = None
    """Anchor and length registered while a commitment was open: in force after it."""

    @property
    def live(self) -> bool:
        """Whether a link is left to show."""
        return self.used < self.length

    def was_registered(self, anchor: str, length: int) -> bool:
        """Whether this is the newest chain of the seat already, of which no link has been shown."""
        if self.following is not None:
            return self.following == (anchor, length)
        return not self.used and (self.anchor, self.length) == (anchor, length)

    def shows_next_of(self, anchor: str) -> bool:
        """Whether the log has, or may soon have, the seed that would come after this anchor."""
        return anchor in {self.anchor, self.last_link}

    def is_next(self, seed: str) -> bool:
        """Whether this is the one seed that the seat may show now."""
        return self.live and fair.is_next_link(bytes.fromhex(seed), bytes.fromhex(self.last_link))


@dataclass(frozen=True, slots=True)
class Anchors:
    """The chains of a table by seat, and the commitment whose seeds are being given."""

    chains: Mapping[int, Chain] = field(default_factory=lambda: MappingProxyType({}))
    committed: events.ShuffleCommitted | None = None

    def of(self, seat: int, player: str) -> Chain | None:
        """The chain that would answer for this seat and player; None where none is in force."""
        chain = self.chains.get(seat)
        return chain if chain and chain.player == player and chain.live else None


def fold(facts: Iterable[msgspec.Struct], anchors: Anchors | None = None) -> Anchors:
    """The chains after these facts."""
    found = anchors or Anchors()
    for fact in facts:
        found = evolve(found, fact)
    return found


def evolve(anchors: Anchors, event: msgspec.Struct) -> Anchors:
    """The chains after one more fact of the table."""
    change = _CHANGES.get(type(event))
    return change(anchors, event) if change else anchors


def _with(anchors: Anchors, seat: int, chain: Chain | None) -> Anchors:
    chains = {at: one for at, one in anchors.chains.items() if at != seat}
    if chain is not None:
        chains[seat] = chain
    return replace(anchors, chains=chains)


def _gone(
    anchors: Anchors, event: events.SeatTaken | events.SeatLeft | events.SeatCashedOut
) -> Anchors:
    """A seat that changes its player starts without an anchor."""
    return _with(anchors, event.seat, None)


def _cut(anchors: Anchors, event: events.DealerCut) -> Anchors:
    """Whoever the cut has moved sits at another seat now."""
    sitting = {one.seat: one.player for one in event.seating}
    return replace(
        anchors,
        chains={
            seat: one
            for seat, one in anchors.chains.items()
            if sitting.get(seat, one.player) == one.player
        },
    )


def _anchored(anchors: Anchors, event: events.SeedAnchored) -> Anchors:
    chain = anchors.chains.get(event.seat)
    if chain is not None and _is_asked(anchors, event):
        later = replace(chain, following=(event.anchor, event.length))
        return _with(anchors, event.seat, later)
    return _with(anchors, event.seat, _new(event.player, event.anchor, event.length))


def _new(player: str, anchor: str, length: int) -> Chain:
    return Chain(player=player, anchor=anchor, length=length, last_link=anchor)


def _is_asked(anchors: Anchors, event: events.SeedAnchored) -> bool:
    """Whether the open commitment asks this seat and player for a seed."""
    seats = anchors.committed.seats if anchors.committed else ()
    return any(
        one.anchored and (one.seat, one.player) == (event.seat, event.player) for one in seats
    )


def _committed(anchors: Anchors, event: events.ShuffleCommitted) -> Anchors:
    return replace(anchors, committed=event)


def _revealed(anchors: Anchors, event: events.SeedRevealed) -> Anchors:
    chain = anchors.chains.get(event.seat)
    if chain is None or chain.player != event.player:
        return anchors
    return _with(anchors, event.seat, replace(chain, used=event.index, last_link=event.seed))


def _aborted(anchors: Anchors, event: events.ShuffleAborted) -> Anchors:
    committed = anchors.committed
    if event.reason == "silent_seat" and committed is not None:
        for seat in event.missing:
            chain = anchors.chains.get(seat)
            if chain is not None:
                anchors = _with(anchors, seat, _blamed(chain, committed.hand_no))
    return _closed(anchors, event)


def _blamed(chain: Chain, hand_no: int) -> Chain | None:
    """The chain after an abort by its seat; a second one soon leaves only a newer anchor."""
    before = chain.silent_at
    if before is None or hand_no - before >= ABORTS_WITHIN_HANDS:
        return replace(chain, silent_at=hand_no)
    return _new(chain.player, *chain.following) if chain.following else None


def _closed(anchors: Anchors, _: msgspec.Struct) -> Anchors:
    """No seed is asked for any more: anchors that waited are in force."""
    chains = {
        seat: _new(one.player, *one.following) if one.following else one
        for seat, one in anchors.chains.items()
    }
    return Anchors(chains)


_CHANGES: Mapping[type[msgspec.Struct], Callable[[Anchors, Any], Anchors]] = MappingProxyType(
    {
        events.SeatTaken: _gone,
        events.SeatLeft: _gone,
        events.SeatCashedOut: _gone,
        events.DealerCut: _cut,
        events.SeedAnchored: _anchored,
        events.ShuffleCommitted: _committed,
        events.SeedRevealed: _revealed,
        events.ShuffleAborted: _aborted,
        events.HandDealt: _closed,
        events.HandVoided: _closed,
    }
)
