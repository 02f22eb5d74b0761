"""`manage.py log_key show|rotate|revoke`: the keys that sign the log (`eventstore.md` 4.5)."""

import getpass
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.db import connections
from typing_extensions import override

from eventstore import keys, tree
from eventstore.core.ids import log_stream
from eventstore.core.refusal import Refused
from eventstore.signing import KeyFolder
from players.core.roles import ADMIN
from players.selectors import roles_of
from players.services import account_of

USING = "sequencer"


class Command(BaseCommand):
    """Reads and makes private keys, so it runs as the user of the sequencer, on its host."""

    help = "Show the verifier keys of the log, add one beside the old, or end all but a new one."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser("show", help="every key and the sizes that it may sign")
        rotate = acts.add_parser("rotate", help="a new key; the old one signs beside it for 7 days")
        rotate.add_argument("admin", help="who does it; the password is asked for")
        revoke = acts.add_parser("revoke", help="a new key; every other one ends at once")
        revoke.add_argument("--two-people", nargs=2, required=True, metavar="ADMIN")
        revoke.add_argument("--reason", choices=("lost", "stolen"), default="stolen")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        if options["act"] == "rotate":
            change = keys.Change(f"staff:{_admin(options['admin'])}", "rotated")
            keys.rotate(*_log(), change, using=USING)
        elif options["act"] == "revoke":
            first, second = map(_admin, options["two_people"])
            if first == second:
                raise CommandError("two people are needed")
            change = keys.Change(f"staff:{first}", options["reason"], str(second))
            keys.revoke(*_log(), change, using=USING)
        known = tree.keys()
        for key in known:
            end = ", still signing" if key.to_size is None else f" to {key.to_size} ({key.reason})"
            self.stdout.write(f"{key.key} from {key.from_size}{end}")


def _log() -> tuple[str, str, KeyFolder]:
    """Stream and name of the log, and the folder of its keys."""
    with connections[USING].cursor() as cursor:
        cursor.execute("SELECT log_id, origin FROM eventstore_log_state")
        log_id, origin = cursor.fetchone()
    if log_id is None:
        raise CommandError("the sequencer has not started yet: the log has no name and no key")
    return log_stream(log_id), origin, KeyFolder()


def _admin(username: str) -> UUID:
    """The account of an admin who knows its password. Raises: CommandError."""
    try:
        account = account_of(username, getpass.getpass(f"Password of {username}: "))
    except Refused as refused:
        raise CommandError(f"{username}: {refused.refusal.code}") from refused
    if ADMIN not in roles_of(account.id):
        raise CommandError(f"{username} is no admin")
    return account.id
