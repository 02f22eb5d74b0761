"""Django's entry for the composition."""

from django.apps import AppConfig
from typing_extensions import override


class TonkSiteConfig(AppConfig):
    """Commands that start and check the whole product, and the one Celery application."""

    name = "tonk_site"

    @override
    def ready(self) -> None:
        """Make our Celery application that of every thread: web threads send wake-ups too."""
        from tonk_site.celery import app

        app.set_default()
