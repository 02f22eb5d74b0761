"""The schedule of a tournament in matches, and what was played of it (`tournaments.md` section 2).

Swiss has none: there the next round follows from the standings.
"""

from collections.abc import Callable
from functools import lru_cache, partial

from tournaments.core import lot
from tournaments.core.brackets import SingleElimination
from tournaments.core.double_elimination import DoubleElimination
from tournaments.core.groups import FinalTable, GroupsFinals, snake
from tournaments.core.matches import Group, Played, Result, Schedule
from tournaments.core.meetings import Round, circle, triples
from tournaments.core.options import Matches
from tournaments.core.round_robin import RoundRobin
from tournaments.core.state import Match, Tournament
from tournaments.core.table_search import find_round
from tournaments.core.three_seats import ThreeSeatElimination

GROUP_STAGE = "groups"
ROUNDS_OF_A_GROUP = 7


def field_of(state: Tournament) -> Group:
    """Players by seed, the best first."""
    return tuple(sorted(state.seeds, key=state.seeds.__getitem__))


def played_of(state: Tournament) -> Played:
    """Results that pairings follow from, and who plays no further match."""
    results = {
        match.match: Result(chips_of(match), frozenset(match.absent))
        for match in state.matches.values()
        if match.is_over
    }
    return Played(results, tuple(state.withdrawn))


def chips_of(match: Match) -> dict[str, int]:
    """Net chips of those who came to a match that is over."""
    if match.chips is not None:
        return dict(match.chips)
    return {} if match.winner is None else {match.winner: 0}


def schedule_of(state: Tournament, seed: bytes) -> Schedule:
    """The schedule of the seeded field; `seed` is that of the lot."""
    settings, field = state.of_matches, field_of(state)
    match settings.format:
        case "round_robin":
            return RoundRobin(field, _all_meet(len(field), settings))
        case "groups_finals":
            return _groups(state, settings, field, seed)
        case form:
            return _elimination(form, settings, field)


def _elimination(form: str, settings: Matches, field: Group) -> Schedule:
    best_of = settings.best_of or 1
    if form == "double_elimination":
        return DoubleElimination(field, best_of)
    if settings.seats == 3:
        return ThreeSeatElimination(field)
    third = settings.third_place_match is not False
    return SingleElimination(field, best_of, third)


def _groups(state: Tournament, settings: Matches, field: Group, seed: bytes) -> GroupsFinals:
    # A group of one would have nobody to meet.
    count = max(1, min(settings.groups or 1, len(field) // 2))
    groups = tuple(
        _group(tuple(field[rank - 1] for rank in ranks), f"G{number}.", settings)
        for number, ranks in enumerate(snake(len(field), count), start=1)
    )
    frozen = [one for one in state.frozen if one.stage == GROUP_STAGE]
    return GroupsFinals(
        groups=groups,
        advance=settings.advance or 1,
        wildcards=settings.wildcards or 0,
        lot=tuple(lot.order(seed, "tie", field)),
        finals=_finals(settings),
        frozen=tuple(one.player for part in frozen for one in part.order) if frozen else None,
    )


def _group(field: Group, prefix: str, settings: Matches) -> RoundRobin:
    return RoundRobin(field, _all_meet(len(field), settings), prefix)


def _finals(settings: Matches) -> Callable[[Group], Schedule]:
    if settings.finals == "freezeout":
        return FinalTable
    return partial(_elimination, settings.finals or "single_elimination", settings)


def _all_meet(players: int, settings: Matches) -> tuple[Round, ...]:
    """Rounds of a round robin: at two seats each meets each, at three as many as are wanted."""
    if settings.seats == 2:
        return circle(players)
    return _triples(players, settings.rounds or ROUNDS_OF_A_GROUP)


@lru_cache(maxsize=64)
def _triples(players: int, rounds: int) -> tuple[Round, ...]:
    """The same for the same numbers, and long to find."""
    return triples(players, rounds, find_round)
