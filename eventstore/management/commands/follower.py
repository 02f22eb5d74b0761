"""`manage.py follower run|rebuild|drop|list`: the folds that follow the log."""

import json
import signal
from argparse import ArgumentParser
from dataclasses import asdict
from threading import Event
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from eventstore import followers, following
from eventstore.followers import Follower, NotBuilding, Parked


class Command(BaseCommand):
    """`run` ends with SIGTERM or SIGINT; the others print a line of JSON for each version."""

    help = "Run the followers of the log; rebuild one, remove a retired version, list all."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser("run", help="all followers in one loop")
        acts.add_parser("list", help="every version, where it stands, how far behind it is")
        rebuild = acts.add_parser("rebuild", help="a new version from the log's beginning")
        rebuild.add_argument("name")
        drop = acts.add_parser("drop", help="remove the rows of a retired version")
        drop.add_argument("name")
        drop.add_argument("version", type=int)

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        if options["act"] == "run":
            run()
        elif options["act"] == "rebuild":
            self.rebuild(named(options["name"]))
        elif options["act"] == "drop":
            self.drop(named(options["name"]), options["version"])
        else:
            self.list()

    def list(self, name: str | None = None) -> None:
        """A line for each version."""
        for one in followers.standings(name):
            self.stdout.write(json.dumps(asdict(one)))

    def rebuild(self, follower: Follower) -> None:
        """Exit code 1 where the rows are not those of the version before, of the same code."""
        try:
            promoted = following.rebuild(follower)
        except (NotBuilding, Parked) as fault:
            raise CommandError(str(fault)) from fault
        self.stdout.write(json.dumps(asdict(promoted)))
        if promoted.equal is False:
            raise CommandError(
                f"{follower.name}: version {promoted.retired} was otherwise than the log says;"
                f" version {promoted.version} is live now, the old one is kept to be looked at"
            )

    def drop(self, follower: Follower, version: int) -> None:
        """Refuses a version that is live or building."""
        try:
            followers.drop(follower, version)
        except ValueError as fault:
            raise CommandError(str(fault)) from fault
        self.list(follower.name)


def named(name: str) -> Follower:
    """The follower of that name. Raises: CommandError."""
    for one in followers.registered():
        if one.name == name:
            return one
    known = ", ".join(one.name for one in followers.registered())
    raise CommandError(f"no follower {name}; known: {known}")


def run() -> None:
    """Follow until a signal; the transaction that runs is finished first."""
    stop = Event()
    for sign in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sign, lambda *_: stop.set())
    following.follow(followers.registered(), stop)
