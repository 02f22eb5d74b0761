"""Bodies and parameters of the endpoints of tables and rules."""

from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

import msgspec

from eventstore.api.requests import (
    WAIT_SECONDS_MAX,
    Amount,
    Body,
    PageQuery,
    Query,
    Version,
)
from games.rules.options import SEATS_MAX, SEATS_MIN

SPECTATOR_DELAY_S_MAX = 60
Seats = Annotated[int, msgspec.Meta(ge=SEATS_MIN, le=SEATS_MAX)]
SeatNumber = Annotated[int, msgspec.Meta(ge=1, le=SEATS_MAX)]
Level = Annotated[str, msgspec.Meta(max_length=40)]
Clock = Literal["turbo", "normal", "casual", "correspondence"]


class BotBody(Body, frozen=True, kw_only=True):
    """A house bot to seat: body of `table.bot_add`, and an item of `bots` in `table.create`."""

    level: Level
    seat: SeatNumber | None = None


class RakeBody(Body, frozen=True, kw_only=True):
    """The house's share of what winners gain."""

    bp: Annotated[int, msgspec.Meta(ge=0, le=1000)]
    cap: Amount | None = None


class TableBody(Body, frozen=True, kw_only=True):
    """Body of `table.create`. Only stake, currency and seats have no default."""

    amounts: ClassVar[frozenset[str]] = frozenset({"stake", "buy_in_min", "buy_in_max", "cap"})

    stake: Amount
    currency: Annotated[str, msgspec.Meta(max_length=12)]
    seats: Seats
    preset: Annotated[str, msgspec.Meta(max_length=40)] = "gamerules"
    options: dict[str, Any] = {}
    buy_in_min: Amount | None = None
    buy_in_max: Amount | None = None
    clock: Clock = "normal"
    visibility: Literal["public", "unlisted"] = "public"
    bots: Annotated[list[BotBody], msgspec.Meta(max_length=SEATS_MAX)] = []
    api_bots: bool = False
    fairness: Literal["commit", "strict", "beacon"] = "commit"
    spectator_delay_s: Annotated[int, msgspec.Meta(ge=0, le=SPECTATOR_DELAY_S_MAX)] | None = None
    rake: RakeBody | None = None


class RulesBody(Body, frozen=True, kw_only=True):
    """Body of `rulesets.validate`."""

    options: dict[str, Any]
    seats: Seats
    preset: Annotated[str, msgspec.Meta(max_length=40)] = "gamerules"


class SheetQuery(Query, frozen=True, kw_only=True):
    """Parameters of `rulesets.sheet`; without a language it is that of the request."""

    lang: Literal["en", "lt"] | None = None
    format: Literal["html", "md", "json"] = "json"


class CloseBody(Body, frozen=True, kw_only=True):
    """Body of `table.close`."""

    reason: Annotated[str, msgspec.Meta(max_length=40, pattern=r"^[a-z0-9_]+\Z")] = "asked"


class SeatBody(Body, frozen=True, kw_only=True):
    """Body of `seat.take`."""

    amounts: ClassVar[frozenset[str]] = frozenset({"buy_in"})

    buy_in: Amount
    seat: SeatNumber | None = None
    version: Version | None = None


class MoveBody(Body, frozen=True, kw_only=True):
    """Body of `table.move`."""

    move: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    version: Version | None = None


class LobbyQuery(PageQuery, frozen=True, kw_only=True):
    """Filters of the lobby."""

    status: Literal["open", "sealing", "playing", "between_hands", "closed"] | None = None
    preset: str | None = None
    currency: str | None = None
    stake_min: Amount | None = None
    stake_max: Amount | None = None
    seats: Seats | None = None
    tournament: UUID | None = None


class StateQuery(Query, frozen=True, kw_only=True):
    """Long-poll parameters of `table.state`."""

    after: Version | None = None
    wait: Annotated[int, msgspec.Meta(ge=0, le=WAIT_SECONDS_MAX)] = 0
