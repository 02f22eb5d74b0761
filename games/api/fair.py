"""The fair deal over HTTP: anchors, seeds, the commitment, openings of cards, proofs of hands."""

from typing import Annotated, ClassVar
from uuid import UUID

import msgspec
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore.api.requests import Body, read_body, receipt_for
from games import fair_reads, histories, money, verdict
from games.rules.fair import ANCHOR_LENGTH_MAX
from games.rules.tonkh.text import write
from games.services.seats import sit_back_in, sit_out
from games.services.seeds import NewAnchor, Seed, give_seed, register_anchor
from players.api.base import ApiView, Operation, answer

TONKH = "application/vnd.tonk.hand+toml"
Hex32 = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]


class AnchorBody(Body, frozen=True, kw_only=True):
    """Body of `table.anchor`."""

    anchor: Hex32
    length: Annotated[int, msgspec.Meta(ge=1, le=ANCHOR_LENGTH_MAX)]


class SeedBody(Body, frozen=True, kw_only=True):
    """Body of `table.seeds`."""

    hand_id: UUID
    seed: Hex32


class Anchor(ApiView):
    """`POST /tables/{table_id}/anchor`."""

    operations: ClassVar = {"POST": Operation("table.anchor", scope="play")}

    def post(self, request: Request, table_id: UUID) -> Response:
        """Fix the seeds that the seat will give; in force from the next hand on."""
        player = self.player(request)
        body = read_body(request, AnchorBody)
        wish = NewAnchor(table=table_id, player=player, anchor=body.anchor, length=body.length)
        outcome = register_anchor(wish, receipt_for(request, player, body))
        return answer(dict(outcome.result), status=outcome.status, replayed=outcome.replayed)


class Seeds(ApiView):
    """`POST /tables/{table_id}/seeds`."""

    operations: ClassVar = {"POST": Operation("table.seeds", scope="play")}

    def post(self, request: Request, table_id: UUID) -> Response:
        """Give the next seed for the hand that is committed to."""
        player = self.player(request)
        body = read_body(request, SeedBody)
        given = Seed(table=table_id, player=player, hand=body.hand_id, seed=body.seed)
        outcome = give_seed(given, receipt_for(request, player, body))
        return answer(dict(outcome.result), status=outcome.status, replayed=outcome.replayed)


class Commitment(ApiView):
    """`GET /tables/{table_id}/commitment`."""

    operations: ClassVar = {"GET": Operation("table.commitment")}

    def get(self, request: Request, table_id: UUID) -> Response:
        """The commitment that is open, and who has given a seed for it."""
        return answer(fair_reads.commitment(table_id, self.viewer(request)))


class OwnCards(ApiView):
    """`GET /tables/{table_id}/cards`."""

    operations: ClassVar = {"GET": Operation("table.cards", scope="read")}

    def get(self, request: Request, table_id: UUID) -> Response:
        """The openings of the caller's own hand."""
        return answer(fair_reads.own_cards(table_id, self.player(request)))


class SitOut(ApiView):
    """`POST /tables/{table_id}/seat/sit-out`."""

    operations: ClassVar = {"POST": Operation("seat.sit_out", scope="play")}

    def post(self, request: Request, table_id: UUID) -> Response:
        """Sit out from the next hand on."""
        player = self.player(request)
        body = read_body(request, Body)
        outcome = sit_out(table_id, player, receipt_for(request, player, body))
        return answer(dict(outcome.result), status=outcome.status, replayed=outcome.replayed)


class SitIn(ApiView):
    """`POST /tables/{table_id}/seat/sit-in`."""

    operations: ClassVar = {"POST": Operation("seat.sit_in", scope="play")}

    def post(self, request: Request, table_id: UUID) -> Response:
        """Be back: sitting out and autopilot end."""
        player = self.player(request)
        body = read_body(request, Body)
        outcome = sit_back_in(table_id, player, receipt_for(request, player, body))
        return answer(dict(outcome.result), status=outcome.status, replayed=outcome.replayed)


class Card(ApiView):
    """`GET /hands/{hand_id}/cards/{place}`."""

    operations: ClassVar = {"GET": Operation("hand.card")}

    def get(self, request: Request, hand_id: UUID, place: int) -> Response:
        """The opening of a card that the caller may see."""
        return answer(fair_reads.card(hand_id, place, self.viewer(request)))


class Verification(ApiView):
    """`GET /hands/{hand_id}/verify`."""

    operations: ClassVar = {"GET": Operation("hand.verify")}

    def get(self, request: Request, hand_id: UUID) -> Response:
        """Everything that proves the deal of an ended hand, with our own verdict."""
        del request
        return answer(verdict.verification(hand_id))


class Money(ApiView):
    """`GET /hands/{hand_id}/money`."""

    operations: ClassVar = {"GET": Operation("hand.money", scope="read")}

    def get(self, request: Request, hand_id: UUID) -> Response:
        """What an ended hand moved, and the entry of it."""
        return answer(money.money_of(hand_id, self.caller(request)))


class Text(ApiView):
    """`GET /hands/{hand_id}.tonkh`."""

    operations: ClassVar = {"GET": Operation("hand.tonkh")}

    def get(self, request: Request, hand_id: UUID) -> HttpResponse:
        """The history of a hand; while it runs, as the caller's seat knows it."""
        history = histories.history_for(hand_id, self.viewer(request))
        response = HttpResponse(write(history), content_type=TONKH)
        response["Cache-Control"] = "private, no-cache"
        return response
