"""ASGI entry: pages, API and streams of the default run; the streams alone in production."""

import os

from django.core.asgi import get_asgi_application

from tonk_site.guarding import require_guards

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tonk_site.settings")
os.environ.setdefault("TONK_THREADS", "8")  # connections of the pool

application = get_asgi_application()
require_guards()
