"""Django's entry for the composition."""

from django.apps import AppConfig
from django.core.checks import register
from typing_extensions import override


class TonkSiteConfig(AppConfig):
    """Commands that start and check the whole product, and the one Celery application."""

    name = "tonk_site"

    @override
    def ready(self) -> None:
        """Make our Celery application that of every thread: web threads send wake-ups too."""
        from tonk_site.celery import app
        from tonk_site.guarding import database_is_guarded

        app.set_default()
        register(database_is_guarded, "tonk", deploy=True)
