"""Faults that tell a viewer what he may not know."""

from __future__ import annotations

import dataclasses
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from games import selectors
from games.api.views import Moves
from games.rules import facts, views
from games.rules.cards import TEXTS
from games.rules.events import CardDrawn
from tests.planted.planting import Plant
from tests.planted.putting import instead
from tonk_site.proving.checks import Found, Order, in_processes
from tonk_site.proving.silence import pure_silence

if TYPE_CHECKING:
    from games.rules.state import Hand
    from games.rules.table import Table


def _deck(table: Table) -> tuple[int, ...]:
    hand = table.hand
    return () if hand is None or hand.over else hand.setup.deck or ()


def deck_in_the_view() -> None:
    """The order of the whole deck goes out with the state."""

    def make(true: Any) -> Any:
        def document(table: Table, *rest: Any, **more: Any) -> Any:
            return true(table, *rest, **more) | {"deck": [TEXTS[card] for card in _deck(table)]}

        return document

    instead(views, "state_document", make)


def drawn_card_in_the_event() -> None:
    """A draw from the stock says what was drawn."""

    def make(true: Any) -> Any:
        def of_draw(hand: Hand, seat: int) -> Any:
            deck = hand.setup.deck or ()
            return tuple(
                replace(one, card=TEXTS[deck[one.place]])
                if isinstance(one, CardDrawn) and one.place < len(deck)
                else one
                for one in true(hand, seat)
            )

        return of_draw

    instead(facts, "_of_draw", make)


def etag_of_the_full_state() -> None:
    """The tag is a digest of all that the server knows."""

    def make(true: Any) -> Any:
        def etag(seen: selectors.Seen) -> str:
            digest = sha256(repr(_deck(seen.table)).encode()).hexdigest()[:8]
            return str(true.fget(seen))[:-1] + f'.{digest}"'

        return property(etag)

    instead(selectors.Seen, "etag", make)


def deck_in_the_answer_to_a_move() -> None:
    """Whoever moves is answered with the order of the whole deck."""

    def make(true: Any) -> Any:
        def post(view: Any, request: Any, table_id: Any) -> Any:
            answered = true(view, request, table_id)
            table = selectors.see_now(table_id).table
            answered.data["deck"] = [TEXTS[card] for card in _deck(table)]
            return answered

        return post

    instead(Moves, "post", make)


def pure_pairs(order: Order) -> Found:
    """The pairs that need no database."""
    pure = dataclasses.replace(order, sizes={"hands": order.sizes["pairs_pure"]})
    return in_processes(pure_silence.pairs, pure)


PURE = {"pairs_pure": 100, "pairs_http": 1}
PLANTS = (
    Plant(
        20,
        "E1",
        "whole deck in the first view",
        ("no-leak",),
        sizes=PURE,
        put=deck_in_the_view,
        starred=True,
        part=pure_pairs,
    ),
    Plant(
        21,
        "E3",
        "drawn card in the shared event",
        ("no-leak",),
        sizes=PURE,
        put=drawn_card_in_the_event,
    ),
    Plant(
        24,
        "E2",
        "ETag computed over the full state",
        ("no-leak",),
        sizes={"pairs_pure": 1, "pairs_http": 6},
        put=etag_of_the_full_state,
    ),
    Plant(
        41,
        "E1",
        "whole deck in the answer to a move",
        ("no-leak",),
        sizes={"pairs_pure": 1, "pairs_http": 6},
        put=deck_in_the_answer_to_a_move,
    ),
)
