"""`manage.py showcase`: the log-ins of `make run`, and its tournaments of bots."""

from argparse import ArgumentParser

from django.conf import settings
from django.core.management import BaseCommand
from typing_extensions import override

from tonk_site import showcase
from tonk_site.product import HOST


class Command(BaseCommand):
    """Keeps a tournament of bots going; `up` runs it."""

    help = "Keep a tournament of bots going for people to look at; --logins: print the log-ins."
    requires_system_checks = []

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--logins", action="store_true", help="print the log-ins, and end")

    @override
    def handle(self, *args: object, **options: object) -> None:
        """Print the log-ins, or run until a signal."""
        passwords = showcase.logins(settings.ENV.data)
        if not options["logins"]:
            url = f"http://{HOST}:{settings.ENV.port}"
            showcase.keep_going(url, passwords[showcase.HOST])
        print(showcase.listed(passwords))
