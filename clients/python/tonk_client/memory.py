"""What a seat must not forget: its chain of seeds, how far the log was read, the open hand."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Self

from . import fair, keeping
from .hand import Hand

if TYPE_CHECKING:
    from pathlib import Path

Document = dict[str, Any]

HANDS_KEPT = 4_096  # commitments that are remembered at a table


@dataclass(slots=True)
class Chain:
    """A chain of seeds: its secret root, its public anchor, how many links have been given."""

    root: str
    anchor: str
    length: int
    index: int = 0

    @classmethod
    def of(cls, root: bytes, length: int) -> Self:
        """A fresh chain."""
        return cls(root.hex(), fair.chain(root, length)[0].hex(), length)

    @property
    def is_used_up(self) -> bool:
        """Whether every link has been given."""
        return self.index >= self.length

    def spend(self) -> Document:
        """The next link, which counts as given from now on."""
        self.index += 1
        links = fair.chain(bytes.fromhex(self.root), self.length)
        return {"index": self.index, "seed": links[self.index].hex()}

    def public(self) -> Document:
        """What others know of it."""
        return {"anchor": self.anchor, "length": self.length, "index": self.index}


@dataclass(slots=True)
class Link:
    """The last link that the log has of a player's chain, and the seat that it holds for."""

    seat: int
    link: str


@dataclass(slots=True)
class Memory:
    """All that is kept of one table for one player."""

    version: int | None = None  # up to where the table's events were read
    seat: int | None = None
    chain: Chain | None = None  # in force, as far as the log was read
    fresh: Chain | None = None  # made, and not in the log yet
    links: dict[str, Link] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)  # links when the hand was committed to
    hands: dict[str, str] = field(default_factory=dict)  # commitment by hand
    hand: Hand | None = None
    over: list[Hand] = field(default_factory=list)  # ended, with records to be compared
    unfair: Document | None = None

    @property
    def is_anchored(self) -> bool:
        """Whether I have a link to give."""
        return self.chain is not None and not self.chain.is_used_up

    @property
    def is_sealing(self) -> bool:
        """Whether seeds are being given."""
        return self.hand is not None and self.hand.stage == "sealing"

    def remember(self, hand: Hand) -> None:
        """Make it the open hand."""
        self.hand = hand
        self.asked = {player: one.link for player, one in self.links.items()}
        self.hands[hand.id] = hand.commit
        for old in list(self.hands)[:-HANDS_KEPT]:
            del self.hands[old]

    def write(self, path: Path) -> None:
        """Keep it in a file."""
        keeping.write(
            path,
            {
                "version": self.version,
                "seat": self.seat,
                "chain": None if self.chain is None else asdict(self.chain),
                "fresh": None if self.fresh is None else asdict(self.fresh),
                "links": {player: asdict(one) for player, one in self.links.items()},
                "asked": self.asked,
                "hands": self.hands,
                "hand": None if self.hand is None else self.hand.kept(),
                "over": [one.kept() for one in self.over],
                "unfair": self.unfair,
            },
        )

    @classmethod
    def read(cls, path: Path, player: str) -> Self:
        """What was kept there, or nothing. Raises: ValueError where it can not be read."""
        kept = keeping.read(path)
        if kept is None:
            return cls()
        if kept["unfair"] is not None:  # nothing goes on from there
            return cls(unfair=kept["unfair"])
        chain, fresh, hand = (kept[name] for name in ("chain", "fresh", "hand"))
        return cls(
            version=kept["version"],
            seat=kept["seat"],
            chain=None if chain is None else Chain(**chain),
            fresh=None if fresh is None else Chain(**fresh),
            links={name: Link(**one) for name, one in kept["links"].items()},
            asked=kept["asked"],
            hands=kept["hands"],
            hand=None if hand is None else Hand.again(hand, player),
            over=[Hand.again(one, player) for one in kept["over"]],
        )
