"""The one way to declare a Celery task: with the reason why it may run twice, late, or never."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeVar

from celery import shared_task

F = TypeVar("F", bound=Callable[..., None])
_reasons: dict[str, str] = {}


def task(
    name: str, *, idempotent: str, soft_seconds: int | None = None, hard_seconds: int | None = None
) -> Callable[[F], F]:
    """Declare a task by name; `idempotent` says why a second run does no harm.

    Time limits default to those of the settings.
    """
    limits = {"soft_time_limit": soft_seconds, "time_limit": hard_seconds}
    given = {limit: seconds for limit, seconds in limits.items() if seconds is not None}

    def declare(work: F) -> F:
        _reasons[name] = idempotent
        shared_task(name=name, **given)(work)
        return work

    return declare


def reasons() -> Mapping[str, str]:
    """Why each declared task is idempotent, by its name."""
    return MappingProxyType(_reasons)
