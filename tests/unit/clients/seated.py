"""A client at the croupier's table, and what it is caught at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from clients.python.tonk_client import DealNotFair, FairSeat
from tests.unit.clients.croupier import ME, TABLE, Croupier

if TYPE_CHECKING:
    from collections.abc import Callable

    Act = Callable[["Play"], None]

GIVEN = f"POST /tables/{TABLE}/seeds"
ANCHORED = f"POST /tables/{TABLE}/anchor"


class Play:
    """A client at the croupier's table, which looks after everything that happens."""

    def __init__(self, croupier: Croupier, length: int = 8) -> None:
        self.croupier, self.length = croupier, length
        self.start()

    def start(self) -> None:
        """A new process of the client: it knows what is in its files."""
        self.seat = FairSeat(self.croupier.tonk(), TABLE, length=self.length)

    def look(self, **more: Any) -> None:
        self.seat.follow(self.croupier.state(**more))

    def deal(self) -> None:
        """A hand, committed to, with my seed, and dealt."""
        self.croupier.commit()
        self.look()
        self.croupier.hand_out()
        self.look()

    def hand(self) -> None:
        """A hand from commitment to reveal."""
        self.deal()
        self.turns()
        self.croupier.end()
        self.look()

    def turns(self) -> None:
        for seat in (1, 2, 1, 2):
            self.croupier.turn(seat)
            self.look()

    @property
    def kept(self) -> Any:
        [path] = self.croupier.folder.rglob(f"{TABLE}-{ME}.json")
        return json.loads(path.read_text())

    def seeds(self) -> list[str]:
        """Seeds of mine that are in the log."""
        return [
            one["data"]["seed"]
            for one in self.croupier.events
            if one["type"] == "SeedRevealed" and one["data"]["player"] == ME
        ]


def caught(play: Play, act: Act) -> DealNotFair:
    with pytest.raises(DealNotFair) as found:
        act(play)
    return found.value


def with_data(**changes: Any) -> Callable[[Any], Any]:
    return lambda data: {**data, **changes}


def deals(play: Play) -> None:
    play.deal()


def plays_a_hand(play: Play) -> None:
    play.hand()
