"""Seats that take part in the deal: chains of seeds, made and shown as a client would."""

from dataclasses import dataclass, field
from hashlib import sha256
from uuid import UUID

from eventstore.services import Outcome
from games import selectors
from games.rules import fair
from games.services.sealing import seal_next
from games.services.seeds import NewAnchor, Seed, give_seed, register_anchor
from players.selectors import Person
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import receipt


@dataclass
class Links:
    """A chain c_0 .. c_L of a client: the root stays here."""

    name: str = "root"
    length: int = 16
    links: list[bytes] = field(init=False)

    def __post_init__(self) -> None:
        links = [sha256(self.name.encode()).digest()]
        for _ in range(self.length):
            links.append(fair.link(links[-1]))
        self.links = links[::-1]

    @property
    def anchor(self) -> str:
        """c_0, which is registered."""
        return self.links[0].hex()

    def seed(self, number: int) -> str:
        """c_n, the n-th seed."""
        return self.links[number].hex()


def anchors(table: UUID, who: Person, links: Links) -> Outcome:
    """Register a chain."""
    wish = NewAnchor(table=table, player=who.id, anchor=links.anchor, length=links.length)
    return register_anchor(wish, receipt())


def gives(table: UUID, who: Person, seed: str, hand: UUID | None = None) -> Outcome:
    """Give a seed for the hand that the table is committed to, or for another."""
    given = Seed(table=table, player=who.id, hand=hand or hand_at(table), seed=seed)
    return give_seed(given, receipt())


def hand_at(table: UUID) -> UUID:
    """The hand that the table is committed to. Raises: ValueError where there is none."""
    committed = selectors.see_now(table).table.commitment
    if committed is None:
        raise ValueError(f"table {table} is committed to no hand")
    return UUID(committed.hand)


def time_is_up(table: UUID) -> Outcome:
    """Let the window be over, and seal as the sweep does."""
    hurry(table)
    return seal_next(table, selectors.live_row(table).version)
