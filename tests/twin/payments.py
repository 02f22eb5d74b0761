"""The twin's payments: who pays whom what at each end (rules.md section 5)."""

from dataclasses import dataclass
from typing import Any

Transfer = tuple[str, str, int, str]  # from, to, amount, rule


@dataclass
class Settlement:
    """The end of one hand: `winner` is the claimer, the one who is out, or the knocker."""

    full: dict[str, Any]
    players: list[str]
    dealer: str
    stake: int
    counts: dict[str, int]

    def transfers(self, end: str, winner: str | None, multiplier: int) -> list[Transfer]:
        """Every payment, in the stated order: rule, receiver, payer, in seat order."""
        found = self.payments(end, winner, multiplier)
        seat = self.players.index
        found.sort(key=lambda paid: (paid[3], seat(paid[1]), seat(paid[0])))
        return [paid for paid in found if paid[2] > 0]

    def payments(self, end: str, winner: str | None, multiplier: int) -> list[Transfer]:
        if end == "stock_out":
            return self.stock_out()
        if end in ("initial_draw", "void"):
            return []
        assert winner is not None
        if end == "caught":
            return self.caught(winner)
        rules = {
            "initial_tonk": "R10",
            "initial_spread": "V6",
            "initial_low": "V6",
            "tonk_out": "R27",
            "discard_out": "R28",
            "knock_win": "R30",
        }
        least = self.counts[winner] if end == "knock_win" else 0
        return [
            (loser, winner, multiplier * self.price(self.counts[loser] - least), rules[end])
            for loser in self.players
            if loser != winner
        ]

    # Amounts.

    @property
    def difference(self) -> bool:
        return bool(self.full["settlement"] == "difference")

    def price(self, points: int) -> int:
        """S, or under `difference` S for each point up to the cap."""
        if not self.difference:
            return self.stake
        return min(points, int(self.full["difference_cap"])) * self.stake

    # The knock.

    def catchers(self, knocker: str) -> list[str]:
        """E: the others with an equal or lower total; under knocker_wins only a lower one."""
        limit = self.counts[knocker]
        if self.full["knock_tie"] == "knocker_wins":
            limit -= 1
        return [p for p in self.players if p != knocker and self.counts[p] <= limit]

    def caught(self, knocker: str) -> list[Transfer]:
        """R31 to R33, V9, V15."""
        others = [p for p in self.players if p != knocker]
        least = min(self.counts[p] for p in others)
        lowest = [p for p in others if self.counts[p] == least]
        outside = [p for p in others if p not in lowest]
        if self.difference:
            gap = max(1, 2 * (self.counts[knocker] - least))
            return [(knocker, p, self.price(gap), "V15") for p in lowest]
        rule = self.full["caught_rule"]
        if rule == "knocker_pays_table":
            return self.shared([(knocker, len(others) * self.stake)], lowest, "V9")
        if rule == "single_each":
            return [(knocker, p, self.stake, "V9") for p in self.catchers(knocker)]
        if rule == "low_only":
            doubles = [(knocker, p, 2 * self.stake, "V9") for p in lowest]
            return doubles + [(q, p, self.stake, "V9") for q in outside for p in lowest]
        # The seed's rule.
        doubles = [(knocker, p, 2 * self.stake, "R31") for p in self.catchers(knocker)]
        if self.full["caught_bonus_from"] == "all":
            outside = [knocker, *outside]
        return doubles + [(q, p, self.stake, "R32") for q in outside for p in lowest]

    # The stock is out.

    def stock_out(self) -> list[Transfer]:
        """R34, D14, V14."""
        least = min(self.counts.values())
        lowest = [p for p in self.players if self.counts[p] == least]
        dues = [
            (p, self.price(self.counts[p] - least)) for p in self.from_left() if p not in lowest
        ]
        tie = self.full["stockout_tie"]
        if len(lowest) == 1 or tie == "each_paid":
            return [(payer, p, due, "R34") for payer, due in dues for p in lowest]
        if tie == "split":
            return self.shared(dues, lowest, "R34")
        return []

    # Shared amounts.

    def from_left(self) -> list[str]:
        """The players in order from the dealer's left."""
        start = self.players.index(self.dealer) + 1
        return self.players[start:] + self.players[:start]

    def shared(self, dues: list[tuple[str, int]], sharers: list[str], rule: str) -> list[Transfer]:
        """D21: floored shares, odd units from the dealer's left; the payers fill them in order."""
        amount = sum(due for _, due in dues)
        receivers = [p for p in self.from_left() if p in sharers]
        share, odd = divmod(amount, len(receivers))
        open_shares = {p: share + (1 if i < odd else 0) for i, p in enumerate(receivers)}
        found = []
        for payer, due in dues:
            left = due
            for receiver in receivers:
                part = min(left, open_shares[receiver])
                open_shares[receiver] -= part
                left -= part
                found.append((payer, receiver, part, rule))
        return found
