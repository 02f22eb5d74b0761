"""Play at the tables: seats, busts, moves, levels, what is bought while it goes on."""

from dataclasses import replace

from games.rules.payment import places_of_busts
from tournaments.core import bounties, events
from tournaments.core.folding.books import GONE, Books, after
from tournaments.core.late_entry import places_at_close
from tournaments.core.lifecycle import Status
from tournaments.core.state import Table, Tournament


@after.register
def _(event: events.TableAdded, state: Tournament, books: Books) -> Tournament:
    books.tables[event.table] = Table(event.table, event.number, event.seats)
    return replace(state, tables_added=state.tables_added + 1)


@after.register
def _(event: events.SeatAssigned, state: Tournament, books: Books) -> Tournament:
    key = event.player, event.entry_no
    comes_late = state.status is not Status.SEATING and books.entries[key].status == "registered"
    comes_in = state.status is Status.SEATING or comes_late
    books.change(key, status="playing", table=event.table, seat=event.seat)
    books.seat(event.player, event.table, event.seat)
    if comes_in:
        chips = state.chips_total + event.chips
        state = replace(state, left=state.left + 1, chips_total=chips)
    if state.rounds:  # all seats of a round are one act, which its pairing counts
        return state
    if state.status is Status.SEATING:
        return replace(state, seat_draws=1)
    if comes_late:
        return replace(state, seat_draws=state.seat_draws + 1)
    return replace(state, redrawn=True, seat_draws=state.seat_draws + (not state.redrawn))


@after.register
def _(event: events.PrizesPublished, state: Tournament, _books: Books) -> Tournament:
    known = () if event.part == 1 else state.vector
    places = event.places if event.part == 1 else state.paid_places
    return replace(state, vector=known + event.vector, paid_places=places)


@after.register
def _(event: events.LevelRaised, state: Tournament, _books: Books) -> Tournament:
    return replace(state, level=event.level, deals_of_level=0)


@after.register
def _(event: events.PlayerBusted, state: Tournament, books: Books) -> Tournament:
    key = event.player, event.entry_no
    place = None
    if event.place_best is not None and event.place_worst is not None:
        place = event.place_best, event.place_worst
    books.unseat(event.player, event.table)
    out = {"status": "out", "hand": event.hand, "chips_at_start": event.chips_at_start}
    books.change(key, **GONE, **out, place=place)
    unplaced = state.unplaced if place else (*state.unplaced, key)
    return replace(state, left=state.left - 1, unplaced=unplaced)


@after.register
def _(_event: events.RegistrationClosed, state: Tournament, books: Books) -> Tournament:
    state = replace(state, registration_closed=True)
    if state.status is not Status.RUNNING:
        return state
    busts: dict[str | None, dict[str, int]] = {}
    for player, number in state.unplaced:
        if state.last_entry[player] == number:
            entry = books.entries[player, number]
            busts.setdefault(entry.hand, {})[player] = entry.chips_at_start
    for player, place in places_at_close(state.left, list(busts.values())).items():
        books.change(books.newest(player), place=place)
    return replace(state, unplaced=())


@after.register
def _(event: events.PlayerMoved, state: Tournament, books: Books) -> Tournament:
    key = books.newest(event.player)
    books.unseat(event.player, event.from_)
    books.seat(event.player, event.to, event.seat)
    moves = books.entries[key].moves + 1
    books.change(key, table=event.to, seat=event.seat, moves=moves)
    return replace(state, mover_draws=state.mover_draws + (event.reason == "balance"))


@after.register
def _(event: events.TableBroken, state: Tournament, books: Books) -> Tournament:
    del books.tables[event.table]
    return replace(state, seat_draws=state.seat_draws + 1)


@after.register
def _(event: events.TableWaiting, state: Tournament, books: Books) -> Tournament:
    found = books.tables[event.table]
    books.tables[event.table] = replace(found, waiting=event.reason, released=None)
    formed = event.reason == "break" and len(books.tables) == 1
    return replace(state, final_table=state.final_table or formed)


@after.register
def _(event: events.TableReleased, state: Tournament, books: Books) -> Tournament:
    found = books.tables[event.table]
    books.tables[event.table] = replace(found, waiting=None, released=event.reason)
    begun = state.hand_for_hand and event.reason == "hand_for_hand"
    return replace(state, synchronised=state.synchronised or begun)


@after.register
def _(event: events.HandForHandSet, state: Tournament, books: Books) -> Tournament:
    if event.on:
        return replace(state, hand_for_hand=True)
    chips = {key: books.entries[key].chips_at_start for key in state.unplaced}
    for key, place in places_of_busts(state.left + len(chips), chips).items():
        books.change(key, place=place)
    return replace(state, hand_for_hand=False, synchronised=False, unplaced=())


@after.register
def _(event: events.RebuyBought, state: Tournament, books: Books) -> Tournament:
    entry = books.entries[event.player, event.entry_no]
    return _bought(event, state, books, rebuys=entry.rebuys + 1)


@after.register
def _(event: events.AddOnBought, state: Tournament, books: Books) -> Tournament:
    return _bought(event, state, books, add_on=True)


def _bought(
    event: events.RebuyBought | events.AddOnBought,
    state: Tournament,
    books: Books,
    **changed: object,
) -> Tournament:
    key = event.player, event.entry_no
    books.change(key, bought=books.entries[key].bought + event.amount, **changed)
    collected, chips = state.collected + event.amount, state.chips_total + event.chips
    return replace(state, collected=collected, chips_total=chips)


@after.register
def _(event: events.BountyPaid, state: Tournament, books: Books) -> Tournament:
    for player, change in bounties.changes(event).items():
        key = books.newest(player)
        books.change(key, head=books.entries[key].head + change)
    return replace(state, heads=state.heads - sum(one.amount for one in event.paid))


@after.register
def _(event: events.Paused, state: Tournament, _books: Books) -> Tournament:
    return replace(state, status=Status.PAUSED, paused=event.mode, paused_by=event.reason_code)


@after.register
def _(_event: events.Resumed, state: Tournament, _books: Books) -> Tournament:
    return replace(state, status=Status.RUNNING, paused=None, paused_by=None)
