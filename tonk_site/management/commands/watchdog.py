"""`manage.py watchdog [--seconds N]`: whether what is due gets done."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand
from typing_extensions import override

from tonk_site.watchdog import IDLE_SECONDS, look


class Command(BaseCommand):
    """A JSON line for each thing that stands still; exit code 1 if there is one."""

    help = "Look for what is due and has not moved; for a timer outside the product."
    requires_system_checks: tuple[str, ...] = ()

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        """How long something may stand still."""
        parser.add_argument("--seconds", type=int, default=IDLE_SECONDS)

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        found = look(options["seconds"])
        for one in found:
            self.stdout.write(json.dumps(asdict(one)))
        if found:
            sys.exit(1)
