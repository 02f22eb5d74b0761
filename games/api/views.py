"""Tables over HTTP: open, list, show, sit, leave, move, look."""

from typing import Any, ClassVar
from uuid import UUID

import msgspec
from django.utils.http import parse_etags
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore import tree
from eventstore.api.pages import page
from eventstore.api.requests import (
    Body,
    EventsQuery,
    PageQuery,
    expected_version,
    read_body,
    receipt_for,
)
from eventstore.core.refusal import Refused, refuse
from eventstore.services import earlier
from games import selectors
from games.api.bodies import (
    BotBody,
    CloseBody,
    LobbyQuery,
    MoveBody,
    SeatBody,
    StateQuery,
    TableBody,
)
from games.api.documents import lobby_row, show_table
from games.services.bots import add_bot, house_bots_for
from games.services.moves import MoveCommand, submit_move
from games.services.seats import SitDown, leave_seat, take_seat
from games.services.tables import TableSettings, close_table, open_cash_table
from players.api.base import ApiView, Operation, answer


class Tables(ApiView):
    """`GET` and `POST /tables`."""

    operations: ClassVar = {
        "GET": Operation("table.list", query=LobbyQuery),
        "POST": Operation("table.create", scope="play"),
    }

    def get(self, request: Request) -> Response:
        """The lobby, newest first."""
        del request
        query = self.query
        filters = {name: getattr(query, name) for name in query.__struct_fields__}
        return answer(
            page(
                selectors.lobby(filters),
                newest_by="opened_at",
                limit=filters["limit"],
                cursor=filters["cursor"],
                item=lobby_row,
            )
        )

    def post(self, request: Request) -> Response:
        """Open a cash table; the bots named are seated with it."""
        creator = self.caller(request)
        body = read_body(request, TableBody)
        receipt = receipt_for(request, creator.id, body)
        settings = _settings(body)
        wanted = [(bot.level, bot.seat) for bot in body.bots]
        outcome = earlier(receipt) or open_cash_table(
            settings, creator, receipt, bots=house_bots_for(settings, creator, wanted)
        )
        table_id = UUID(str(outcome.result["table_id"]))
        document = show_table(selectors.as_opened(table_id, outcome.last_version or 1))
        response = answer(document, status=outcome.status, replayed=outcome.replayed)
        response["Location"] = f"/api/v1/tables/{table_id}"
        return response


class Table(ApiView):
    """`GET /tables/{table_id}`."""

    operations: ClassVar = {"GET": Operation("table.show")}

    def get(self, request: Request, table_id: UUID) -> Response:
        """Settings, rules and seats of a table."""
        return answer(show_table(selectors.see(table_id, self.viewer(request))))


class Close(ApiView):
    """`POST /tables/{table_id}/close`."""

    operations: ClassVar = {"POST": Operation("table.close", scope="play", staff_scope="admin")}

    def post(self, request: Request, table_id: UUID) -> Response:
        """Close a table; stacks are cashed out."""
        caller = self.caller(request)
        body = read_body(request, CloseBody)
        outcome = close_table(table_id, caller, receipt_for(request, caller.id, body))
        return answer(dict(outcome.result), status=outcome.status, replayed=outcome.replayed)


class Bots(ApiView):
    """`POST /tables/{table_id}/bots`."""

    operations: ClassVar = {"POST": Operation("table.bot_add", scope="play")}

    def post(self, request: Request, table_id: UUID) -> Response:
        """Seat a house bot."""
        caller = self.caller(request)
        body = read_body(request, BotBody)
        receipt = receipt_for(request, caller.id, body)
        outcome = add_bot(table_id, body.level, seat=body.seat, creator=caller, receipt=receipt)
        return answer(dict(outcome.result), status=outcome.status, replayed=outcome.replayed)


