"""Settings that every profile shares. Each non-obvious value has its reason beside it."""

from typing import Any

from psycopg.conninfo import conninfo_to_dict

from tonk_site.settings import env

ENV = env.read()

SECRET_KEY = ENV.secret_key
DEBUG = False
ALLOWED_HOSTS = list(ENV.allowed_hosts) or ["127.0.0.1", "localhost", "[::1]"]
NUM_PROXIES = ENV.num_proxies
ROOT_URLCONF = "tonk_site.urls"
WSGI_APPLICATION = "tonk_site.wsgi.application"
ASGI_APPLICATION = "tonk_site.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.staticfiles",
    "rest_framework",
    "knox",
    "eventstore",
    "players",
    "ledger",
    "games",
    "tournaments",
    "web",
    "tonk_site",
]

MIDDLEWARE = [
    "tonk_site.middleware.RequestId",
    "django.middleware.security.SecurityMiddleware",
    "tonk_site.static.StaticFiles",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
            ]
        },
    }
]

# --- Database -------------------------------------------------------------------------------------


def database(user: str) -> dict[str, Any]:
    """One alias: the address of `DATABASE_URL` under another user, with no password of its own."""
    parts: dict[str, Any] = {**conninfo_to_dict(ENV.database_url)}
    name, own_user = parts.pop("dbname", "tonk"), parts.pop("user", None)
    host, port = parts.pop("host", ""), parts.pop("port", "")
    own_password = parts.pop("password", "")
    options = parts | {"application_name": user}
    if ENV.prepare and user != "tonk_owner":  # a migration's text may hold several statements
        options |= {"server_side_binding": True, "prepare_threshold": 2}
    if ENV.threads:  # under ASGI kept connections are never used again: one would leak a request
        options["pool"] = {"min_size": 1, "max_size": ENV.threads, "timeout": 5}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": user,
        "PASSWORD": own_password if own_user == user else "",  # else from PGPASSFILE
        "HOST": host,
        "PORT": port,
        "OPTIONS": options,
        "CONN_MAX_AGE": 0 if ENV.threads else None,
        "CONN_HEALTH_CHECKS": True,  # a restarted database costs no request
        "ATOMIC_REQUESTS": False,  # a command opens its own durable transaction
    }


DATABASES = {
    "default": database("tonk_app"),
    "owner": database("tonk_owner"),
    "auditor": database("tonk_auditor"),
    "sequencer": database("tonk_sequencer"),
}

# --- Cache and broker -----------------------------------------------------------------------------

REDIS_URL = ENV.redis_url
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
}

# --- Keys of the log and of sealed seeds ----------------------------------------------------------

LOG_KEY_FILE = ENV.log_key_file
LOG_ORIGIN = ENV.log_origin
WITNESSES = ENV.witnesses
DEALER_KEY_FILE = ENV.dealer_key_file
BEACON_URL = ENV.beacon_url

# --- Payments -------------------------------------------------------------------------------------

CASHIER_PROVIDERS = ENV.cashier_providers  # paths of classes as `ledger.cashier.base` describes
CASHIER_ACCOUNT = ENV.cashier_account

# --- People ---------------------------------------------------------------------------------------

AUTH_USER_MODEL = "players.User"
KNOX_TOKEN_MODEL = "players.Token"  # noqa: S105  a model, no secret
REST_KNOX = {"TOKEN_PREFIX": "tonk_", "AUTO_REFRESH": False}
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in (
        ("UserAttributeSimilarityValidator", {"user_attributes": ("username", "display_name")}),
        ("MinimumLengthValidator", {"min_length": 12}),
        ("CommonPasswordValidator", {}),
        ("NumericPasswordValidator", {}),
    )
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]

# --- Time and language ----------------------------------------------------------------------------

USE_TZ = True
TIME_ZONE = "UTC"
DISPLAY_TIME_ZONE = "Europe/Vilnius"
USE_I18N = True
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("lt", "Lietuvių")]
LOCALE_PATHS = [env.CHECKOUT / "locale"]

# --- Static files ---------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = env.CHECKOUT / "static_collected"
STORAGES = {
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# --- Logs -----------------------------------------------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "propagate": True},  # no mail, no second line
        "tonk.exports": {"level": "INFO"},  # who took which part of the log away
    },
}

# --- API ------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["tonk_site.rest.OrjsonRenderer"],
    "DEFAULT_PARSER_CLASSES": [],  # bodies are read raw, and strictly
    "UNAUTHENTICATED_USER": None,  # saves a query
    "UNAUTHENTICATED_TOKEN": None,
    "URL_FORMAT_OVERRIDE": None,  # `format` is a filter of tournaments, never a media type
    "EXCEPTION_HANDLER": "tonk_site.errors.handle",
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
