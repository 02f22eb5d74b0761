"""Django's entry for the app."""

from django.apps import AppConfig
from typing_extensions import override


class GamesConfig(AppConfig):
    """Registration of the app's events."""

    name = "games"

    @override
    def ready(self) -> None:
        """Register what the streams `table/<uuid>` hold."""
        from eventstore.core.registry import register_all
        from games.rules.events import TABLE_EVENTS

        register_all(*TABLE_EVENTS)
