"""Playing to the end: wait for my turn, choose, move, and go where I am seated."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .fair_seat import FairSeat
from .problem import Problem

if TYPE_CHECKING:
    from .client import Tonk
    from .wire import Document

Choose = Callable[[dict[str, Any]], str]

WAIT_SECONDS = 25  # the most that the server holds a request
SEAT_PAUSE_SECONDS = 0.5  # between two looks of an entrant who has no seat yet
OVER = frozenset({"completed", "settled", "cancelled"})
LIVING = frozenset({"registered", "waiting", "playing"})
TOO_LATE = "too_late"
LATE_PAUSE_SECONDS = 0.5  # the move that the rules force is on its way
# Somebody was faster, the clock most often: look again.
OVERTAKEN = frozenset(
    {"stale_version", "not_your_turn", "no_hand", "hand_over", "table_paused", TOO_LATE}
)


def play(tonk: Tonk, table_id: str, choose: Choose, *, fair: bool) -> Document:
    """The table when I have no seat there any more, or it is closed. Raises: DealNotFair."""
    state = tonk.state(table_id) or {}
    seat = FairSeat(tonk, table_id) if fair and is_seated(state) else None
    while is_seated(state):
        if seat is not None:
            seat.follow(state)  # before I act on it
        if state.get("legal"):
            state = _moved(tonk, table_id, state, choose, seat)
        else:
            state = tonk.state(table_id, after=state["version"], wait=WAIT_SECONDS) or state
    if seat is not None:
        seat.follow(state)  # the hand that was my last
        seat.finish()
    return state


def is_seated(state: Document) -> bool:
    """Whether the viewer of a state has a seat at a table that goes on.

    >>> is_seated({"status": "playing", "viewer": {"kind": "seat", "seat": 2}})
    True
    >>> is_seated({"status": "playing", "viewer": {"kind": "public"}})
    False
    """
    return bool(state["viewer"]["kind"] == "seat" and state["status"] != "closed")


def _moved(
    tonk: Tonk, table_id: str, state: Document, choose: Choose, seat: FairSeat | None
) -> Document:
    """The table after my move; the newest one if I came too late. An illegal move is raised."""
    try:
        made = tonk.move(table_id, choose(state), state["version"])
    except Problem as problem:
        if problem.code not in OVERTAKEN:
            raise
        if problem.code == TOO_LATE:
            tonk.pause(LATE_PAUSE_SECONDS)
        return problem.state or tonk.state(table_id) or state
    if seat is not None:
        seat.told(made.get("checkpoint"))
        seat.follow(made["state"], made["events"])
    return dict(made["state"])


def play_tournament(tonk: Tonk, tournament_id: str, choose: Choose, *, fair: bool) -> Document:
    """My entry when I am out, or the tournament is over."""
    player = str(tonk.me()["player_id"])
    while True:
        tournament = tonk.tournament(tournament_id)
        entry = newest_entry(tournament, player)
        if entry["status"] not in LIVING or tournament["status"] in OVER:
            return entry
        if "table_id" in entry:
            play(tonk, entry["table_id"], choose, fair=fair)
        # Between two tables, and before the start, there is no seat to wait at.
        tonk.pause(SEAT_PAUSE_SECONDS)


def newest_entry(tournament: Document, player_id: str) -> Document:
    """A player's last entry. Raises: LookupError if he has none.

    >>> entries = [{"player_id": "a", "entry_no": 1}, {"player_id": "a", "entry_no": 2}]
    >>> newest_entry({"entries": entries}, "a")
    {'player_id': 'a', 'entry_no': 2}
    """
    mine = [entry for entry in tournament["entries"] if entry["player_id"] == player_id]
    if not mine:
        raise LookupError(f"{player_id} has no entry")
    return dict(max(mine, key=lambda entry: int(entry["entry_no"])))
