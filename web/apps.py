"""Django's entry for the app."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """Registration of the app."""

    name = "web"
