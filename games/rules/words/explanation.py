"""The result of a hand explained: who won or was caught, why, and why each payment is owed.

Statements are data, derived from `HandEnded` and the rules of the hand; sentences say the same in
words (`rules.md` section 5).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from games.rules import events, initial
from games.rules.options import Options
from games.rules.rotation import counted
from games.rules.rulebook import rulebook
from games.rules.words.explained_case import Case, Fact, SeatTotal, Statement, said, tier_max
from games.rules.words.explained_payments import caught_number, payment, way_out
from games.rules.words.explained_words import as_data, sentences

__all__ = ("SeatTotal", "Statement", "as_data", "explain", "explain_voided", "sentences")


def explain(ended: events.HandEnded, rules: events.RuleSet, stake: int) -> tuple[Statement, ...]:
    """What explains a result, in order: the end and why, the hands, payments, sums, next dealer.

    Every transfer is one statement `payment`, at tournament tables `debt`. Amounts are minor units;
    `stakes` stands beside those that are whole stakes, under `difference` `points` and
    `multiplier`. `stake` is 1 or more.
    """
    book = rulebook(rules.options, len(ended.held), rules.version)
    counts = {held.seat: held.count for held in ended.held}
    case = Case(ended, book, stake, counts, ended.by or 0)
    return (
        *_END[ended.end](case),
        *_holdings(case),
        *(payment(case, transfer) for transfer in ended.transfers),
        *_sums(case),
        *_next_dealer(case.options, ended.end, ended.next_dealer),
    )


def explain_voided(voided: events.HandVoided, rules: events.RuleSet) -> tuple[Statement, ...]:
    """What explains a hand that was given up from outside the rules: there is no result."""
    key = "void_key_lost" if voided.reason == events.KEY_LOST else "void_from_outside"
    return (
        said(key, "D2"),
        *_next_dealer(rules.options, "void", voided.next_dealer),
    )


def _initial(case: Case) -> Iterator[Statement]:
    claims = _claims(case)
    ours = claims.pop(case.winner)
    facts: dict[str, Fact] = {"seat": case.winner, "total": ours.total}
    if ours.kind == "initial_low":
        facts["max"] = tier_max(case.options.initial_low, ours.total)
    yield said(ours.kind, "R10" if ours.kind == "initial_tonk" else "V6", **facts)
    if claims:
        yield said("claims_beaten", "V5", claims=_claim_totals(claims))


def _initial_draw(case: Case) -> Iterator[Statement]:
    claims = _claims(case)
    if case.options.initial_tie == "draw":
        yield said("claims_draw", "R11", claims=_claim_totals(claims))
        return
    best = max(claim.strength for claim in claims.values())
    equal = {seat: claim for seat, claim in claims.items() if claim.strength == best}
    yield said("claims_equal", "V5", claims=_claim_totals(equal))


def _claims(case: Case) -> dict[int, initial.Claim]:
    """The claim of each seat whose dealt hand makes one: the first that holds (D4)."""
    found = {}
    for player, held in enumerate(case.ended.held):
        claim = initial.claim_of(case.book, player, case.cards(held))
        if claim:
            found[held.seat] = claim
    return found


def _claim_totals(claims: Mapping[int, initial.Claim]) -> tuple[SeatTotal, ...]:
    return tuple(SeatTotal(seat, claim.total, claim.kind) for seat, claim in claims.items())


def _tonk_out(case: Case) -> Iterator[Statement]:
    key = way_out(case)
    also = () if key == "tonk_out" else ("R37",)
    yield said(key, "R27", *also, seat=case.by)


def _discard_out(case: Case) -> Iterator[Statement]:
    yield said("discard_out", "R28", seat=case.by)


def _knock_win(case: Case) -> Iterator[Statement]:
    yield _knock(case)
    yield said("knock_wins", "R30", seat=case.by)
    yield from _knockers_ties(case)


def _caught(case: Case) -> Iterator[Statement]:
    """Why the knocker was caught: by whom, and what a tie means where there is one (D11, V10)."""
    ties_catch = case.options.knock_tie == "caught"
    catching = ("lower", "equal") if ties_catch else ("lower",)
    catchers = tuple(
        SeatTotal(seat, total, how)
        for seat, total in case.counts.items()
        if seat != case.by and (how := case.compared(seat)) in catching
    )
    tied = any(one.how == "equal" for one in catchers)
    key, rule = ("caught_tie", "D11") if tied else ("caught", caught_number(case))
    yield _knock(case)
    yield said(key, rule, seat=case.by, total=case.counts[case.by], catchers=catchers)
    if not ties_catch:
        yield from _knockers_ties(case)


def _knock(case: Case) -> Statement:
    rule = "R15" if case.options.knock_when == "turn_start" else "V8"
    return said("knock", rule, seat=case.by, total=case.counts[case.by])


def _knockers_ties(case: Case) -> Iterator[Statement]:
    """The players who would have caught a knocker for whom ties do not count."""
    others = (seat for seat in case.counts if seat != case.by)
    ties = case.totals(seat for seat in others if case.compared(seat) == "equal")
    if ties:
        yield said("tie_for_knocker", "V10", ties=ties)


def _stock_out(case: Case) -> Iterator[Statement]:
    lowest, tie = case.totals(case.ended.winners), case.options.stockout_tie
    yield said("stock_out", "R26", seat=case.by)
    rule = "D14" if tie == "each_paid" else "V14"
    if not case.tied:
        yield said("lowest", "R34", seat=case.winner, total=lowest[0].total)
    elif len(lowest) == len(case.counts):
        yield said("all_tie", rule, lowest=lowest)
    else:
        yield said(f"lowest_tie_{tie}", rule, lowest=lowest)


def _void(case: Case) -> Iterator[Statement]:
    if case.by:
        yield said("void", "V14", seat=case.by)
    else:
        yield said("void_from_outside", "D2")


_END: Mapping[events.End, Callable[[Case], Iterator[Statement]]] = MappingProxyType(
    {
        "initial_tonk": _initial,
        "initial_spread": _initial,
        "initial_low": _initial,
        "initial_draw": _initial_draw,
        "tonk_out": _tonk_out,
        "discard_out": _discard_out,
        "knock_win": _knock_win,
        "caught": _caught,
        "stock_out": _stock_out,
        "void": _void,
    }
)


def _holdings(case: Case) -> Iterator[Statement]:
    key = "holds" if case.options.count_method == "all_held" else "holds_deadwood"
    for held in case.ended.held:
        if held.cards:
            yield said(key, "V11", seat=held.seat, total=held.count, cards=held.cards)
        else:
            yield said("holds_nothing", None, seat=held.seat, total=0)


def _sums(case: Case) -> Iterator[Statement]:
    ended = case.ended
    if not ended.transfers and ended.winners and ended.end != "stock_out":
        yield said("nothing_owed", "V15")
    if ended.paid is not None:
        yield from _shortfalls(ended.transfers, ended.paid)
    for one in ended.net:
        yield Statement("net", None, case.with_stakes(seat=one.seat, amount=one.amount))
    for one in ended.rake:
        yield said("rake", None, seat=one.seat, amount=one.amount)


def _shortfalls(
    owed: Iterable[events.Transfer], paid: Iterable[events.Payment]
) -> Iterator[Statement]:
    """Where a tournament's chips did not cover what was owed, by payer and receiver."""
    dues: dict[tuple[int, int], int] = defaultdict(int)
    for one in owed:
        dues[one.from_seat, one.to_seat] += one.amount
    given = {(one.from_seat, one.to_seat): one.amount for one in paid}
    for (payer, receiver), due in sorted(dues.items()):
        amount = given.get((payer, receiver), 0)
        if amount != due:
            yield said("paid_less", None, payer=payer, receiver=receiver, owed=due, amount=amount)


def _next_dealer(options: Options, end: events.End, seat: int | None) -> Iterator[Statement]:
    if seat is None:
        return
    same = options.redeal_dealer == "same" and not counted(end)
    yield said("next_dealer", "V17" if same else "R7", seat=seat)
