"""What was paid to players, for everybody, down to the hands (`api.md` section 4.7)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, ClassVar
from uuid import UUID

import msgspec
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore.api.pages import placed, places_of
from eventstore.api.requests import AMOUNT_MAX, PageQuery
from eventstore.core.record import time_text
from eventstore.core.refusal import refuse
from ledger import selectors
from ledger.api.books import show_source
from ledger.selectors.entries import EntryInFull
from ledger.selectors.payouts import NEWEST, Arithmetic, Payout, Wanted
from players.api.base import ApiView, Operation, answer
from players.selectors import public_names

Instant = Annotated[datetime, msgspec.Meta(tz=True)]
Limit = Annotated[int, msgspec.Meta(ge=0, le=AMOUNT_MAX)]


class PayoutsQuery(PageQuery, frozen=True, kw_only=True):
    """Parameters of `payout.list`: paid from an instant on, before another."""

    tournament: UUID | None = None
    table: UUID | None = None
    player: UUID | None = None
    currency: str | None = None
    start: Instant | None = msgspec.field(name="from", default=None)
    end: Instant | None = msgspec.field(name="to", default=None)
    amount_min: Limit | None = None
    amount_max: Limit | None = None
    reversed: bool | None = None


class Payouts(ApiView):
    """`GET /ledger/payouts`."""

    operations: ClassVar = {"GET": Operation("payout.list", query=PayoutsQuery)}
    query: PayoutsQuery

    def get(self, request: Request) -> Response:
        """Prizes, bounties, refunds, cash-outs and compensations, the newest first."""
        del request
        query = self.query
        asked = Wanted(**{name: getattr(query, name) for name in Wanted.__slots__})
        found = selectors.payouts(asked, below=_below(query.cursor), limit=query.limit + 1)
        shown = found[: query.limit]
        names = public_names({payout.player for payout in shown})
        document: dict[str, object] = {"items": [show_payout(one, names) for one in shown]}
        if len(found) > len(shown):
            document["next"] = placed([shown[-1].entry_id, shown[-1].line])
        return answer(document)


class PayoutInFull(ApiView):
    """`GET /ledger/payouts/{entry_id}`."""

    operations: ClassVar = {"GET": Operation("payout.show")}

    def get(self, request: Request, entry_id: int) -> Response:
        """One payout with its source, the arithmetic of its event, and the player's hands."""
        del request
        found = selectors.payouts_of(entry_id)
        names = public_names({payout.player for payout in found})
        payout, entry = found[0], selectors.entry(entry_id)
        hands = selectors.hands_of(payout)
        document = show_payout(payout, names) | {
            "key": entry.key,
            "entry_hash": entry.hash,
            "source": show_source(entry),
            "hands": hands,
            "links": _links(payout, entry, hands),
        }
        if len(found) > 1:
            document["shares"] = [show_payout(one, names) for one in found]
        if payout.tournament is not None:
            sums = selectors.arithmetic(payout.tournament)
            document |= {} if sums is None else {"prizes": _prizes(sums)}
        return answer(document)


def _below(cursor: str | None) -> tuple[int, int]:
    """Raises: Refused with `bad_cursor`."""
    places = places_of(cursor)
    if places is None:
        return NEWEST
    if len(places) != 2 or places[1] > NEWEST[1]:
        raise refuse("bad_cursor")
    return places[0], places[1]


def show_payout(payout: Payout, names: Mapping[str, str]) -> dict[str, object]:
    """One item of the list."""
    document: dict[str, object] = {
        "entry_id": payout.entry_id,
        "kind": payout.kind.word,
        "player_id": str(payout.player),
        "name": names.get(str(payout.player), ""),
        "amount": payout.amount,
        "currency": payout.currency,
        "at": time_text(payout.at),
        "reversed": payout.reversed,
    }
    optional = {
        "tournament_id": payout.tournament and str(payout.tournament),
        "table_id": payout.table and str(payout.table),
        "place": payout.place,
    }
    return document | {name: value for name, value in optional.items() if value is not None}


def _prizes(sums: Arithmetic) -> dict[str, object]:
    return {
        "currency": sums.currency,
        "entries": sums.entries,
        "collected": sums.collected,
        "rake": sums.rake,
        "overlay": sums.overlay,
        "pool": sums.pool,
        "fees": sums.fees,
        "heads": sums.heads,
        "bounties": sums.bounties,
        "refunds": sums.refunds,
        "heads_to_pool": sums.heads_to_pool,
        "prizes": [
            {"place": prize["place"], "player_id": prize["player"], "amount": prize["amount"]}
            for prize in sums.prizes
        ],
        "escrow": dict(sums.escrow),
        "final": True,
    }


def _links(payout: Payout, entry: EntryInFull, hands: Sequence[str]) -> dict[str, object]:
    """Where each step of the way is to be had."""
    root = "/api/v1"
    event = (
        f"{root}/{'tables' if payout.table else 'tournaments'}/{payout.table or payout.tournament}"
    )
    return {
        "event": event,
        "entry": f"{root}/ledger/entries/{entry.id}",
        "receipt": f"{root}/ledger/entries/{entry.id}/receipt",
        "source": f"{root}/log/streams/{entry.source.stream}",
        "hands": [f"{root}/hands/{hand}/verify" for hand in hands],
    }
