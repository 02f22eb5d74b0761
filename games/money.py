"""What a hand moved, and the entry of the books that says so (`hand.money`)."""

from collections.abc import Iterable
from uuid import UUID

import msgspec

from eventstore import store
from eventstore.core.ids import tournament_stream
from eventstore.core.refusal import refuse
from games.fair_reads import stored_of
from games.hands import find
from games.rules import events
from games.rules.table import CHIPS
from games.rules.views import Document
from ledger.receipts import directors_of
from ledger.selectors import entry_id_of
from players.core.roles import STAFF
from players.selectors import Person


def money_of(hand_id: UUID, caller: Person) -> Document:
    """Transfers of an ended hand with their rules, net and rake a seat, and the entry of it all.

    `status` is `posted`, `pending` (the settler has not come so far), or `none`: chips, or nobody
    owed anything. For who was dealt in, the director of the event, and the staff. Raises: Refused
    with `not_found`, `no_reveal_yet`, `not_permitted`.
    """
    where = find(hand_id)
    if where is None or where.dealt_version is None:
        raise refuse("not_found")
    stored = stored_of(where)
    dealt = next(one.event for one in stored if isinstance(one.event, events.HandDealt))
    if not (caller.roles & STAFF or _concerns(where.stream, dealt, str(caller.id))):
        raise refuse("not_permitted")
    if where.last_version is None:
        raise refuse("no_reveal_yet")
    document: Document = {"hand_id": dealt.hand, "currency": dealt.currency, "status": "none"}
    version, ended = next(
        ((one.version, one.event) for one in stored if isinstance(one.event, events.HandEnded)),
        (0, None),
    )
    if ended is None:  # given up from outside: everybody kept what he had
        return document | {"transfers": [], "net": [], "rake": []}
    document["transfers"] = [msgspec.to_builtins(one) for one in ended.transfers]
    document |= {"net": _of_seats(ended.net), "rake": _of_seats(ended.rake)}
    if dealt.currency == CHIPS or not any(one.amount for one in ended.net):
        return document
    entry = entry_id_of(where.stream, version)
    return document | (
        {"status": "pending"} if entry is None else {"status": "posted", "entry_id": entry}
    )


def _concerns(stream: str, dealt: events.HandDealt, player: str) -> bool:
    """Whether a player was dealt in, or directs the event that the table belongs to."""
    if any(one.player == player for one in dealt.players):
        return True
    (opened,) = store.events_after(stream, 0, limit=1)
    tournament = opened.payload["tournament"]
    return tournament is not None and player in directors_of(tournament_stream(str(tournament)))


def _of_seats(amounts: Iterable[events.SeatAmount]) -> list[Document]:
    return [{"seat": one.seat, "player_id": one.player, "amount": one.amount} for one in amounts]
