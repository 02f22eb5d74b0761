"""Hands dealt and played by the services, by the first legal move or another one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from games import selectors
from games.services.deals import deal_next
from games.services.moves import MoveCommand, submit_move
from tonk_site.proving.acting.drive import hurry, once
from tonk_site.proving.acting.factories import receipt

STEPS_MAX = 500
KNOCK = "K"


@dataclass(frozen=True, slots=True)
class Turn:
    """Who is to act, at which version, with which legal moves."""

    player: UUID
    seat: int
    version: int
    legal: Sequence[dict[str, Any]]
    state: dict[str, Any]


Choice = Callable[[Turn], str]


def first(turn: Turn) -> str:
    """The first legal move."""
    return str(turn.legal[0]["move"])


def hasty(turn: Turn) -> str:
    """The first legal move, but now and then a knock: hands are short, and end in many ways."""
    knocks = any(one["move"] == KNOCK for one in turn.legal)
    return KNOCK if knocks and turn.version % 5 == 0 else first(turn)


def turn_at(table: UUID) -> Turn:
    """The turn at a table; a hand is dealt where none runs."""
    for _ in range(STEPS_MAX):
        seen = selectors.see_now(table)
        if seen.table.to_act is not None:
            place = seen.table.place(seen.table.to_act)
            player = UUID(place.player)
            state: dict[str, Any] = selectors.state_document(selectors.see(table, player))
            return Turn(player, place.seat, seen.table.version, state["legal"], state)
        hurry(table)
        deal_next(table, seen.table.version)
    raise AssertionError("no hand gets going")


def play(table: UUID, turn: Turn, move: str | None = None) -> None:
    """Make a move, by default the first legal one, for whoever is to act."""
    command = MoveCommand(
        table=table,
        player=str(turn.player),
        move=move or turn.legal[0]["move"],
        version=turn.version,
        actor=f"player:{turn.player}",
    )
    submit_move(command, receipt())


def turn_of(table: UUID, player: UUID) -> Turn:
    """The next turn of a player, the others' moves made before."""
    for _ in range(STEPS_MAX):
        turn = turn_at(table)
        if turn.player == player:
            return turn
        play(table, turn)
    raise AssertionError("the turn never comes")


def play_out(table: UUID, choose: Choice = first) -> None:
    """Play until the running hand has ended."""
    while selectors.see_now(table).table.to_act is not None:
        turn = turn_at(table)
        play(table, turn, choose(turn))


def play_tournament(tournament: UUID, choose: Choice = first) -> None:
    """Play a tournament of people and bots to its end."""
    while once(tournament) | _move_of_a_person(tournament, choose):
        pass


def _move_of_a_person(tournament: UUID, choose: Choice) -> bool:
    """Let whoever is to act at a table make his move; whether there was anybody."""
    for row in selectors.tables_of_tournament(tournament):
        if row.status != "playing" or row.due == "bot":
            continue
        if selectors.see_now(row.id).table.to_act is not None:
            turn = turn_at(row.id)
            play(row.id, turn, choose(turn))
            return True
    return False
