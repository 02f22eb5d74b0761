"""Django's entry for the app."""

from django.apps import AppConfig
from typing_extensions import override


class TournamentsConfig(AppConfig):
    """Registration of the app's events, and of what it wants to hear from the apps below."""

    name = "tournaments"

    @override
    def ready(self) -> None:
        """Register what the streams `tournament/<uuid>` hold; listen to tables and books."""
        from eventstore.core.registry import register_all
        from games.wake import when_held
        from ledger.wake import when_settled
        from tournaments import wake
        from tournaments.core.events import TOURNAMENT_EVENTS

        register_all(*TOURNAMENT_EVENTS)
        when_held(wake.conduct)
        when_settled(wake.settled)
