"""What a round is paired from, and what comes out of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import msgspec

from eventstore.core.refusal import InvariantBroken
from tournaments.core.swiss.meetings import Meetings

Table = tuple[int, ...]
"""Ranks (0.. from the top of the field) of those at a table, rising."""

_canonical = msgspec.json.Encoder(order="sorted").encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Those who are present, in rank order (9.4, then lot `round/<r>`), and what they bring along.

    Whoever is missing from a mapping has 0 there.
    """

    round: int
    seats: int
    seed: bytes
    act: int  # the seating act of this round, of the lot `seat/<act>`
    players: tuple[str, ...]
    points: Mapping[str, int] = field(default_factory=dict)
    met: Meetings = field(default_factory=Meetings)
    byes: Mapping[str, int] = field(default_factory=dict)
    shorts: Mapping[str, int] = field(default_factory=dict)  # rounds at a short table
    firsts: Mapping[str, int] = field(default_factory=dict)  # matches in which he dealt first
    groups: tuple[tuple[str, ...], ...] = ()  # declared by the director, or of linked accounts
    forbidden: tuple[tuple[str, ...], ...] = ()  # no two of one list at a table


@dataclass(frozen=True, slots=True)
class Pairing:
    """Tables by rank of their best player, everybody at a table by rank.

    `cost`: pairs that have met, pairs of a declared group, squared spreads of points, squared
    numbers of short tables, squared numbers of first deals; the last only where it was weighed.
    """

    tables: tuple[tuple[str, ...], ...]
    bye: str | None
    short: frozenset[str]
    cost: tuple[int, ...]
    rematches: tuple[tuple[str, str], ...]
    forbidden: tuple[tuple[str, str], ...]
    algorithm: str
    input_hash: str


@dataclass(frozen=True, slots=True)
class Ranked:
    """A field with ranks in place of names."""

    field: Field
    index: Mapping[str, int]
    points: list[int]
    byes: list[int]
    shorts: list[int]
    firsts: list[int]
    groups: list[list[int]]
    forbidden: list[list[int]]

    @property
    def count(self) -> int:
        """Players present."""
        return len(self.points)

    def input_bytes(self, algorithm: str) -> bytes:
        """All that a pairing depends on beside the seed, so that a stranger can repeat it.

        The bytes are those of `canonical.encode`, whose look at each of so many plain values would
        take longer than the search.
        """
        document = {
            "algorithm": algorithm,
            "round": self.field.round,
            "seats": self.field.seats,
            "act": self.field.act,
            "players": self.field.players,
            "met": self.field.met.digest,
            "points": self.points,
            "byes": self.byes,
            "shorts": self.shorts,
            "firsts": self.firsts,
            "groups": self.groups,
            "forbidden": self.forbidden,
        }
        return _canonical(document)


def ranked(given: Field) -> Ranked:
    """Raises: InvariantBroken for a name twice, or points that rise down the ranks."""
    index = {name: rank for rank, name in enumerate(given.players)}
    points = _counts(given, given.points)
    if len(index) < len(points) or points != sorted(points, reverse=True):
        raise InvariantBroken(f"round {given.round}: the field is not in rank order")
    return Ranked(
        field=given,
        index=index,
        points=points,
        byes=_counts(given, given.byes),
        shorts=_counts(given, given.shorts),
        firsts=_counts(given, given.firsts),
        groups=[_ranks(group, index) for group in given.groups],
        forbidden=[_ranks(pair, index) for pair in given.forbidden],
    )


def _counts(given: Field, counts: Mapping[str, int]) -> list[int]:
    return [counts.get(name, 0) for name in given.players]


def _ranks(names: Iterable[str], index: Mapping[str, int]) -> list[int]:
    return sorted([index[name] for name in names if name in index])
