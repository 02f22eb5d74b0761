"""Double elimination against a plain simulation that walks the page's table, and its ends."""

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tournaments.driving import drive, generators, names, not_so_often, play, won
from tournaments.core.brackets import order
from tournaments.core.double_elimination import DoubleElimination
from tournaments.core.matches import NOTHING_PLAYED, Played, Ready, Result

Slot = str | None
Meet = Callable[[str, str, str], tuple[Slot, Slot]]
fields = st.integers(2, 64)


class Twin:
    """The rounds of 2.9 one after another, with lists; a pair that is absent is out at once."""

    def __init__(self, field: Sequence[str], meet: Meet) -> None:
        self.meet = meet
        self.gone: dict[int, list[str]] = {}
        self.lower: dict[int, list[tuple[Slot, Slot]]] = {}
        size = 1
        while size < len(field):
            size *= 2
        entrants: list[Slot] = [field[s - 1] if s <= len(field) else None for s in order(size)]
        self.rounds = size.bit_length() - 1
        dropped = {}
        for number in range(1, self.rounds + 1):
            below = 1 if number == 1 else 2 * number - 2
            entrants, dropped[number] = self.round(f"W{number}", entrants, below)
        low = self.play_lower(dropped)
        self.top = self.finals(entrants[0], low)

    def round(self, name: str, entrants: list[Slot], below: int) -> tuple[list[Slot], list[Slot]]:
        winners, losers = [], []
        for i in range(len(entrants) // 2):
            one, other = entrants[2 * i], entrants[2 * i + 1]
            winner, loser = self.match(f"{name}.{i + 1}", one, other, below)
            winners.append(winner)
            losers.append(loser)
        return winners, losers

    def match(self, key: str, one: Slot, other: Slot, below: int) -> tuple[Slot, Slot]:
        if one is None or other is None:
            return one or other, None
        winner, loser = self.meet(key, one, other)
        if winner is None:
            self.gone.setdefault(below, []).extend([one, other])
        return winner, loser

    def play_lower(self, dropped: dict[int, list[Slot]]) -> Slot:
        left = dropped[1]
        for number in range(1, 2 * self.rounds - 1):
            if number % 2 == 0:
                above, j = dropped[number // 2 + 1], number // 2
                m = len(above)
                mixed: list[Slot] = []
                for i in range(1, m + 1):
                    x = m + 1 - i if j % 2 else (i - 1 + m // 2) % m + 1
                    mixed += [left[i - 1], above[x - 1]]
                left = mixed
            self.lower[number] = list(zip(left[::2], left[1::2], strict=True))
            left, losers = self.round(f"L{number}", left, number)
            self.gone.setdefault(number, []).extend(one for one in losers if one)
        return left[0]

    def finals(self, above: Slot, below: Slot) -> list[list[Slot]]:
        if above is None or below is None:
            return [[above or below]]
        for key in ("GF", "GR"):
            winner, loser = self.meet(key, above, below)
            if winner is None:
                return [[above, below]]
            if winner == above or key == "GR":
                return [[winner], [loser]]
        raise AssertionError

    def places(self) -> list[list[str]]:
        groups: list[list[Slot]] = list(self.top)
        groups.extend([*self.gone[number]] for number in sorted(self.gone, reverse=True))
        named = [sorted(one for one in group if one) for group in groups]
        return [group for group in named if group]


@not_so_often
@given(fields, st.integers(0, 2**32), st.sampled_from([0.0, 0.3]))
def test_it_is_the_table_of_2_9(players: int, seed: int, absent_odds: float) -> None:
    field = names(players)

    def result(key: str, one: str, other: str) -> Result:
        pair = Ready(key, 1, tuple(sorted((one, other))))
        return play(pair, Random(f"{seed} {key}"), absent_odds=absent_odds)

    def meet(key: str, one: str, other: str) -> tuple[Slot, Slot]:
        chips = result(key, one, other).chips
        if not chips:
            return None, None
        best = min(chips, key=lambda player: (-chips[player], field.index(player)))
        return (one, other) if best == one else (other, one)

    schedule, played = DoubleElimination(field), NOTHING_PLAYED
    while ready := schedule.progress(played).ready:
        now = {match.key: result(match.key, *match.players) for match in ready}
        played = Played({**played.results, **now})
    expected = Twin(field, meet)
    assert [sorted(group) for group in schedule.progress(played).groups] == expected.places()
    duels = schedule.duels(played)
    for number, pairs in expected.lower.items():
        slots = [duels[f"L{number}.{i + 1}"].slots for i in range(len(pairs))]
        assert [tuple(slot[0] if slot else None for slot in pair) for pair in slots] == pairs


@not_so_often
@given(fields, generators, st.sampled_from([1, 3]))
def test_two_defeats_put_out(players: int, random: Random, best_of: int) -> None:
    field = names(players)
    schedule = DoubleElimination(field, best_of)
    played, progress = drive(schedule, field, random, trouble=False)
    duels = [duel for duel in schedule.duels(played).values() if duel.loser]
    lost = Counter(duel.loser[0] for duel in duels if duel.loser)
    (champion,) = progress.groups[0]
    second_final = any(duel.node.key == "GR" for duel in duels)
    assert {lost[player] for player in field if player != champion} == {2}
    assert len(duels) == 2 * players - 1 - (not second_final)
    assert lost[champion] == second_final


@not_so_often
@given(fields, generators, st.sampled_from([1, 3]))
def test_it_comes_to_its_end_whoever_leaves(players: int, random: Random, best_of: int) -> None:
    field = names(players)
    drive(DoubleElimination(field, best_of), field, random)


TWO = DoubleElimination(("a", "b"))
FOUR = DoubleElimination(("a", "b", "c", "d"))


def nobody(*players: str) -> Result:
    return Result({}, frozenset(players))


def test_of_two_the_loser_meets_the_winner_again() -> None:
    results = {"W1.1": won("a", "b")}
    assert [one.key for one in TWO.progress(Played(results)).ready] == ["GF"]
    assert TWO.progress(Played({**results, "GF": won("a", "b")})).groups == [["a"], ["b"]]
    lower = {**results, "GF": won("b", "a")}
    assert [one.key for one in TWO.progress(Played(lower)).ready] == ["GR"]
    assert TWO.progress(Played({**lower, "GR": won("b", "a")})).groups == [["b"], ["a"]]


def test_two_who_are_both_absent_share() -> None:
    assert TWO.progress(Played({"W1.1": nobody("a", "b")})).groups == [["a", "b"]]
    results = {"W1.1": won("a", "b"), "GF": nobody("a", "b")}
    assert TWO.progress(Played(results)).groups == [["a", "b"]]
    results |= {"GF": won("b", "a"), "GR": nobody("a", "b")}
    assert TWO.progress(Played(results)).groups == [["a", "b"]]


def test_both_absent_in_the_last_match_above_share_third_place() -> None:
    results = {
        "W1.1": won("a", "d"),
        "W1.2": won("b", "c"),
        "W2.1": nobody("a", "b"),
        "L1.1": won("c", "d"),
    }
    ended = FOUR.progress(Played(results))
    assert ended.is_over
    assert ended.groups == [["c"], ["a", "b"], ["d"]]


def test_both_absent_below_leave_the_final_to_the_upper_winner() -> None:
    results = {"W1.1": won("a", "d"), "W1.2": won("b", "c"), "W2.1": won("a", "b")}
    results |= {"L1.1": won("c", "d"), "L2.1": nobody("c", "b")}
    assert FOUR.progress(Played(results)).groups == [["a"], ["c", "b"], ["d"]]


def test_who_is_absent_above_drops_and_in_the_grand_final_gets_a_second_one() -> None:
    results = {"W1.1": Result({"d": 0}, frozenset({"a"})), "W1.2": won("b", "c")}
    keys = [(one.key, one.players) for one in FOUR.progress(Played(results)).ready]
    assert keys == [("W2.1", ("d", "b")), ("L1.1", ("a", "c"))]
    results |= {"W2.1": won("b", "d"), "L1.1": won("a", "c"), "L2.1": won("a", "d")}
    results |= {"GF": Result({"a": 0}, frozenset({"b"}))}
    assert [one.key for one in FOUR.progress(Played(results)).ready] == ["GR"]
    assert FOUR.progress(Played(results, ("b",))).groups == [["a"], ["b"], ["d"], ["c"]]


def test_who_withdraws_loses_above_and_below_at_once() -> None:
    assert [one.key for one in FOUR.progress(Played({}, ("a",))).ready] == ["W1.2"]
    ready = FOUR.progress(Played({"W1.2": won("b", "c")}, ("a",))).ready
    assert [(one.key, one.players) for one in ready] == [("W2.1", ("d", "b"))]
    assert FOUR.progress(Played({"W1.2": won("b", "c")}, ("a",))).places == {"a": (4, 4)}


def test_rounds_are_numbered_through() -> None:
    nodes = [duel.node for duel in DoubleElimination(names(8)).duels(NOTHING_PLAYED).values()]
    rounds = {node.key.partition(".")[0]: node.round for node in nodes}
    assert rounds == {
        "W1": 1, "W2": 2, "W3": 3, "L1": 4, "L2": 5, "L3": 6, "L4": 7, "GF": 8,
    }  # fmt: skip


def test_nobody_and_one() -> None:
    assert DoubleElimination(()).progress(NOTHING_PLAYED).is_over
    assert DoubleElimination(("a",)).progress(NOTHING_PLAYED).groups == [["a"]]
