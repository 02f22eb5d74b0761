"""What can be bought after the start: late entries, re-entries, rebuys, add-ons (section 8).

Each function says no in the order of `tournaments.md`, or gives the fact that the money is posted
for. A seat, and the twenty seconds after the last chip, are the business of who calls.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from eventstore.core.refusal import Refusal
from games.rules.payment import places_of_busts
from tournaments.core import events
from tournaments.core.busts import Place, bubble
from tournaments.core.levels import Stakes, stake

Whereabouts = Literal["absent", "alive", "bust"]
"""Where a player stands: no entry that counts, a living one, or out by a bust."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Prices and limits of one tournament: options of section 16, those that do not apply 0."""

    currency: str
    entries_max: int
    buy_in: int = 0
    fee: int = 0
    bounty: int = 0
    reentries_max: int = 0
    rebuys_max: int = 0
    rebuy_until_level: int = 0
    rebuy_price: int = 0
    addon_price: int = 0
    addon_stakes: int = 0
    addon_after_level: int = 0
    stack_stakes: int = 0
    stakes: tuple[int, ...] | Literal["standard"] = "standard"

    @property
    def starting_chips(self) -> int:
        """Chips of an entry and of a rebuy."""
        return self.stack_stakes * self._first_stake

    @property
    def addon_chips(self) -> int:
        """Chips of an add-on."""
        return self.addon_stakes * self._first_stake

    @property
    def _first_stake(self) -> int:
        stakes: Stakes = self.stakes
        return stake(1, stakes)


@dataclass(frozen=True, slots=True)
class Window:
    """How long late entry is open, in levels, or in rounds where there are rounds.

    `stage` is the level (from 1), or the round that is paired next. `until` is the last level, or
    the round before whose pairing it ends, with what a director added; 0: nobody enters late.
    """

    stage: int
    until: int
    closed: bool = False

    @property
    def is_open(self) -> bool:
        """Whether somebody may enter now."""
        return self.stage <= self.until and not self.closed


@dataclass(frozen=True, slots=True)
class Buyer:
    """A player, and what he has bought in this tournament so far.

    `entry_no` is that of his newest entry, 0 if he never had one. `chips` and `in_hand` are those
    at his table; `addon` says whether his living entry has had its add-on.
    """

    player: str
    entry_no: int = 0
    stands: Whereabouts = "absent"
    reentries: int = 0
    rebuys: int = 0
    addon: bool = False
    chips: int = 0
    in_hand: bool = False


def terms_of(options: Mapping[str, object]) -> Terms:
    """The typed terms of a complete set of options."""
    given = {name: value for name, value in options.items() if value is not None}
    return msgspec.convert(given, Terms)


def enter(
    terms: Terms, window: Window, buyer: Buyer, *, entries: int
) -> events.EntryPaid | events.ReEntered | Refusal:
    """A place after the start; that of a bust player is a re-entry.

    `entries` are those paid and not given back. Refuses, in this order, with
    `registration_closed`, `already_registered`, `limit_reached`, `field_full`.
    """
    if not window.is_open:
        return _closed(window.stage, window.until)
    if buyer.stands == "alive":
        return Refusal("already_registered", facts={"entry_no": buyer.entry_no})
    again = buyer.stands == "bust"
    if again and buyer.reentries >= terms.reentries_max:
        return _limit(terms.reentries_max)
    if entries >= terms.entries_max:
        return Refusal("field_full", facts={"entries_max": terms.entries_max})
    kind = events.ReEntered if again else events.EntryPaid
    return kind(
        player=buyer.player,
        entry_no=buyer.entry_no + 1,
        buy_in=terms.buy_in,
        fee=terms.fee,
        bounty=terms.bounty,
        currency=terms.currency,
    )


def re_enter(
    terms: Terms, window: Window, buyer: Buyer, *, entries: int
) -> events.EntryPaid | events.ReEntered | Refusal:
    """A new place for who is bust. Refuses with `not_entered`, then as `enter`."""
    if buyer.stands == "absent":
        return Refusal("not_entered")
    return enter(terms, window, buyer, entries=entries)


