"""`manage.py ledger_settle --unpark STREAM`: go on with a stream whose fault was mended."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from ledger.services import settle, unpark


class Command(BaseCommand):
    """The event at which the stream stood is tried again; nothing is ever skipped."""

    help = "Let a parked stream go on, and settle it."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--unpark", metavar="STREAM", required=True)

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        stream = options["unpark"]
        if not unpark(stream):
            raise CommandError(f"{stream} is not parked")
        result = settle(stream)
        if result.parked_code:
            raise CommandError(f"{stream} is parked again: {result.parked_code}")
        print(f"{stream}: {result.events} events settled")
