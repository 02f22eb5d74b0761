"""Django's entry for the app."""

from django.apps import AppConfig


class EventstoreConfig(AppConfig):
    """Registration of the app."""

    name = "eventstore"
