"""What a public installation adds, and what it refuses to start with."""

from django.core.exceptions import ImproperlyConfigured

from tonk_site.settings.base import ALLOWED_HOSTS, ENV
from tonk_site.settings.env import DEVELOPMENT_KEY

YEAR_SECONDS = 365 * 24 * 3600

SECURE_SSL_REDIRECT = True
SECURE_HSTS_SECONDS = YEAR_SECONDS
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
CSRF_COOKIE_SECURE = True
SESSION_COOKIE_SECURE = True
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS]
if ENV.num_proxies:  # TLS ends at the proxy, which sets this header itself
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")


def refuse_unsafe() -> None:
    """Raises: ImproperlyConfigured for a development key, an open host list, a missing key file."""
    if ENV.secret_key in {DEVELOPMENT_KEY, ""}:
        raise ImproperlyConfigured("TONK_SECRET_KEY_FILE names no file with a key")
    if not ENV.allowed_hosts or "*" in ENV.allowed_hosts:
        raise ImproperlyConfigured("TONK_ALLOWED_HOSTS must name the hosts")
    for name, path in (("LOG", ENV.log_key_file), ("DEALER", ENV.dealer_key_file)):
        if not path.exists():
            raise ImproperlyConfigured(f"TONK_{name}_KEY_FILE: there is no {path}")


refuse_unsafe()
