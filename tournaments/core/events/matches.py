"""Facts of formats that are played in matches: rounds, pairings, results."""

from tournaments.core.events.base import Event, NetOfPlayer, Part


class PairedTable(Event, frozen=True, kw_only=True):
    """Who meets at one table of a round."""

    number: int
    players: tuple[str, ...]


class RoundPaired(Part, frozen=True, kw_only=True):
    """The tables of a round, and how they were found."""

    round: int
    tables: tuple[PairedTable, ...]
    bye: str | None
    half_byes: tuple[str, ...]
    absent: tuple[str, ...]
    cost: tuple[int, ...]
    rematches: tuple[tuple[str, str], ...]
    algorithm: str
    input_hash: str | None


class MatchStarted(Event, frozen=True, kw_only=True):
    """A match of so many hands begins at a table."""

    match: str
    round: int
    table: str
    players: tuple[str, ...]
    hands: int


class PointsOfPlayer(Event, frozen=True, kw_only=True):
    """A player's points of a match."""

    player: str
    points: int


class MatchReported(Event, frozen=True, kw_only=True):
    """A match is final."""

    match: str
    chips: tuple[NetOfPlayer, ...]
    points: tuple[PointsOfPlayer, ...]
    hands: int


class TieHandsAdded(Event, frozen=True, kw_only=True):
    """A tied match goes on for some hands."""

    match: str
    hands: int
    repeat: int


class ByeAwarded(Event, frozen=True, kw_only=True):
    """A round without opponents."""

    player: str
    round: int
    points: int


class HalfByeGranted(Event, frozen=True, kw_only=True):
    """A round without opponents on the player's own request."""

    player: str
    round: int
    points: int


class AbsenceRecorded(Event, frozen=True, kw_only=True):
    """A round missed without notice."""

    player: str
    round: int
    points: int


class WalkoverAwarded(Event, frozen=True, kw_only=True):
    """A match decided because players were absent."""

    match: str
    winner: str | None
    absent: tuple[str, ...]
