"""The rounds of a Swiss tournament: its standings, and who meets in the next one (section 9)."""

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from tournaments.core.attendance import WIN_POINTS, Without, present
from tournaments.core.busts import Place
from tournaments.core.results import Match, Missed
from tournaments.core.standings import Standings
from tournaments.core.state import AwardKind, Tournament
from tournaments.core.state import Match as Meeting
from tournaments.core.swiss.field import Field
from tournaments.core.swiss.meetings import Meetings

_WHY: Mapping[AwardKind, Without] = MappingProxyType(
    {"bye": Without.BYE, "half_bye": Without.HALF_BYE, "absent": Without.ABSENT}
)


def standings(state: Tournament) -> Standings:
    """The standings after the rounds that are over; whoever has entered is in them."""
    entered = Standings().entered(entry.player for entry in state.contenders())
    results = [one for number in _rounds_over(state) for one in _results(state, number)]
    return entered.after(results)


def places(state: Tournament) -> dict[str, Place]:
    """The places of all, as it stands."""
    return {rank.player: (rank.best, rank.worst) for rank in standings(state).ranks()}


def rounds_of(state: Tournament) -> int:
    """Rounds that are played."""
    return state.rounds_planned or state.of_matches.rounds or 0


def is_over(state: Tournament) -> bool:
    """Whether no round is left, or nobody is left to meet."""
    number = len(state.rounds) + 1
    return number > rounds_of(state) or len(_present(state, number)) < 2


def field_of(state: Tournament, seed: bytes, number: int) -> Field:
    """Those who play in a round, in rank order, with all that a pairing looks at."""
    now = standings(state)
    order = _by_seed(state) if number == 1 else now.pairing_order(seed, number)
    short, firsts, met = _seats_so_far(state)
    there = _present(state, number)
    return Field(
        round=number,
        seats=state.of_matches.seats,
        seed=seed,
        act=state.seat_draws + 1,
        players=tuple(player for player in order if player in there),
        points={rank.player: rank.points for rank in now.ranks()},
        met=met,
        byes=Counter(player for (player, _), one in state.awards.items() if one.kind == "bye"),
        shorts=short,
        firsts=firsts,
        groups=state.rulings.groups,
        forbidden=state.rulings.forbidden,
    )


def _present(state: Tournament, number: int) -> frozenset[str]:
    half_byes, absent = away(state, number)
    players = [entry.player for entry in state.contenders()]
    found = present(players, withdrawn=state.withdrawn, half_byes=half_byes, absent=absent)
    return frozenset(found)


def away(state: Tournament, number: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Who has a half bye in a round, and who has said that he is absent."""
    return _awarded(state, number, "half_bye"), _awarded(state, number, "absent")


def _by_seed(state: Tournament) -> list[str]:
    """Seeded players by seed, then those who came later, in the order of payment."""
    last = len(state.seeds) + 1
    players = [entry.player for entry in state.contenders()]
    return sorted(players, key=lambda player: state.seeds.get(player, last))


def _awarded(state: Tournament, number: int, kind: AwardKind) -> tuple[str, ...]:
    return tuple(
        player
        for (player, one), award in state.awards.items()
        if one == number and award.kind == kind
    )


def _rounds_over(state: Tournament) -> range:
    """Rounds whose matches are all over; the last one may be under way."""
    runs = any(not match.is_over for match in state.matches.values())
    return range(1, len(state.rounds) + 1 - runs)


def _results(state: Tournament, number: int) -> Iterator[Match | Missed]:
    """What became of everybody in a round."""
    seen: set[str] = set()
    for match in state.matches.values():
        if match.round == number:
            yield from _of_match(match)
            seen.update(match.players)
    for entry in state.contenders():
        player = entry.player
        award = state.awards.get((player, number))
        if player in seen:
            continue
        if award is not None:
            yield Missed(number, player, _WHY[award.kind], award.points)
        elif number > state.withdrawn.get(player, number):
            yield Missed(number, player, Without.WITHDRAWN, 0)
        else:
            yield Missed(number, player, Without.LATE, 0)


def _of_match(match: Meeting) -> Iterator[Match | Missed]:
    for player in match.absent:
        yield Missed(match.round, player, Without.ABSENT, 0)
    if match.winner is not None:
        yield Missed(match.round, match.winner, Without.WALKOVER, WIN_POINTS)
        return
    chips = match.corrected or match.chips
    if chips:
        yield Match(match.round, chips)


def _seats_so_far(state: Tournament) -> tuple[Counter[str], Counter[str], Meetings]:
    """Rounds at short tables, first deals, and who has met whom."""
    short, firsts, met = Counter[str](), Counter[str](), Meetings()
    for number in _rounds_over(state):
        matches = [match for match in state.matches.values() if match.round == number]
        fullest = max((len(match.players) for match in matches), default=0)
        for match in matches:
            firsts[match.players[0]] += 1
            if len(match.players) < fullest:
                short.update(match.players)
        met = met.after([one for match in matches if len(one := _who_met(match)) > 1])
    return short, firsts, met


def _who_met(match: Meeting) -> tuple[str, ...]:
    return tuple(player for player in match.players if player not in match.absent)
