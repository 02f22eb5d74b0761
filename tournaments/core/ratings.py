"""Ratings of players (`tournaments.md` section 12): Plackett-Luce by Weng and Lin.

The formulas are algorithm 4 of "A Bayesian Approximation Method for Online Ranking" (JMLR 12,
2011) for teams of one, with the constants of openskill 6.2.0 `PlackettLuce`. A rating is kept in
whole millionths after each update, so that whoever folds the matches again gets the same numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import exp, sqrt

MICRO = 1_000_000
PROVISIONAL_MATCHES = 10

_BETA_SQUARED = (25 / 6) ** 2  # luck of one match
_TAU_SQUARED = (25 / 300) ** 2  # a rating never becomes quite certain
_SHRINK_MIN = 0.0001


class Pool(Enum):
    """Ratings that are kept apart, since the games differ."""

    TWO_SEATS = "two_seats"
    THREE_SEATS = "three_seats"
    FOUR_AND_MORE = "four_and_more"


@dataclass(frozen=True, slots=True)
class Rating:
    """What is believed of a player's skill: the mean and how sure it is, in millionths."""

    mu_micro: int = 25 * MICRO
    sigma_micro: int = 8_333_333

    @property
    def shown(self) -> int:
        """The number that people see: low as long as little is known.

        >>> Rating().shown, Rating(27_869_049, 8_205_243).shown
        (1000, 1130)
        """
        return 1000 + round(Fraction(40 * (self.mu_micro - 3 * self.sigma_micro), MICRO))


def pool_of(seats: int) -> Pool:
    """The pool of tables with so many seats.

    >>> pool_of(5)
    <Pool.FOUR_AND_MORE: 'four_and_more'>
    """
    return {2: Pool.TWO_SEATS, 3: Pool.THREE_SEATS}.get(seats, Pool.FOUR_AND_MORE)


def is_provisional(matches: int) -> bool:
    """Whether a rating after so many matches is shown with a question mark."""
    return matches < PROVISIONAL_MATCHES


def ranks_of(chips: Mapping[str, int]) -> dict[str, int]:
    """Ranks of a match by its chips, equal chips the same rank.

    >>> ranks_of({"a": -3, "b": 6, "c": -3})
    {'a': 2, 'b': 1, 'c': 2}
    """
    return {
        player: 1 + sum(other > own for other in chips.values()) for player, own in chips.items()
    }


def updated(ratings: Sequence[Rating], ranks: Sequence[int]) -> list[Rating]:
    """Ratings after a match that ended with these ranks (1 is best), in the same order.

    >>> updated([Rating(), Rating()], [1, 2])[0]
    Rating(mu_micro=27635389, sigma_micro=8065901)
    """
    means = [rating.mu_micro / MICRO for rating in ratings]
    variances = [(rating.sigma_micro / MICRO) ** 2 + _TAU_SQUARED for rating in ratings]
    noise = sqrt(sum(variances) + len(ratings) * _BETA_SQUARED)
    strengths = [exp(mean / noise) for mean in means]
    players = range(len(ratings))
    # Everybody is chosen for his rank from among those who were not better, ties share the choice.
    among = [sum(strengths[o] for o in players if ranks[o] >= ranks[one]) for one in players]
    ties = [ranks.count(rank) for rank in ranks]
    found = []
    for one in players:
        shift = 1 / ties[one]
        doubt = 0.0
        for other in players:
            if ranks[other] <= ranks[one]:
                chance = strengths[one] / among[other]
                shift -= chance / ties[other]
                doubt += chance * (1 - chance) / ties[other]
        part = variances[one] / noise
        mean = means[one] + part * shift
        shrink = 1 - part / noise * doubt * sqrt(variances[one]) / noise
        sigma = sqrt(variances[one] * max(shrink, _SHRINK_MIN))
        found.append(Rating(round(mean * MICRO), round(sigma * MICRO)))
    return found
