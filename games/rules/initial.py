"""Claims that a dealt hand makes before play (R10, R11, D3, D4, V5, V6)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from games.rules.payouts import tier_multiplier
from games.rules.rulebook import Rulebook
from games.rules.state import Hand

ClaimKind = Literal["initial_tonk", "initial_spread", "initial_low"]


_STRENGTH: Mapping[ClaimKind, int] = MappingProxyType(
    {"initial_low": 0, "initial_spread": 1, "initial_tonk": 2}
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A dealt hand that wins by itself."""

    player: int
    """Index of the player."""
    kind: ClaimKind
    total: int
    """Points of all dealt cards."""
    multiplier: int

    @property
    def strength(self) -> tuple[int, int]:
        """Greater is better: totals before spreads before low hands (V5)."""
        return _STRENGTH[self.kind], -self.total if self.kind == "initial_low" else self.total


def claims(hand: Hand) -> list[Claim]:
    """All claims of a hand just dealt, in seat order; a player has at most one (D4)."""
    rules = hand.setup.rules
    found = [claim_of(rules, player, cards) for player, cards in enumerate(hand.cards)]
    return [claim for claim in found if claim is not None]


def winner(hand: Hand) -> Claim | None:
    """The claim that wins a hand just dealt, None if there is none or several are a draw."""
    found = claims(hand)
    if len(found) > 1 and hand.setup.rules.options.initial_tie == "draw":
        return None
    best = max((claim.strength for claim in found), default=None)
    strongest = [claim for claim in found if claim.strength == best]
    return strongest[0] if len(strongest) == 1 else None


def claim_of(rules: Rulebook, player: int, cards: int) -> Claim | None:
    """The first claim of a hand that holds: by total, by whole spread, by low total."""
    options, total = rules.options, rules.points(cards)
    if total in rules.initial_counts:
        return Claim(player, "initial_tonk", total, options.initial_tonk_multiplier)
    if options.initial_spread and rules.readings(cards):
        return Claim(player, "initial_spread", total, options.initial_tonk_multiplier)
    multiplier = tier_multiplier(options.initial_low, total)
    return Claim(player, "initial_low", total, multiplier) if multiplier else None
