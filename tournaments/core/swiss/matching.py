"""Whether players can be paired two by two without anybody meeting whom he may not.

The graph joins those who may meet. An augmenting path is searched from each unmatched player by
growing a tree of alternating paths, in which odd cycles are shrunk (Edmonds 1965).
"""

from collections import deque
from collections.abc import Sequence, Set


def pair_all(barred: Sequence[Set[int]]) -> list[int] | None:
    """The partner of everybody (0..), or None if some stay alone however they are paired.

    >>> pair_all([{1}, {0}, {3}, {2}])
    [2, 3, 0, 1]
    >>> pair_all([{1, 2}, {0}, {0}, set()]), pair_all([{1}, {0}])
    ([3, 2, 1, 0], None)
    """
    count = len(barred)
    if count % 2:
        return None
    mates = [-1] * count
    for player in range(count):
        if mates[player] < 0:
            free = (o for o in range(count) if mates[o] < 0 and o != player)
            partner = next((one for one in free if one not in barred[player]), -1)
            if partner >= 0:
                mates[player], mates[partner] = partner, player
    for player in range(count):
        # Who has no augmenting path now is alone in some largest pairing, so none is complete.
        if mates[player] < 0 and not _Tree(player, mates, barred).augment():
            return None
    return mates


class _Tree:
    """Alternating paths from one unmatched player; `base` is the shrunk cycle he belongs to."""

    def __init__(self, root: int, mates: list[int], barred: Sequence[Set[int]]) -> None:
        self._mates, self._barred = mates, barred
        self._everybody = range(len(mates))
        self._base = [*self._everybody]
        self._before = [-1] * len(mates)  # of players at odd distance, and inside shrunk cycles
        self._even = {root}
        self._queue = deque([root])

    def augment(self) -> bool:
        """Match the root, if a path leads to another unmatched player."""
        while self._queue:
            player = self._queue.popleft()
            for other in self._everybody:
                if other == player or other in self._barred[player]:
                    continue
                if self._base[player] == self._base[other] or self._mates[player] == other:
                    continue
                if other in self._even:
                    self._shrink(player, other)
                elif self._before[other] < 0:
                    self._before[other] = player
                    mate = self._mates[other]
                    if mate < 0:
                        self._turn(other)
                        return True
                    self._even.add(mate)
                    self._queue.append(mate)
        return False

    def _turn(self, end: int) -> None:
        """Exchange matched and unmatched along the path that ends here."""
        while end >= 0:
            player = self._before[end]
            following = self._mates[player]
            self._mates[end], self._mates[player] = player, end
            end = following

    def _shrink(self, one: int, other: int) -> None:
        """The cycle closed by two players at even distance becomes one."""
        top = self._common(one, other)
        cycle: set[int] = set()
        self._mark(one, other, top, cycle)
        self._mark(other, one, top, cycle)
        for player in self._everybody:
            if self._base[player] in cycle:
                self._base[player] = top
                if player not in self._even:
                    self._even.add(player)
                    self._queue.append(player)

    def _common(self, one: int, other: int) -> int:
        """Where the paths of both to the root meet."""
        passed = set()
        while True:
            one = self._base[one]
            passed.add(one)
            if self._mates[one] < 0:
                break
            one = self._before[self._mates[one]]
        other = self._base[other]
        while other not in passed:
            other = self._base[self._before[self._mates[other]]]
        return other

    def _mark(self, player: int, child: int, top: int, cycle: set[int]) -> None:
        """Collect the cycle's bases from a player up to its top, and the ways back."""
        while self._base[player] != top:
            mate = self._mates[player]
            cycle |= {self._base[player], self._base[mate]}
            self._before[player] = child
            child = mate
            player = self._before[mate]
