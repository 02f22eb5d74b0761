"""Chains, ids, the registry and shares."""

import pickle
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from eventstore.core.canonical import NotCanonicalError
from eventstore.core.chain import START, Fact, Fault, head_of, seal, verify_chain
from eventstore.core.ids import subject, table_stream, uuid7
from eventstore.core.record import Stored, leaf_hash, read_record, record_bytes, time_of, time_text
from eventstore.core.refusal import Refusal, VersionConflict, refuse
from eventstore.core.registry import Registry
from eventstore.core.shares import split_even, split_largest_remainder
from players.core.events import NameConsentSet

AT = datetime(2026, 12, 1, 8, 0, 0, 120, tzinfo=UTC)
IDS = [UUID(int=number) for number in range(1, 9)]
STREAM = "player/0199c2b2-6c1f-7cc6-b5e6-76fcb5034a73"


def facts(count: int) -> list[Fact]:
    return [Fact(NameConsentSet(consent=number % 2 == 0), "player:x") for number in range(count)]


def chain(count: int = 4) -> list[Stored]:
    return list(seal(STREAM, START, facts(count), at=AT, ids=IDS[: count + 1]))


def resealed(event: Stored, **changes: Any) -> Stored:
    """The event with other members and the hash that belongs to them."""
    draft = replace(event, **changes)
    return replace(draft, hash=leaf_hash(record_bytes(draft)))


# --- chains ---------------------------------------------------------------------------------------


def test_a_sealed_chain_is_whole_however_it_is_cut() -> None:
    events = chain()
    assert verify_chain(events) is None
    for cut in range(len(events) + 1):
        assert verify_chain(events[cut:], head_of(events[:cut])) is None
    assert [event.facts["cmd"] for event in events] == [str(IDS[0])] * 4


def test_cause_and_auto_stand_in_meta_only_where_they_apply() -> None:
    fact = Fact(NameConsentSet(consent=True), "worker:clock", auto=True, cause=f"{STREAM}@3")
    (event,) = seal(STREAM, START, [fact], at=AT, ids=IDS[:2])
    assert event.facts == {
        "actor": "worker:clock",
        "auto": True,
        "cause": f"{STREAM}@3",
        "cmd": str(IDS[0]),
    }
    assert set(chain(1)[0].facts) == {"actor", "cmd"}


def test_time_never_runs_back_when_sealed() -> None:
    events = chain(1)
    earlier = AT - timedelta(seconds=1)
    (later,) = seal(STREAM, head_of(events), facts(1), at=earlier, ids=IDS[:2])
    assert later.at == AT


@pytest.mark.parametrize(
    ("version", "change", "code"),
    [
        (3, {"version": 5}, "gap"),
        (3, {"prev_hash": bytes(32)}, "broken_chain"),
        (2, {"data": '{"consent": true}'}, "not_canonical"),
        (2, {"meta": '{"cmd":"x","actor":"y"}'}, "not_canonical"),
        (2, {"data": '{"consent":"\\ud800"}'}, "not_canonical"),
        (4, {"at": AT - timedelta(seconds=1)}, "time_runs_back"),
    ],
)
def test_the_first_fault_is_named(version: int, change: dict[str, Any], code: str) -> None:
    events = chain()
    events[version - 1] = resealed(events[version - 1], **change)
    named = change.get("version", version)
    assert verify_chain(events) == Fault(STREAM, int(str(named)), code)


@pytest.mark.parametrize(
    "change",
    [
        {"data": '{"consent":false}'},
        {"meta": '{"actor":"player:y"}'},
        {"type": "Other"},
        {"schema": 2},
        {"event_id": UUID(int=99)},
        {"at": AT + timedelta(microseconds=1)},
        {"stream": STREAM.replace("player/", "wallet/")},
        {"hash": bytes(32)},
    ],
)
def test_any_member_changed_without_its_hash_is_found(change: dict[str, Any]) -> None:
    (event,) = chain(1)
    changed = replace(event, **change)
    fault = verify_chain([changed])
    assert fault is not None
    assert fault.code == "bad_hash"


def test_missing_swapped_and_doubled_records_are_found() -> None:
    first, second, third, fourth = chain()
    for wrong in ([second, third], [first, third], [first, third, second], [first, first]):
        assert verify_chain(wrong) is not None
    # A cut tail is whole: only what holds the head elsewhere can find it.
    assert verify_chain([first, second, third]) is None
    assert fourth.version == 4


def test_a_record_too_long_is_refused() -> None:
    fact = Fact(NameConsentSet(consent=True), "x")
    (event,) = seal(STREAM, START, [fact], at=AT, ids=IDS[:2])
    with pytest.raises(NotCanonicalError, match="a record of"):
        record_bytes(replace(event, data='"' + "a" * 65_535 + '"'))


