"""How the product says no: a typed refusal that changes nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from typing_extensions import override


@dataclass(frozen=True, slots=True)
class Refusal:
    """A no with a stable code, the number of the rule where one applies, and the facts that refuse.

    >>> Refusal("same_discard", rule="D6", facts={"card": "8S"}).code
    'same_discard'
    """

    code: str
    rule: str | None = None
    facts: Mapping[str, object] = field(default_factory=dict)


class Refused(Exception):
    """A refusal on its way out of a service. Cores return refusals, services raise this."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal

    @override
    def __reduce__(self) -> tuple[type["Refused"], tuple[Refusal]]:
        """As whole in another process as here, from a subclass too."""
        return Refused, (self.refusal,)


def refuse(code: str, rule: str | None = None, **facts: object) -> Refused:
    """The exception to raise for a refusal with these facts."""
    return Refused(Refusal(code, rule, facts))


class VersionConflict(Exception):
    """Another writer appended first; the caller decided on a state that has passed."""

    def __init__(self, stream: str, expected: int) -> None:
        super().__init__(f"{stream} has moved on from version {expected}")
        self.stream, self.expected = stream, expected

    @override
    def __reduce__(self) -> tuple[type["VersionConflict"], tuple[str, int]]:
        return VersionConflict, (self.stream, self.expected)


class Retryable(Exception):
    """A lock time-out, deadlock or serialisation failure: the whole transaction may run again."""


class InvariantBroken(Exception):
    """A bug: something that must never be false was about to be. Roll back and tell people."""
