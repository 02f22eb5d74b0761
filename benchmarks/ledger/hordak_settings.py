"""Settings of the processes that run django-hordak: what it needs, and no more."""

import os

SECRET_KEY = "benchmark"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "mptt",
    "hordak",
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": os.environ.get("PGHOST", ""),
        "NAME": os.environ.get("PGDATABASE", ""),
        "USER": "tonk_owner",
        "CONN_MAX_AGE": None,
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
HORDAK_CURRENCIES = ["EUR"]
USE_TZ = True
