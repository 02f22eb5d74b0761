"""Settings of the product: `TONK_SETTINGS` chooses the profile, `run` or `production`."""

from tonk_site.settings.base import *

if ENV.profile == "production":
    from tonk_site.settings.production import *
