"""Django's entry for the app."""

from django.apps import AppConfig
from typing_extensions import override


class PlayersConfig(AppConfig):
    """Registration of the app's events."""

    name = "players"

    @override
    def ready(self) -> None:
        """Register what the streams `player/<uuid>` hold."""
        from eventstore.core.registry import register_all
        from players.core.events import PLAYER_EVENTS

        register_all(*PLAYER_EVENTS)
