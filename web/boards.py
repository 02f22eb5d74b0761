"""A table as its page shows it, made of the state document that everybody may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from web.words import closed_text, end_text, sealed_text, status_text, turn_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
RED = frozenset("DH")


@dataclass(frozen=True, slots=True)
class Card:
    """A card as text: rank and symbol of its suit.

    >>> Card.of("TH"), Card.of("X1").text
    (Card(text='10♥', colour='red'), '★')
    """

    text: str
    colour: str

    @classmethod
    def of(cls, code: str) -> Card:
        """The card of a code of the API."""
        rank, suit = code[0], code[1]
        if rank == "X":
            return cls("★", "joker")
        return cls(f"{rank.replace('T', '10')}{SUITS[suit]}", "red" if suit in RED else "black")


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat: who sits there, with how much, and what can be seen of his cards."""

    number: int
    name: str
    is_bot: bool
    worth: str
    is_dealer: bool
    is_to_act: bool
    is_away: bool
    backs: range  # cards held, faces down
    shown: tuple[Card, ...]  # his hand, once it is over
    count: int | None
    gain: str  # signed; empty while the hand runs
    pot: str  # what he gets out of the pot, signed; empty while the hand runs or without one
    melds: tuple[tuple[Card, ...], ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence about why a hand ended so, with the rules that say so."""

    text: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Why:
    """How the last hand that has ended was decided."""

    hand_no: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """All that the page of a table shows."""

    table_id: str
    version: int
    newest: int  # version of what has happened by now
    status: str
    is_closed: bool
    stake: str
    hand_no: int | None
    discard: Card | None
    stock_count: int | None
    pot: str  # empty where the table has none
    sealed: str  # who had a part in the deal; empty where none is shown
    news: str  # the last thing that matters, as a sentence
    why: Why | None  # None where no hand has ended
    seats: tuple[Seat, ...]


def board(
    state: Mapping[str, Any],
    worth: Callable[[int], str],
    *,
    newest: int,
    why: Why | None = None,
) -> Board:
    """The page's values for a state document; `worth` writes an amount as people read it."""
    names = {seat["seat"]: seat["name"] for seat in state["seats"]}
    top = state.get("discard_top")
    return Board(
        table_id=state["table_id"],
        version=state["version"],
        newest=newest,
        status=status_text(state["status"]),
        is_closed=state["status"] == "closed",
        stake=worth(state["stake"]),
        hand_no=state.get("hand_no"),
        discard=Card.of(top) if top else None,
        stock_count=state.get("stock_count"),
        pot=worth(state["pot"]) if "pot" in state else "",
        sealed=sealed_text(len(state["fair"]["seeds_given"])) if "fair" in state else "",
        news=_news(state, names),
        why=why,
        seats=tuple(_seat(seat, state, worth) for seat in state["seats"]),
    )


def _news(state: Mapping[str, Any], names: Mapping[int, str]) -> str:
    if state["status"] == "closed":
        return closed_text()
    if "result" in state:
        return end_text(state["result"]["end"], names.get(state["result"].get("by"), ""))
    if "to_act" in state:
        return turn_text(names.get(state["to_act"], ""))
    return status_text(state["status"])


def _seat(seat: Mapping[str, Any], state: Mapping[str, Any], worth: Callable[[int], str]) -> Seat:
    number, result = seat["seat"], state.get("result", {})
    held = _of(number, result.get("held", ()))
    net = _of(number, result.get("net", ()))
    pot = _of(number, result.get("pot", ()))
    return Seat(
        number=number,
        name=seat["name"],
        is_bot=seat["kind"] == "bot",
        worth=worth(seat["chips"] if "chips" in seat else seat["stack"]),
        is_dealer=state.get("dealer") == number,
        is_to_act=state.get("to_act") == number,
        is_away="sitting_out" in seat,
        backs=range(0 if held else seat["cards_held"]),
        shown=_cards(held["cards"]) if held else (),
        count=held["count"] if held else None,
        gain=_signed(net["amount"], worth) if net else "",
        pot=_signed(pot["amount"], worth) if pot else "",
        melds=tuple(
            _cards(meld["cards"]) for meld in state.get("melds", ()) if meld["owner"] == number
        ),
    )


def _of(seat: int, lines: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    return next((line for line in lines if line["seat"] == seat), None)


def _signed(amount: int, worth: Callable[[int], str]) -> str:
    sign = "+" if amount > 0 else "\N{MINUS SIGN}" if amount < 0 else ""
    return sign + worth(abs(amount))


def _cards(codes: Sequence[str]) -> tuple[Card, ...]:
    return tuple(Card.of(code) for code in codes)
