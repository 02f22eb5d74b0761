"""Reads of tournaments: what they are, who is in, how they stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from eventstore import store
from eventstore.core.ids import tournament_stream
from eventstore.core.record import Stored
from eventstore.core.refusal import refuse
from players.core.roles import STAFF
from players.selectors import roles_of
from tournaments.core import events
from tournaments.core.folding import fold
from tournaments.core.levels import stake
from tournaments.core.lifecycle import BEFORE_PLAY, PLAYING, Status
from tournaments.core.option_table import ELIMINATIONS
from tournaments.core.options import Freezeout, Matches
from tournaments.core.schedules import played_of, schedule_of
from tournaments.core.state import Tournament
from tournaments.models import LotSecret
from tournaments.models import Tournament as Live


@dataclass(frozen=True, slots=True)
class Seen:
    """A tournament with its live row."""

    row: Live
    state: Tournament


def folded(stored: Sequence[Stored]) -> Tournament:
    """The state after these records, with the version of the last."""
    state = fold(one.event for one in stored if isinstance(one.event, events.Event))
    return replace(state, version=stored[-1].version if stored else 0)


def see(tournament_id: UUID, viewer: UUID | None, *, at: int | None = None) -> Seen:
    """A tournament, now or as of a version; drafts are known to their organiser and to staff.

    Raises: Refused with `not_found`.
    """
    row = Live.objects.filter(id=tournament_id).first()
    if row is None or not _may_see(row, viewer):
        raise refuse("not_found")
    stored = store.events_after(tournament_stream(tournament_id), 0, limit=at)
    return Seen(row, folded(stored))


def _may_see(row: Live, viewer: UUID | None) -> bool:
    if row.status != Status.DRAFT or row.organiser_id == viewer:
        return True
    return viewer is not None and _is_staff(viewer)


def _is_staff(viewer: UUID) -> bool:
    return bool(roles_of(viewer) & STAFF)


def listed(filters: Mapping[str, object], viewer: UUID | None) -> QuerySet[Live]:
    """Tournaments that a viewer may know of, newest first, by the list's filters."""
    hidden = Q(status=Status.DRAFT)
    if viewer is not None:
        hidden = Q(pk__in=[]) if _is_staff(viewer) else hidden & ~Q(organiser_id=viewer)
    found = Live.objects.exclude(hidden).order_by("-created_at", "-id")
    for name in ("status", "format", "currency", "organiser"):
        if filters.get(name) is not None:
            found = found.filter(**{name: filters[name]})
    return found


def lots_by_key() -> dict[str, int]:
    """How many lots wait for their reveal under each of the dealer's keys."""
    ids = LotSecret.objects.values_list("key_id").annotate(count=Count("tournament"))
    return dict(ids.order_by("key_id"))


def counts(state: Tournament) -> dict[str, int]:
    """How many have entered, and how many are still in."""
    return {"entries": state.entered, "alive": _alive(state), "waiting": 0, "checked_in": 0}


def _alive(state: Tournament) -> int:
    """Who has no place yet; in a bracket the places of a round are known at its end."""
    if state.status in BEFORE_PLAY:
        return state.entered
    if state.status not in PLAYING or not isinstance(state.settings, Matches):
        return state.left
    if state.settings.format in ELIMINATIONS:
        settled = schedule_of(state, b"").progress(played_of(state)).places
        return state.left - len(settled)
    return sum(entry.player not in state.withdrawn for entry in state.contenders())


def clock(state: Tournament) -> dict[str, int]:
    """Level and stake of the hands dealt next."""
    settings = state.settings
    stakes = settings.stakes if isinstance(settings, Freezeout) else (settings.first_stake,)
    return {"level": state.level, "stake": stake(state.level, stakes)}
