"""Cases of schedules: brackets, round robin, groups, arena, no-shows."""

from collections.abc import Mapping
from fractions import Fraction

from tournaments.cases.forms import Case, Form, Outcome, form
from tournaments.core import arena, groups, meetings, no_shows, three_seats
from tournaments.core.brackets import first_pairs
from tournaments.core.double_elimination import DoubleElimination
from tournaments.core.duels import Slot
from tournaments.core.matches import NOTHING_PLAYED, Played, Ready, Result
from tournaments.core.round_robin import Row
from tournaments.core.swiss.rounds import rounds_cap


def _brackets(case: Case) -> Outcome:
    players = case["n"]
    pairs = first_pairs(players)
    byes = sorted(one for one, other in pairs if other > players)
    got = {"byes": byes, "first_round": [[*pair] for pair in pairs if max(pair) <= players]}
    return got, case["expect"]


def _three_seat_first_round(case: Case) -> Outcome:
    tables = dict(enumerate(map(list, three_seats.tables(case["n"])), start=1))
    return {table: tables.get(table) for table in case["expect"]}, case["expect"]


def _three_seat_rounds(case: Case) -> Outcome:
    players, sizes = case["n"], []
    while players > 1:
        tables = three_seats.tables(players)
        sizes.append(sorted(map(len, tables)))
        players = len(tables)
    return sizes, case["expect_rounds"]


def _double_elimination(case: Case) -> Outcome:
    schedule = DoubleElimination(tuple(str(seed) for seed in range(1, case["n"] + 1)))
    played = NOTHING_PLAYED
    while ready := schedule.progress(played).ready:
        results = {match.key: _result(match, case) for match in ready}
        played = Played({**played.results, **results})
    losers: dict[int, list[list[int | None]]] = {}
    for key, duel in schedule.duels(played).items():
        if key.startswith("L"):
            round_no = int(key[1:].partition(".")[0])
            losers.setdefault(round_no, []).append([_seed(slot) for slot in duel.slots])
    got = {
        "losers": losers,
        "places": [sorted(map(int, group)) for group in schedule.progress(played).groups],
        "matches": sum(not result.absent for result in played.results.values()),
    }
    return got, case["expect"]


def _result(match: Ready, case: Case) -> Result:
    if match.key in case.get("double_no_shows", ()):
        return Result({}, absent=frozenset(match.players))
    worse_wins = match.key in case["upsets"]
    winner = sorted(match.players, key=int)[worse_wins]
    return Result({player: 1 if player == winner else -1 for player in match.players})


def _seed(slot: Slot) -> int | None:
    return int(slot[0]) if slot else None


def _each_pair(case: Case) -> Outcome:
    matrix = meetings.meetings(case["rounds"], case["n"])
    return list(meetings.span(matrix)), [case["each_pair"]] * 2


def _max_rounds(case: Case) -> Outcome:
    return {n: rounds_cap(n, 3) for n in case["max_rounds"]}, case["max_rounds"]


def _circle(case: Case) -> Outcome:
    players = case["circle"]
    rounds = meetings.circle(players)
    return {"rounds": rounds, "byes": meetings.byes(rounds, players)}, case["expect"]


def _group_cuts(case: Case) -> Outcome:
    contests = [
        groups.Candidates(
            {
                player: Row(group["matches"], points, Fraction(sonneborn), net_chips, firsts)
                for player, (points, sonneborn, net_chips, firsts) in group["rows"].items()
            },
            tuple(map(tuple, group["direct"])),
        )
        for group in case["groups"].values()
    ]
    found = groups.cut(
        contests, advance=case["advance"], wildcards=case["wildcards"], lot=case["lot"]
    )
    got = {
        "advance": dict(zip(case["groups"], found.advance, strict=True)),
        "wildcards": found.wildcards,
        "by_lot": found.by_lot,
    }
    return got, case["expect"]


def _arena(case: Case) -> Outcome:
    points = {"W": 120, "M": 60, "L": 0}
    matches = [arena.MatchScore(points[one], sole_win=one == "W") for one in case["results"]]
    return arena.scores(matches), case["expect"]


def _no_shows(case: Case) -> Outcome:
    events = case["events"]
    counts = [no_shows.count_no_shows(events[:end]) for end in range(1, len(events) + 1)]
    return [no_shows.ban_hours(count) for count in counts], case["expect_hours"]


SECTIONS: Mapping[str, tuple[Form, ...]] = {
    "brackets": (form(_brackets, "n expect"),),
    "three_seat_elimination": (
        form(_three_seat_first_round, "n expect"),
        form(_three_seat_rounds, "n expect_rounds"),
    ),
    "double_elimination": (form(_double_elimination, "n upsets expect", "double_no_shows"),),
    "round_robin": (
        form(_each_pair, "rounds n each_pair"),
        form(_max_rounds, "max_rounds"),
        form(_circle, "circle expect"),
    ),
    "group_cuts": (form(_group_cuts, "advance wildcards lot groups expect"),),
    "arena": (form(_arena, "results expect"),),
    "no_shows": (form(_no_shows, "events expect_hours"),),
}
