"""Django's entry for the app."""

from django.apps import AppConfig
from typing_extensions import override


class GamesConfig(AppConfig):
    """Registration of the app's events, followers and part of the reconciliation."""

    name = "games"

    @override
    def ready(self) -> None:
        """Register what the streams `table/<uuid>` hold, who reads it, what is checked."""
        from eventstore.core.registry import register_all
        from eventstore.followers import register
        from games.followers import HANDS
        from games.reconciliation import stacks
        from games.rules.events import TABLE_EVENTS
        from games.selectors import spells_of
        from games.wake import stop_after_commit
        from ledger.reconciliation import also_check
        from ledger.services import when_timed
        from players.services import when_excluded

        register_all(*TABLE_EVENTS)
        register(HANDS)
        when_timed(spells_of)
        when_excluded(stop_after_commit)
        also_check("R8", stacks)
