"""Who owes whom at the end of a hand (`rules.md` section 5). Amounts are minor units."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from eventstore.core.shares import split_even
from games.rules.options import Options, Tier


class Owed(NamedTuple):
    """One payment, players as indexes; the order of its members is the order of transfers."""

    rule: str
    receiver: int
    payer: int
    amount: int


class Showdown(msgspec.Struct, frozen=True, gc=False):
    """What the end of a hand is judged by."""

    options: Options
    stake: int
    counts: tuple[int, ...]
    """Held total of each player."""
    from_left: tuple[int, ...]
    """Indexes from the dealer's left: the order in which odd units are given (D21)."""

    def price(self, points: int) -> int:
        """Amount of one payment: the stake, or under `difference` that for each capped point."""
        cap = self.options.difference_cap
        return self.stake if cap is None else self.stake * min(points, cap)

    def others(self, *players: int) -> list[int]:
        """All other players, in seat order."""
        found = list(range(len(self.counts)))
        for player in players:
            found.remove(player)
        return found

    def lowest(self, *, but: int | None = None) -> list[int]:
        """Those with the least total of all, or of all but one."""
        least, found = sum(self.counts), list[int]()
        for player, count in enumerate(self.counts):
            if count > least or player == but:
                continue
            if count < least:
                least, found = count, []
            found.append(player)
        return found


def each_pays(
    showdown: Showdown, winner: int, rule: str, *, multiplier: int = 1, less: int = 0
) -> list[Owed]:
    """Every other player pays one winner; `less` is taken from his points under `difference`."""
    price = showdown.price
    return [
        Owed(rule, winner, loser, multiplier * price(count - less))
        for loser, count in enumerate(showdown.counts)
        if loser != winner
    ]


def tier_multiplier(tiers: Iterable[Tier], total: int) -> int | None:
    """Multiplier of the first tier that a total is within, None outside all.

    >>> tier_multiplier([(5, 4), (11, 2)], 6), tier_multiplier([(5, 4)], 6)
    (2, None)
    """
    for greatest, multiplier in tiers:
        if total <= greatest:
            return multiplier
    return None


def tonk_out(showdown: Showdown, winner: int, *, new_spread: bool) -> list[Owed]:
    """R27: double from each; with R37 single where no new spread was laid in the turn."""
    single = showdown.options.tonk_double_requires_new_spread and not new_spread
    return each_pays(showdown, winner, "R27", multiplier=1 if single else 2)


def discard_out(showdown: Showdown, winner: int) -> list[Owed]:
    """R28: single from each."""
    return each_pays(showdown, winner, "R28")


def catchers(showdown: Showdown, knocker: int) -> list[int]:
    """Players who catch a knocker: equal or lower, under `knocker_wins` lower (R31, D11)."""
    strict = showdown.options.knock_tie == "knocker_wins"
    limit = showdown.counts[knocker] - strict
    return [
        player
        for player, count in enumerate(showdown.counts)
        if count <= limit and player != knocker
    ]


def knock_win(showdown: Showdown, knocker: int) -> list[Owed]:
    """R30: single from each, or the tier of `drop_low` (V6)."""
    count = showdown.counts[knocker]
    multiplier = tier_multiplier(showdown.options.drop_low, count) or 1
    return each_pays(showdown, knocker, "R30", multiplier=multiplier, less=count)


def caught(showdown: Showdown, knocker: int) -> list[Owed]:
    """R31 to R33, or the payments of another `caught_rule` (V9) or of `difference` (V15)."""
    if showdown.options.settlement == "difference":
        return _caught_difference(showdown, knocker)
    return _CAUGHT[showdown.options.caught_rule](showdown, knocker)


def stock_out(showdown: Showdown) -> list[Owed]:
    """R34: the lowest total gets a single from each; ties by `stockout_tie` (D14, V14)."""
    lowest = showdown.lowest()
    payers = showdown.others(*lowest)
    least, tie = showdown.counts[lowest[0]], showdown.options.stockout_tie
    dues = {payer: showdown.price(showdown.counts[payer] - least) for payer in payers}
    if len(lowest) == 1 or tie == "each_paid":
        return [Owed("R34", one, payer, dues[payer]) for one in lowest for payer in payers]
    return _shared(showdown, lowest, dues, "R34") if tie == "split" else []


def ordered(owed: Iterable[Owed]) -> list[Owed]:
    """Payments above 0, by rule, then receiver, then payer."""
    return sorted([one for one in owed if one.amount])


def _shared(
    showdown: Showdown, sharers: Sequence[int], dues: dict[int, int], rule: str
) -> list[Owed]:
    """One sum paid by several and shared by several: payers fill the shares in turn (D21)."""
    receivers = [player for player in showdown.from_left if player in sharers]
    left = split_even(sum(dues.values()), len(receivers))
    owed, position = [], 0
    for payer in [player for player in showdown.from_left if player in dues]:
        due = dues[payer]
        while due:
            if not left[position]:
                position += 1
                continue
            amount = min(due, left[position])
            owed.append(Owed(rule, receivers[position], payer, amount))
            due -= amount
            left[position] -= amount
    return owed


def _caught_seed(showdown: Showdown, knocker: int) -> list[Owed]:
    """Doubles of the knocker to all who caught him; in addition singles to the lowest (D12)."""
    stake, lowest = showdown.stake, showdown.lowest(but=knocker)
    owed = [Owed("R31", one, knocker, 2 * stake) for one in catchers(showdown, knocker)]
    payers = showdown.others(*lowest)
    if showdown.options.caught_bonus_from == "others_only":
        payers.remove(knocker)
    return owed + [Owed("R32", one, payer, stake) for one in lowest for payer in payers]


def _caught_low_only(showdown: Showdown, knocker: int) -> list[Owed]:
    stake, lowest = showdown.stake, showdown.lowest(but=knocker)
    return [
        Owed("V9", one, payer, 2 * stake if payer == knocker else stake)
        for one in lowest
        for payer in showdown.others(*lowest)
    ]


def _caught_pays_table(showdown: Showdown, knocker: int) -> list[Owed]:
    others = showdown.others(knocker)
    dues = {knocker: len(others) * showdown.stake}
    return _shared(showdown, showdown.lowest(but=knocker), dues, "V9")


def _caught_single_each(showdown: Showdown, knocker: int) -> list[Owed]:
    return [Owed("V9", one, knocker, showdown.stake) for one in catchers(showdown, knocker)]


def _caught_difference(showdown: Showdown, knocker: int) -> list[Owed]:
    """Only the knocker pays: twice the gap, at least one point, to each of the lowest."""
    lowest = showdown.lowest(but=knocker)
    gap = showdown.counts[knocker] - showdown.counts[lowest[0]]
    return [Owed("V15", one, knocker, showdown.price(max(1, 2 * gap))) for one in lowest]


_CAUGHT: Mapping[str, Callable[[Showdown, int], list[Owed]]] = MappingProxyType(
    {
        "seed": _caught_seed,
        "low_only": _caught_low_only,
        "knocker_pays_table": _caught_pays_table,
        "single_each": _caught_single_each,
    }
)
