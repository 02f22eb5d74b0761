"""`manage.py up`: the whole product on this machine, until Ctrl-C."""

import signal
import sys
import time
from pathlib import Path
from typing import NoReturn

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import BaseCommand, CommandError, call_command
from typing_extensions import override

from tonk_site.embedded_services import given_addresses
from tonk_site.identity import ServicesError
from tonk_site.product import HOST, NotReady, free_port, is_free, product
from tonk_site.showcase import file_of, listed, logins
from tonk_site.supervisor import Program, Supervisor

NOT_SERVED = ["rest_framework"]  # there is no browsable API
SHOWCASE = Program("showcase", (sys.executable, "manage.py", "showcase"))
LOGINS_SECONDS_MAX, LOOK_SECONDS = 20, 0.1
STOPS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


class Command(BaseCommand):
    """Services, migrations, static files, then web, worker and beat."""

    help = "Start the whole product; Ctrl-C stops all of it."
    requires_system_checks = []

    @override
    def handle(self, *args: object, **options: object) -> None:
        port = settings.ENV.port
        if not is_free(port):
            raise CommandError(
                f"port {port} is taken; another is free: PORT={free_port(port)} make run"
            )
        for sign in STOPS:
            signal.signal(sign, _leave)
        try:
            collect_static()
            self.serve(port)
        except (ServicesError, NotReady) as error:
            raise CommandError(str(error)) from error

    def serve(self, port: int) -> None:
        """Run until a signal, or until a child ends too often. Raises: NotReady."""
        self.stdout.write("starting ...")
        self.stdout.flush()
        data, guests = settings.ENV.data, (SHOWCASE,) if is_shown() else ()
        with product(data, port, guests=guests) as children:
            self.stdout.write(f"Tonk is open at http://{HOST}:{port}  (Ctrl-C stops it)")
            if guests:
                self.stdout.write(f"  API        http://{HOST}:{port}/api/v1/tables")
                self.stdout.write(logins_when_made(data, children))
            self.stdout.flush()
            while not children.ended.wait(LOOK_SECONDS):
                pass  # in steps: a signal just before an endless wait is not seen
        raise NotReady(children.failure)


def is_shown() -> bool:
    """Whether demo log-ins and tournaments belong here: not among anybody's real data."""
    return settings.ENV.profile == "run" and not given_addresses()


def logins_when_made(data: Path, children: Supervisor) -> str:
    """The demo log-ins, a line each; empty if the showcase does not come up."""
    deadline = time.monotonic() + LOGINS_SECONDS_MAX
    while not file_of(data).exists() and time.monotonic() < deadline:
        if children.ended.wait(LOOK_SECONDS):
            return ""
    return listed(logins(data)) if file_of(data).exists() else ""


def collect_static() -> None:
    """Gather the static files where they are served from, if a source is newer."""
    root = Path(settings.STATIC_ROOT)
    manifest = root / "staticfiles.json"
    sources = (
        Path(storage.path(path))
        for finder in get_finders()
        for path, storage in finder.list(NOT_SERVED)
    )  # fmt: skip
    newest = max((path.stat().st_mtime for path in sources), default=0)
    if not manifest.exists() or manifest.stat().st_mtime < newest:
        call_command(
            "collectstatic", interactive=False, verbosity=0, ignore_patterns=NOT_SERVED, clear=True
        )


def _leave(*_: object) -> NoReturn:
    """Everything is stopped in order; a second signal changes nothing."""
    for sign in STOPS:
        signal.signal(sign, signal.SIG_IGN)
    sys.stdout.write("\nstopping ...\n")
    sys.exit(0)