def test_data_may_be_nested_as_deep_as_any_value() -> None:
    """Eight levels of data are nine of the record: what can be appended can be read back."""
    (event,) = chain(1)
    for levels, fits in ((8, True), (9, False)):
        nested = "[" * (levels - 1) + "1" + "]" * (levels - 1)
        deep = resealed(event, data=f'{{"a":{nested}}}')
        if fits:
            assert read_record(record_bytes(deep)) == deep
        else:
            with pytest.raises(NotCanonicalError, match="deep"):
                read_record(record_bytes(deep))


@pytest.mark.parametrize(
    "change",
    [
        {b'"fmt":"tonk/event/1"': b'"fmt":"tonk/event/2"'},
        {b'"schema":1,': b""},
        {b'"v":1': b'"v":1,"w":1'},
        {b'{"at"': b'{ "at"'},
    ],
)
def test_a_foreign_record_is_refused(change: dict[bytes, bytes]) -> None:
    record = record_bytes(chain(1)[0])
    assert read_record(record) == chain(1)[0]
    ((old, new),) = change.items()
    with pytest.raises(NotCanonicalError):
        read_record(record.replace(old, new))


@given(st.integers(0, 2**53))
def test_an_instant_is_read_back(microseconds: int) -> None:
    instant = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    assert time_of(time_text(instant)) == instant
    assert len(time_text(instant)) == 27


# --- ids ------------------------------------------------------------------------------------------


@given(st.integers(0, 2**48 - 1), st.binary(min_size=10, max_size=10))
def test_an_id_is_a_uuid7_with_its_instant(milliseconds: int, random: bytes) -> None:
    found = uuid7(milliseconds, random)
    assert found.int >> 80 == milliseconds
    assert (found.int >> 76 & 15, found.int >> 62 & 3) == (7, 2)
    assert subject(table_stream(found)) == found


# --- the registry ---------------------------------------------------------------------------------


class Old(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    amount: int


class New(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    amount: int
    currency: str


def with_currency(fields: dict[str, object]) -> dict[str, object]:
    return fields | {"currency": "EUR"}


def test_an_old_event_is_read_in_its_newest_form() -> None:
    registry = Registry()
    registry.register("Paid", 1, Old)
    registry.register("Paid", 2, New, with_currency)
    assert registry.decode("Paid", 1, '{"amount":5}') == New(amount=5, currency="EUR")
    other = New(amount=5, currency="PLN")
    assert registry.decode("Paid", 2, '{"amount":5,"currency":"PLN"}') == other
    assert registry.type_of(New(amount=1, currency="EUR")) == ("Paid", 2)
    assert set(registry.pairs()) == {("Paid", 1), ("Paid", 2)}


def test_the_registry_refuses_doubles_gaps_and_steps_without_an_upcast() -> None:
    registry = Registry()
    registry.register("Paid", 1, Old)
    with pytest.raises(ValueError, match="twice"):
        registry.register("Paid", 1, New)
    with pytest.raises(ValueError, match="needs schema 2"):
        registry.register("Paid", 3, New, with_currency)
    with pytest.raises(ValueError, match="an upcast"):
        registry.register("Paid", 2, New)
    with pytest.raises(KeyError):
        registry.decode("Unheard", 1, "{}")
    with pytest.raises(KeyError):
        registry.type_of(New(amount=1, currency="EUR"))


# --- shares ---------------------------------------------------------------------------------------


@given(st.integers(0, 10**9), st.lists(st.integers(0, 10**6), min_size=1).filter(any))
@example(700_273, [1, 1, 1])
@example(700_273, [333_333, 333_333, 333_334])
def test_D1_shares_lose_nothing_and_stray_by_less_than_one(total: int, weights: list[int]) -> None:
    shares = split_largest_remainder(total, weights)
    assert sum(shares) == total
    for share, weight in zip(shares, weights, strict=True):
        assert abs(share * sum(weights) - total * weight) < sum(weights)


@given(st.integers(0, 10**9), st.integers(1, 500))
@example(100, 3)
@example(30_300, 3)
def test_D2_even_shares_fall_by_one_at_most_and_the_first_get_the_odd_units(
    total: int, count: int
) -> None:
    shares = split_even(total, count)
    assert sum(shares) == total
    assert shares == sorted(shares, reverse=True)
    assert shares[0] - shares[-1] <= 1


@pytest.mark.parametrize(("total", "weights"), [(-1, [1]), (1, [0, 0]), (1, [2, -1]), (1, [])])
def test_what_can_not_be_shared_is_refused(total: int, weights: list[int]) -> None:
    with pytest.raises(ValueError, match=r"a share needs|empty"):
        split_largest_remainder(total, weights)


# --- refusals -------------------------------------------------------------------------------------


def test_a_refusal_is_as_whole_in_another_process() -> None:
    """Trials run in processes: what one refuses must reach the other."""
    refused = pickle.loads(pickle.dumps(refuse("too_late", "D18", seat=2)))
    assert (refused.refusal, str(refused)) == (Refusal("too_late", "D18", {"seat": 2}), "too_late")
    conflict = pickle.loads(pickle.dumps(VersionConflict("table/x", 3)))
    assert (conflict.stream, conflict.expected) == ("table/x", 3)
