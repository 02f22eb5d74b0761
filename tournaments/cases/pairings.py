"""Cases of Swiss tournaments: pairing, standings, attendance; and of ratings."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import chain
from types import MappingProxyType

from tournaments.cases.forms import Case, Form, Outcome, form
from tournaments.core import attendance
from tournaments.core.attendance import Record, Without
from tournaments.core.matches import match_points
from tournaments.core.ratings import MICRO, Rating, updated
from tournaments.core.results import Match, Missed
from tournaments.core.standings import Rank, Standings
from tournaments.core.swiss.field import Field, Pairing
from tournaments.core.swiss.meetings import Meetings
from tournaments.core.swiss.pairing import pair_round

_RECORDS: Mapping[str, Record] = MappingProxyType(
    {
        "W": 120,
        "M": 60,
        "L": 0,
        "B": Without.BYE,
        "H": Without.HALF_BYE,
        "A": Without.ABSENT,
        "-": Without.LATE,
        "_": Without.WITHDRAWN,
    }
)


def _swiss_points(case: Case) -> Outcome:
    return match_points(case["chips"]), case["expect"]


def _pairing(case: Case) -> Pairing:
    points: Mapping[str, int] = case["points"]
    return pair_round(
        Field(
            round=2,
            seats=case["seats"],
            seed=bytes(32),
            act=2,
            players=tuple(points),
            points=points,
            met=Meetings().after(case.get("met", [])),
            byes=dict.fromkeys(case.get("byes_had", []), 1),
            shorts=dict.fromkeys(case.get("short_had", []), 1),
        )
    )


def _swiss_tables(case: Case) -> Outcome:
    pairing, expected = _pairing(case), case["expect"]
    got = {"tables": _as_sets(pairing.tables), "rematches": pairing.cost[0]}
    tables = got["tables"] if expected is None else _as_sets(expected)
    return got, {"tables": tables, "rematches": case["rematches"]}


def _swiss_bye(case: Case) -> Outcome:
    return _pairing(case).bye, case["expect_bye"]


def _swiss_short(case: Case) -> Outcome:
    return sorted(_pairing(case).short), sorted(case["expect_short"])


def _fold_round_one(case: Case) -> Outcome:
    names = tuple(str(seed) for seed in range(1, case["n"] + 1))
    field = Field(round=1, seats=case["seats"], seed=bytes(32), act=1, players=names)
    tables = [[int(name) for name in table] for table in pair_round(field).tables]
    return _as_sets(tables), _as_sets(case["expect"])


def _as_sets(tables: Iterable[Iterable[str | int]]) -> list[list[str | int]]:
    return sorted(sorted(table, key=str) for table in tables)


def _tie_breaks(case: Case) -> Outcome:
    byes: Mapping[str, list[int]] = case.get("byes", {})
    names = {*chain.from_iterable(chain.from_iterable(case["rounds"])), *byes}
    standings = Standings().entered(sorted(names))
    for number, tables in enumerate(case["rounds"], start=1):
        out = [player for player, rounds in byes.items() if number in rounds]
        missed = [Missed(number, player, Without.BYE, 120) for player in out]
        standings = standings.after([*(Match(number, _chips(one)) for one in tables), *missed])
    got = _shown(standings.ranks())
    return {key: got.get(key) for key in case["expect"]}, case["expect"]


def _chips(finishing: list[str]) -> dict[str, int]:
    """Chips that give this order, and sum to 0."""
    last = len(finishing) - 1
    return {player: last - 2 * place for place, player in enumerate(finishing)}


def _shown(ranks: list[Rank]) -> dict[str, object]:
    return {
        "points": {rank.player: rank.points for rank in ranks},
        "buchholz": {rank.player: _plain(rank.buchholz) for rank in ranks},
        "sonneborn": {rank.player: _plain(rank.sonneborn) for rank in ranks},
        "ranking": [rank.player for rank in ranks],
    }


def _plain(value: Fraction) -> int | str:
    return value.numerator if value.denominator == 1 else str(value)


def _late_registration(case: Case) -> Outcome:
    missed = case["joined_before_round"] - 1
    records: list[Record] = [Without.LATE] * missed + [120] * case["wins"]
    records += [0] * (case["rounds"] - len(records))
    return sum(attendance.round_points(records)), case["expect_points"]


def _attendance(case: Case) -> Outcome:
    records = {
        player: [_RECORDS[letter] for letter in letters]
        for player, letters in case["records"].items()
    }
    points = {player: attendance.round_points(own) for player, own in records.items()}
    withdrawn = {player: attendance.withdrawn_after(own) for player, own in records.items()}
    got = {
        "points": points,
        "totals": {player: sum(own) for player, own in points.items()},
        "withdrawn_after": {player: after for player, after in withdrawn.items() if after},
    }
    return got, case["expect"]


def _half_byes(case: Case) -> Outcome:
    used, answers = set(case.get("late", [])), []
    for player, number in case["requests"]:
        refusal = attendance.half_bye(number, case["rounds"], used=player in used)
        answers.append(refusal.code if refusal else "ok")
        if not refusal:
            used.add(player)
    return {"answers": answers}, case["expect"]


def _ratings(case: Case) -> Outcome:
    found = updated([Rating() for _ in case["ranks"]], case["ranks"])
    got = [[one.mu_micro / MICRO for one in found], [one.sigma_micro / MICRO for one in found]]
    return got, [case["expect_mu"], case["expect_sigma"]]


SECTIONS: Mapping[str, tuple[Form, ...]] = {
    "swiss_points": (form(_swiss_points, "chips expect"),),
    "swiss_pairings": (
        form(_swiss_tables, "seats points met expect rematches"),
        form(_swiss_bye, "seats points byes_had expect_bye"),
        form(_swiss_short, "seats points short_had expect_short"),
    ),
    "fold_round_one": (form(_fold_round_one, "n seats expect"),),
    "tie_breaks": (form(_tie_breaks, "rounds expect", "byes"),),
    "late_registration": (
        form(_late_registration, "joined_before_round wins rounds expect_points"),
    ),
    "swiss_attendance": (
        form(_attendance, "rounds records expect"),
        form(_half_byes, "rounds requests expect", "late"),
    ),
    "ratings": (form(_ratings, "ranks expect_mu expect_sigma"),),
}
