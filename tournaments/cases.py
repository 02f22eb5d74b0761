"""The hand-worked cases of tournaments, one verdict each, for `manage.py cases`.

The schema is that of the case files' own README. A section whose machinery is not built yet is
never passed over: each of its cases fails with `section not built`.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from eventstore.core.refusal import InvariantBroken
from games.rules.payment import Transfer, pay, places_of_busts, short_stack_shares
from tournaments.core import levels, lot, prizes
from tournaments.core.balancing import Standing, rebalance, waiting_reason
from tournaments.core.busts import Place, judge_round, tie_groups
from tournaments.core.options import Site, from_template
from tournaments.core.seating import table_sizes

Case = Mapping[str, Any]
Verdict = tuple[str, str | None]
"""Id of a case, and why it failed or None."""
Outcome = tuple[object, object]
"""What came out, and what was expected."""

WAITING = frozenset(
    {
        "late_pools",
        "escrow_flows",
        "bounties",
        "satellites",
        "deals",
        "cancellations",
        "compensations",
        "brackets",
        "three_seat_elimination",
        "double_elimination",
        "swiss_points",
        "swiss_pairings",
        "fold_round_one",
        "round_robin",
        "tie_breaks",
        "late_registration",
        "swiss_attendance",
        "group_cuts",
        "arena",
        "no_shows",
        "money_flows",
        "ratings",
    }
)
"""Sections of the schema that nothing runs yet."""

_SITE = Site(("XTK", "EUR"), "XTK")


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a section's cases: its fields beside `id` and `what`, and what runs it."""

    run: Callable[[Case], Outcome]
    fields: frozenset[str]
    optional: frozenset[str] = frozenset()

    def misfit(self, case: Case) -> str | None:
        """A field that is missing or unknown."""
        given = set(case) - {"id", "what"}
        wrong = sorted(self.fields - given) + sorted(given - self.fields - self.optional)
        return wrong[0] if wrong else None


def is_mine(document: object) -> bool:
    """Whether a decoded file holds cases of tournaments."""
    return isinstance(document, Mapping) and document.get("kind") == "tournaments"


def run(document: Mapping[str, Any]) -> Iterator[Verdict]:
    """Verdicts of a file, in its order."""
    for section, cases in document.items():
        if section == "kind":
            continue
        for case in cases:
            yield str(case.get("id", section)), _verdict(section, case)


def _verdict(section: str, case: Case) -> str | None:
    if section in WAITING:
        return "section not built"
    forms = SECTIONS.get(section)
    if forms is None:
        return f"schema: {section}"
    if "id" not in case:
        return "schema: id"
    fitting = next((form for form in forms if form.misfit(case) is None), None)
    if fitting is None:
        return f"schema: {forms[-1].misfit(case)}"
    try:
        got, expected = map(_as_json, fitting.run(case))
    except InvariantBroken as broken:
        return f"broken: {broken}"
    return None if got == expected else f"got {got} expected {expected}"


