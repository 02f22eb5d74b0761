"""What the relation of orders refuses, whoever writes to it."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from ledger.models import PaymentOrder

pytestmark = pytest.mark.django_db

ONE, OTHER = UUID(int=1), UUID(int=2)
AT = datetime(2026, 1, 1, tzinfo=UTC)
OUT = {"direction": "out", "second_approver": OTHER}
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
    assert broken(state="recorded", paid=0) == "payment_order_paid_check"
    assert broken(direction="up") == "payment_order_direction_check"
    assert broken(state="lost") == "payment_order_state_check"
    assert broken(flag="late") == "payment_order_flag_check"
    assert broken(first_approver=ONE, second_approver=ONE) == "order_four_eyes"
    assert broken(player=None) == "order_player"
    assert broken(**OUT, player=None) == "order_player"
    assert broken(**NOBODYS | {"state": "recorded"}) == "order_player"
    assert broken(state="recorded") == "order_paid"
    assert broken(**OUT, state="paid") == "order_paid"
    assert broken(reported_by=ONE) == "order_reported"
    for state in ("approved", "sending", "unknown", "paid", "returned"):
        assert broken(state=state, paid=5, second_approver=OTHER) == "order_direction"
        if state != "returned":
            assert broken(direction="out", state=state, paid=5) == "order_approved"
    for state in ("unassigned", "recorded", "refused", "expired"):
        assert broken(**OUT, state=state, paid=5) == "order_direction"


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
