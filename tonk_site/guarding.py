"""Whether the database guards what it must, asked before anything public is served from it."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connections

import eventstore.checks
import games.checks
import ledger.checks

GUARDS = (eventstore.checks.GUARDS, ledger.checks.GUARDS, games.checks.GUARDS)
UNGUARDED, UNREACHABLE = "tonk.E001", "tonk.E002"
HINT = "`manage.py migrate` puts them there; who took them away may have changed facts as well."


def faults(alias: str = "default") -> tuple[str, ...]:
    """What is not guarded, asked by the role of this alias. Raises: DatabaseError.

    In a thread of its own: an ASGI server loads the application inside its loop, where Django
    speaks to no database.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_read, alias).result()


def _read(alias: str) -> tuple[str, ...]:
    connection = connections[alias]
    try:
        with connection.cursor() as cursor:
            return tuple(eventstore.checks.faults(cursor, GUARDS))
    finally:
        connection.close()


def require_guards(alias: str = "default") -> None:
    """In production, refuse to go on where a guard is missing. Raises: ImproperlyConfigured."""
    if settings.ENV.profile != "production":
        return
    try:
        found = faults(alias)
    except DatabaseError as fault:
        raise ImproperlyConfigured(f"the database can not be asked for its guards: {fault}") from (
            fault
        )
    if found:
        raise ImproperlyConfigured("the database is not guarded: " + "; ".join(found))


def database_is_guarded(
    app_configs: Sequence[AppConfig] | None = None, **options: Any
) -> list[CheckMessage]:
    """One error for every trigger, grant or role that is not as it must be."""
    del app_configs, options
    try:
        found = faults()
    except DatabaseError as fault:
        return [Error(f"the database can not be asked: {fault}".strip(), id=UNREACHABLE)]
    return [Error(sentence, hint=HINT, id=UNGUARDED) for sentence in found]