def rebuy(terms: Terms, buyer: Buyer, *, level: int) -> events.RebuyBought | Refusal:
    """A starting stack for a living entry with at most that many chips; no chips are few enough.

    Refuses, in this order, with `not_entered`, `registration_closed`, `limit_reached`,
    `wrong_state`.
    """
    if buyer.stands != "alive":
        return Refusal("not_entered")
    if level > terms.rebuy_until_level:
        return _closed(level, terms.rebuy_until_level)
    if buyer.rebuys >= terms.rebuys_max:
        return _limit(terms.rebuys_max)
    if buyer.in_hand or buyer.chips > terms.starting_chips:
        return _not_now("rebuy", buyer, terms.starting_chips)
    return events.RebuyBought(
        player=buyer.player,
        entry_no=buyer.entry_no,
        amount=terms.rebuy_price,
        chips=terms.starting_chips,
        currency=terms.currency,
    )


def add_on(
    terms: Terms, buyer: Buyer, *, break_after_level: int | None
) -> events.AddOnBought | Refusal:
    """The extra chips of a living entry, once, in the break after the level that the rules name.

    `break_after_level` is the level that the present break follows, None where there is none.
    Refuses, in this order, with `not_entered`, `registration_closed`, `limit_reached`,
    `wrong_state`.
    """
    if buyer.stands != "alive":
        return Refusal("not_entered")
    if not terms.addon_stakes or break_after_level != terms.addon_after_level:
        return _closed(break_after_level, terms.addon_after_level)
    if buyer.addon:
        return _limit(1)
    if buyer.in_hand:
        return _not_now("add_on", buyer, None)
    return events.AddOnBought(
        player=buyer.player,
        entry_no=buyer.entry_no,
        amount=terms.addon_price,
        chips=terms.addon_chips,
        currency=terms.currency,
    )


def closes(window: Window, *, left: int, paid_places: int) -> bool:
    """Whether late entry, open until now, is over.

    It is at the end of its window, and as soon as the next to bust is the last one without a
    prize: nobody enters inside the money. `paid_places` are those of the entries so far, 0 in a
    format where nobody busts.

    >>> closes(Window(2, 4), left=4, paid_places=3), closes(Window(2, 4), left=5, paid_places=3)
    (True, False)
    """
    inside = left <= paid_places or bubble(left, paid_places)
    return not window.closed and (window.stage > window.until or inside)


def places_at_close(left: int, busts: Sequence[Mapping[str, int]]) -> dict[str, Place]:
    """Places of those out for good when late entry closes, the worst first.

    `left` players are in play. `busts` are hands in the order of the log: who bust, with his chips
    at its start. Of a player with several entries his last bust counts; who plays again is in none.

    >>> places_at_close(3, [{"a": 30}, {"b": 20, "c": 40}, {"a": 50}])
    {'b': (6, 6), 'c': (5, 5), 'a': (4, 4)}
    """
    last = {player: hand for hand, chips in enumerate(busts) for player in chips}
    remaining = left + len(last)
    places: dict[str, Place] = {}
    for hand, chips in enumerate(busts):
        out = {player: chips[player] for player in chips if last[player] == hand}
        found = places_of_busts(remaining, out)
        places.update(sorted(found.items(), key=lambda one: one[1], reverse=True))
        remaining -= len(out)
    return places


def _closed(level: int | None, until: int) -> Refusal:
    return Refusal("registration_closed", facts={"level": level, "limit": until})


def _limit(limit: int) -> Refusal:
    return Refusal("limit_reached", facts={"limit": limit})


def _not_now(command: str, buyer: Buyer, chips_max: int | None) -> Refusal:
    facts = {"status": "running", "command": command, "in_hand": buyer.in_hand}
    return Refusal("wrong_state", facts={**facts, "chips": buyer.chips, "limit": chips_max})
