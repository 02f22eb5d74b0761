"""`manage.py ledger_rebuild --check`: the books anew from the log, compared with the live ones."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from typing_extensions import override

from ledger.rebuild import compare


class Command(BaseCommand):
    """Exit code 1 on any difference; the last line is JSON."""

    help = "Rebuild the books from the log beside the live ones and compare them."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", required=True, help="change nothing")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        found = compare()
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
