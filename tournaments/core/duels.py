"""Matches of two whose winners, and sometimes losers, go on to other matches.

The parts that single and double elimination (`tournaments.md` 2.7 and 2.9) are made of.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tournaments.core.matches import Group, Played, Ready, Result

TIE_REPEATS_MAX = 5
"""How often a tied match gets further hands before the better seed advances."""

Slot = Group | None
"""Who comes into a match: one player, nobody (an empty slot), or None while that is open."""


@dataclass(frozen=True, slots=True)
class Exit:
    """A way out of the match `key`: its winner's, or its loser's."""

    key: str
    won: bool = True


Entrance = Exit | Group
"""Where a slot is filled from: another match, or the seeding (nobody for a bye)."""

Entrances = tuple[Entrance, Entrance]


@dataclass(frozen=True, slots=True)
class Node:
    """A match of the bracket. `drops`: its loser goes on to another match."""

    key: str
    round: int
    entrances: Entrances
    drops: bool = False


@dataclass(frozen=True, slots=True)
class Duel:
    """How a match of the bracket stands. Winner and loser are None while it is open.

    Both slots of a double no-show are empty afterwards; those two are out.
    """

    node: Node
    slots: tuple[Slot, Slot]
    winner: Slot = None
    loser: Slot = None
    both_absent: Group = ()
    ready: Ready | None = None

    @property
    def out(self) -> Slot:
        """Who is out by this match, or None while it is open."""
        if self.loser is None:
            return None
        return self.both_absent if self.node.drops else self.both_absent + self.loser


@dataclass(frozen=True, slots=True)
class Judge:
    """Decides matches by seed (1 is the best) and number of matches that make a tie."""

    seeds: Mapping[str, int]
    best_of: int
    played: Played

    def duels(self, nodes: Iterable[Node]) -> dict[str, Duel]:
        """All matches, each after those that its players come from."""
        duels: dict[str, Duel] = {}
        for node in nodes:
            first, second = (_slot(entrance, duels) for entrance in node.entrances)
            duels[node.key] = self.duel(node, (first, second))
        return duels

    def duel(self, node: Node, slots: tuple[Slot, Slot]) -> Duel:
        """One match. With an empty slot it is walked over."""
        if slots[0] is None or slots[1] is None:
            return Duel(node, slots)
        players = slots[0] + slots[1]
        if len(players) < 2:
            return Duel(node, slots, winner=players, loser=())
        return self._tie(node, slots, players)

    def _tie(self, node: Node, slots: tuple[Slot, Slot], players: Group) -> Duel:
        wins = dict.fromkeys(players, 0)
        key = _key(node, 1, self.best_of)
        while (result := self.played.result(key, players)) is not None:
            winner = self._winner(result)
            if winner is None:
                return Duel(node, slots, winner=(), loser=(), both_absent=players)
            wins[winner] += 1
            if 2 * wins[winner] > self.best_of:
                return _won(node, slots, (winner,))
            key = _key(node, sum(wins.values()) + 1, self.best_of)
        present = self.played.present(players)
        if len(present) == 1:
            return _won(node, slots, present)
        return Duel(node, slots, ready=Ready(key, node.round, present))

    def _winner(self, result: Result) -> str | None:
        chips = result.chips
        return max(chips, key=lambda one: (chips[one], -self.seeds[one]), default=None)


def matches_of(name: str, pairs: Iterable[Entrances], round_no: int, *, drops: bool) -> list[Node]:
    """The matches `<name>.1`, `<name>.2` and so on of one round."""
    return [
        Node(f"{name}.{number}", round_no, pair, drops)
        for number, pair in enumerate(pairs, start=1)
    ]


def winners_of(nodes: Sequence[Node]) -> list[Entrances]:
    """Pairs of a following round: the winners of matches 2i-1 and 2i."""
    return [
        (Exit(one.key), Exit(other.key)) for one, other in zip(nodes[::2], nodes[1::2], strict=True)
    ]


def losers_of(nodes: Sequence[Node]) -> list[Entrances]:
    """As `winners_of`, of the losers."""
    return [
        (Exit(one.key, won=False), Exit(other.key, won=False))
        for one, other in zip(nodes[::2], nodes[1::2], strict=True)
    ]


def seeds_of(field: Sequence[str]) -> dict[str, int]:
    """Seeds of a field, 1 the best."""
    return {player: seed for seed, player in enumerate(field, start=1)}


def out_of(duels: Iterable[Duel]) -> Slot:
    """Who is out by these matches, or None while one of them is open."""
    groups = [duel.out for duel in duels]
    known = [group for group in groups if group is not None]
    return sum(known, ()) if len(known) == len(groups) else None


def ready_of(duels: Iterable[Duel]) -> tuple[Ready, ...]:
    """The matches that can be played now."""
    return tuple(duel.ready for duel in duels if duel.ready)


def tie_hands(chips: Mapping[str, int], repeats: int) -> int:
    """Further hands that a tied match of an elimination needs now: one for each at the table.

    Nobody is alone in front; `repeats`: how often further hands were added before.

    >>> tie_hands({"a": 0, "b": 0}, 4), tie_hands({"a": 0, "b": 0}, 5)
    (2, 0)
    """
    nets = list(chips.values())
    tied = len(nets) > 1 and nets.count(max(nets)) > 1
    return len(nets) if tied and repeats < TIE_REPEATS_MAX else 0


def _slot(entrance: Entrance, duels: Mapping[str, Duel]) -> Slot:
    if not isinstance(entrance, Exit):
        return entrance
    duel = duels[entrance.key]
    return duel.winner if entrance.won else duel.loser


def _won(node: Node, slots: tuple[Slot, Slot], winner: Group) -> Duel:
    loser = slots[1] if slots[0] == winner else slots[0]
    return Duel(node, slots, winner=winner, loser=loser)


def _key(node: Node, number: int, best_of: int) -> str:
    return node.key if best_of == 1 else f"{node.key}#{number}"
