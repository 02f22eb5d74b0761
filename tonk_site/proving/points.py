"""Points: every call by which the product leaves its own memory, where a fault can strike.

Calls are statements and ends of transactions, by the database backend in `tonk_site.proving.
pointed`, and messages, by the port of `eventstore.wake`. Who hears of them is a `Hook`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Call:
    """A call at a port."""

    kind: str
    """`connect`, `statement`, `commit`, `rollback`, `send`, `publish`."""
    what: str
    """The statement's text, the name of a task or of a channel; empty for the others."""
    alias: str = ""
    """Of the database, where there is one."""


class Hook(Protocol):
    """Who hears of calls; whatever it raises strikes at that point."""

    def before(self, call: Call) -> None:
        """The call is about to be made."""

    def after(self, call: Call) -> None:
        """The call has been made, and has succeeded."""


class _Used:
    """The hook of this process."""

    hook: Hook | None = None


@contextmanager
def hooked(hook: Hook) -> Iterator[None]:
    """Let a hook hear of all calls within the block."""
    before, _Used.hook = _Used.hook, hook
    try:
        yield
    finally:
        _Used.hook = before


@contextmanager
def at(call: Call) -> Iterator[None]:
    """The block is the call."""
    hook = _Used.hook
    if hook is None:
        yield
        return
    hook.before(call)
    yield
    hook.after(call)
