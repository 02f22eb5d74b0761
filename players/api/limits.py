"""Limits and exclusion that a player sets himself."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, ClassVar

import msgspec
from msgspec import UNSET, UnsetType
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore.api.requests import Amount, Body, field_refusal, read_body, receipt_for
from eventstore.core.record import time_text
from players import services
from players.api.base import ApiView, Operation, answer
from players.core.limits import OF_MONEY, PLAY_MINUTES_DAY, Limits
from players.selectors import limits_now

MINUTES_OF_A_DAY = 1_440
CURRENCIES_MAX = 64  # named in one request
Currency = Annotated[str, msgspec.Meta(max_length=12)]
Amounts = Annotated[dict[Currency, Amount | None], msgspec.Meta(max_length=CURRENCIES_MAX)]
OfMoney = Amounts | None | UnsetType
Minutes = Annotated[int, msgspec.Meta(ge=1, le=MINUTES_OF_A_DAY)] | None | UnsetType


class LimitsBody(Body, frozen=True, kw_only=True):
    """Body of `me.limits_set`: money by currency; null: no limit; left out: as it was."""

    amounts: ClassVar[frozenset[str]] = frozenset(OF_MONEY)

    stake_max: OfMoney = UNSET
    loss_day: OfMoney = UNSET
    loss_week: OfMoney = UNSET
    loss_month: OfMoney = UNSET
    deposit_day: OfMoney = UNSET
    deposit_week: OfMoney = UNSET
    deposit_month: OfMoney = UNSET
    play_minutes_day: Minutes = UNSET

    def wish(self) -> services.LimitsWish:
        """What is asked for, as the service wants it."""
        money = {limit: getattr(self, limit) for limit in OF_MONEY}
        money = {limit: said for limit, said in money.items() if said is not UNSET}
        if self.play_minutes_day is UNSET:
            return services.LimitsWish(money)
        return services.LimitsWish(money, {PLAY_MINUTES_DAY: self.play_minutes_day})


class ExclusionBody(Body, frozen=True, kw_only=True):
    """Body of `me.exclude`: either `until` or `permanent: true`."""

    until: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    permanent: bool = False


class MyLimits(ApiView):
    """`GET /me/limits`, `PUT /me/limits`."""

    operations: ClassVar[Mapping[str, Operation]] = {
        "GET": Operation("me.limits", scope="read"),
        "PUT": Operation("me.limits_set", scope="money"),
    }

    def get(self, request: Request) -> Response:
        """Limits in force, loosenings that wait, and the exclusion."""
        return answer(limits_document(limits_now(self.player(request))))

    def put(self, request: Request) -> Response:
        """Set limits: tighter ones at once, looser ones after 24 hours."""
        caller = self.caller(request)
        wish = read_body(request, LimitsBody).wish()
        return answer(limits_document(services.set_limits(caller, wish)))


class MyExclusion(ApiView):
    """`POST /me/exclusion`."""

    operations: ClassVar[Mapping[str, Operation]] = {"POST": Operation("me.exclude", scope="money")}

    def post(self, request: Request) -> Response:
        """Keep oneself from play, until an instant or for good."""
        caller = self.caller(request)
        body = read_body(request, ExclusionBody)
        if (body.until is None) != body.permanent:
            raise field_refusal([("invalid_field", "until", "either until or permanent: true")])
        receipt = receipt_for(request, caller.id, body)
        outcome = services.exclude(caller, body.until, receipt)
        return answer(dict(outcome.result), status=outcome.status, replayed=outcome.replayed)


def limits_document(limits: Limits) -> dict[str, object]:
    """Limits as the API shows them; `pending` are the looser ones with their time."""
    document: dict[str, object] = {"limits": in_force(limits), "pending": _pending(limits)}
    if limits.exclusion is not None:
        document["exclusion"] = services.exclusion_document(limits.exclusion)
    return document


def in_force(limits: Limits) -> dict[str, object]:
    """The limits that hold now, those of money by currency."""
    document: dict[str, object] = {}
    money: dict[str, dict[str, int]] = {}
    for key in sorted(limits.settings):
        amount = limits.setting(key).amount
        if amount is not None and key.currency:
            money.setdefault(key.limit, {})[key.currency] = amount
        elif amount is not None:
            document[key.limit] = amount
    return document | money


def _pending(limits: Limits) -> list[dict[str, object]]:
    items = []
    for key in sorted(limits.settings):
        later = limits.setting(key).later
        if later is not None:
            item: dict[str, object] = {"limit": key.limit, "amount": later.amount}
            if key.currency:
                item["currency"] = key.currency
            items.append(item | {"effective_at": time_text(later.effective_at)})
    return items
