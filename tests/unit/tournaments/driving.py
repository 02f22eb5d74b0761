"""Plays any schedule to its end with results, absences and withdrawals from one generator."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from hypothesis import settings
from hypothesis import strategies as st

from tournaments.core.busts import cover_all
from tournaments.core.matches import NOTHING_PLAYED, Played, Progress, Ready, Result, Schedule

STEPS_MAX = 2_000

# A whole event is long: a third of the examples that the profile says.
not_so_often = settings(max_examples=settings().max_examples // 3)

generators = st.integers(0, 2**32).map(Random)


def names(count: int) -> tuple[str, ...]:
    """Players of a field, the best seed first."""
    return tuple(f"p{seed}" for seed in range(1, count + 1))


def drive(
    schedule: Schedule, field: Sequence[str], random: Random, *, trouble: bool = True
) -> tuple[Played, Progress]:
    """All that was played, and the end; every step on the way is checked."""
    played, before = NOTHING_PLAYED, Progress((), {}, is_over=False)
    for _ in range(STEPS_MAX):
        progress = schedule.progress(played)
        check(progress, played, before)
        if progress.is_over:
            assert set(progress.places) == set(field)
            assert cover_all(list(progress.places.values()))
            return played, progress
        before = progress
        if trouble and random.random() < 0.2:
            played = withdraw(played, random.choice(field))
        else:
            played = play_some(progress, played, random, trouble=trouble)
    raise AssertionError("it does not end")


def check(progress: Progress, played: Played, before: Progress) -> None:
    """Nobody sits twice, nothing settled is undone, and there is something to do until the end."""
    seated = [player for match in progress.ready for player in match.players]
    assert len(set(seated)) == len(seated)
    assert not set(seated) & set(played.withdrawn)
    assert all(len(match.players) > 1 for match in progress.ready)
    assert not {match.key for match in progress.ready} & set(played.results)
    assert before.places.items() <= progress.places.items()
    assert progress.is_over == (not progress.ready)


def play_some(progress: Progress, played: Played, random: Random, *, trouble: bool) -> Played:
    """Half of the matches that are ready or more; absent pairs sometimes withdraw as well."""
    ready = progress.ready
    results = dict(played.results)
    for match in random.sample(ready, random.randint(-(-len(ready) // 2), len(ready))):
        results[match.key] = play(match, random, absent_odds=0.15 if trouble else 0)
        if not results[match.key].chips and random.random() < 0.5:
            for player in match.players:
                played = withdraw(played, player)
    return replace(played, results=results)


def withdraw(played: Played, player: str) -> Played:
    if player in played.withdrawn:
        return played
    return replace(played, withdrawn=(*played.withdrawn, player))


def play(match: Ready, random: Random, *, absent_odds: float = 0) -> Result:
    """Chips that sum to 0, small enough to tie now and then; who comes alone has 0."""
    absent = frozenset(one for one in match.players if random.random() < absent_odds)
    came = [one for one in match.players if one not in absent]
    nets = [random.randint(-3, 3) for _ in came[1:]]
    return Result(dict(zip(came, [-sum(nets), *nets], strict=False)), absent)


def won(*order: str) -> Result:
    """A result in this finishing order."""
    return Result({player: -place for place, player in enumerate(order)})


def by_seed(match: Ready, *, best_first: bool) -> list[str]:
    """The players of a match in order of their names."""
    return sorted(match.players, key=lambda one: int(one[1:]), reverse=not best_first)
