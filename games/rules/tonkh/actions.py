"""Actions of a hand history: `p2 S 9H`, `p1 O S ??, D KH`, `p3 X 4C` (`api.md` section 8).

An action is a move that somebody made, or a time-out with all its forced moves, or what followed
when somebody asked for an empty stock.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from eventstore.core.refusal import Refusal
from games.rules import events, facts
from games.rules.cards import CODES, TEXTS
from games.rules.moves import DRAW, TAKE, Move, RunEnd, Verb, hit, meld_name, meld_number, parse
from games.rules.state import UNKNOWN, Hand, evolve
from games.rules.tonkh.history import UNSEEN

StepVerb = Verb | Literal["X"]
CardOf = Callable[[events.CardDrawn], int]
"""Code of a card that was drawn from the stock, -1 where it may not be told."""

_ACTION = re.compile(r"p([1-6]) (O )?(.+)")


@dataclass(frozen=True, slots=True)
class Step:
    """One move as a history tells it: a draw names its card, where it is known."""

    verb: StepVerb
    cards: tuple[int, ...] = ()
    meld: int = 0
    end: RunEnd | None = None

    @property
    def text(self) -> str:
        """The step without its seat.

        >>> Step("S", (UNKNOWN,)).text
        'S ??'
        """
        words = [self.verb, *map(_card_text, self.cards)]
        if self.meld:
            words.append(meld_name(self.meld))
        if self.end:
            words.append(self.end)
        return " ".join(words)

    @property
    def move(self) -> Move:
        """The move that the player made."""
        match self.verb:
            case "S" | "X":
                return DRAW
            case "T":
                return TAKE
            case _:
                return Move(self.verb, self.cards, self.meld, self.end)

    def is_told_by(self, full: "Step") -> bool:
        """Whether this is that step, its drawn card perhaps unseen."""
        if self.verb in ("S", "X") and self.cards == (UNKNOWN,):
            return self.verb == full.verb and len(full.cards) == 1
        return self == full


@dataclass(frozen=True, slots=True)
class Action:
    """What a seat did: one step, or the forced steps of a time-out."""

    seat: int
    steps: tuple[Step, ...]
    timed_out: bool = False

    @property
    def text(self) -> str:
        """The action as a history writes it."""
        forced = "O " if self.timed_out else ""
        return f"p{self.seat} {forced}{', '.join(step.text for step in self.steps)}"

    @property
    def draws(self) -> bool:
        """Whether a card was drawn from the stock."""
        return any(step.cards and step.verb in ("S", "X") for step in self.steps)

    @property
    def drawn(self) -> int:
        """The card drawn from the stock, -1 where none was, or where it is unseen."""
        drawn = (step.cards[0] for step in self.steps if step.cards and step.verb in ("S", "X"))
        return next(drawn, UNKNOWN)

    def is_told_by(self, full: "Action") -> bool:
        """Whether this is that action, its drawn card perhaps unseen."""
        same = (self.seat, self.timed_out) == (full.seat, full.timed_out)
        if not same or len(self.steps) != len(full.steps):
            return False
        pairs = zip(self.steps, full.steps, strict=True)
        return all(mine.is_told_by(other) for mine, other in pairs)


def read_action(text: str) -> Action | None:
    """The action that a text names, None where it names none.

    >>> action = read_action("p2 O S ??, D KH")
    >>> action.seat, action.timed_out, [step.verb for step in action.steps]
    (2, True, ['S', 'D'])
    """
    found = _ACTION.fullmatch(text)
    if found is None:
        return None
    seat, timed_out, rest = found.groups()
    steps = [_read_step(one) for one in (rest.split(", ") if timed_out else [rest])]
    known = tuple(step for step in steps if step is not None)
    return Action(int(seat), known, bool(timed_out)) if len(known) == len(steps) else None


def told(hand: Hand, made: Sequence[msgspec.Struct], card_of: CardOf) -> Action:
    """The action that these facts of one append are, on a hand before them."""
    steps: list[Step] = []
    refilled = False
    seat = next(one.seat for one in made if isinstance(one, _OF_SEAT))
    for event in made:
        if isinstance(event, events.PileReshuffled):
            refilled = True
        elif not isinstance(event, events.TurnTimedOut):
            steps.append(_step(hand, event, card_of, refilled=refilled))
        hand = evolve(hand, event)
    return Action(seat, tuple(steps), isinstance(made[0], events.TurnTimedOut))


def _card_text(card: int) -> str:
    return UNSEEN if card == UNKNOWN else TEXTS[card]


def _read_step(text: str) -> Step | None:
    match text.split(" "):
        case ["X"]:
            return Step("X")
        case [("S" | "X") as verb, card] if card in CODES or card == UNSEEN:
            return Step(verb, (CODES.get(card, UNKNOWN),))
        case ["T", card] if card in CODES:
            return Step("T", (CODES[card],))
        case ["S" | "T", *_]:  # a draw names its card
            return None
        case _:
            move = parse(text)
    return None if isinstance(move, Refusal) else Step(move.verb, move.cards, move.meld, move.end)


_OF_SEAT = (
    events.TurnTimedOut,
    events.CardDrawn,
    events.SpreadLaid,
    events.CardHit,
    events.CardDiscarded,
    events.CardSlapped,
    events.Knocked,
    events.StockRefused,
)
FACTS = (*_OF_SEAT, events.PileReshuffled)
"""Facts that belong to an action."""


def _step(hand: Hand, event: msgspec.Struct, card_of: CardOf, *, refilled: bool) -> Step:
    step = Step("X")
    match event:
        case events.CardDrawn(source="discard", card=str(card)):
            step = Step("T", (CODES[card],))
        case events.CardDrawn():
            step = Step("X" if refilled else "S", (card_of(event),))
        case events.SpreadLaid():
            step = Step("L", tuple(CODES[card] for card in event.cards))
        case events.CardHit():
            step = Step("H", (CODES[event.card],), meld_number(event.meld), _end(hand, event))
        case events.CardDiscarded():
            step = Step("D", (CODES[event.card],))
        case events.CardSlapped():
            step = Step("P", (CODES[event.shed.card],) if event.shed else ())
        case events.Knocked():
            step = Step("K")
        case _:  # the stock was empty and refused: what `X` without a card says
            pass
    return step


def _end(hand: Hand, event: events.CardHit) -> RunEnd | None:
    """The end of a run that a hit must have named: a wild card's that did not go where it would."""
    unnamed = hit(CODES[event.card], meld_number(event.meld))
    usual = facts.laid_down(hand, unnamed)
    return None if usual.stands_for == event.stands_for else "low"
