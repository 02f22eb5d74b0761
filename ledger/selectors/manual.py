"""Manual entries as their people see them."""

from collections.abc import Mapping
from uuid import UUID

from django.db.models import Q, QuerySet

from eventstore.core.refusal import refuse
from ledger.models import Adjustment, AdjustmentComment
from players.core.roles import STAFF
from players.selectors import Person


def adjustments(viewer: Person, filters: Mapping[str, object]) -> QuerySet[Adjustment]:
    """Manual entries that somebody may see, newest first, by the list's filters.

    His own proposals and what is about his wallet; the staff sees all.
    """
    found = Adjustment.objects.order_by("-proposed_at", "-id")
    if not viewer.roles & STAFF:
        found = found.filter(Q(proposer=viewer.id) | Q(player=viewer.id))
    return found.filter(**{name: value for name, value in filters.items() if value is not None})


def adjustment(adjustment_id: UUID, viewer: Person) -> Adjustment:
    """One of these, with its comments. Raises: Refused with `not_found`."""
    found = adjustments(viewer, {"id": adjustment_id}).prefetch_related("comments").first()
    if found is None:
        raise refuse("not_found")
    return found


def comment(comment_id: object) -> AdjustmentComment:
    """One comment, which is there."""
    return AdjustmentComment.objects.get(id=str(comment_id))
