"""Wake-ups of tournaments: a table waits for a word, or the tournament's own next step is due."""

from uuid import UUID

from eventstore import wake
from eventstore.core.ids import tournament_stream

QUEUE = "settle"


def conduct(table: UUID) -> None:
    """Let a worker conduct the tournament of a table that waits."""
    wake.send("tournaments.conduct", str(table), queue=QUEUE)


def look(tournament: UUID) -> None:
    """After the commit, let a worker see what is due of the tournament."""
    wake.after_commit("tournaments.step", str(tournament), queue=QUEUE)


def look_after(tournament: UUID) -> None:
    """Have a worker take the tournament's overdue step."""
    wake.send("tournaments.attend", str(tournament), queue=QUEUE)


def settled(stream: str, version: int) -> None:
    """The books have posted up to a version: a tournament may be over now."""
    del version
    if stream.startswith(tournament_stream("")):
        wake.send("tournaments.step", stream.removeprefix(tournament_stream("")), queue=QUEUE)
