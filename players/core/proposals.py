"""Rules of what two people decide together: who may decide, and until when."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from eventstore.core.refusal import Refusal

LIFE = timedelta(days=14)  # an older proposal is decided by nobody any more


def decision_refusal(
    state: str, people: tuple[UUID, UUID], times: tuple[datetime, datetime], *, own: Iterable[str]
) -> Refusal | None:
    """Why the second of `people` may not decide what the first one proposed, or None.

    `times` are those of proposal and decision; `own` are the ids of whom the matter is about, who
    decide nothing in it. Codes: `already_decided`, `four_eyes`, `too_late`.
    """
    proposer, decider = people
    proposed_at, now = times
    if state != "proposed":
        return Refusal("already_decided", facts={"status": state})
    if decider == proposer or str(decider) in set(own):
        return Refusal("four_eyes")
    if is_over(proposed_at, now):
        return Refusal("too_late")
    return None


def is_over(proposed_at: datetime, now: datetime) -> bool:
    """Whether the time of an open proposal has run out."""
    return proposed_at <= over_since(now)


def over_since(now: datetime) -> datetime:
    """The time of what was proposed then, or before, has run out."""
    return now - LIFE
