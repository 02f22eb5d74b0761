"""`manage.py migrate`, as the role that owns the relations."""

from django.core.management.base import CommandParser
from django.core.management.commands import migrate
from typing_extensions import override


class Command(migrate.Command):
    """Django's command; the alias is `owner` unless another is named."""

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(database="owner")
