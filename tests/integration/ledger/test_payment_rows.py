"""What the relation of orders refuses, whoever writes to it."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from ledger.models import PaymentOrder

pytestmark = pytest.mark.django_db
BESIDE_THE_LOG = True  # rows are kept by hand, without events

ONE, OTHER = UUID(int=1), UUID(int=2)
AT = datetime(2026, 1, 1, tzinfo=UTC)
APPROVED = {"first_approver": ONE, "second_approver": OTHER}
OUT = {"direction": "out"} | APPROVED
NOBODYS = {"player": None, "paid": 5, "state": "unassigned"}


def keep(**changed: Any) -> None:
    fields: dict[str, Any] = {
        "id": uuid4(),
        "player": uuid4(),
        "direction": "in",
        "method": "manual",
        "currency": "EUR",
        "amount": 5,
        "state": "requested",
        "created_at": AT,
        "updated_at": AT,
    }
    PaymentOrder.objects.create(**fields | changed)


def broken(**changed: Any) -> str:
    """The constraint that refuses such a row."""
    with pytest.raises(IntegrityError) as caught, transaction.atomic():
        keep(**changed)
    diagnosis: Any = getattr(caught.value.__cause__, "diag", None)
    return str(diagnosis.constraint_name)


def test_rows_that_can_not_be() -> None:
    assert broken(amount=0) == "payment_order_amount_check"
    assert broken(amount=10**12 + 1) == "payment_order_amount_check"
    assert broken(**APPROVED, state="recorded", paid=0) == "payment_order_paid_check"
    assert broken(direction="up") == "payment_order_direction_check"
    assert broken(state="lost") == "payment_order_state_check"
    assert broken(flag="late") == "payment_order_flag_check"
    assert broken(first_approver=ONE, second_approver=ONE) == "order_four_eyes"
    for who in ("first_approver", "second_approver", "refused_by"):
        assert broken(player=ONE, **{who: ONE}) == "order_four_eyes"
    assert broken(**OUT, player=UUID(int=3), reported_by=UUID(int=3), state="sending") == (
        "order_four_eyes"
    )
    assert broken(player=None) == "order_player"
    assert broken(**OUT, player=None) == "order_player"
    assert broken(**NOBODYS | APPROVED | {"state": "recorded"}) == "order_player"
    assert broken(**APPROVED, state="recorded") == "order_paid"
    assert broken(**OUT, state="paid") == "order_paid"
    assert broken(reported_by=ONE) == "order_reported"
    for state in ("approved", "sending", "unknown", "paid", "returned"):
        assert broken(state=state, paid=5, **APPROVED) == "order_direction"
        if state != "returned":
            for who in APPROVED:
                one = OUT | {who: None}
                assert broken(**one, state=state, paid=5) == "order_approved"
    for state in ("unassigned", "recorded", "refused", "expired"):
        assert broken(**OUT, state=state, paid=5) == "order_direction"


def test_money_by_hand_is_recorded_by_two() -> None:
    for who in APPROVED:
        assert broken(**APPROVED | {who: None}, state="recorded", paid=5) == "order_approved"
    keep(state="recorded", paid=5, method="sandbox")


@pytest.mark.parametrize("state", ["recorded", "refused", "expired", "paid", "returned"])
def test_an_order_that_has_ended_stays_as_it_is(state: str) -> None:
    more = OUT if state in {"paid", "returned"} else APPROVED
    keep(state=state, paid=5, reference="r1", **more)
    orders = PaymentOrder.objects.all()
    for changed in ({"state": "requested"}, {"player": OTHER}, {"paid": 6}, {"reference": None}):
        with pytest.raises(IntegrityError, match="for ever"), transaction.atomic():
            orders.update(**changed)
    orders.update(flag="excluded", due_at=None)


def test_what_was_asked_for_is_never_changed() -> None:
    keep()
    for column in ("id", "direction", "method", "currency", "amount", "created_at"):
        sql = f"UPDATE ledger.payment_order SET {column} = {column}"
        with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
            connection.cursor().execute(sql)


def test_one_reference_of_one_method_names_one_order() -> None:
    keep(reference="r1")
    assert broken(reference="r1") == "payment_order_reference"
    keep(reference="r1", method="sandbox")


def test_the_application_removes_no_order() -> None:
    keep(**NOBODYS)
    for sql in ("DELETE FROM ledger.payment_order", "TRUNCATE ledger.payment_order"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)


def test_cash_is_opened_for_what_can_be_a_method() -> None:
    count = "SELECT count(*) FROM ledger.account WHERE code LIKE 'cash:new\\_%%'"
    with connection.cursor() as cursor:
        for method, accounts in (("new_1", 16), ("new_1", 16), ("NEW", 16), ("new:1", 16)):
            cursor.execute("SELECT ledger.open_cash(%s::text)", [method])
            cursor.execute(count)
            assert cursor.fetchone() == (accounts,)
        cursor.execute("SELECT bool_and(id >= 1e15) FROM ledger.account WHERE role = 'cash'")
        assert cursor.fetchone() == (True,)
