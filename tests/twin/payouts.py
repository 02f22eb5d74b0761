"""The twin's payouts: pool, places, prizes, ties, in plain arithmetic (tournaments.md 1, 10)."""

import hashlib
import hmac
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

TABLE = {1: [100], 2: [65, 35], 3: [50, 30, 20], 4: [40, 30, 18, 12], 5: [37, 25, 17, 12, 9]}


def shares(total: int, weights: list[int]) -> list[int]:
    """Largest remainder; equal remainders to the earlier one."""
    exact = [Fraction(total * weight, sum(weights)) for weight in weights]
    found = [math.floor(share) for share in exact]
    while sum(found) < total:
        rests = [share - math.floor(share) if had == math.floor(share) else Fraction(-1)
                 for share, had in zip(exact, found, strict=True)]  # fmt: skip
        found[rests.index(max(rests))] += 1
    return found


def evenly(total: int, names: list[str]) -> dict[str, int]:
    """The same to each, odd units one each in the order of the names."""
    found = dict.fromkeys(names, total // len(names))
    for name in names[: total % len(names)]:
        found[name] += 1
    return found


def lot(seed: bytes, context: str, names: list[str]) -> list[str]:
    """Ascending by the names' keys."""
    keys = {
        hmac.new(seed, b"|".join([b"tonk.lot.v1", context.encode(), name.encode()]),
                 hashlib.sha256).digest(): name
        for name in names
    }  # fmt: skip
    return [keys[key] for key in sorted(keys)]


def paid_places(entries: int) -> int:
    for most, places in ((3, 1), (6, 2), (12, 3), (20, 4), (30, 5)):
        if entries <= most:
            return places
    return math.ceil(Fraction(15 * entries, 100))


def weights(places: int) -> list[int]:
    return TABLE.get(places) or [10**9 // place for place in range(1, places + 1)]


def prizes(pool: int, shares_of_places: list[int], round_to: int = 1) -> list[int]:
    """Each floored to the unit, the rest to first."""
    found = [prize // round_to * round_to for prize in shares(pool, shares_of_places)]
    return [found[0] + pool - sum(found), *found[1:]]


@dataclass
class Event:
    """What a tournament took in, how it ends and how it pays."""

    options: dict[str, Any]
    entries: list[dict[str, Any]]  # player, buy_in, fee: those not refunded
    places: dict[str, tuple[int, int]]  # best and worst place of each player
    seed: bytes
    faults: list[str] = field(default_factory=list)

    @property
    def collected(self) -> int:
        return sum(int(entry["buy_in"]) for entry in self.entries)

    @property
    def rake(self) -> int:
        return math.floor(Fraction(self.collected * int(self.options["rake_bp"]), 10_000))

    @property
    def overlay(self) -> int:
        short = int(self.options["guarantee"]) - (self.collected - self.rake)
        return max(0, short)

    @property
    def pool(self) -> int:
        return self.collected - self.rake + self.overlay

    @property
    def fees(self) -> int:
        return sum(int(entry["fee"]) for entry in self.entries)

    def vector(self) -> list[int]:
        """The prize of each paid place."""
        entries, options = len(self.entries), self.options
        players = len({entry["player"] for entry in self.entries})
        unit = int(options["round_to"])
        if options["payout"] == "bp":
            return prizes(self.pool, list(options["payout_bp"])[:players], unit)
        if options["payout"] == "top":
            return prizes(self.pool, weights(min(int(options["payout_top"]), players)), unit)
        for places in range(min(paid_places(entries), players), 1, -1):
            found = prizes(self.pool, weights(places), unit)
            if found[-1] >= int(options["buy_in"]) + int(options["fee"]):
                return found
        return prizes(self.pool, weights(1), unit)

    def groups(self) -> list[list[str]]:
        """Players by place, those who share one in the order of the lot. Every place is filled."""
        found, following = [], 1
        for best, worst in sorted(set(self.places.values())):
            names = [name for name, place in self.places.items() if place == (best, worst)]
            if best != following or worst - best + 1 != len(names):
                self.faults.append(f"places {best} to {worst} for {len(names)}")
            found.append(lot(self.seed, "tie", names))
            following = worst + 1
        if following != len(self.places) + 1:
            self.faults.append(f"{len(self.places)} players on {following - 1} places")
        return found

    def payout(self) -> dict[str, int]:
        """What each player gets, those without a prize left out."""
        return {
            name: amount for name, amount in paid(self.vector(), self.groups()).items() if amount
        }


def paid(vector: list[int], groups: list[list[str]]) -> dict[str, int]:
    """The prizes of the places that a group covers, summed and shared."""
    found: dict[str, int] = {}
    left = list(vector)
    for group in groups:
        covered, left = left[: len(group)], left[len(group) :]
        found |= evenly(sum(covered), group)
    return found
