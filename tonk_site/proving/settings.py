"""Settings of processes whose calls are points: as a real run, but for backend and hashing."""

from tonk_site.settings.base import *

DATABASES = {
    alias: one | {"ENGINE": "tonk_site.proving.pointed"} for alias, one in DATABASES.items()
}
SECRET_KEY = "0" * 64  # decides what bots do: one seed is one run on every data folder
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # as the tests: cheap
STORAGES = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
# Nobody asks for files there, and none are collected.
MIDDLEWARE = [one for one in MIDDLEWARE if one != "tonk_site.static.StaticFiles"]
# Refusals and broken connections are what is tried.
LOGGING = {
    **LOGGING,
    "loggers": {name: {"level": "CRITICAL"} for name in ("django.request", "eventstore")},
}
