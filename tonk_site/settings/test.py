"""Settings of the tests: as a real run, but with cheap passwords."""

from tonk_site.settings.base import *

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
