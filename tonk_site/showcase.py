"""What `make run` shows: log-ins to try things with, and a tournament of bots to look at.

The log-ins are made once for each data folder; their passwords lie there in a file of its owner's.
The tournaments are held over the API, as any organiser would.
"""

from __future__ import annotations

import contextlib
import json
import logging
from typing import TYPE_CHECKING

from clients.python.tonk_client import NoAnswer, Problem, Tonk
from eventstore.core.refusal import Refused
from eventstore.ports import random_bytes
from players.services import Registration, register

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from clients.python.tonk_client import Document

logger = logging.getLogger(__name__)
# Its tournaments are held by an account of its own: those of the people are theirs alone to direct.
HOST = "showcase"
PEOPLE = {  # username: shown name, extra roles
    HOST: ("Showcase", ("organiser",)),
    "jonas": ("Jonas", ("organiser",)),
    "rasa": ("Rasa", ("auditor",)),
    "ona": ("Ona", ()),
    "petras": ("Petras", ()),
}
PASSWORD_BYTES = 9
TEMPLATE = "sim-short"
NAMES = ("Amber Cup", "Baltic Evening", "Curonian Round", "Dune Freezeout", "Elk Night")
FIELD = (("greedy-1", 6), ("random-0", 3))
OVER = frozenset({"settled", "cancelled"})
LOOK_SECONDS = 2.0
# Bots play without rest. The pauses keep processors idle, and the log of a product that nobody
# stops small: they double with every few tournaments.
PAUSE_SECONDS, PAUSE_SECONDS_MAX = 20.0, 1_280.0
TOURNAMENTS_A_PAUSE = 5


def logins(data: Path) -> dict[str, str]:
    """Passwords by username, the same at each call; accounts are made at the first."""
    path = file_of(data)
    if not path.exists():
        draft = path.with_suffix(".new")
        made = _drafted(draft)
        for username, (shown, roles) in PEOPLE.items():
            who = Registration(username=username, password=made[username], display_name=shown)
            with contextlib.suppress(Refused):  # a start that was cut short had made it
                register(who, extra_roles=roles)
        draft.rename(path)
    return dict(json.loads(path.read_text()))


def file_of(data: Path) -> Path:
    """Where the passwords lie, once every account exists."""
    return data / "keys" / "showcase.json"


def _drafted(draft: Path) -> dict[str, str]:
    """Passwords for accounts that are about to be made; kept first, so that none is lost."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        return dict(json.loads(draft.read_text()))
    made = {username: random_bytes(PASSWORD_BYTES).hex() for username in PEOPLE}
    draft.touch(0o600)
    draft.write_text(json.dumps(made))
    return made


def listed(passwords: Mapping[str, str]) -> str:
    """The log-ins as people read them, a line each."""
    return "\n".join(
        f"  {''.join(PEOPLE[username][1]) or 'player':<10} {username:<8} {password}"
        for username, password in passwords.items()
        if username != HOST
    )


def pause_seconds(held: int) -> float:
    """How long to wait after so many tournaments.

    >>> [pause_seconds(held) for held in (1, 4, 5, 10, 1000)]
    [20.0, 20.0, 40.0, 80.0, 1280.0]
    """
    return min(PAUSE_SECONDS * 2.0 ** min(held // TOURNAMENTS_A_PAUSE, 10), PAUSE_SECONDS_MAX)


def keep_going(url: str, password: str) -> None:
    """Hold one tournament of bots after the other, for ever; a fault is told and tried again."""
    held = 0
    while True:
        with Tonk(url) as organiser:
            try:
                organiser.login(HOST, password)
                hold(organiser, name_of(held))
                held += 1
                organiser.pause(pause_seconds(held))
            except (NoAnswer, Problem) as fault:
                logger.warning("the showcase waits: %s", fault)
                organiser.pause(PAUSE_SECONDS)


def name_of(held: int) -> str:
    """Name of the tournament after so many.

    >>> name_of(0), name_of(6)
    ('Amber Cup', 'Baltic Evening 2')
    """
    rounds, at = divmod(held, len(NAMES))
    return f"{NAMES[at]} {rounds + 1}" if rounds else NAMES[at]


def hold(organiser: Tonk, name: str) -> None:
    """Bring one tournament to its end: that which an earlier run left behind, or a new one."""
    tournament = left_behind(organiser) or organiser.create_tournament(TEMPLATE, name)
    while tournament["status"] not in OVER:
        advance(organiser, tournament)
        tournament = organiser.tournament(tournament["tournament_id"])


def left_behind(organiser: Tonk) -> Document | None:
    """A tournament of mine that is not over, or None."""
    mine = organiser.tournaments(organiser=str(organiser.me()["player_id"]))["items"]
    return next((one for one in mine if one["status"] not in OVER), None)


def advance(organiser: Tonk, tournament: Document) -> None:
    """Take the next step of a director; where there is none, wait a little."""
    tournament_id, version = tournament["tournament_id"], tournament["version"]
    if tournament["status"] == "draft":
        organiser.publish(tournament_id, version)
    elif tournament["status"] == "announced":
        organiser.open_registration(tournament_id, version)
    elif tournament["status"] == "registration":
        level, count = still_wanted(tournament["counts"]["entries"])
        organiser.add_bots(tournament_id, version, level=level, count=count)
    else:
        organiser.pause(LOOK_SECONDS)


def still_wanted(entered: int) -> tuple[str, int]:
    """Level and number of the bots to enter next, after so many.

    >>> still_wanted(0), still_wanted(6), still_wanted(8)
    (('greedy-1', 6), ('random-0', 3), ('random-0', 1))
    """
    for level, count in FIELD:
        if entered < count:
            return level, count - entered
        entered -= count
    return FIELD[-1]
