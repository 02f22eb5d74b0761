"""Reads of deposits and withdrawals."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from eventstore.core.record import time_text
from eventstore.core.refusal import refuse
from ledger.core.payments import State
from ledger.models import PaymentOrder
from ledger.selectors import display, exponents

IN: Final = "in"
OUT: Final = "out"
_IDS: Mapping[str, str] = {IN: "deposit_id", OUT: "withdrawal_id"}
_OF_NOBODY = Q(player=None, state__in=(State.UNASSIGNED, State.APPROVED_ONCE))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which orders are asked for: asked from `start` on, before `end`; without a player: all."""

    direction: str
    player: UUID | None = None
    status: str | None = None
    start: datetime | None = None
    end: datetime | None = None


def listed(wanted: Wanted) -> QuerySet[PaymentOrder]:
    """Orders, newest first. `unassigned` are the payments that nobody has been given yet."""
    found = PaymentOrder.objects.filter(direction=wanted.direction)
    if wanted.player is not None:
        found = found.filter(player=wanted.player)
    if wanted.status == State.UNASSIGNED:
        found = found.filter(_OF_NOBODY)
    elif wanted.status is not None:
        found = found.filter(state=wanted.status)
    if wanted.start is not None:
        found = found.filter(created_at__gte=wanted.start)
    if wanted.end is not None:
        found = found.filter(created_at__lt=wanted.end)
    return found.order_by("-created_at", "-id")


def order(order_id: UUID, direction: str, *, player: UUID | None = None) -> PaymentOrder:
    """One order, of this player if one is named. Raises: Refused with `not_found`."""
    found = listed(Wanted(direction=direction, player=player)).filter(id=order_id).first()
    if found is None:
        raise refuse("not_found")
    return found


def unassigned_payments() -> int:
    """Number of payments that came and that nobody has been given yet."""
    return PaymentOrder.objects.filter(_OF_NOBODY).count()


def show(
    found: PaymentOrder, *, for_staff: bool = False, decimals: Mapping[str, int] | None = None
) -> dict[str, object]:
    """An order as the API shows it to its owner, or with who decided to staff.

    `decimals` of the currencies, where a caller shows many orders.
    """
    decimals = exponents() if decimals is None else decimals
    amount = found.amount if found.paid is None else found.paid
    document: dict[str, object] = {
        _IDS[found.direction]: str(found.id),
        "status": str(found.state),
        "method": found.method,
        "currency": found.currency,
        "amount": found.amount,
        "display": display(amount, found.currency, decimals[found.currency]),
        "created_at": time_text(found.created_at),
        "updated_at": time_text(found.updated_at),
    }
    more: dict[str, object | None] = {"paid": found.paid}
    if for_staff:
        more |= {
            name: value and str(value)
            for name, value in {
                "player_id": found.player,
                "reference": found.reference,
                "first_approver": found.first_approver,
                "second_approver": found.second_approver,
                "named_player": found.named_player,
                "reported_by": found.reported_by,
                "refused_by": found.refused_by,
                "flag": found.flag,
                "due_at": found.due_at and time_text(found.due_at),
            }.items()
        }
        more["attempts"] = found.attempts or None
    return document | {name: value for name, value in more.items() if value is not None}
