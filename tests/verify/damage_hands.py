"""What can be wrong with hands, and with what belongs to a kind of receipt (V13 to V23)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tests.verify.damage import (
    DEPOSIT,
    HAND,
    PRIZE,
    Plan,
    amounts,
    became,
    both,
    edited,
    nth,
    other_card,
    put,
    turned,
)
from tests.verify.stories import JONAS, STAFF

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.verify.log import Rows


def plans() -> Iterator[Plan]:
    """All of this damage, in the order of the checks."""
    yield from _of_money()
    yield from _of_order()
    yield from _of_seeds()
    yield from _of_decks()
    yield from _of_places()
    yield from _of_cards()
    yield from _of_held()
    yield from _of_aborts()
    yield from _of_kinds()


def _of_money() -> Iterator[Plan]:
    money = partial(Plan, HAND, "V13", "hand_not_balanced")
    yield money("transfer", change=edited("HandEnded", lambda data: _more(data["transfers"][0]), 0))
    yield money("net", change=edited("HandEnded", lambda data: _more(data["net"][0]), 0))
    yield money("rake", change=edited("HandEnded", _rake_of_a_loser, 0))
    yield money("stack", change=edited("HandEnded", lambda data: _more(data["stacks"][1]), 0))
    yield money(
        "dealt", change=edited("HandDealt", lambda data: _more(data["players"][0], "stack"))
    )
    yield money("currency", change=put("HandEnded", 0, currency="XTK"))
    yield Plan(
        "cash_out", "V13", "hand_not_balanced", "voided",
        change=edited("HandVoided", lambda data: _more(data["stacks"][0])),
    )  # fmt: skip
    yield Plan(
        PRIZE, "V13", "hand_not_balanced", "paid",
        change=edited("HandEnded", lambda data: _more(data["paid"][0])),
    )  # fmt: skip
    yield Plan(PRIZE, "V13", "hand_not_balanced", "debt", change=_in_debt)


def _of_order() -> Iterator[Plan]:
    order = partial(Plan, HAND, "V14", "deal_out_of_order")
    yield order("no commitment", change=became("ShuffleCommitted"))
    yield order("no reveal", change=became("HandRevealed"))
    yield order("no deal", change=became("HandDealt"))
    yield order("dealer", change=edited("HandDealt", _other_dealer))
    yield order("players", change=edited("ShuffleCommitted", lambda data: data["seats"].pop()))
    yield order("number", change=put("HandDealt", hand_no=77))
    yield order("hand", change=put("HandRevealed", hand="0199c2b2-6c1f-71ff-b244-f819b9cd99af"))
    yield Plan("hand-bots", "V14", "deal_out_of_order", "begin", change=became("ShuffleCommitted"))
    commit = partial(Plan, HAND, "V14", "commit_mismatch")
    yield commit(
        "seed", change=edited("HandRevealed", lambda data: data.update(server_seed="ab" * 32))
    )
    yield commit(
        "both",
        change=both(put("ShuffleCommitted", commit="ab" * 32), put("HandDealt", commit="ab" * 32)),
    )
    yield commit("dealt", change=put("HandDealt", commit="ab" * 32))
    yield Plan(
        "cash_out", "V14", "commit_mismatch", "voided", change=put("HandVoided", server_seed=None)
    )


def _of_seeds() -> Iterator[Plan]:
    seed = partial(Plan, HAND, "V15", "bad_seed")
    yield seed("seed", change=put("SeedRevealed", seed="ab" * 32))
    yield seed("anchor", change=put("SeedAnchored", anchor="ab" * 32))
    yield seed("index", change=put("SeedRevealed", index=5))
    yield seed("length", change=put("SeedAnchored", length=1))
    yield seed(
        "state", change=edited("HandDealt", lambda data: data["players"][0].update(seed="missing"))
    )
    yield seed(
        "unasked",
        change=edited("ShuffleCommitted", lambda data: data["seats"][2].update(anchored=False)),
    )
    yield seed("player", change=put("SeedRevealed", player="0199c2b2-6c1f-7000-8000-000000000001"))
    yield seed("no anchor", change=became("SeedAnchored"))
    yield Plan("old-anchor", "V15", "bad_seed", "sat down again")
    yield Plan("old-anchor-cut", "V15", "bad_seed", "sat down again, anchored before")
    yield Plan("strict-silent", "V15", "bad_seed", "strict")
    yield Plan("strict-unanchored", "V15", "bad_seed", "no anchor in strict")


def _of_decks() -> Iterator[Plan]:
    script = partial(Plan, HAND, "V16", "transcript_mismatch")
    yield script(
        "transcript",
        change=edited("HandDealt", lambda data: data.update(transcript=turned(data["transcript"]))),
    )
    yield Plan(
        "hand-beacon",
        "V16",
        "transcript_mismatch",
        "no beacon",
        change=put("HandDealt", beacon=None),
    )
    yield Plan(
        "hand-beacon",
        "V16",
        "transcript_mismatch",
        "beacon",
        change=put("HandDealt", beacon="ab" * 32),
    )
    yield script("a beacon", change=put("HandDealt", beacon="ab" * 32))
    deck = partial(Plan, HAND, "V16", "deck_mismatch")
    yield deck(
        "root",
        change=edited("HandDealt", lambda data: data.update(deck_root=turned(data["deck_root"]))),
    )
    yield deck(
        "rules", change=edited("HandDealt", lambda data: data["rules"]["options"].update(jokers=1))
    )
    yield Plan(
        "hand-reshuffle",
        "V16",
        "deck_mismatch",
        "again",
        change=put("PileReshuffled", root="ab" * 32),
    )


def _more(item: dict[str, Any], name: str = "amount") -> None:
    item[name] += 1


def _rake_of_a_loser(data: dict[str, Any]) -> None:
    loser = min(data["net"], key=lambda one: one["amount"])
    data["rake"].append({**loser, "amount": 1})
    next(one for one in data["stacks"] if one["seat"] == loser["seat"])["amount"] -= 1


def _in_debt(rows: Rows) -> None:
    """Everything adds up, but a seat paid more than it had."""
    dealt, ended = nth(rows, "HandDealt").record["data"], nth(rows, "HandEnded").record["data"]
    payer = ended["paid"][0]["from_seat"]
    stack = next(one for one in ended["stacks"] if one["seat"] == payer)["amount"]
    next(one for one in dealt["players"] if one["seat"] == payer)["stack"] -= stack + 1
    next(one for one in ended["stacks"] if one["seat"] == payer)["amount"] = -1


def _other_dealer(data: dict[str, Any]) -> None:
    seats = [one["seat"] for one in data["players"]]
    data["dealer"] = next(seat for seat in seats if seat != data["dealer"])


def _of_places() -> Iterator[Plan]:
    twice = partial(Plan, HAND, "V17", "place_taken_twice")
    yield twice(
        "again", change=lambda rows: _less(nth(rows, "CardDrawn", source="stock").record["data"])
    )
    place = partial(Plan, HAND, "V17", "wrong_place")
    yield place(
        "skipped",
        change=lambda rows: _more(nth(rows, "CardDrawn", source="stock").record["data"], "place"),
    )
    yield place("upcard", change=edited("HandDealt", lambda data: _more(data["upcard"], "place")))
    yield place("no upcard", change=put("HandDealt", upcard=None))
    yield place("size", change=put("HandDealt", hand_size=7))
    yield Plan("hand-jokers", "V17", "wrong_place", "discard", change=_other_discard)
    yield Plan(
        "hand-jokers",
        "V17",
        "wrong_place",
        "slap",
        change=edited("CardSlapped", lambda data: _more(data, "place")),
    )
    yield Plan(
        "hand-reshuffle", "V17", "wrong_place", "number", change=put("PileReshuffled", shuffle_no=2)
    )


def _of_cards() -> Iterator[Plan]:
    card = partial(Plan, HAND, "V18", "card_mismatch")
    yield card(
        "discard",
        change=edited("CardDiscarded", lambda data: data.update(card=other_card(data["card"]))),
    )
    yield card(
        "upcard",
        change=edited(
            "HandDealt", lambda data: data["upcard"].update(card=other_card(data["upcard"]["card"]))
        ),
    )
    joker = partial(Plan, "hand-jokers", "V18")
    yield joker(
        "card_mismatch", "spread", change=edited("SpreadLaid", lambda data: data["cards"].reverse())
    )
    yield joker(
        "card_mismatch",
        "hit",
        change=edited("CardHit", lambda data: data.update(card=other_card(data["card"]))),
    )
    yield joker(
        "card_mismatch",
        "slap",
        change=edited("CardSlapped", lambda data: data.update(card=other_card(data["card"]))),
    )
    yield joker("not_held", "hit", change=edited("CardHit", lambda data: data.update(place=53)))
    yield Plan(HAND, "V18", "not_held", "discard", change=_discard_of_another)


def _of_held() -> Iterator[Plan]:
    held = partial(Plan, HAND, "V19")
    yield held(
        "hand_mismatch",
        "cards",
        change=edited("HandEnded", lambda data: _rotate(_longest(data)["cards"])),
    )
    yield held(
        "hand_mismatch",
        "places",
        change=edited("HandEnded", lambda data: _longest(data)["places"].pop()),
    )
    yield held(
        "hand_mismatch",
        "added",
        change=edited("HandEnded", lambda data: _longest(data)["cards"].append("X1")),
    )
    yield held(
        "count_mismatch",
        "count",
        change=edited("HandEnded", lambda data: _more(_longest(data), "count")),
    )
    yield Plan(
        "hand-jokers",
        "V19",
        "count_mismatch",
        "deadwood",
        change=edited("HandEnded", lambda data: _more(_longest(data), "count")),
    )


def _of_aborts() -> Iterator[Plan]:
    abort = partial(Plan, "hand-strict-abort", "V20", "abort_mismatch")
    yield abort(
        "seed", change=edited("ShuffleAborted", lambda data: data.update(server_seed="ab" * 32))
    )
    yield abort("blamed", change=put("ShuffleAborted", missing=[1]))
    yield abort("stranger", change=put("ShuffleAborted", missing=[5]))
    yield abort("hand", change=put("ShuffleAborted", hand="0199c2b2-6c1f-71ff-b244-f819b9cd99af"))


def _less(data: dict[str, Any]) -> None:
    data["place"] -= 1


def _longest(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = max(data["held"], key=lambda one: len(one["cards"]))
    return found


def _rotate(items: list[Any]) -> None:
    items.append(items.pop(0))


def _other_discard(rows: Rows) -> None:
    nth(rows, "CardDrawn", source="discard").record["data"]["place"] = 0


def _discard_of_another(rows: Rows) -> None:
    """A seat discards a card of its neighbour: the place is another seat's of the deal."""
    discard = nth(rows, "CardDiscarded", -3).record["data"]
    dealt = nth(rows, "HandDealt").record["data"]
    ended = nth(rows, "HandEnded").record["data"]
    other = next(one for one in ended["held"] if one["seat"] != discard["seat"] and one["cards"])
    assert dealt["hand"] == ended["hand"]
    discard["card"], discard["place"] = other["cards"][0], other["places"][0]


