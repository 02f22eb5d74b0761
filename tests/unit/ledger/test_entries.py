"""Which entries an event makes (`ledger.md` section 3)."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.core.ids import HOUSE_STREAM
from eventstore.core.record import NO_HASH, Stored
from eventstore.core.refusal import Refusal
from ledger.core.accounts import parse_stored, unstriped
from ledger.core.currencies import AMOUNT_MAX
from ledger.core.entries import (
    INLINE,
    MONEY,
    NO_MONEY,
    SETTLED,
    Entry,
    entries_for,
    key_of,
    read_key,
)
from ledger.core.events import WALLET_EVENTS
from ledger.core.kinds import TITLES, Kind

AT = datetime(2026, 12, 1, 8, 30, tzinfo=UTC)
SUBJECT = "0199c2b2-6c1f-7001-8000-00000000000a"
A, B, C = (f"0199c2b2-6c1f-7cc6-b5e6-76fcb5034a7{n}" for n in (3, 4, 5))

players = st.uuids().map(str)
amounts = st.integers(0, 10**9)
positive = st.integers(1, 10**9)


def stored(category: str, name: str, fields: dict[str, Any], *, schema: int = 1) -> Stored:
    stream = category if "/" in category else f"{category}/{SUBJECT}"
    return Stored(
        stream=stream,
        version=7,
        event_id=UUID(SUBJECT),
        type=name,
        schema=schema,
        data=json.dumps(fields),
        meta="{}",
        at=AT,
        prev_hash=NO_HASH,
        hash=NO_HASH,
    )


def made(category: str, name: str, **fields: Any) -> list[dict[str, Any]]:
    """Entries in the form of the case files: part, kind, legs by account without stripe."""
    found = entries_for(stored(category, name, {"currency": "EUR"} | fields))
    assert not isinstance(found, Refusal), found
    return [
        {
            "part": entry.part,
            "kind": entry.kind.word,
            "legs": {unstriped(code): amount for code, amount in entry.legs},
        }
        for entry in found
    ]


def only(event: Stored) -> Entry:
    found = entries_for(event)
    assert isinstance(found, tuple), found
    (entry,) = found
    return entry


def code(category: str, name: str, **fields: Any) -> str:
    found = entries_for(stored(category, name, {"currency": "EUR"} | fields))
    assert isinstance(found, Refusal), found
    return found.code


def per_seat(amounts: dict[str, int]) -> list[dict[str, Any]]:
    return [
        {"seat": seat, "player": player, "amount": amount}
        for seat, (player, amount) in enumerate(amounts.items(), 1)
    ]


# --- events of any content ------------------------------------------------------------------------


@st.composite
def hands(draw: st.DrawFn) -> tuple[str, str, dict[str, Any]]:
    people = draw(st.lists(players, min_size=2, max_size=6, unique=True))
    nets = draw(st.lists(st.integers(-(10**9), 10**9), min_size=len(people) - 1, max_size=5))
    nets = nets[: len(people) - 1]
    by_player = dict(zip(people, [*nets, -sum(nets)], strict=True))
    rakes = {player: draw(st.integers(0, net)) for player, net in by_player.items() if net > 0}
    return "table", "HandEnded", {"net": per_seat(by_player), "rake": per_seat(rakes)}


@st.composite
def prizes(draw: st.DrawFn) -> tuple[str, str, dict[str, Any]]:
    winners = draw(st.lists(players, max_size=5))
    listed = [
        {"place": place, "player": player, "amount": draw(amounts)}
        for place, player in enumerate(winners, 1)
    ]
    house = {name: draw(amounts) for name in ("overlay", "rake", "fees", "heads_to_pool")}
    return "tournament", "PrizesComputed", house | {"prizes": listed}


@st.composite
def cancellations(draw: st.DrawFn) -> tuple[str, str, dict[str, Any]]:
    refunds = [
        {"player": player} | {name: draw(amounts) for name in ("pool", "fee", "bounty")}
        for player in draw(st.lists(players, max_size=5))
    ]
    house = {"rake": draw(amounts), "fees_kept": draw(amounts)}
    return "tournament", "Cancelled", house | {"refunds": refunds}


@st.composite
def compensations(draw: st.DrawFn) -> tuple[str, str, dict[str, Any]]:
    debtor, *others = draw(st.lists(players, min_size=2, max_size=5, unique=True))
    shares = [draw(positive) for _ in others]
    owed = draw(st.integers(0, sum(shares)))
    credits_ = [
        {"player": player, "amount": share} for player, share in zip(others, shares, strict=True)
    ]
    debits = [{"player": debtor, "wallet": sum(shares) - owed, "receivable": owed}]
    return "tournament", "CompensationPosted", {"debits": debits, "credits": credits_}


def shaped(category: str, name: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(fields).map(lambda drawn: (category, name, drawn))


paid = {"method": st.just("bank"), "reference": st.text(max_size=5), "approved_by": st.just([])}
anything = st.one_of(
    hands(),
    prizes(),
    cancellations(),
    compensations(),
    shaped("table", "SeatTaken", player=players, buy_in=positive),
    shaped("table", "StackToppedUp", player=players, amount=positive),
    shaped("table", "SeatCashedOut", player=players, amount=amounts),
    shaped("tournament", "EntryPaid", player=players, buy_in=amounts, fee=amounts, bounty=amounts),
    shaped("tournament", "ReEntered", player=players, buy_in=amounts, fee=amounts),
    shaped("tournament", "RebuyBought", player=players, amount=amounts),
    shaped("tournament", "AddOnBought", player=players, amount=amounts),
    shaped("tournament", "EntryRefunded", player=players, pool=amounts, fee=amounts),
    shaped(
        "tournament",
        "BountyPaid",
        paid=st.lists(st.fixed_dictionaries({"player": players, "amount": amounts})),
    ),
    shaped("wallet", "DepositRecorded", amount=positive, **paid),
    shaped("wallet", "ChipsGranted", amount=positive),
    shaped("wallet", "WithdrawalRequested", amount=positive),
    shaped("wallet", "WithdrawalPaid", amount=positive, **paid),
    shaped("wallet", "WithdrawalReturned", amount=positive),
)


@given(anything)
def test_every_entry_is_balanced_and_sorted(event: tuple[str, str, dict[str, Any]]) -> None:
    category, name, fields = event
    found = entries_for(stored(category, name, {"currency": "EUR"} | fields))
    assert isinstance(found, tuple), found
    parts = [entry.part for entry in found]
    assert parts == sorted(set(parts))
    for entry in found:
        codes = [code for code, _ in entry.legs]
        assert sum(amount for _, amount in entry.legs) == 0
        assert len(codes) >= 2
        assert codes == sorted(set(codes))
        assert all(amount and abs(amount) <= AMOUNT_MAX for _, amount in entry.legs)
        assert all(parse_stored(code)[0].currency == "EUR" for code in codes)


@given(anything)
def test_the_same_event_gives_the_same_hashes(event: tuple[str, str, dict[str, Any]]) -> None:
    category, name, fields = event
    found = entries_for(stored(category, name, {"currency": "EUR"} | fields))
    again = entries_for(stored(category, name, {"currency": "EUR"} | fields))
    assert isinstance(found, tuple)
    assert isinstance(again, tuple)
    assert [entry.hash for entry in found] == [entry.hash for entry in again]


@given(anything, st.sampled_from([None, "CHIPS"]))
def test_chips_are_no_money(event: tuple[str, str, dict[str, Any]], currency: str | None) -> None:
    category, name, fields = event
    assert entries_for(stored(category, name, {"currency": currency} | fields)) == ()


@given(st.text(max_size=12), st.integers(1, 3), st.dictionaries(st.text(max_size=3), st.none()))
def test_any_type_is_in_a_list_or_unknown(name: str, schema: int, fields: dict[str, None]) -> None:
    found = entries_for(stored("table", name, fields, schema=schema))
    if (name, schema) not in MONEY and (name, schema) not in NO_MONEY:
        assert isinstance(found, Refusal)
        assert found.code == "unknown_event"


junk: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["player", "amount", "account"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(anything, st.data())
def test_junk_in_any_field_is_refused_or_balanced(
    event: tuple[str, str, dict[str, Any]], data: st.DataObject
) -> None:
    """The function is total: whatever stands in an event, it answers."""
    category, name, fields = event
    field = data.draw(st.sampled_from(["currency", *fields]))
    found = entries_for(
        stored(category, name, {"currency": "EUR"} | fields | {field: data.draw(junk)})
    )
    if not isinstance(found, Refusal):
        assert all(sum(amount for _, amount in entry.legs) == 0 for entry in found)


# --- rows of the mapping --------------------------------------------------------------------------


def test_a_won_knock_with_rake() -> None:
    fields = {"net": per_seat({A: 200, B: -100, C: -100}), "rake": per_seat({A: 10})}
    assert made("table", "HandEnded", **fields) == [
        {
            "part": 0,
            "kind": "hand",
            "legs": {
                "rake:EUR": -10,
                f"seat:{SUBJECT}:{A}:EUR": -190,
                f"seat:{SUBJECT}:{B}:EUR": 100,
                f"seat:{SUBJECT}:{C}:EUR": 100,
            },
        }
    ]


def test_a_drawn_hand_and_an_empty_seat_make_no_entry() -> None:
    assert made("table", "HandEnded", net=per_seat({A: 0, B: 0})) == []
    assert made("table", "SeatCashedOut", player=A, amount=0) == []
    assert made("table", "TableClosed") == []


def test_a_free_entry_makes_no_entry() -> None:
    assert made("tournament", "EntryPaid", player=A, buy_in=0, fee=0, bounty=0) == []


def test_part_numbers_of_amounts_that_are_0_stay_unused() -> None:
    listed = [{"place": 1, "player": A, "amount": 5}, {"place": 2, "player": B, "amount": 0}]
    listed.append({"place": 3, "player": C, "amount": 1})
    found = made("tournament", "PrizesComputed", overlay=None, rake=3, fees=0, prizes=listed)
    assert [entry["part"] for entry in found] == [1, 10, 12]


def test_an_adjustment_takes_effect_when_it_says() -> None:
    lines = [
        {"account": "promotion:EUR", "amount": 10},
        {"account": f"wallet:{SUBJECT}:EUR", "amount": -10},
    ]
    people = {"proposer": "s1", "approver": "s2", "lines": lines, "currency": "EUR"}
    event = stored("wallet", "AdjustmentApproved", people | {"effective": "2026-11-01"})
    entry = only(event)
    assert entry.effective_at == datetime(2026, 11, 1, tzinfo=UTC)
    entry = only(stored("wallet", "AdjustmentApproved", people))
    assert (entry.effective_at, entry.kind) == (AT, Kind.ADJUSTMENT)


# --- refusals -------------------------------------------------------------------------------------

BAD_AMOUNTS = [0, -1, 1.0, 10.5, True, "10", "\u0661\u0660", None, [], AMOUNT_MAX + 1, 2**63]


@pytest.mark.parametrize("amount", BAD_AMOUNTS)
def test_D9_what_is_no_amount(amount: object) -> None:
    assert code("table", "SeatTaken", player=A, buy_in=amount) == "bad_amount"
    assert code("wallet", "ChipsGranted", amount=amount) == "bad_amount"


def test_a_sum_above_the_limit_of_a_leg() -> None:
    fields = {"player": A, "buy_in": AMOUNT_MAX, "fee": 1}
    assert code("tournament", "EntryPaid", **fields) == "bad_amount"


@pytest.mark.parametrize("currency", ["", "eur", "EU", "EUR:07", "A" * 13, 5, ["EUR"]])
def test_what_is_no_currency(currency: object) -> None:
    found = code("table", "SeatTaken", player=A, buy_in=5, currency=currency)
    assert found == "unknown_currency"


@pytest.mark.parametrize(
    ("net", "rake", "expected"),
    [
        ({A: 5, B: -4}, {}, "unbalanced"),
        ({A: 5, B: -5}, {B: 1}, "bad_entry"),
        ({A: 5, B: -5}, {A: 6}, "bad_entry"),
        ({A: 5, B: -5}, {C: 1}, "bad_entry"),
        ({A: 5, B: -5}, {A: -1}, "bad_amount"),
        ({A: 5.0, B: -5}, {}, "bad_amount"),
    ],
)
def test_a_hand_that_does_not_add_up(
    net: dict[str, int], rake: dict[str, int], expected: str
) -> None:
    assert code("table", "HandEnded", net=per_seat(net), rake=per_seat(rake)) == expected


def test_a_player_twice_in_a_hand() -> None:
    twice = [*per_seat({A: 5}), *per_seat({A: -5})]
    assert code("table", "HandEnded", net=twice, rake=[]) == "bad_entry"
    rakes = [*per_seat({A: 1}), *per_seat({A: 1})]
    assert code("table", "HandEnded", net=per_seat({A: 5, B: -5}), rake=rakes) == "bad_entry"


@pytest.mark.parametrize("listed", [5, "x", [5], {"amount": 1}])
def test_a_list_that_is_none(listed: object) -> None:
    assert code("tournament", "PrizesComputed", prizes=listed) == "bad_entry"


def test_a_compensation_that_does_not_balance() -> None:
    debits = [{"player": A, "wallet": 5, "receivable": 0}]
    credits_ = [{"player": B, "amount": 4}]
    assert code("tournament", "CompensationPosted", debits=debits, credits=credits_) == "unbalanced"
    assert code("tournament", "CompensationPosted", debits=debits, credits=[]) == "unbalanced"


@pytest.mark.parametrize("name", ["WalletFrozen", "WalletReleased", "PeriodClosed"])
def test_a_state_is_set_by_two_people(name: str) -> None:
    assert code("wallet", name, currency=None, proposer="s1", approver="s1") == "four_eyes"
    assert made("wallet", name, currency=None, proposer="s1", approver="s2") == []


@pytest.mark.parametrize("approved_by", [None, [], ["s1"], ["s1", "s1"], "s1s2", ["1", "2", "3"]])
def test_a_manual_payment_needs_two_people(approved_by: object) -> None:
    payment = {"amount": 5, "method": "manual", "reference": "r", "approved_by": approved_by}
    assert code("wallet", "DepositRecorded", **payment) == "four_eyes"
    assert code("wallet", "WithdrawalPaid", **payment) == "four_eyes"


def test_a_payment_needs_a_reference_and_a_method() -> None:
    assert code("wallet", "DepositRecorded", amount=5, method="bank") == "bad_entry"
    assert code("wallet", "DepositRecorded", amount=5, reference="r") == "bad_entry"


WALLET = f"wallet:{SUBJECT}:EUR"


@pytest.mark.parametrize(
    ("lines", "changes", "expected"),
    [
        ([("promotion:EUR", 5), (WALLET, -5)], {"approver": "s1"}, "four_eyes"),
        ([("promotion:EUR", 5), (f"wallet:{A}:EUR", -5)], {}, "not_adjustable"),
        ([(f"seat:{SUBJECT}:{SUBJECT}:EUR", 5), (WALLET, -5)], {}, "not_adjustable"),
        ([("rake:EUR", 5), (WALLET, -5)], {}, "not_adjustable"),
        ([("promotion:EUR", 5), (WALLET, -4)], {}, "unbalanced"),
        ([("promotion:XTK", 5), (WALLET, -5)], {}, "currency_mismatch"),
        ([("nothing:EUR", 5), (WALLET, -5)], {}, "unknown_account"),
        ([("promotion:EUR:07", 5), (WALLET, -5)], {}, "unknown_account"),
        ([("promotion:EUR", 5), ("promotion:EUR", -5)], {}, "bad_entry"),
        ([("promotion:EUR", 5), (WALLET, "5")], {}, "bad_amount"),
        ([], {}, "bad_entry"),
        ([("promotion:EUR", 5), (WALLET, -5)], {"effective": "2026-13-01"}, "bad_entry"),
        ([("promotion:EUR", 5), (WALLET, -5)], {"reverses": "wallet/x@01#0"}, "bad_entry"),
        ([("promotion:EUR", 5), (WALLET, -5)], {"reverses": "nothing"}, "bad_entry"),
        # A reversal stands in the house's stream, where it may touch any account.
        ([("promotion:EUR", 5), (WALLET, -5)], {"reverses": "wallet/x@1#0"}, "not_adjustable"),
    ],
)
def test_what_an_adjustment_may_not_do(
    lines: list[tuple[str, Any]], changes: dict[str, Any], expected: str
) -> None:
    fields = {"proposer": "s1", "approver": "s2", "reverses": None, "effective": None} | changes
    fields["lines"] = [{"account": account, "amount": amount} for account, amount in lines]
    assert code("wallet", "AdjustmentApproved", **fields) == expected


def test_the_house_has_no_wallet_but_reverses_any() -> None:
    lines = [{"account": "promotion:EUR", "amount": 5}, {"account": WALLET, "amount": -5}]
    fields = {"proposer": "s1", "approver": "s2", "lines": lines}
    assert code(HOUSE_STREAM, "AdjustmentApproved", **fields) == "not_adjustable"
    (entry,) = made(HOUSE_STREAM, "AdjustmentApproved", **fields, reverses="wallet/x@1#0")
    assert entry["kind"] == "reversal"


# --- the lists, keys and hashes -------------------------------------------------------------------


def test_every_type_is_in_one_list() -> None:
    assert not set(INLINE) & set(SETTLED)
    assert not set(MONEY) & NO_MONEY
    listed = {name for name, _ in MONEY} | {name for name, _ in NO_MONEY}
    assert {event.__name__ for event in WALLET_EVENTS} <= listed


def test_every_kind_has_a_word_and_a_title() -> None:
    assert set(TITLES) == set(Kind)
    assert Kind.BUY_IN.word == "buy_in"


@given(st.text(st.characters(exclude_characters="@#"), min_size=1), positive, amounts)
def test_a_key_is_read_back(stream: str, version: int, part: int) -> None:
    assert read_key(key_of(stream, version, part)) == (stream, version, part)


def pinned() -> Entry:
    fields = {"net": per_seat({A: 100, B: -100}), "rake": per_seat({A: 5}), "currency": "EUR"}
    return only(stored("table", "HandEnded", fields))


def test_the_canonical_bytes_are_these_for_ever() -> None:
    """An auditor's own program gives the same hash: SHA-256 over exactly these bytes."""
    seat = f"seat:{SUBJECT}"
    assert pinned().canonical.decode() == (
        'tonk/entry/1\n{"currency":"EUR","effective_at":"2026-12-01T08:30:00.000000Z",'
        f'"key":"table/{SUBJECT}@7#0","kind":"hand","lines":[["rake:EUR:10",-5],'
        f'["{seat}:{A}:EUR",-95],["{seat}:{B}:EUR",100]],"reverses":null}}'
    )
    independent = "e4e47b5d83f14daf9cdce4485a9309ad07a0c582983cfd87427f78e2ef13b719"
    assert pinned().hash.hex() == independent


@pytest.mark.parametrize("seed", ["0", "1"])
def test_another_process_with_another_hash_seed_gives_the_same_bytes(seed: str) -> None:
    program = "from tests.unit.ledger.test_entries import pinned; print(pinned().hash.hex())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == pinned().hash.hex()
