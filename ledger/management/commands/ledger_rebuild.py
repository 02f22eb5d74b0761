"""`manage.py ledger_rebuild --check [--to SIZE]`: the live books beside those of the log."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from eventstore import tree
from ledger.rebuild import compare


class Command(BaseCommand):
    """Exit code 1 on any difference; the last line is JSON."""

    help = "Rebuild the books from the log beside the live ones and compare them."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", required=True, help="change nothing")
        parser.add_argument(
            "--to", metavar="SIZE", type=int, help="as far as the first SIZE events of the log"
        )

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        size = options["to"]
        if size is not None and not 0 <= size <= tree.size():
            raise CommandError(f"the log has {tree.size()} events in their places")
        found = compare(size)
        if found.difference:
            print(f"{found.difference.name}: books {found.difference.live}")
            print(f"{found.difference.name}: log {found.difference.log}")
        equal = found.difference is None
        result = {
            "entries": found.entries,
            "accounts": found.accounts,
            "digest": found.digest,
            "equal": equal,
        }
        print(json.dumps(result, separators=(",", ":")))
        if not equal:
            sys.exit(1)
