"""Tournaments over HTTP: drafts, publication, entries, the start."""

from typing import Annotated, Any, ClassVar
from uuid import UUID

import msgspec
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore.api.pages import page, page_of_list
from eventstore.api.requests import (
    Body,
    PageQuery,
    Version,
    expected_version,
    read_body,
    receipt_for,
)
from eventstore.services import Outcome
from games.api.bodies import Level
from players.api.base import ApiView, Operation, answer
from players.selectors import people
from tournaments import selectors
from tournaments.api.documents import (
    list_row,
    show_new_entry,
    show_refund,
    show_tournament,
    templates,
)
from tournaments.core.option_table import Format
from tournaments.services import drafting, entries, start
from tournaments.services.entries import BOTS_AT_ONCE_MAX, BotsWish


class DraftBody(Body, frozen=True, kw_only=True):
    """Body of `tournament.create`."""

    template: Annotated[str, msgspec.Meta(max_length=40)]
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
    overrides: dict[str, Any] = {}


class VersionBody(Body, frozen=True, kw_only=True):
    """Body of a director's act: the version that he saw."""

    version: Version | None = None


class BotsBody(Body, frozen=True, kw_only=True):
    """Body of `tournament.bots_add`."""

    level: Level
    count: Annotated[int, msgspec.Meta(ge=1, le=BOTS_AT_ONCE_MAX)]
    version: Version | None = None


class ListQuery(PageQuery, frozen=True, kw_only=True):
    """Filters of the list of tournaments."""

    status: str | None = None
    format: Format | None = None
    currency: str | None = None
    organiser: UUID | None = None


class TournamentView(ApiView):
    """A view of tournaments; the caller as the services want him."""

    def shown(self, outcome: Outcome, tournament_id: UUID, viewer: UUID) -> Response:
        """The tournament as the command left it; a repeated request gets the same."""
        seen = selectors.see(tournament_id, viewer, at=outcome.last_version)
        document = show_tournament(seen)
        return answer(document, status=outcome.status, replayed=outcome.replayed)


class Templates(ApiView):
    """`GET /tournament-templates`."""

    operations: ClassVar = {"GET": Operation("template.list", query=PageQuery)}

    def get(self, request: Request) -> Response:
        """Every template."""
        del request
        query: Any = self.query
        rows = templates(drafting.site())
        return answer(page_of_list(rows, limit=query.limit, cursor=query.cursor))


class Tournaments(TournamentView):
    """`GET` and `POST /tournaments`."""

    operations: ClassVar = {
        "GET": Operation("tournament.list", query=ListQuery),
        "POST": Operation("tournament.create", scope="organise", staff_scope="admin"),
    }

    def get(self, request: Request) -> Response:
        """Tournaments, newest first; drafts are listed for those who may see them."""
        query: Any = self.query
        filters = {name: getattr(query, name) for name in query.__struct_fields__}
        return answer(
            page(
                selectors.listed(filters, self.viewer(request)),
                newest_by="created_at",
                limit=query.limit,
                cursor=query.cursor,
                item=list_row,
            )
        )

    def post(self, request: Request) -> Response:
        """Draft a tournament from a template."""
        caller = self.caller(request)
        body = read_body(request, DraftBody)
        draft = drafting.Draft(template=body.template, name=body.name, overrides=body.overrides)
        outcome = drafting.create(draft, caller, receipt_for(request, caller.id, body))
        tournament_id = UUID(str(outcome.result["tournament_id"]))
        response = self.shown(outcome, tournament_id, caller.id)
        response.data["problems"] = []
        response["Location"] = f"/api/v1/tournaments/{tournament_id}"
        return response


class Tournament(ApiView):
    """`GET /tournaments/{tournament_id}`."""

    operations: ClassVar = {"GET": Operation("tournament.show")}

    def get(self, request: Request, tournament_id: UUID) -> Response:
        """A tournament in full."""
        return answer(show_tournament(selectors.see(tournament_id, self.viewer(request))))


class Directed(TournamentView):
    """An act of the director that needs nothing but the version he saw."""

    act: ClassVar[Any]

    def post(self, request: Request, tournament_id: UUID) -> Response:
        """Carry out the act."""
        caller = self.caller(request)
        body = read_body(request, VersionBody)
        receipt = receipt_for(request, caller.id, body)
        version = expected_version(request, body.version)
        outcome = type(self).act(tournament_id, caller, version, receipt)
        return self.shown(outcome, tournament_id, caller.id)


class Publish(Directed):
    """`POST /tournaments/{tournament_id}/publish`."""

    operations: ClassVar = {"POST": Operation("tournament.publish", scope="organise")}
    act = staticmethod(drafting.publish)


class OpenRegistration(Directed):
    """`POST /tournaments/{tournament_id}/open-registration`."""

    operations: ClassVar = {"POST": Operation("tournament.open_registration", scope="organise")}
    act = staticmethod(drafting.open_registration)


class Start(Directed):
    """`POST /tournaments/{tournament_id}/start`."""

    operations: ClassVar = {"POST": Operation("tournament.start", scope="organise")}
    act = staticmethod(start.start)


class Bots(TournamentView):
    """`POST /tournaments/{tournament_id}/bots`."""

    operations: ClassVar = {"POST": Operation("tournament.bots_add", scope="organise")}

    def post(self, request: Request, tournament_id: UUID) -> Response:
        """Enter house bots."""
        caller = self.caller(request)
        body = read_body(request, BotsBody)
        receipt = receipt_for(request, caller.id, body)
        version = expected_version(request, body.version)
        wish = BotsWish(level=body.level, count=body.count, version=version)
        outcome = entries.add_bots(tournament_id, caller, wish, receipt)
        state = selectors.see(tournament_id, caller.id, at=outcome.last_version).state
        made = state.living_entries()[-body.count :]
        names = people(entry.player for entry in made)
        shown = [show_new_entry(state, entry, names[entry.player]) for entry in made]
        document = {"entries": shown, "version": outcome.last_version}
        return answer(document, status=outcome.status, replayed=outcome.replayed)


class Entries(TournamentView):
    """`POST /tournaments/{tournament_id}/entries`."""

    operations: ClassVar = {"POST": Operation("entry.create", scope="play")}

    def post(self, request: Request, tournament_id: UUID) -> Response:
        """Buy an entry."""
        caller = self.caller(request)
        body = read_body(request, Body)
        receipt = receipt_for(request, caller.id, body)
        outcome = entries.register(tournament_id, caller, receipt)
        state = selectors.see(tournament_id, caller.id, at=outcome.last_version).state
        number = int(str(outcome.result["entry_no"]))
        entry = state.entries[str(caller.id), number]
        document = show_new_entry(state, entry, caller) | {"version": outcome.last_version}
        return answer(document, status=outcome.status, replayed=outcome.replayed)


class Withdraw(TournamentView):
    """`POST /tournaments/{tournament_id}/withdraw`."""

    operations: ClassVar = {"POST": Operation("entry.withdraw", scope="play")}

    def post(self, request: Request, tournament_id: UUID) -> Response:
        """Give one's entry back before the start."""
        caller = self.caller(request)
        body = read_body(request, Body)
        receipt = receipt_for(request, caller.id, body)
        outcome = entries.withdraw(tournament_id, caller, receipt)
        state = selectors.see(tournament_id, caller.id, at=outcome.last_version).state
        refund = show_refund(state, str(caller.id)) | {"version": outcome.last_version}
        return answer(refund, status=outcome.status, replayed=outcome.replayed)
