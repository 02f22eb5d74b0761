"""`manage.py sequencer`: order, tree and checkpoints of the log."""

import signal
from threading import Event
from typing import Any

from django.core.management.base import BaseCommand
from typing_extensions import override

from eventstore.sequencing import run
from ledger.core.entries import MONEY

URGENT = frozenset({"HandEnded", "SeatCashedOut", *(name for name, _ in MONEY)})


class Command(BaseCommand):
    """Ends with SIGTERM or SIGINT. Several may run: one works, the others wait for its lock."""

    help = "Give events their place in the log and sign checkpoints, until a signal ends it."

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        stop = Event()
        for sign in (signal.SIGTERM, signal.SIGINT):
            signal.signal(sign, lambda *_: stop.set())
        run(stop, URGENT)
