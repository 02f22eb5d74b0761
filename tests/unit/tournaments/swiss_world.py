"""Swiss tournaments played from a seed: strength and luck give the results, the rounds are ours."""

from collections import Counter
from collections.abc import Iterator
from random import Random

from tournaments.core.attendance import Without
from tournaments.core.results import Match, Missed
from tournaments.core.standings import Standings
from tournaments.core.swiss.field import Field, Pairing
from tournaments.core.swiss.meetings import Meetings
from tournaments.core.swiss.pairing import pair_round

SEED = bytes(range(32))


class SwissWorld:
    """An event whose rounds are played one after another; `missing` is the share of the absent."""

    def __init__(self, players: int, *, seats: int, seed: int, missing: float = 0.0) -> None:
        self.random = Random(seed)
        self.seats, self.missing = seats, missing
        self.names = [f"p{number:05}" for number in range(players)]
        self.strength = {name: self.random.gauss(0, 1) for name in self.names}
        self.standings = Standings().entered(self.names)
        self.met = Meetings()
        self.byes, self.shorts, self.firsts = Counter[str](), Counter[str](), Counter[str]()

    def field(self, number: int) -> Field:
        order = self.standings.pairing_order(SEED, number)
        return Field(
            round=number,
            seats=self.seats,
            seed=SEED,
            act=number,
            players=tuple(name for name in order if self.random.random() >= self.missing),
            points={rank.player: rank.points for rank in self.standings.ranks()},
            met=self.met,
            byes=Counter(self.byes),
            shorts=Counter(self.shorts),
            firsts=Counter(self.firsts),
        )

    def play(self, rounds: int) -> Iterator[tuple[Field, Pairing]]:
        """Field and pairing of each round."""
        for number in range(1, rounds + 1):
            field = self.field(number)
            pairing = pair_round(field)
            yield field, pairing
            self.finish(field, pairing)

    def finish(self, field: Field, pairing: Pairing) -> None:
        self.met = self.met.after(pairing.tables)
        self.shorts.update(pairing.short)
        self.firsts.update(self.random.choice(table) for table in pairing.tables)
        away = sorted(set(self.names) - set(field.players))
        missed = [Missed(field.round, name, Without.ABSENT, 0) for name in away]
        if pairing.bye is not None:
            self.byes[pairing.bye] += 1
            missed.append(Missed(field.round, pairing.bye, Without.BYE, 120))
        matches = [Match(field.round, self.chips(table)) for table in pairing.tables]
        self.standings = self.standings.after([*matches, *missed])

    def chips(self, table: tuple[str, ...]) -> dict[str, int]:
        """Chips of a match, some of them equal; here they need not sum to 0."""
        return {name: round(4 * (self.strength[name] + self.random.gauss(0, 1))) for name in table}
