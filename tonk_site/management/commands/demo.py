"""`manage.py demo`: see the package `tonk_site.demo`."""

import os
import sys

from django.core.management import BaseCommand
from typing_extensions import override


class Command(BaseCommand):
    """A tournament from registration to settled prizes in a fresh folder, then verified."""

    help = "Hold a tournament in a fresh data folder and verify everything; the last line is JSON."
    requires_system_checks = []

    @override
    def handle(self, *args: object, **options: object) -> None:
        """Become the demo: this process has read its settings already."""
        os.execv(sys.executable, [sys.executable, "-m", "tonk_site.demo"])  # noqa: S606  no shell
