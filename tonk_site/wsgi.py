"""WSGI entry: pages and API in production."""

import os

from django.core.wsgi import get_wsgi_application

from tonk_site.guarding import require_guards

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tonk_site.settings")
os.environ.setdefault("TONK_THREADS", "4")  # connections of the pool: granian's blocking threads

application = get_wsgi_application()
require_guards()