def _as_json(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _form(run: Callable[[Case], Outcome], fields: str, optional: str = "") -> Form:
    return Form(run, frozenset(fields.split()), frozenset(optional.split()))


# Tables


def _table_sizes(case: Case) -> Outcome:
    return {n: table_sizes(n, case["S"]) for n in case["expect"]}, case["expect"]


def _balancing(case: Case) -> Outcome:
    tables = {
        number: Standing(size, between_hands=True)
        for number, size in enumerate(case["tables"], start=1)
    }
    answer = rebalance(tables, case["S"])
    sizes = sorted(answer.sizes.values(), reverse=True)
    got = {"broken": list(answer.broken), "sizes": sizes, "moves": len(answer.moves)}
    return got, case["expect"]


def _balancing_sequences(case: Case) -> Outcome:
    sizes: Mapping[int, int] = case["tables"]
    waiting = [number for number in sizes if _waits(number, sizes)]
    got = []
    for step in case["steps"]:
        ended = step["table"]
        standings = {
            number: Standing(
                size - (step["busts"] if number == ended else 0),
                between_hands=number == ended or number in waiting,
            )
            for number, size in sizes.items()
        }
        answer = rebalance(standings, case["S"])
        sizes = answer.sizes
        waiting = [
            number for number in sizes if standings[number].between_hands and _waits(number, sizes)
        ]
        moves = [[move.source, move.target] for move in answer.moves]
        broken = list(answer.broken)
        got.append({"sizes": sizes, "moves": moves, "broken": broken, "waiting": waiting})
    return got, [step["expect"] for step in case["steps"]]


def _waits(number: int, sizes: Mapping[int, int]) -> bool:
    return waiting_reason(sizes[number], max(sizes.values())) is not None


# Hands


def _short_stacks(case: Case) -> Outcome:
    return short_stack_shares(case["stack"], case["due"]), case["expect"]


def _hand_payments(case: Case) -> Outcome:
    seats = {name: seat for seat, name in enumerate(case["seats"], start=1)}
    names = {seat: name for name, seat in seats.items()}
    due = [Transfer(seats[a], seats[b], chips) for a, b, chips in case["due"]]
    stacks = {seats[name]: chips for name, chips in case["stacks"].items()}
    outcome = pay(due, stacks=stacks, payment="table_stakes")
    paid = [[names[one.from_seat], names[one.to_seat], one.amount] for one in outcome.paid]
    after = {names[seat]: chips for seat, chips in outcome.stacks.items()}
    expected = case["expect"]
    got = {"paid": sorted(paid), "stacks": after}
    return got, {**expected, "paid": sorted(expected["paid"])}


def _bust_order(case: Case) -> Outcome:
    return places_of_busts(case["remaining_before"], case["busts"]), case["expect"]


def _hand_for_hand(case: Case) -> Outcome:
    vector, order = case["prizes"], case["lot"]
    judged = judge_round(case["remaining_before"], len(vector), case["busts"])
    groups = _in_lot_order(judged.places, order)
    got = {
        "places": judged.places,
        "money": prizes.share_places(vector[judged.remaining :], groups),
        "remaining": judged.remaining,
        "hand_for_hand": judged.goes_on,
    }
    return got, case["expect"]


def _in_lot_order(places: Mapping[str, Place], order: Sequence[str]) -> list[list[str]]:
    return [sorted(group, key=order.index) for group in tie_groups(places)]


def _levels_by_hands(case: Case) -> Outcome:
    got = {
        number: levels.stake(levels.level_by_hands(number - 1, case["per"]), case["stakes"])
        for number in case["hands"]
    }
    return got, case["hands"]


def _levels_by_clock(case: Case) -> Outcome:
    per, paused = case["per_seconds"], case["paused"]
    got = {
        second: levels.stake(
            levels.level_by_clock(levels.running_seconds(second, paused), per), case["stakes"]
        )
        for second in case["dealt"]
    }
    return got, case["dealt"]


def _lots(case: Case) -> Outcome:
    seed = bytes.fromhex(case["seed"])
    return lot.order(seed, case["context"], case["players"]), case["expect"]


# Money


def _prizes(case: Case) -> Outcome:
    return prizes.divide(case["pool"], case["weights"], case.get("round_to", 1)), case["expect"]


def _place_counts(case: Case) -> Outcome:
    counts = case["counts"]
    return {entries: prizes.paid_places(entries) for entries in counts}, counts


def _paid_places(case: Case) -> Outcome:
    entries, buy_in = case["entries"], case["buy_in"]
    pool = prizes.pool_of(entries * buy_in, rake_bp=case["rake_bp"], guarantee=0).amount
    vector = prizes.vector(
        pool,
        prizes.Payout(),
        entries=entries,
        players=entries,
        price=buy_in + case["fee"],
    )
    return {"pool": pool, "prizes": vector}, case["expect"]


def _ties(case: Case) -> Outcome:
    got = prizes.share_places(case["prizes"], case["ranks"])
    covered = sum(case["prizes"][: len(got)])
    return [got, sum(got.values())], [case["expect"], covered]


def _pools(case: Case) -> Outcome:
    entries = case["entries"] + case.get("reentries", 0)
    addons = case.get("addons", 0) * case.get("addon_price", 0)
    pool = prizes.pool_of(
        entries * case["buy_in"] + addons, rake_bp=case["rake_bp"], guarantee=case["guarantee"]
    )
    got = {
        "collected": pool.collected,
        "overlay": pool.overlay,
        "rake": pool.rake,
        "pool": pool.amount,
    }
    fees = {"fees": entries * case["fee"]} if "fee" in case else {}
    return got | fees, case["expect"]


def _sit_and_go(case: Case) -> Outcome:
    vector = prizes.divide(case["seats"] * case["buy_in"], case["payout"])
    amounts = prizes.share_places(vector, case["ranks"])
    return {"prizes": amounts, "fees": case["seats"] * case["fee"]}, case["expect"]


# Drafts


def _creation(case: Case) -> Outcome:
    overrides = dict(case["options"])
    template = overrides.pop("template")
    problems = from_template(template, overrides, _SITE).problems
    return {"refused": problems[0]["code"]} if problems else "ok", case["expect"]


SECTIONS: Mapping[str, tuple[Form, ...]] = MappingProxyType(
    {
        "table_sizes": (_form(_table_sizes, "S expect"),),
        "balancing": (_form(_balancing, "S tables expect"),),
        "balancing_sequences": (_form(_balancing_sequences, "S tables steps"),),
        "short_stacks": (_form(_short_stacks, "stack due expect"),),
        "hand_payments": (_form(_hand_payments, "seats stacks due expect"),),
        "bust_order": (_form(_bust_order, "remaining_before busts expect"),),
        "hand_for_hand": (_form(_hand_for_hand, "remaining_before prizes busts lot expect"),),
        "levels": (
            _form(_levels_by_hands, "per stakes hands"),
            _form(_levels_by_clock, "per_seconds stakes paused dealt"),
        ),
        "lots": (_form(_lots, "seed context players expect"),),
        "prizes": (_form(_prizes, "pool weights expect", "round_to"),),
        "paid_places": (
            _form(_place_counts, "counts"),
            _form(_paid_places, "entries buy_in fee rake_bp expect"),
        ),
        "ties": (_form(_ties, "prizes ranks expect"),),
        "pools": (
            _form(
                _pools,
                "entries buy_in guarantee rake_bp expect",
                "fee reentries addons addon_price",
            ),
        ),
        "sit_and_go": (_form(_sit_and_go, "seats buy_in fee payout ranks expect"),),
        "creation": (_form(_creation, "options expect"),),
    }
)
"""The sections that are run, each with its forms."""
