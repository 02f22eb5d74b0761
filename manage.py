"""Django's commands. One that needs a database finds the running services, or starts them."""

import contextlib
import os
import sys

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import ProgrammingError
from psycopg.errors import UndefinedTable

from tonk_site.embedded_services import available, data_folder
from tonk_site.guarding import require_guards
from tonk_site.identity import ServicesError

# These read no database, or (`up`) start the services themselves.
WITHOUT_SERVICES = frozenset(
    {"", "--help", "--version", "cases", "check", "collectstatic", "compilemessages",
     "demo", "diffsettings", "help", "makemessages", "prove", "selfplay", "simulate",
     "tonkh replay", "tonkh verify", "up", "version"}
)  # fmt: skip
# These work for as long as the product runs, each as the role of an alias.
PROCESSES = {"follower": "default", "sequencer": "sequencer"}


def main() -> None:
    """Run the command of argv with the addresses of the services in the environment."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tonk_site.settings")
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    with contextlib.ExitStack() as stack:
        needs_none = WITHOUT_SERVICES & {command, " ".join(sys.argv[1:3])}
        if not needs_none or {"--deploy", "--live-only"} & {*sys.argv}:
            os.environ.update(stack.enter_context(available(data_folder())))
        if command in PROCESSES:
            django.setup()
            require_guards(PROCESSES[command])
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    try:
        main()
    except (ServicesError, ImproperlyConfigured) as error:
        sys.exit(str(error))
    except ProgrammingError as error:
        if not isinstance(error.__cause__, UndefinedTable):
            raise
        sys.exit(
            f"The data folder {data_folder()} holds nothing of the product yet: is TONK_DATA set? "
            "`make run` fills it."
        )
