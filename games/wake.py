"""Wake-ups of tables: who is to look, and at which version."""

from collections.abc import Callable
from uuid import UUID

from eventstore.wake import after_commit, call_after_commit, send

HeldWork = Callable[[UUID], None]
_when_held: list[HeldWork] = []


def when_held(work: HeldWork) -> None:
    """Have `work` done, after the commit, with each table that waits for its tournament."""
    if work not in _when_held:
        _when_held.append(work)


def wake_for(table: UUID, version: int, due: str | None) -> None:
    """After the commit, wake whoever has to act at the table at once. People need no waking."""
    if due == "bot":
        after_commit("games.bot_turn", str(table), version, queue="bots")
    elif due == "deal":
        after_commit("games.deal", str(table), version, queue="bots")
    elif due == "held":
        tell_held_after_commit(table)


def tell_held_after_commit(table: UUID) -> None:
    """After the commit, tell the higher apps that a table waits for their word."""
    call_after_commit(lambda: tell_held(table))


def tell_held(table: UUID) -> None:
    """Tell the higher apps that a table waits for their word."""
    for work in _when_held:
        work(table)


def stop_after_commit(player: UUID, version: int) -> None:
    """After the commit, have a player leave his cash tables: his stream's event says so."""
    after_commit("games.stop", str(player), version, queue="bots")


def look_after(table: UUID) -> None:
    """Have a worker do what is overdue at a table."""
    send("games.attend", str(table), queue="bots")


def wake_bot(table: UUID, version: int) -> None:
    """Have a worker play the turn of the bot to act."""
    send("games.bot_turn", str(table), version, queue="bots")
