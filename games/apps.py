"""Django's entry for the app."""

from django.apps import AppConfig
from typing_extensions import override


class GamesConfig(AppConfig):
    """Registration of the app's events and followers."""

    name = "games"

    @override
    def ready(self) -> None:
        """Register what the streams `table/<uuid>` hold, and who follows it."""
        from eventstore.core.registry import register_all
        from eventstore.followers import register
        from games.followers import HANDS
        from games.rules.events import TABLE_EVENTS

        register_all(*TABLE_EVENTS)
        register(HANDS)
