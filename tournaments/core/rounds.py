"""A round of a tournament in matches: who meets, and the facts that begin it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from eventstore.core.refusal import InvariantBroken, Refusal
from tournaments.core import events, lot, swiss_rounds
from tournaments.core.arrivals import closed
from tournaments.core.attendance import ABSENCES_MAX, WIN_POINTS
from tournaments.core.busts import Place
from tournaments.core.closing import completed
from tournaments.core.drafting import Decision
from tournaments.core.folding import fold
from tournaments.core.groups import GroupsFinals
from tournaments.core.lifecycle import refusal
from tournaments.core.parts import in_parts
from tournaments.core.schedules import GROUP_STAGE, played_of, schedule_of
from tournaments.core.state import Tournament
from tournaments.core.swiss.pairing import pair_round

TABLES_PER_PART = 200
BY_SCHEDULE = "schedule-1"


@dataclass(frozen=True, slots=True)
class Meeting:
    """One match of a round; players in any order."""

    key: str
    players: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NextRound:
    """The matches that are played now, and how they were found."""

    round: int
    meetings: tuple[Meeting, ...]
    algorithm: str = BY_SCHEDULE
    bye: str | None = None
    half_byes: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    cost: tuple[int, ...] = ()
    rematches: tuple[tuple[str, str], ...] = ()
    input_hash: str | None = None


def open_matches(state: Tournament) -> list[str]:
    """Keys of matches that are under way."""
    return [match.match for match in state.matches.values() if not match.is_over]


def places_when_over(state: Tournament, seed: bytes) -> Mapping[str, Place] | None:
    """The places of all where nothing is left to play; `seed` is that of the lot."""
    if open_matches(state):
        return None
    if state.of_matches.format == "swiss":
        return swiss_rounds.places(state) if swiss_rounds.is_over(state) else None
    progress = schedule_of(state, seed).progress(played_of(state))
    return progress.places if progress.is_over else None


def next_round(state: Tournament, seed: bytes) -> NextRound:
    """What follows a round whose matches are all over, and is not the last.

    Raises: InvariantBroken while a match runs.
    """
    if running := open_matches(state):
        raise InvariantBroken(f"matches {running} run")
    if state.of_matches.format == "swiss":
        return _next_of_swiss(state, seed)
    ready = schedule_of(state, seed).progress(played_of(state)).ready
    meetings = tuple(Meeting(one.key, one.players) for one in ready)
    return NextRound(len(state.rounds) + 1, meetings)


def _next_of_swiss(state: Tournament, seed: bytes) -> NextRound:
    number = len(state.rounds) + 1
    found = pair_round(swiss_rounds.field_of(state, seed, number))
    half_byes, absent = swiss_rounds.away(state, number)
    return NextRound(
        round=number,
        meetings=tuple(
            Meeting(f"R{number}.{table}", players)
            for table, players in enumerate(found.tables, start=1)
        ),
        algorithm=found.algorithm,
        bye=found.bye,
        half_byes=half_byes,
        absent=absent,
        cost=found.cost,
        rematches=found.rematches,
        input_hash=found.input_hash,
    )


def pair(state: Tournament, *, ids: Iterator[str], seed: bytes) -> Decision:
    """The next round, or the end where nothing is left to play; `ids` are new ones, for tables.

    Refuses with `wrong_state` while a match is under way.
    """
    refused = refusal(state.status, "pair")
    if refused or open_matches(state):
        status = state.status and state.status.value
        return refused or Refusal("wrong_state", facts={"status": status, "command": "pair"})
    before = [*closed(state)]
    before += before_round(fold(before, state), seed)
    state = fold(before, state)
    places = places_when_over(state, seed)
    if places is not None:
        before += closed(state, is_over=True)
        return (*before, *completed(state, places=places, seed=seed))
    return (*before, *facts_of(state, next_round(state, seed), ids, seed))


def before_round(state: Tournament, seed: bytes) -> list[events.Event]:
    """What is fixed before a round is paired: who is out, and who goes on from the groups."""
    form = state.of_matches.format
    if form == "swiss":
        return [
            events.PlayerWithdrawn(player=player, reason_code="absent")
            for player in _too_often_absent(state)
        ]
    return _frozen_groups(state, seed) if form == "groups_finals" else []


def _too_often_absent(state: Tournament) -> list[str]:
    counts: dict[str, int] = {}
    missed = [player for (player, _), award in state.awards.items() if award.kind == "absent"]
    missed += [player for match in state.matches.values() for player in match.absent]
    for player in missed:
        counts[player] = counts.get(player, 0) + 1
    return [
        player
        for player, count in counts.items()
        if count >= ABSENCES_MAX and player not in state.withdrawn
        if not (player in state.readmitted and count == ABSENCES_MAX)
    ]


def _frozen_groups(state: Tournament, seed: bytes) -> list[events.Event]:
    """The cut of the groups, once they are over: no later word changes who goes on."""
    schedule = schedule_of(state, seed)
    if not isinstance(schedule, GroupsFinals) or schedule.frozen is not None:
        return []
    played = played_of(state)
    if not all(group.progress(played).is_over for group in schedule.groups):
        return []
    rows = {
        player: row
        for group in schedule.groups
        for player, row in group.standings(played).rows.items()
    }
    order = [
        events.FrozenRank(
            player=player,
            place_best=number,
            place_worst=number,
            keys=tuple(f"{key.numerator}/{key.denominator}" for key in rows[player].keys_per_match),
        )
        for number, player in enumerate(schedule.seeds(played), start=1)
    ]
    by_lot = schedule.cut(played).by_lot
    return [
        events.StandingsFrozen(
            part=part,
            parts=parts,
            stage=GROUP_STAGE,
            order=piece,
            by_lot=by_lot if part == 1 else (),
        )
        for part, parts, piece in in_parts(order, TABLES_PER_PART)
    ]


def facts_of(
    state: Tournament, following: NextRound, ids: Iterator[str], seed: bytes
) -> list[events.Event]:
    """The round in the log: the pairing, byes, and for each match its table, seats and start.

    `ids` are new ones, for the tables.
    """
    context = f"seat/{state.seat_draws + 1}"
    facts = [*_paired(following), *_byes(following)]
    for number, meeting in enumerate(following.meetings, start=1):
        players = lot.order(seed, context, meeting.players)
        table = next(ids)
        facts += _seated(state, players, table, number)
        facts.append(_started(state, meeting.key, following.round, table, players))
    return facts


def _paired(one: NextRound) -> Iterator[events.Event]:
    tables = [
        events.PairedTable(number=number, players=meeting.players)
        for number, meeting in enumerate(one.meetings, start=1)
    ]
    for part, parts, piece in in_parts(tables, TABLES_PER_PART):
        is_first = part == 1
        yield events.RoundPaired(
            part=part,
            parts=parts,
            round=one.round,
            tables=piece,
            bye=one.bye if is_first else None,
            half_byes=one.half_byes if is_first else (),
            absent=one.absent if is_first else (),
            cost=one.cost if is_first else (),
            rematches=one.rematches if is_first else (),
            algorithm=one.algorithm,
            input_hash=one.input_hash if is_first else None,
        )


def _byes(one: NextRound) -> Iterator[events.Event]:
    if one.bye is not None:
        yield events.ByeAwarded(player=one.bye, round=one.round, points=WIN_POINTS)


def _seated(
    state: Tournament, players: Sequence[str], table: str, number: int
) -> Iterator[events.Event]:
    yield events.TableAdded(table=table, number=number, seats=state.settings.seats)
    for seat, player in enumerate(players, start=1):
        yield events.SeatAssigned(
            player=player,
            entry_no=state.last_entry[player],
            table=table,
            seat=seat,
            chips=0,
            from_lot=True,
        )


def _started(
    state: Tournament, key: str, round_no: int, table: str, players: Sequence[str]
) -> events.MatchStarted:
    count = len(players)
    return events.MatchStarted(
        match=key,
        round=round_no,
        table=table,
        players=tuple(players),
        hands=count * (state.of_matches.match_hands // count),
    )
