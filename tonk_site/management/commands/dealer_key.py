"""`manage.py dealer_key`: the keys that seal what waits for its reveal (`eventstore.md` 5.4)."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from eventstore import sealing
from eventstore.core.refusal import Refused
from games import dealer
from games.services.voiding import LostHand, lost_hands, resume, void_lost
from tournaments.selectors import lots_by_key


class Command(BaseCommand):
    """Reads and makes private keys, so it runs as the user of the workers, on their host."""

    help = "List the dealer's keys, make a new one, or give up the hands whose key is lost."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser("list", help="every key, and how many hands and lots are sealed under it")
        acts.add_parser("rotate", help="a new key; the ones before go on opening what they sealed")
        acts.add_parser("prune", help="remove the older keys that nothing is sealed under")
        acts.add_parser("resume", help="go on with tables that stood still: their key is back")
        void = acts.add_parser("void-lost", help="hands whose key is in no file")
        void.add_argument("--yes", action="store_true", help="give them up: nobody wins or loses")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        if options["act"] == "rotate":
            sealing.rotate()
        elif options["act"] == "prune":
            self._prune()
        elif options["act"] == "resume":
            self.stdout.write(f"{resume()} tables are looked after again")
        elif options["act"] == "void-lost":
            self._void_lost(is_meant=options["yes"])
        if self._list() and options["act"] == "list":
            sys.exit(1)

    def _list(self) -> bool:
        """Print a line a key. Whether one is lost."""
        hands, lots, newest = dealer.hands_by_key(), lots_by_key(), sealing.newest()
        there = [*([] if newest is None else [newest]), *sealing.older()]
        lost = sorted((hands.keys() | lots.keys()) - set(there))
        for key_id in [*there, *lost]:
            state = "seals" if key_id == newest else "opens" if key_id in there else "lost"
            counts = f"{hands.get(key_id, 0)} hands, {lots.get(key_id, 0)} lots"
            self.stdout.write(f"{key_id} {state}: {counts}")
        return bool(lost)

    def _prune(self) -> None:
        for key_id in sealing.prune(dealer.hands_by_key().keys() | lots_by_key().keys()):
            self.stdout.write(f"{key_id} removed")

    def _void_lost(self, *, is_meant: bool) -> None:
        if sealing.newest() is None:
            # On another host, or under another user, every key would look lost.
            raise CommandError(
                "no key is in its file here: run this where the workers run, or make a new key by "
                "`dealer_key rotate` first"
            )
        hands = list(lost_hands())
        for lost in hands:
            self.stdout.write(_said(lost, self._give_up(lost) if is_meant else "is lost"))
        if hands and not is_meant:
            self.stdout.write("nothing was done: `dealer_key void-lost --yes` gives them up")
        lots = sum(count for key_id, count in lots_by_key().items() if sealing.is_lost(key_id))
        if lots:
            self.stdout.write(f"{lots} tournaments stand still: the seed of their lot is lost")

    def _give_up(self, lost: LostHand) -> str:
        """What became of a hand."""
        if lost.table is None:
            return "is of no table"
        try:
            void_lost(lost.table, lost.hand)
        except Refused as refused:
            return f"was left alone: {refused.refusal.code}"
        return "was given up"


def _said(lost: LostHand, what: str) -> str:
    where = "" if lost.table is None else f" of table {lost.table}"
    before = "" if lost.table is None or lost.is_dealt else ", not dealt yet,"
    return f"hand {lost.hand}{where}{before} {what}"
