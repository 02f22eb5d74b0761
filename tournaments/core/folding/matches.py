"""Rounds and matches: who meets, who was there, how it came out."""

from dataclasses import replace

from tournaments.core import events
from tournaments.core.folding.books import GONE, Books, after
from tournaments.core.state import Award, Match, Round, Tournament


@after.register
def _(event: events.RoundPaired, state: Tournament, _books: Books) -> Tournament:
    if event.part > 1:
        last = state.rounds[-1]
        whole = replace(
            last,
            tables=last.tables + event.tables,
            half_byes=last.half_byes + event.half_byes,
            absent=last.absent + event.absent,
            rematches=last.rematches + event.rematches,
        )
        return replace(state, rounds=(*state.rounds[:-1], whole))
    paired = Round(
        round=event.round,
        tables=event.tables,
        bye=event.bye,
        half_byes=event.half_byes,
        absent=event.absent,
        rematches=event.rematches,
        cost=event.cost,
        algorithm=event.algorithm,
        input_hash=event.input_hash,
    )
    before = [one for one in state.rounds if one.round < event.round]  # it may be paired anew
    return replace(state, rounds=(*before, paired), seat_draws=state.seat_draws + 1)


@after.register
def _(event: events.MatchStarted, state: Tournament, books: Books) -> Tournament:
    books.matches[event.match] = Match(
        match=event.match,
        round=event.round,
        table=event.table,
        players=event.players,
        hands=event.hands,
    )
    return state


@after.register
def _(event: events.TieHandsAdded, state: Tournament, books: Books) -> Tournament:
    match = books.matches[event.match]
    hands = match.hands + event.hands
    books.matches[event.match] = replace(match, hands=hands, repeats=event.repeat)
    return state


@after.register
def _(event: events.MatchReported, state: Tournament, books: Books) -> Tournament:
    match = replace(
        books.matches[event.match],
        chips={one.player: one.net for one in event.chips},
        points={one.player: one.points for one in event.points},
        is_over=True,
    )
    _leave(match, books)
    return state


@after.register
def _(event: events.WalkoverAwarded, state: Tournament, books: Books) -> Tournament:
    match = books.matches[event.match]
    absent = (*match.absent, *(one for one in event.absent if one not in match.absent))
    there = [one for one in match.players if one not in absent]
    match = replace(match, absent=absent, winner=event.winner)
    if event.winner is not None or len(there) < 2:
        _leave(replace(match, is_over=True), books)
        return state
    for player in event.absent:  # the others play on
        _stand_up(player, match.table, books)
    books.matches[event.match] = match
    return state


def _leave(match: Match, books: Books) -> None:
    """A match is over, and so is its table."""
    books.matches[match.match] = match
    table = books.tables.pop(match.table, None)
    for player in table.players if table else ():
        books.change(books.newest(player), **GONE)


def _stand_up(player: str, table: str, books: Books) -> None:
    books.unseat(player, table)
    books.change(books.newest(player), **GONE)


@after.register
def _(event: events.ByeAwarded, state: Tournament, books: Books) -> Tournament:
    books.awards[event.player, event.round] = Award("bye", event.points)
    return state


@after.register
def _(event: events.HalfByeGranted, state: Tournament, books: Books) -> Tournament:
    books.awards[event.player, event.round] = Award("half_bye", event.points)
    return state


@after.register
def _(event: events.AbsenceRecorded, state: Tournament, books: Books) -> Tournament:
    books.awards[event.player, event.round] = Award("absent", event.points)
    return state


@after.register
def _(event: events.StandingsFrozen, state: Tournament, _books: Books) -> Tournament:
    return replace(state, frozen=(*state.frozen, event))
