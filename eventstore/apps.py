"""Django's entry for the app."""

from django.apps import AppConfig
from typing_extensions import override


class EventstoreConfig(AppConfig):
    """Registration of the app's events."""

    name = "eventstore"

    @override
    def ready(self) -> None:
        """Register what the stream `log/<log id>` holds."""
        from eventstore.core.events import LOG_EVENTS
        from eventstore.core.registry import register_all

        register_all(*LOG_EVENTS)
