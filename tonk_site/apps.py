"""Django's entry for the composition."""

from django.apps import AppConfig


class TonkSiteConfig(AppConfig):
    """Commands that start and check the whole product."""

    name = "tonk_site"
