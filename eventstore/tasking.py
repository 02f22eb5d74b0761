"""The one way to declare a Celery task: with the reason why it may run twice, late, or never."""

from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import TypeVar

from celery import shared_task
from django.db import connection

F = TypeVar("F", bound=Callable[..., None])
_reasons: dict[str, str] = {}


def task(name: str, *, idempotent: str) -> Callable[[F], F]:
    """Declare a task by name; `idempotent` says why a second run does no harm."""

    def declare(work: F) -> F:
        _reasons[name] = idempotent
        shared_task(name=name)(guarded(work))
        return work

    return declare


def guarded(work: Callable[..., None]) -> Callable[..., None]:
    """The work as a worker runs it: when it fails, the connection is given up with it.

    A time limit can cut a statement short. A kept connection would then refuse every statement of
    every later task.
    """

    @wraps(work)
    def run(*arguments: str | int) -> None:
        try:
            work(*arguments)
        except Exception:
            connection.close()
            raise

    return run


def reasons() -> Mapping[str, str]:
    """Why each declared task is idempotent, by its name."""
    return MappingProxyType(_reasons)
