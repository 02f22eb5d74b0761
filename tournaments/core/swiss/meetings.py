"""Who has met whom so far."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from eventstore.core import canonical


@dataclass(frozen=True, slots=True)
class Meetings:
    """Whom everybody has met, and a digest of the tables at which they did, round by round.

    The digest goes into the hash of a pairing's input. It grows with the rounds, because to write
    down all meetings of a large field takes longer than to pair it.
    """

    of: Mapping[str, frozenset[str]] = field(default_factory=dict)
    digest: str = ""

    def after(self, tables: Iterable[Collection[str]]) -> "Meetings":
        """With the tables of one more round, in any order.

        >>> met = Meetings().after([["a", "b"]]).after([["a", "c"]])
        >>> sorted(met.of["a"])
        ['b', 'c']
        """
        plain = sorted(sorted(table) for table in tables)
        of = dict(self.of)
        for table in plain:
            for player in table:
                of[player] = of.get(player, frozenset()).union(table) - {player}
        digest = sha256(canonical.encode([self.digest, plain])).hexdigest()
        return Meetings(of, digest)
