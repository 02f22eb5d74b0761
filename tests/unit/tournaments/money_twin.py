"""The money of a tournament by plain sums, out of the page alone: nothing of the product in here.

It is told what happens, step by step, and keeps what every player has and what the house has.
"""

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.twin import payouts

Groups = list[list[str]]


@dataclass
class Twin:
    options: dict[str, Any]
    net: Counter[str] = field(default_factory=Counter)  # players by id; rake, fee_income, overlay
    entries: list[dict[str, Any]] = field(default_factory=list)
    heads: Counter[str] = field(default_factory=Counter)
    fees_of_no_shows: Counter[str] = field(default_factory=Counter)

    # What is bought and given back

    def enter(self, player: str) -> None:
        buy_in, fee, bounty = (self.options[name] for name in ("buy_in", "fee", "bounty"))
        self.net[player] -= buy_in + fee + bounty
        self.heads[player] += bounty
        self.entries.append({"player": player, "buy_in": buy_in, "fee": fee})

    def buy(self, player: str, amount: int) -> None:
        self.net[player] -= amount
        self._newest(player)["buy_in"] += amount

    def leave(self, player: str, *, fee_back: bool) -> None:
        gone = self._newest(player)
        self.entries.remove(gone)
        self.net[player] += gone["buy_in"] + self.heads.pop(player)
        if fee_back:
            self.net[player] += gone["fee"]
        else:
            self.fees_of_no_shows[player] += gone["fee"]

    def bust(self, player: str, capturers: list[str]) -> None:
        if not capturers:
            return
        head = self.heads.pop(player, 0)
        half = head // 2 if self.options["bounty_kind"] == "progressive" else head
        self.net.update(payouts.evenly(half, capturers))
        self.heads.update(payouts.evenly(head - half, capturers))

    # The ends

    @property
    def collected(self) -> int:
        return sum(int(entry["buy_in"]) for entry in self.entries)

    @property
    def fees(self) -> int:
        return self.fees_of_no_shows.total() + sum(int(entry["fee"]) for entry in self.entries)

    def event(self, **other: Any) -> Any:
        return payouts.Event({**self.options, **other}, self.entries, {}, b"")

    def vector(self) -> list[int]:
        players = len({entry["player"] for entry in self.entries})
        price = self.options["ticket"]
        event = self.event()
        if not price:
            return [int(prize) for prize in event.vector()]
        found: list[int] = []
        while event.pool - sum(found) >= price and len(found) < players:
            found.append(price)
        rest = event.pool - sum(found)
        if len(found) < players:
            return [*found, rest] if rest else found
        return [found[0] + rest, *found[1:]]

    def finish(self, ranks: Groups, deal: dict[str, int] | None = None, left: int = 0) -> None:
        """Prizes by place, or by a deal of the first; then heads, rake and fees."""
        amounts = Counter(payouts.paid(self.vector(), ranks))
        amounts.update(
            {player: agreed - amounts[player] for player, agreed in (deal or {}).items()}
        )
        if left:
            amounts[ranks[0][0]] += left
        amounts.update(payouts.evenly(self.heads.total(), ranks[0]))
        self.net.update(amounts)
        event = self.event()
        self.net.update(rake=event.rake, fee_income=self.fees, overlay=-event.overlay)

    def all_back(self) -> None:
        """Pool, fee and what stands on each head."""
        for entry in self.entries:
            self.net[entry["player"]] += entry["buy_in"] + entry["fee"]
        self.net.update(self.heads)
        self.net.update(self.fees_of_no_shows)

    def call_off(self, weights: dict[str, int], out: Groups, *, closed: bool) -> None:
        """While it runs: by one policy or the other."""
        order = sorted(weights, key=lambda player: (-weights[player], list(weights).index(player)))
        count, values = len(order), [weights[player] for player in order]
        places = len(self.vector())
        if closed and out and count < places:
            self._call_off_paid(order, values, out, places)
        else:
            half = self.collected // 2
            self.net.update(payouts.evenly(half, order))
            self._by_weight(order, values, self.collected - half)
            back = sum(self._newest(player)["fee"] for player in order)
            self.net.update({player: self._newest(player)["fee"] for player in order})
            self.net["fee_income"] += self.fees - back
        own = sum(self.heads[player] for player in order)
        self.net.update({player: self.heads[player] for player in order})
        self.net.update(payouts.evenly(self.heads.total() - own, order))

    def _call_off_paid(self, order: list[str], values: list[int], out: Groups, places: int) -> None:
        rake = self.event().rake
        shares = self.options["payout_bp"] or payouts.weights(places)
        vector = payouts.prizes(
            self.collected - rake, list(shares)[:places], self.options["round_to"]
        )
        best = vector[: len(order)]
        self.net.update(dict.fromkeys(order, best[-1]))
        self._by_weight(order, values, sum(best) - best[-1] * len(order))
        self.net.update(payouts.paid(vector[len(order) :], out))
        self.net.update(rake=rake, fee_income=self.fees)

    def _by_weight(self, order: list[str], values: list[int], amount: int) -> None:
        values = values if any(values) else [1] * len(order)
        self.net.update(dict(zip(order, payouts.shares(amount, values), strict=True)))

    def put_right(self, ranks: Groups, cheat: str) -> None:
        """Someone is out of the ranking: the difference of two pay-outs."""
        before = payouts.paid(self.vector(), ranks)
        other = next(player for group in ranks for player in group if player != cheat)
        for entry in self.entries:
            # So that there is one player fewer, and no entry fewer.
            entry["player"] = other if entry["player"] == cheat else entry["player"]
        without = [[player for player in group if player != cheat] for group in ranks]
        after = payouts.paid(self.vector(), [group for group in without if group])
        self.net.update(after)
        self.net.subtract(before)

    def _newest(self, player: str) -> dict[str, Any]:
        return [entry for entry in self.entries if entry["player"] == player][-1]


def deal(method: str, chips: dict[str, int], prizes: list[int], left: int) -> dict[str, int]:
    """What each gets, by exact fractions; equal stacks in the order given."""
    first, total, lowest = prizes[0] - left, sum(prizes) - left, prizes[-1]
    order = sorted(chips, key=lambda player: (-chips[player], list(chips).index(player)))
    if method == "equal":
        return payouts.evenly(total, order)
    found = dict.fromkeys(order, lowest)
    capped: list[str] = []
    while True:
        free = [player for player in order if player not in capped]
        rest = total - first * len(capped) - lowest * len(free)
        exact = [Fraction(rest * chips[player], sum(chips[one] for one in free)) for player in free]
        assert min(exact) >= 0
        amounts = payouts.shares(rest, [chips[player] for player in free])
        found.update({p: lowest + amount for p, amount in zip(free, amounts, strict=True)})
        above = [player for player in free if found[player] > first]
        if not above:
            return found
        capped += above
        found.update(dict.fromkeys(capped, first))
