"""Why each payment of a hand is owed, as statements (`rules.md` section 5)."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from games.rules import events
from games.rules.payouts import tier_multiplier
from games.rules.words.explained_case import Case, Fact, Statement, tier_max

WayOut = Literal["tonk_out", "tonk_out_new_spread", "tonk_out_hits_only"]
"""How a hand was emptied; without R37 it makes no difference."""


class _Reason(NamedTuple):
    why: str
    multiplier: int | None
    """Stakes, or times the points; None for a share of a sum."""
    also: tuple[str, ...] = ()
    max: int | None = None
    """Greatest total of the tier that set the multiplier."""


def payment(case: Case, transfer: events.Transfer) -> Statement:
    """The statement that explains one transfer, under the rule that the transfer names."""
    reason = _REASONS[case.ended.end](case, transfer)
    facts: dict[str, Fact] = {
        "payer": transfer.from_seat,
        "receiver": transfer.to_seat,
        "amount": transfer.amount,
        "why": reason.why,
    }
    if reason.max is not None:
        facts["max"] = reason.max
    if reason.multiplier is not None:
        facts["multiplier"] = reason.multiplier
        facts |= {} if case.fixed else _points(case, transfer.from_seat)
    also = reason.also
    if not case.fixed and transfer.rule != "V15":
        also = (*also, "V15")
    # Chips of a tournament may run out: what is owed there is not always paid.
    key = "payment" if case.ended.paid is None else "debt"
    return Statement(key, transfer.rule, case.with_stakes(**facts), also)


def way_out(case: Case) -> WayOut:
    """How a hand was emptied. With R37 the first payment tells: nothing else of the end does."""
    transfers = case.ended.transfers
    if not (case.options.tonk_double_requires_new_spread and transfers):
        return "tonk_out"
    single = case.stake * case.priced(case.counts[transfers[0].from_seat])
    return "tonk_out_hits_only" if transfers[0].amount == single else "tonk_out_new_spread"


def caught_number(case: Case) -> str:
    """Number of the rule by which a caught knocker pays."""
    if not case.fixed:
        return "V15"
    return "R31" if case.options.caught_rule == "seed" else "V9"


def _points(case: Case, payer: int) -> dict[str, Fact]:
    """The points that a payment counts, and those before the cap where it cut some off."""
    counts, end = case.counts, case.ended.end
    points = counts[payer]
    if end in ("knock_win", "stock_out", "caught"):
        points -= counts[case.winner]
    if end == "caught":
        points = max(1, 2 * points)
    counted = case.priced(points)
    facts: dict[str, Fact] = {"points": counted}
    return facts | ({"points_in_all": points} if points > counted else {})


def _dealt(case: Case, _: events.Transfer) -> _Reason:
    return _Reason(case.ended.end, case.options.initial_tonk_multiplier)


def _dealt_low(case: Case, _: events.Transfer) -> _Reason:
    tiers, total = case.options.initial_low, case.dealt_total(case.winner)
    return _Reason("initial_low", tier_multiplier(tiers, total), max=tier_max(tiers, total))


def _tonk_out(case: Case, _: events.Transfer) -> _Reason:
    why = way_out(case)
    also = () if why == "tonk_out" else ("R37",)
    return _Reason(why, 1 if why == "tonk_out_hits_only" else 2, also)


def _discard_out(_: Case, __: events.Transfer) -> _Reason:
    return _Reason("discard_out", 1)


def _knock_win(case: Case, _: events.Transfer) -> _Reason:
    tiers, total = case.options.drop_low, case.counts[case.by]
    multiplier = tier_multiplier(tiers, total)
    if multiplier is None:
        return _Reason("knock_win", 1)
    return _Reason("knock_win_low", multiplier, ("V6",), tier_max(tiers, total))


def _stock_out(case: Case, _: events.Transfer) -> _Reason:
    if not case.tied:
        return _Reason("stock_lowest", 1)
    if case.options.stockout_tie == "split":
        return _Reason("stock_shared", None, ("V14",))
    return _Reason("stock_tied", 1, ("D14",))


def _caught(case: Case, transfer: events.Transfer) -> _Reason:
    if not case.fixed:
        return _to_lowest(case, "twice_difference", 1)
    how = case.compared(transfer.to_seat)
    match case.options.caught_rule:
        case "seed" if transfer.rule == "R31":
            return _Reason(f"double_{how}", 2)
        case "low_only" if transfer.from_seat == case.by:
            return _to_lowest(case, "double_lowest", 2)
        case "seed" | "low_only":
            return _to_lowest(case, "lowest", 1)
        case "knocker_pays_table":
            shared = _Reason("pays_table_shared", None)
            return shared if case.tied else _Reason("pays_table", len(case.counts) - 1)
        case _:
            return _Reason(f"single_{how}", 1)


def _to_lowest(case: Case, why: str, multiplier: int) -> _Reason:
    """A payment to the lowest, each of whom is paid where several tie (R33)."""
    return _Reason(f"{why}_tied", multiplier, ("R33",)) if case.tied else _Reason(why, multiplier)


_REASONS: Mapping[str, Callable[[Case, events.Transfer], _Reason]] = MappingProxyType(
    {
        "initial_tonk": _dealt,
        "initial_spread": _dealt,
        "initial_low": _dealt_low,
        "tonk_out": _tonk_out,
        "discard_out": _discard_out,
        "knock_win": _knock_win,
        "caught": _caught,
        "stock_out": _stock_out,
    }
)
"""By the ends that pay."""
