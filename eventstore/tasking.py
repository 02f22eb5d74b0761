"""The one way to declare a Celery task: with the reason why it may run twice, late, or never."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeVar

from celery import shared_task

F = TypeVar("F", bound=Callable[..., None])
_reasons: dict[str, str] = {}


def task(name: str, *, idempotent: str) -> Callable[[F], F]:
    """Declare a task by name; `idempotent` says why a second run does no harm."""

    def declare(work: F) -> F:
        _reasons[name] = idempotent
        shared_task(name=name)(work)
        return work

    return declare


def reasons() -> Mapping[str, str]:
    """Why each declared task is idempotent, by its name."""
    return MappingProxyType(_reasons)
