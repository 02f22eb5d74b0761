"""Cases of tables: sizes, balancing, payments and busts of a hand, levels, the lot."""

from collections.abc import Mapping, Sequence

from games.rules.payment import Transfer, pay, places_of_busts, short_stack_shares
from tournaments.cases.forms import Case, Form, Outcome, form
from tournaments.core import levels, lot, prizes
from tournaments.core.balancing import Standing, rebalance, waiting_reason
from tournaments.core.busts import Place, judge_round, tie_groups
from tournaments.core.seating import table_sizes


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


SECTIONS: Mapping[str, tuple[Form, ...]] = {
    "table_sizes": (form(_table_sizes, "S expect"),),
    "balancing": (form(_balancing, "S tables expect"),),
    "balancing_sequences": (form(_balancing_sequences, "S tables steps"),),
    "short_stacks": (form(_short_stacks, "stack due expect"),),
    "hand_payments": (form(_hand_payments, "seats stacks due expect"),),
    "bust_order": (form(_bust_order, "remaining_before busts expect"),),
    "hand_for_hand": (form(_hand_for_hand, "remaining_before prizes busts lot expect"),),
    "levels": (
        form(_levels_by_hands, "per stakes hands"),
        form(_levels_by_clock, "per_seconds stakes paused dealt"),
    ),
    "lots": (form(_lots, "seed context players expect"),),
}
