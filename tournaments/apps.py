"""Django's entry for the app."""

from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    """Registration of the app."""

    name = "tournaments"
