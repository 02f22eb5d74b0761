"""Pairs of one hand: as it is, and with the cards elsewhere that one viewer may not know.

What the viewer is served of both is equal, and so is what the log holds of them.
"""

import contextlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import msgspec

from eventstore.core.refusal import InvariantBroken
from games.rules.selfplay import SeededNumbers, pick
from tonk_site.proving.cards.random_hands import below, dealt, random_overrides, repaired
from tonk_site.proving.checks import Found
from tonk_site.proving.differing import Differs, breach, same
from tonk_site.proving.silence.moments import (
    MOVES_MAX,
    Unreachable,
    facts_of,
    moment_of,
    other_deck,
    random_acts,
    redealt,
    served,
    viewers,
)

CHECK = "no-leak"
RERUN = "manage.py prove no-leak --seed {}"


def pairs(seed: str, numbers: range) -> Found:
    """The pairs of these numbers."""
    found = Found()
    for number in numbers:
        try:
            found.add(compare(f"{seed}/{number}"))
        except (Differs, InvariantBroken, LookupError, TypeError, ValueError) as error:
            found.breaches.append(
                replace(breach(error, CHECK, seed, number), rerun=RERUN.format(seed))
            )
        found.done["pairs_pure"] += 1
    return found


def compare(pair_seed: str) -> Found:
    """One viewer of one random hand; counts what was equal. Raises: Differs."""
    rng = SeededNumbers(pair_seed)
    seats = 2 + below(rng, 5)
    options = repaired(random_overrides(rng), seats)
    first = dealt(rng, options, seats)
    acts = random_acts(first, rng, below(rng, MOVES_MAX + 1))
    moment = moment_of(first, options, acts)
    viewer = pick(rng, viewers(moment))
    other = other_deck(moment, viewer, rng)
    found = Found()
    for name, size in _equal(served(moment, viewer, moment.deck), served(moment, viewer, other)):
        found.done["bytes"] += size
        found.seen.setdefault("compared", Counter())[name] += 1
    with contextlib.suppress(Unreachable):
        logged, differing = facts_of(first, acts), facts_of(redealt(first, other), acts)
        same("log differs", msgspec.json.encode(logged), msgspec.json.encode(differing))
        found.done["logs"] += 1
    return found


def _equal(
    ours: Iterator[tuple[str, bytes]], others: Iterator[tuple[str, bytes]]
) -> Iterator[tuple[str, int]]:
    """Name and bytes of each thing that is served. Raises: Differs."""
    for (name, expected), (other, got) in zip(ours, others, strict=True):
        if (name, expected) != (other, got):
            raise Differs(f"{name} differs", expected=expected, got=got)
        yield name, len(expected)
