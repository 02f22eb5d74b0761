"""`manage.py verify`: every chain of the database."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand
from typing_extensions import override

from eventstore.verification import verify_log


class Command(BaseCommand):
    """A line for each faulty stream, its first bad version and why; the last line is JSON."""

    help = "Verify every chain of the log; exit code 1 if one is broken."

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        found = verify_log()
        for fault in found.faults:
            print(f"{fault.stream} version {fault.version}: {fault.code}")
        counts = {"streams": found.streams, "events": found.events, "faults": len(found.faults)}
        print(json.dumps(counts, separators=(",", ":")))
        if found.faults:
            sys.exit(1)
