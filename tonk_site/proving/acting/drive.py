"""Play what is due without workers: what Celery does in life, called directly and in order."""

from uuid import UUID

from django.db import connection

from eventstore.core.refusal import Refused
from games.selectors import tables_of_tournament
from games.services import bots
from games.services.deals import deal_next
from games.services.sealing import seal_next
from ledger.services import settle_due
from tournaments.services.conduct import conduct
from tournaments.services.steps import step


def until_rest(tournament: UUID, rounds: int = 5_000) -> None:
    """Drive a tournament of bots until nothing is due any more."""
    for _ in range(rounds):
        if not once(tournament):
            return
    raise AssertionError("the tournament does not come to rest")


def once(tournament: UUID) -> bool:
    """Do everything that is due now; whether there was anything."""
    busy = at_tables(tournament)
    settle_due()
    _hurry_round(tournament)
    return busy | (step(tournament) is not None)


def at_tables(tournament: UUID) -> bool:
    """Do what is due at the tables of a tournament; whether there was anything."""
    busy = False
    for row in tables_of_tournament(tournament):
        if row.due == "bot":
            busy |= bots.bot_turn(row.id, row.version) > 0
        elif row.due == "held":
            busy |= _conduct(row.id)
        elif row.due == "deal":
            deal_next(row.id, row.version)
            busy = True
        elif row.due == "seal":
            hurry(row.id)
            seal_next(row.id, row.version)
            busy = True
    return busy


def _conduct(table: UUID) -> bool:
    hurry(table)
    try:
        conduct(table)
    except Refused:
        return False
    return True


def hurry(table: UUID) -> None:
    """Let the pause of a table be over: nobody waits here."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE games_table SET due_at = least(due_at, clock_timestamp()) WHERE id = %s",
            [table],
        )


def _hurry_round(tournament: UUID) -> None:
    """Let the pause between two rounds be over."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE tournaments_tournament SET due_at = least(due_at, clock_timestamp())"
            " WHERE id = %s AND due = 'round'",
            [tournament],
        )
