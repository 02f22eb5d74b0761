"""From the draft to the start: what was said, who is in, what he paid."""

from dataclasses import replace

from tournaments.core import events
from tournaments.core.folding.books import Books, after
from tournaments.core.lifecycle import Status
from tournaments.core.state import Entry, Tournament


@after.register
def _(event: events.TournamentDrafted, state: Tournament, _books: Books) -> Tournament:
    return replace(
        state,
        status=Status.DRAFT,
        organiser=event.organiser,
        name_ref=event.name_ref,
        template=event.template,
        options=event.options,
    )


@after.register
def _(event: events.OptionsChanged, state: Tournament, _books: Books) -> Tournament:
    return replace(state, options={**state.options, **event.changed})


@after.register
def _(event: events.RulesPublished, state: Tournament, _books: Books) -> Tournament:
    return replace(
        state,
        status=Status.ANNOUNCED,
        options=event.options,
        structure_hash=event.structure_hash,
        seed_commit=event.seed_commit,
    )


@after.register
def _(event: events.RulesAmended, state: Tournament, _books: Books) -> Tournament:
    amended: dict[str, object] = {"start": event.starts_at, "guarantee": event.guarantee}
    changed = {name: value for name, value in amended.items() if value is not None}
    options = {**state.options, **changed}
    return replace(state, options=options, structure_hash=event.structure_hash)


@after.register
def _(_event: events.RegistrationOpened, state: Tournament, _books: Books) -> Tournament:
    return replace(state, status=Status.REGISTRATION)


@after.register
def _(event: events.EntryPaid, state: Tournament, books: Books) -> Tournament:
    return _entered(event, state, books)


@after.register
def _(event: events.ReEntered, state: Tournament, books: Books) -> Tournament:
    return _entered(event, state, books)


def _entered(
    event: events.EntryPaid | events.ReEntered, state: Tournament, books: Books
) -> Tournament:
    key = event.player, event.entry_no
    bounty = event.bounty
    books.entries[key] = Entry(*key, buy_in=event.buy_in, fee=event.fee, bounty=bounty, head=bounty)
    books.last_entry[event.player] = event.entry_no
    return replace(
        state,
        entered=state.entered + 1,
        waiting=tuple(player for player in state.waiting if player != event.player),
        collected=state.collected + event.buy_in,
        fees=state.fees + event.fee,
        heads=state.heads + event.bounty,
    )


@after.register
def _(event: events.EntryRefunded, state: Tournament, books: Books) -> Tournament:
    books.change((event.player, event.entry_no), status="refunded", head=0)
    return replace(
        state,
        entered=state.entered - 1,
        collected=state.collected - event.pool,
        fees=state.fees - event.fee,
        heads=state.heads - event.bounty,
    )


@after.register
def _(event: events.WaitListed, state: Tournament, _books: Books) -> Tournament:
    return replace(state, waiting=(*state.waiting, event.player))


@after.register
def _(event: events.WaitListLeft, state: Tournament, _books: Books) -> Tournament:
    return replace(state, waiting=tuple(one for one in state.waiting if one != event.player))


@after.register
def _(event: events.CheckInOpened, state: Tournament, _books: Books) -> Tournament:
    return replace(state, status=Status.CHECK_IN, check_in_closes_at=event.closes_at)


@after.register
def _(event: events.CheckedIn, state: Tournament, books: Books) -> Tournament:
    books.change((event.player, event.entry_no), checked_in=True)
    return state


@after.register
def _(_event: events.SeatingStarted, state: Tournament, _books: Books) -> Tournament:
    return replace(state, status=Status.SEATING)


@after.register
def _(event: events.RoundsReduced, state: Tournament, _books: Books) -> Tournament:
    return replace(state, rounds_planned=event.to)


@after.register
def _(event: events.Seeded, state: Tournament, _books: Books) -> Tournament:
    known = {} if event.part == 1 else dict(state.seeds)
    return replace(state, seeds=known | {one.player: one.seed for one in event.seeds})


@after.register
def _(event: events.Started, state: Tournament, books: Books) -> Tournament:
    resting = [key for key, entry in books.entries.items() if entry.status == "registered"]
    for key in resting:  # they sit out the first round
        books.change(key, status="playing")
    left = state.left + len(resting)
    return replace(state, status=Status.RUNNING, started_at=event.at, left=left)
