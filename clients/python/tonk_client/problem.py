"""What goes wrong: a refusal, no answer, a client that was closed, a deal that is not fair."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any


class NoAnswer(Exception):
    """The server could not be reached, or answered nothing that can be read."""


class Closed(Exception):
    """The client was closed while it waited."""


class Problem(Exception):
    """A refusal. `code` is stable; `title` is for people, in the language of the request.

    >>> refused = Problem({"code": "not_your_turn", "title": "It is not your turn.", "status": 409})
    >>> print(refused, refused.status, refused.facts)
    not_your_turn: It is not your turn. 409 {}
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = dict(document)
        super().__init__(" ".join([f"{self.code}: {self.title}", *map(str, self.errors)]))

    @property
    def code(self) -> str:
        """What was refused, as one word of the API."""
        return str(self.document.get("code", "unknown"))

    @property
    def status(self) -> int:
        """Status of HTTP."""
        return int(self.document.get("status", 0))

    @property
    def title(self) -> str:
        """What was refused, as a sentence."""
        return str(self.document.get("title", ""))

    @property
    def rule(self) -> str | None:
        """Number of the rule of the game that refuses."""
        return self.document.get("rule")

    @property
    def facts(self) -> dict[str, Any]:
        """The values that refuse."""
        return dict(self.document.get("facts", {}))

    @property
    def errors(self) -> list[dict[str, Any]]:
        """Faults of fields: `pointer`, `code`, `detail`; those of options are in `problems`."""
        return list(self.document.get("errors") or self.document.get("problems") or ())

    @property
    def legal(self) -> list[dict[str, Any]]:
        """Moves that would be accepted, where a rule of the game refused."""
        return list(self.document.get("legal", ()))

    @property
    def state(self) -> dict[str, Any] | None:
        """The table as it is now, where the version was stale."""
        return self.document.get("state")

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed later."""
        return bool(self.document.get("retryable", False))


class DealNotFair(Exception):
    """A deal, or the log, is not what it promised to be. `check` names what does not hold.

    `evidence` is the file of the records that show it, where they are kept.

    >>> print(DealNotFair("transcript", "seat 2 is not in it"))
    transcript: seat 2 is not in it
    """

    def __init__(self, check: str, what: str, evidence: Path | None = None) -> None:
        super().__init__(f"{check}: {what}" + (f" ({evidence})" if evidence else ""))
        self.check, self.what, self.evidence = check, what, evidence
