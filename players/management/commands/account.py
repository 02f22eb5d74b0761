"""`manage.py account`: the operator opens an account with a role, such as the first organiser."""

import os
import warnings
from getpass import GetPassWarning, getpass
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser
from typing_extensions import override

from eventstore.core.refusal import Refusal, Refused
from players.core.roles import ADMIN, AUDITOR, ORGANISER
from players.services import Registration, register


class Command(BaseCommand):
    """Opens an account; roles are granted at the start by whoever runs the server."""

    help = "Open an account. The password comes from TONK_PASSWORD, or is asked for."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--name", help="shown name (default: the user name)")
        parser.add_argument(
            "--role", action="append", default=[], choices=(ORGANISER, AUDITOR, ADMIN)
        )

    @override
    def handle(self, *args: object, **options: Any) -> None:
        password = os.environ.get("TONK_PASSWORD") or _asked()
        username = options["username"]
        who = Registration(
            username=username, password=password, display_name=options["name"] or username
        )
        try:
            account = register(who, extra_roles=options["role"])
        except Refused as refused:
            raise CommandError(_words(refused.refusal)) from refused
        self.stdout.write(f"{account.username} {account.id}")


def _asked() -> str:
    """The password from a terminal, which does not show it. Raises: CommandError without one."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", GetPassWarning)
        try:
            return getpass()
        except (EOFError, GetPassWarning) as fault:
            raise CommandError(
                "there is no password: put it into TONK_PASSWORD, or give it at a terminal"
            ) from fault


def _words(refusal: Refusal) -> str:
    facts: dict[str, Any] = dict(refusal.facts)
    if refusal.code == "weak_password":
        return " ".join(facts["problems"])  # sentences, in English here
    return f"{refusal.code}: {facts}"