def _of_kinds() -> Iterator[Plan]:
    stack = partial(Plan, "cash_out", "V21", "stack_mismatch")
    yield stack("amount", change=edited("SeatCashedOut", _more), edit=amounts(lambda one: one + 1))
    yield stack("top-up", change=edited("StackToppedUp", _more))
    yield stack("buy-in", change=edited("SeatTaken", lambda data: _more(data, "buy_in")))
    yield stack("player", change=put("SeatTaken", player=JONAS))
    prize = partial(Plan, PRIZE, "V22", "prize_mismatch")
    yield prize("parts", change=put("PrizesComputed", 0, parts=3))
    yield prize("endless", change=put("PrizesComputed", 0, parts=2**53 - 1))
    yield prize("part", change=put("PrizesComputed", 0, part=2))
    yield prize("overlay", change=edited("PrizesComputed", lambda data: _more(data, "overlay"), 0))
    yield prize("paid in", change=edited("EntryPaid", lambda data: _more(data, "buy_in")))
    yield prize(
        "prize",
        change=edited("PrizesComputed", lambda data: _more(data["prizes"][0])),
        edit=amounts(lambda one: one + 1),
    )
    yield Plan(
        "refund-cancelled", "V22", "prize_mismatch", "parts", change=put("Cancelled", parts=3)
    )
    same = partial(Plan, check="V23", error="same_person")
    alone = {"proposer": STAFF[0], "approver": STAFF[0]}
    yield same(story="adjustment", about="approver", change=put("AdjustmentApproved", **alone))
    yield same(story="reversal", about="approver", change=put("AdjustmentApproved", **alone))
    yield same(
        story=DEPOSIT, about="deposit", change=put("DepositRecorded", approved_by=[STAFF[0]] * 2)
    )
    yield same(
        story="withdrawal_paid", about="paid", change=put("WithdrawalPaid", approved_by=[STAFF[0]])
    )
    order = partial(Plan, check="V23", error="bad_sequence")
    yield order(
        story="adjustment", about="reason", change=put("AdjustmentApproved", reason_code="other")
    )
    yield order(
        story="adjustment",
        about="amount",
        change=edited("AdjustmentProposed", lambda data: data["lines"][0].update(amount=1)),
    )
    yield order(
        story="adjustment", about="currency", change=put("AdjustmentProposed", currency="XTK")
    )
    yield order(
        story="adjustment",
        about="unproposed",
        change=put("AdjustmentProposed", adjustment=STAFF[1]),
    )
    yield order(
        story="withdrawal_paid", about="amount", change=put("WithdrawalRequested", amount=6001)
    )
    yield order(story="withdrawal_paid", about="returned", change=_returned_before)
    yield order(
        story="withdrawal_returned",
        about="unasked",
        change=put("WithdrawalRequested", withdrawal=STAFF[1]),
    )


def _returned_before(rows: Rows) -> None:
    record = nth(rows, "WithdrawalApproved").record
    record["type"] = "WithdrawalReturned"
    del record["data"]["approved_by"]
    record["data"].update(amount=6000, currency="EUR", reason_code="cancelled")
