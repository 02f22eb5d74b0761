"""Entries: who may buy a place, and who may give it back (`tournaments.md` section 8)."""

from typing import Literal

from eventstore.core.refusal import Refusal
from tournaments.core import events, late_entry
from tournaments.core.arrivals import buyer_of, window_of
from tournaments.core.attendance import Without, points_without
from tournaments.core.drafting import Decision
from tournaments.core.lifecycle import COMMANDS, PLAYING, refusal
from tournaments.core.options import Matches
from tournaments.core.state import Tournament

Entrant = Literal["person", "house_bot", "api_bot"]


def enter(state: Tournament, *, player: str, entrant: Entrant = "person") -> Decision:
    """A place for `player`; the money moves before the append.

    While play goes on it is a late entry, or a re-entry of who is bust. Refuses, in this order,
    with `registration_closed`, `already_registered`, `limit_reached`, `field_full`,
    `bots_not_admitted`.
    """
    paid = _late(state, player) if state.status in PLAYING else _before(state, player)
    if isinstance(paid, Refusal):
        return paid
    settings = state.settings
    barred_bot = entrant == "house_bot" and settings.bots == "none"
    if barred_bot or (entrant == "api_bot" and not settings.api_bots):
        return Refusal("bots_not_admitted")
    if isinstance(settings, Matches) and state.rounds:
        missed = events.HalfByeGranted(player=player, round=1, points=points_without(Without.LATE))
        return paid, missed
    return (paid,)


def _before(state: Tournament, player: str) -> events.EntryPaid | Refusal:
    if state.status not in COMMANDS["enter"] or state.registration_closed:
        status = state.status and state.status.value
        return Refusal("registration_closed", facts={"status": status})
    settings, last = state.settings, state.entry_of(player)
    if last is not None and last.is_alive:
        return Refusal("already_registered", facts={"entry_no": last.entry_no})
    if state.is_full:
        return Refusal("field_full", facts={"entries_max": settings.entries_max})
    return events.EntryPaid(
        player=player,
        entry_no=last.entry_no + 1 if last else 1,
        buy_in=settings.buy_in,
        fee=settings.fee,
        bounty=settings.bounty or 0,
        currency=settings.currency,
    )


def _late(state: Tournament, player: str) -> events.EntryPaid | events.ReEntered | Refusal:
    last = state.entry_of(player)
    if last is not None and last.status == "disqualified":
        return Refusal("registration_closed", facts={"status": last.status})
    terms = late_entry.terms_of(state.options)
    buyer, window = buyer_of(state, player), window_of(state)
    return late_entry.enter(terms, window, buyer, entries=state.entered)


def withdraw(state: Tournament, *, player: str) -> Decision:
    """The place given back before the start, everything with it, the fee too.

    Refuses with `not_entered`, then `too_late` once registration is over.
    """
    entry = state.entry_of(player)
    if entry is None or not entry.is_alive:
        return Refusal("not_entered")
    if refusal(state.status, "withdraw"):
        return Refusal("too_late", facts={"status": state.status and state.status.value})
    refunded = events.EntryRefunded(
        player=player,
        entry_no=entry.entry_no,
        pool=entry.buy_in,
        fee=entry.fee,
        bounty=entry.bounty,
        currency=state.settings.currency,
        reason="withdrawn",
    )
    return (refunded,)
