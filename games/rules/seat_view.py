"""What a bot's seat may know: the state document's content as a frozen value, with the hand's past.

A bot is a viewer. Two deals that look equal to its seat give equal bytes here, and so equal moves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec


@dataclass(frozen=True, slots=True)
class SeatView:
    """The view of one seat at its turn.

    `hand` is the state document without what is no matter of play (ids, names, stacks, clocks);
    `history` are the hand's events as this seat saw them, the oldest first.
    """

    seat: int
    hand: Mapping[str, Any]
    history: tuple[Mapping[str, Any], ...]

    def to_bytes(self) -> bytes:
        """Canonical bytes of the view."""
        value = {"seat": self.seat, "hand": self.hand, "history": self.history}
        return msgspec.json.encode(value, order="sorted")


_OF_PLAY = (
    "rules",
    "stake",
    "dealer",
    "round",
    "to_act",
    "phase",
    "cards",
    "points",
    "taken",
    "discard_top",
    "discard_count",
    "stock_count",
    "discard_turns",
    "hits_this_turn",
    "melds",
)
_OF_SEATS = ("seat", "kind", "cards_held", "hold")


def seat_view(
    document: Mapping[str, Any], history: Sequence[Mapping[str, Any]], *, seat: int
) -> SeatView:
    """The view that a seat's state document and served events give to its bot."""
    hand = {name: document[name] for name in _OF_PLAY if name in document}
    hand["seats"] = [
        {name: one[name] for name in _OF_SEATS if name in one} for one in document["seats"]
    ]
    return SeatView(seat, hand, tuple(history))
