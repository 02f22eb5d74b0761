"""What directors say, and what they are asked: it holds until another word."""

from dataclasses import replace

from tournaments.core import deals, events
from tournaments.core.folding.books import GONE, Books, after
from tournaments.core.state import Rulings, Tournament


def _ruled(state: Tournament, **changed: object) -> Tournament:
    rulings: Rulings = replace(state.rulings, **changed)  # type: ignore[arg-type]  # names are checked by the call
    return replace(state, rulings=rulings)


@after.register
def _(event: events.DirectorAdded, state: Tournament, _books: Books) -> Tournament:
    return _ruled(state, directors=(*state.rulings.directors, event.player))


@after.register
def _(event: events.ClockSet, state: Tournament, _books: Books) -> Tournament:
    return _ruled(state, clock=event.profile)


@after.register
def _(event: events.LateEntryExtended, state: Tournament, _books: Books) -> Tournament:
    return _ruled(state, extended=True, extra_levels=event.levels, extra_rounds=event.rounds)


@after.register
def _(event: events.PairForbidden, state: Tournament, _books: Books) -> Tournament:
    return _ruled(state, forbidden=(*state.rulings.forbidden, event.players))


@after.register
def _(event: events.GroupDeclared, state: Tournament, _books: Books) -> Tournament:
    return _ruled(state, groups=(*state.rulings.groups, event.players))


@after.register
def _(event: events.WarningGiven, state: Tournament, _books: Books) -> Tournament:
    known = state.rulings.warnings
    return _ruled(state, warnings={**known, event.player: known.get(event.player, 0) + 1})


@after.register
def _(event: events.PenaltySet, state: Tournament, _books: Books) -> Tournament:
    return _ruled(state, penalties={**state.rulings.penalties, event.player: event.hands})


@after.register
def _(event: events.PlayerDisqualified, state: Tournament, books: Books) -> Tournament:
    key = books.newest(event.player)
    entry = books.entries[key]
    books.change(key, **GONE, status="disqualified")
    if entry.table is None:
        return replace(state, left=state.left - (entry.status == "playing"))
    books.unseat(event.player, entry.table)
    chips = state.chips_total - event.chips_removed
    return replace(state, left=state.left - 1, chips_total=chips)


@after.register
def _(event: events.PlayerWithdrawn, state: Tournament, _books: Books) -> Tournament:
    last = state.rounds[-1].round if state.rounds else 0
    return replace(state, withdrawn={**state.withdrawn, event.player: last})


@after.register
def _(event: events.PlayerReadmitted, state: Tournament, _books: Books) -> Tournament:
    others = {one: last for one, last in state.withdrawn.items() if one != event.player}
    return replace(state, withdrawn=others, readmitted=state.readmitted | {event.player})


@after.register
def _(event: events.ResultCorrected, state: Tournament, books: Books) -> Tournament:
    match = books.matches[event.match]
    chips = {one.player: one.net for one in event.chips}
    changed = replace(match, corrected=chips)
    if state.rounds[-1].round == match.round:  # nothing that was paired hangs on it yet
        changed = replace(changed, chips=chips)
    books.matches[event.match] = changed
    return state


@after.register
def _(event: events.ProtestOpened, state: Tournament, _books: Books) -> Tournament:
    return _ruled(state, protests={**state.rulings.protests, event.protest: event.player})


@after.register
def _(event: events.ProtestClosed, state: Tournament, _books: Books) -> Tournament:
    found = state.rulings.protests
    return _ruled(state, protests={one: who for one, who in found.items() if one != event.protest})


@after.register
def _(event: events.PrizeHeld, state: Tournament, _books: Books) -> Tournament:
    return _ruled(state, holds=state.rulings.holds | {event.player})


@after.register
def _(event: events.HoldReleased, state: Tournament, _books: Books) -> Tournament:
    rulings = state.rulings
    forfeit = {event.player} if event.outcome == "forfeit" else set()
    return _ruled(state, holds=rulings.holds - {event.player}, forfeits=rulings.forfeits | forfeit)


@after.register
def _(event: events.DealProposed, state: Tournament, _books: Books) -> Tournament:
    deal = deals.after(state.deal, event)
    return replace(state, deal=deal, deals_of_level=state.deals_of_level + 1)


@after.register
def _(event: events.DealAccepted, state: Tournament, _books: Books) -> Tournament:
    return replace(state, deal=deals.after(state.deal, event))


@after.register
def _(event: events.DealDeclined, state: Tournament, _books: Books) -> Tournament:
    return replace(state, deal=deals.after(state.deal, event))


@after.register
def _(event: events.DealSealed, state: Tournament, _books: Books) -> Tournament:
    return replace(state, deal=deals.after(state.deal, event), sealed=event)