class Seat(ApiView):
    """`POST` and `DELETE /tables/{table_id}/seat`."""

    operations: ClassVar = {
        "POST": Operation("seat.take", scope="play"),
        "DELETE": Operation("seat.leave", scope="play"),
    }

    def post(self, request: Request, table_id: UUID) -> Response:
        """Sit down with a buy-in."""
        caller = self.caller(request)
        body = read_body(request, SeatBody)
        receipt = receipt_for(request, caller.id, body)
        wish = SitDown(
            table=table_id,
            person=caller,
            buy_in=body.buy_in,
            seat=body.seat,
            version=expected_version(request, body.version),
            actor=f"player:{caller.id}",
        )
        try:
            outcome = take_seat(wish, receipt)
        except Refused as refused:
            raise _with_state(refused, table_id, caller.id) from refused
        state = selectors.state_document(selectors.see(table_id, caller.id))
        document = dict(outcome.result) | {"state": state}
        return answer(document, status=outcome.status, replayed=outcome.replayed)

    def delete(self, request: Request, table_id: UUID) -> Response:
        """Leave: at once, or after the hand."""
        caller = self.caller(request)
        body = read_body(request, Body)
        outcome = leave_seat(table_id, caller.id, receipt_for(request, caller.id, body))
        return answer(dict(outcome.result), status=outcome.status, replayed=outcome.replayed)


class Moves(ApiView):
    """`POST /tables/{table_id}/moves`."""

    operations: ClassVar = {"POST": Operation("table.move", scope="play")}

    def post(self, request: Request, table_id: UUID) -> Response:
        """Make a move; the answer holds what it did and what the mover sees now."""
        player = self.player(request)
        body = read_body(request, MoveBody)
        receipt = receipt_for(request, player, body)
        command = MoveCommand(
            table=table_id,
            player=str(player),
            move=body.move,
            version=expected_version(request, body.version),
            actor=f"player:{player}",
        )
        try:
            outcome = submit_move(command, receipt)
        except Refused as refused:
            raise _with_state(refused, table_id, player) from refused
        first, last = outcome.first_version or 1, outcome.last_version or 1
        made, _, _ = selectors.served_events(
            table_id, player, after=first - 1, limit=last - first + 1
        )
        document = {
            "version": last,
            "events": made,
            "state": selectors.state_document(selectors.see(table_id, player)),
            "checkpoint": tree.head(),
        }
        return answer(document, status=outcome.status, replayed=outcome.replayed)


class State(ApiView):
    """`GET /tables/{table_id}/state`, without the waiting (`games.api.waiting`)."""

    operations: ClassVar = {"GET": Operation("table.state", query=StateQuery)}

    def get(self, request: Request, table_id: UUID) -> Response:
        """The state document, or 304 where the caller has it already."""
        seen = selectors.see(table_id, self.viewer(request))
        query: Any = self.query
        known = query.after is not None and seen.table.version <= query.after
        tags = parse_etags(request.headers.get("If-None-Match", ""))
        if known or "*" in tags or seen.etag in [tag.removeprefix("W/") for tag in tags]:
            response = Response(status=304)
        else:
            response = answer(selectors.state_document(seen))
        response["ETag"] = seen.etag
        return response


class Events(ApiView):
    """`GET /tables/{table_id}/events`."""

    operations: ClassVar = {"GET": Operation("table.events", query=EventsQuery)}

    def get(self, request: Request, table_id: UUID) -> Response:
        """Events in order, without gaps, as the viewer may see them."""
        query: Any = self.query
        found, version, more = selectors.served_events(
            table_id, self.viewer(request), after=query.after, limit=query.limit
        )
        return answer({"events": found, "version": version, "more": more})


class MyTables(ApiView):
    """`GET /me/tables`."""

    operations: ClassVar = {"GET": Operation("me.tables", scope="read", query=PageQuery)}

    def get(self, request: Request) -> Response:
        """Tables where I sit, newest first."""
        query: Any = self.query
        return answer(
            page(
                selectors.tables_of(self.player(request)),
                newest_by="opened_at",
                limit=query.limit,
                cursor=query.cursor,
                item=lobby_row,
            )
        )


def _settings(body: TableBody) -> TableSettings:
    given = msgspec.structs.asdict(body)
    rake = body.rake
    for name in ("bots", "rake"):
        del given[name]
    return TableSettings(
        **given, rake_bp=rake.bp if rake else 0, rake_cap=rake.cap if rake else None
    )


def _with_state(refused: Refused, table_id: UUID, player: UUID) -> Refused:
    """A stale version with the whole new state, so that no second call is needed."""
    if refused.refusal.code != "stale_version":
        return refused
    seen = selectors.see(table_id, player)
    return refuse(
        "stale_version",
        current_version=seen.table.version,
        state=selectors.state_document(seen),
    )
