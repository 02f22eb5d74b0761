"""Codes, roles and stripes of accounts (`ledger.md` section 2.3)."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.core.accounts import (
    METHOD,
    OWNER,
    ROLES,
    STRIPES,
    BadAccount,
    account,
    is_currency,
    parse,
    parse_stored,
    striped,
    unstriped,
)

ids = st.uuids().map(str)


@st.composite
def codes(draw: st.DrawFn) -> str:
    role = draw(st.sampled_from(list(ROLES.values())))
    parts = ["manual" if what == METHOD else draw(ids) for what in role.ids]
    return account(role.name, *parts, currency=draw(st.sampled_from(["EUR", "XTK", "A12"])))


@given(codes(), st.text(max_size=20))
def test_a_code_is_read_back_with_or_without_its_stripe(code: str, key: str) -> None:
    assert parse(code).code == code
    row = striped(code, key)
    found, stripe = parse_stored(row)
    assert (found.code, unstriped(row)) == (code, code)
    assert (stripe is None) == (not found.role.house)
    assert striped(code, key) == row


def test_stripes_share_the_load() -> None:
    rows = Counter(striped("rake:EUR", f"table/x@{version}#0") for version in range(1600))
    assert len(rows) == STRIPES
    assert max(rows.values()) < 2 * 100


@pytest.mark.parametrize(
    "code",
    [
        "",
        "EUR",
        "rake",
        "nothing:EUR",
        "rake:eur",
        "rake:CHIPS",
        "rake:EUR:07:EUR",
        "wallet:EUR",
        "wallet:nobody:EUR",
        "wallet:0199C2B2-6C1F-7001-8000-00000000000A:EUR",
        "wallet:0199c2b2-6c1f-7001-8000-00000000000a:EUR:07",
        "wallet:0199c2b2-6c1f-7001-8000-00000000000a",
        "seat:0199c2b2-6c1f-7001-8000-00000000000a:EUR",
        "cash:Manual:EUR",
        "cash::EUR",
        "rake:EUR:16",
        "rake:EUR:7",
    ],
)
def test_what_is_no_account(code: str) -> None:
    with pytest.raises(BadAccount):
        parse_stored(code)


@pytest.mark.parametrize(
    ("name", "account_class", "sign", "floor"),
    [
        ("cash", "A", 1, None),
        ("receivable", "A", 1, 0),
        ("wallet", "L", -1, 0),
        ("seat", "L", -1, 0),
        ("withdrawal", "L", -1, 0),
        ("tournament", "L", -1, 0),
        ("fees", "L", -1, 0),
        ("bounty", "L", -1, 0),
        ("rake", "I", -1, None),
        ("fee_income", "I", -1, None),
        ("overlay", "X", 1, None),
        ("promotion", "X", 1, None),
        ("payment_costs", "X", 1, None),
        ("bad_debt", "X", 1, None),
        ("opening", "Q", -1, None),
        ("issue", "Q", -1, None),
        ("adjustment", "Q", -1, None),
    ],
)
def test_the_chart(name: str, account_class: str, sign: int, floor: int | None) -> None:
    role = ROLES[name]
    assert (role.account_class, role.sign, role.min_balance) == (account_class, sign, floor)


def test_an_account_knows_whose_it_is() -> None:
    found = parse("wallet:0199c2b2-6c1f-7001-8000-00000000000a:EUR")
    assert found.id_of(OWNER) == "0199c2b2-6c1f-7001-8000-00000000000a"
    assert found.id_of(METHOD) is None


@pytest.mark.parametrize(
    ("text", "good"), [("EUR", True), ("A12", True), ("1AB", False), ("EURO\n", False)]
)
def test_codes_of_currencies(text: str, good: bool) -> None:
    assert is_currency(text) is good
