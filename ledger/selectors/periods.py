"""Closed periods, and what must be true before the next one is closed."""

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from eventstore import store as log
from eventstore import tree
from eventstore.core.ids import HOUSE_STREAM
from ledger.core.periods import Month, month_of
from ledger.models import Period, ReconciliationCheck, ReconciliationRun, SettlementCursor
from ledger.store.manual import closed_through

CHECKS = tuple(f"R{number}" for number in range(1, 10))  # without a finding, or it is not closed


@dataclass(frozen=True, slots=True)
class Closed:
    """A period whose books are closed: every balance at `size` is kept."""

    number: int
    through: date
    size: int
    closed_by: UUID
    approved_by: UUID
    closed_at: datetime | None  # None: its event is not in the log, which is a fault


def closed_periods(below: int | None, limit: int) -> list[Closed]:
    """Closed periods, the newest first, with a number below one. Two statements."""
    rows = Period.objects.order_by("-id")
    rows = rows.filter(id__lt=below) if below is not None else rows
    events = log.events_after(HOUSE_STREAM, 0, types=["PeriodClosed"])
    times = {str(event.payload["through"]): event.at for event in events}
    return [
        Closed(
            number=row.id,
            through=row.through,
            size=row.size,
            closed_by=row.closed_by,
            approved_by=row.approved_by,
            closed_at=times.get(row.through.isoformat()),
        )
        for row in rows[:limit]
    ]


def next_month() -> Month | None:
    """The month to be closed next: after the last one, or that in which the log begins.

    None where neither is known yet.
    """
    closed = closed_through()
    if closed is not None:
        return month_of(closed).next
    first = log.leaves(0, 1)
    return month_of(first[0].event.at.date()) if first else None


def size_at_end(month: Month) -> int | None:
    """Signed size of the log at the end of a month: what lies below came before that instant.

    Events of different streams that met around midnight may stand in either order; this is one of
    the boundaries. None: nothing later is signed yet, so something earlier may still come.
    """
    signed = tree.newest()
    low, high = 0, signed.size if signed else 0
    if high == 0 or log.leaves(high - 1, high)[0].event.at < month.end:
        return None
    while low < high:
        middle = (low + high) // 2
        if log.leaves(middle, middle + 1)[0].event.at < month.end:
            low = middle + 1
        else:
            high = middle
    return low


def parked_streams() -> int:
    """How many streams stand still."""
    return SettlementCursor.objects.exclude(parked_code=None).count()


def is_reconciled(size: int) -> bool:
    """Whether the newest full run that saw everything below a size settled, found nothing.

    Nor may any run since.
    """
    whole = ReconciliationRun.objects.filter(is_full=True, next_index__gte=size)
    full = whole.order_by("-id").first()
    if full is None:
        return False
    since = ReconciliationCheck.objects.filter(run_id__gte=full.id, name__in=CHECKS, count__gt=0)
    return not since.exists()
