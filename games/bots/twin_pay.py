"""What a finished hand of the fast twin pays: nets by player, as `rules.md` section 5 says.

The payments of the source's rules are computed from counts at once; for every other rule the
payments of the rules core are made and summed up.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from games.bots.twin_tables import Tables
from games.rules import melds, payouts
from games.rules.payouts import Owed, Showdown, tier_multiplier

Plain = Literal["initial_tonk", "initial_spread", "initial_low", "initial_draw",
                "empty", "discard", "stock", "void"]  # fmt: skip
"""What ended the play without a knock; `empty` is a last spread or hit."""
Finish = Plain | Literal["knock"]
"""What ended the play."""
End = Literal["initial_tonk", "initial_spread", "initial_low", "initial_draw", "tonk_out",
              "discard_out", "knock_win", "caught", "stock_out", "void"]  # fmt: skip
"""Kind of end, in the words of the rules core."""
_ENDS: Mapping[Plain, End] = MappingProxyType({
    "initial_tonk": "initial_tonk", "initial_spread": "initial_spread",
    "initial_low": "initial_low", "initial_draw": "initial_draw",
    "empty": "tonk_out", "discard": "discard_out", "stock": "stock_out", "void": "void",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finished:
    """A hand that is over."""

    tables: Tables
    finish: Finish
    actor: int
    """Index of the player whose act or claim ended it."""
    dealer: int
    counts: Sequence[int]
    multiplier: int
    """Stakes of a claim or a tonk."""


def claimed(tables: Tables, hands: Sequence[int]) -> tuple[Finish, int, int] | None:
    """Kind, player and multiplier of the claim that ends a hand just dealt, None without claims.

    Several claims are a draw, or the better one wins (V5): totals before spreads before low hands.
    """
    options = tables.options
    found = []
    for player, cards in enumerate(hands):
        claim = _claim(tables, cards)
        if claim:
            found.append((*claim, player))
    if not found:
        return None
    found.sort(reverse=True)
    strength, finish, multiplier, player = found[0]
    if len(found) > 1 and (options.initial_tie == "draw" or found[1][0] == strength):
        return "initial_draw", player, 0
    return finish, player, multiplier


def _claim(tables: Tables, cards: int) -> tuple[tuple[int, int], Finish, int] | None:
    """Strength, kind and multiplier of a dealt hand's claim, the first that holds (D4)."""
    options, total = tables.options, tables.book.points(cards)
    if total in tables.book.initial_counts:
        return (2, total), "initial_tonk", options.initial_tonk_multiplier
    if options.initial_spread and melds.read(cards, tables.top):
        return (1, total), "initial_spread", options.initial_tonk_multiplier
    multiplier = tier_multiplier(options.initial_low, total)
    return ((0, -total), "initial_low", multiplier) if multiplier else None


def outcome(hand: Finished, stake: int) -> tuple[End, list[int]]:
    """Kind of end and nets in seat order, for a stake in minor units."""
    if hand.finish in ("void", "initial_draw"):
        return hand.finish, [0] * len(hand.counts)
    end, owed = _owed(hand, stake)
    nets = [0] * len(hand.counts)
    for _, receiver, payer, amount in owed:
        nets[payer] -= amount
        nets[receiver] += amount
    return end, nets


def fixed(finish: Plain, actor: int, counts: Sequence[int], amount: int) -> tuple[End, list[int]]:
    """Any end but a knock under the source's payments: by counts alone, none made one by one."""
    end = _ENDS[finish]
    if finish == "stock":
        return end, _to_lowest(counts, amount)
    if finish == "void":
        amount = 0
    # Every other player pays the actor; the amount of several claims is 0.
    nets = [-amount] * len(counts)
    nets[actor] = amount * (len(counts) - 1)
    return end, nets


def _to_lowest(counts: Sequence[int], amount: int) -> list[int]:
    """Each player with the least total is paid by all others (D14)."""
    least = min(counts)
    tied = counts.count(least)
    loss, win = -amount * tied, amount * (len(counts) - tied)
    return [win if one == least else loss for one in counts]


def knocked(
    tables: Tables, knocker: int, counts: Sequence[int], stake: int
) -> tuple[End, list[int]]:
    """A knock under fixed stakes and the seed rule (R30 to R33).

    >>> from games.bots.twin_tables import tables_of
    >>> from games.rules.options import DEFAULTS
    >>> knocked(tables_of(DEFAULTS, 3), 0, [9, 9, 12], 1)
    ('caught', [-3, 4, -1])
    """
    own, seats = counts[knocker], len(counts)
    limit = own - tables.strict
    # Under ties that catch, the knocker is counted among those who catch him.
    low = [count for count in counts if count <= limit]
    catchers = len(low) - 1 + tables.strict
    if not catchers:
        drop_low = tables.options.drop_low
        won = stake * (tier_multiplier(drop_low, own) or 1) if drop_low else stake
        nets = [-won] * seats
        nets[knocker] = won * (seats - 1)
        return "knock_win", nets
    if seats == 2:
        lost = stake * (2 + tables.knocker_single)
        return "caught", [lost, -lost] if knocker else [-lost, lost]
    least = min(low)
    tied = low.count(least) - (least == own)
    loss, single = -tied * stake, tables.knocker_single
    catch, win = loss + 2 * stake, loss + (seats + 1 + single) * stake
    nets = [loss if count > limit else win if count == least else catch for count in counts]
    nets[knocker] = -stake * (2 * catchers + tied * single)
    return "caught", nets


def _owed(hand: Finished, stake: int) -> tuple[End, list[Owed]]:
    """Kind of end and all payments, by the functions of the rules core."""
    seats = len(hand.counts)
    showdown = Showdown(
        options=hand.tables.options,
        stake=stake,
        counts=tuple(hand.counts),
        from_left=tuple((hand.dealer + 1 + turn) % seats for turn in range(seats)),
    )
    actor = hand.actor
    match hand.finish:
        case "empty":
            return "tonk_out", payouts.tonk_out(showdown, actor, new_spread=hand.multiplier == 2)
        case "discard":
            return "discard_out", payouts.discard_out(showdown, actor)
        case "knock":
            return _owed_by_knock(showdown, actor)
        case "stock":
            return "stock_out", payouts.stock_out(showdown)
        case claim:
            return claim, payouts.each_pays(showdown, actor, claim, multiplier=hand.multiplier)


def _owed_by_knock(showdown: Showdown, knocker: int) -> tuple[End, list[Owed]]:
    if payouts.catchers(showdown, knocker):
        return "caught", payouts.caught(showdown, knocker)
    return "knock_win", payouts.knock_win(showdown, knocker)
