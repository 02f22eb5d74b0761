"""`manage.py replay STREAM [--at VERSION]`: the state of a table or tournament, from its events."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from tonk_site.pipes import while_read
from tonk_site.proof import state_at


class Command(BaseCommand):
    """One JSON object; a table is shown as everybody may see it."""

    help = "Print the state of a stream at a version, as JSON."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("stream", metavar="STREAM", help="table/<id> or tournament/<id>")
        parser.add_argument("--at", metavar="VERSION", type=int, help="by default the newest")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        try:
            state = state_at(options["stream"], options["at"])
        except ValueError as fault:
            raise CommandError(str(fault)) from fault
        with while_read():
            print(json.dumps(state, ensure_ascii=False))
