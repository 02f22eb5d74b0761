"""What is accepted at a running hand, for `no-leak`: acts that are legal over either deck, and a
world in which they give the same ids at the same time.

Legal moves of whoever is to act hang on his own cards and on what lies open, so they are the same
over every deck that keeps both. A draw from the stock shows its card to whoever draws: that card
is kept too. A knock is left out, because it ends the hand and lays all of it open.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from eventstore.ports import machine
from games.rules.selfplay import Random, pick, shuffled
from tonk_site.proving.acting.fair_seats import Links
from tonk_site.proving.acting.play import KNOCK, Turn
from tonk_site.proving.chance import Chance
from tonk_site.proving.silence.other_cards import Told

MOVE, TAKE = "table.move", "seat.take"
MOVES_MADE = 3
OTHERS_A_PAIR = 2
SEATED = ("player_own", "opponent", "bot")
OF_THE_SEATED: Mapping[str, Mapping[str, object]] = {
    "seat.sit_out": {},
    "seat.sit_in": {},
    "seat.leave": {},
    "table.anchor": {"anchor": Links().anchor, "length": 16},
}
"""What a seat may do while a hand runs. Seeds are taken before the deal, so they are not here."""
BY_ROLE: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "table.bot_add": ("player_own", {"level": "random-0"}),
    "table.close": ("player_own", {"reason": "late"}),
}
# What touches no table, or opens another one: its bodies are those of the matrix.
BESIDE = {
    "table.create": "player_own",
    "me.limits_set": "player_own",
    "me.exclude": "opponent",
    "deposit.create": "player_own",
    "tournament.create": "organiser_own",
}
OTHERS = (TAKE, *OF_THE_SEATED, *BY_ROLE, *BESIDE)
NAMES = frozenset({MOVE, *OTHERS})
CLOCK = "clock_timestamp()"


@dataclass(frozen=True, slots=True)
class Act:
    """What somebody sends, and what is to be accepted."""

    name: str
    role: str
    method: str
    path: str
    body: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Done:
    """What an act was answered, and what a viewer read after it."""

    answers: tuple[Told, ...]
    known: tuple[frozenset[int], frozenset[int]] | None
    """Cards that whoever acted knows by now, and those that the viewer does; None where the hand
    has ended, from when on everything of it is open."""

    @property
    def kept(self) -> frozenset[int]:
        """Cards that lie where they are in the other deck."""
        return frozenset[int]().union(*self.known or ())


def some(tests: Any, world: Any, turn: Turn, rng: Random, number: int) -> Iterator[Act]:
    """Some legal moves of whoever is to act, and, by turns, what else is accepted."""
    who = {one.who.id: role for role, one in world.callers.items() if role != "anon"}
    moves = [str(one["move"]) for one in turn.legal if one["move"] != KNOCK]
    chosen: list[tuple[str, str, Mapping[str, object]]] = [
        (MOVE, who[turn.player], {"move": one, "version": turn.version})
        for one in shuffled(rng, moves)[:MOVES_MADE]
    ]
    for at in range(number * OTHERS_A_PAIR, (number + 1) * OTHERS_A_PAIR):
        name = OTHERS[at % len(OTHERS)]
        chosen.append((name, *_sent(tests, name, turn, rng)))
    for name, role, body in chosen:
        route = tests.ROUTES[name]
        yield Act(name, role, route.method, tests.address(route.path, world.ids), body)


def _sent(tests: Any, name: str, turn: Turn, rng: Random) -> tuple[str, Mapping[str, object]]:
    """Who does it, with which body."""
    if name in OF_THE_SEATED:
        return pick(rng, SEATED), OF_THE_SEATED[name]
    if name == TAKE:
        return "player_other", {"buy_in": 500, "version": turn.version}
    if name in BY_ROLE:
        return BY_ROLE[name]
    return BESIDE[name], tests.FIXTURES[name](None)


# --- the same ids at the same time ----------------------------------------------------------------


@contextmanager
def repeated(seed: str, at: datetime) -> Iterator[None]:
    """Inside, whatever is done again is given the same ids."""
    with machine(Chance(seed, int(at.timestamp() * 1000))):
        yield


def database_time() -> datetime:
    """The database's clock."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {CLOCK}")
        found: datetime = cursor.fetchone()[0]
        return found


@contextmanager
def standing(at: datetime) -> Iterator[None]:
    """Inside, the database's clock stands: facts are of one time, and nobody moves too late."""

    def execute(true: Callable[..., Any], sql: str, *rest: Any) -> Any:
        return true(sql.replace(CLOCK, f"'{at.isoformat()}'::timestamptz"), *rest)

    with connection.execute_wrapper(execute):
        yield
