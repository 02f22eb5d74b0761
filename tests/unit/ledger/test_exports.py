"""The forms of an export, to the byte."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from ledger.core.accounts import ROLES
from ledger.core.currencies import EUR, XTK, Currency
from ledger.exports import beancount, comma, hledger, json_lines
from ledger.exports.names import name_of
from ledger.exports.records import Head, Leg, Record, Source

GOLDEN = Path(__file__).parents[2] / "golden/exports"
DAY = date(2026, 12, 1)
AT = datetime(2026, 12, 1, 8, 30, tzinfo=UTC)
TABLE = "0199c2b2-6c1f-7001-8000-00000000000a"
FIRST = "0199c2b2-6c1f-7cc6-b5e6-76fcb5034a73"
SECOND = "0199c2b2-6c1f-7cc6-b5e6-76fcb5034a74"
SEATS = f"seat:{TABLE}:{FIRST}:EUR", f"seat:{TABLE}:{SECOND}:EUR"
WALLET = f"wallet:{FIRST}:EUR"


def source(version: int, log_index: int, digest: str, reverses: str | None = None) -> Source:
    return Source(
        entry_id=version + 100,
        key=f"table/{TABLE}@{version}#0",
        stream=f"table/{TABLE}",
        version=version,
        part=0,
        hash=digest,
        recorded_at=AT,
        effective_at=AT,
        log_index=log_index,
        event_type="SeatTaken",
        event_hash="ee" * 32,
        reverses=reverses,
        reverses_id=102 if reverses else None,
    )


def legs(*given: tuple[str, int]) -> list[Leg]:
    return [
        Leg(
            line, code, ROLES[code.partition(":")[0]].account_class, amount, code.rpartition(":")[2]
        )
        for line, (code, amount) in enumerate(given, 1)
    ]


HEAD = Head(
    [EUR, XTK],
    ["cash:manual:EUR", "issue:XTK", "rake:EUR", *SEATS, WALLET, f"wallet:{FIRST}:XTK"],
)
RECORDS = [
    Record(
        DAY,
        "brought_forward",
        legs(
            ("cash:manual:EUR", 7_000),
            ("issue:XTK", 10_000),
            (SEATS[1], -2_000),
            (WALLET, -5_000),
            (f"wallet:{FIRST}:XTK", -10_000),
        ),
    ),
    Record(
        DAY,
        "buy_in",
        legs((SEATS[0], -5_000), (WALLET, 5_000)),
        source(2, 117, "d7c1ef2c26aebc556a60dfca004097d46e1a1f4d3b0ff0f822d063e36a6c9c01"),
    ),
    Record(
        DAY,
        "hand",
        legs(("rake:EUR", -5), (SEATS[0], -95), (SEATS[1], 100)),
        source(40, 163, "aa2fb4ea2e0d35b26e57d235bd48e4c938b0de6fc7424dd056c1e8fbebc21bc2"),
    ),
]


@pytest.mark.parametrize(
    ("written", "file"),
    [
        (beancount.lines(HEAD, RECORDS), "example.beancount"),
        (hledger.lines(HEAD, RECORDS), "example.journal"),
    ],
    ids=["beancount", "hledger"],
)
def test_the_published_examples(written: Iterator[str], file: str) -> None:
    assert "".join(written) == (GOLDEN / file).read_text(encoding="utf-8")


def test_csv_has_a_row_a_leg() -> None:
    written = "".join(comma.lines(HEAD, RECORDS))
    assert "\r" not in written
    assert '"' not in written
    first, *rows = list(csv.reader(io.StringIO(written)))
    assert ",".join(first) == (
        "entry,key,part,line,kind,recorded_at,effective_at,log_index,stream,version,event_hash,"
        "entry_hash,account,class,amount_minor,currency,amount,reverses"
    )
    assert len(rows) == 10
    assert rows[0] == [
        *("", "-", "0", "1", "brought_forward", "", "2026-12-01T00:00:00.000000Z", "0", "", "", ""),
        *("-", "cash:manual:EUR", "A", "7000", "EUR", "70.00", ""),
    ]
    assert rows[-3] == [
        *("140", f"table/{TABLE}@40#0", "0", "1", "hand", "2026-12-01T08:30:00.000000Z"),
        *("2026-12-01T08:30:00.000000Z", "163", f"table/{TABLE}", "40", "ee" * 32),
        "aa2fb4ea2e0d35b26e57d235bd48e4c938b0de6fc7424dd056c1e8fbebc21bc2",
        *("rake:EUR", "I", "-5", "EUR", "-0.05", ""),
    ]


def test_a_reversal_names_what_it_takes_back() -> None:
    back = Record(DAY, "reversal", RECORDS[1].legs, source(41, 164, "ab" * 32, "table/x@2#0"))
    assert "".join(comma.lines(HEAD, [back])).splitlines()[1].endswith(",table/x@2#0")
    (line,) = json_lines.lines(HEAD, [back])
    assert json.loads(line)["reverses"] == {"entry_id": 102, "key": "table/x@2#0"}


def test_lines_of_json_are_entries() -> None:
    first, second, _ = (json.loads(line) for line in json_lines.lines(HEAD, RECORDS))
    assert (first["kind"], first["day"], len(first["postings"])) == (
        "brought_forward",
        "2026-12-01",
        5,
    )
    assert second == {
        "entry_id": 102,
        "key": f"table/{TABLE}@2#0",
        "kind": "buy_in",
        "currency": "EUR",
        "recorded_at": "2026-12-01T08:30:00.000000Z",
        "effective_at": "2026-12-01T08:30:00.000000Z",
        "hash": "d7c1ef2c26aebc556a60dfca004097d46e1a1f4d3b0ff0f822d063e36a6c9c01",
        "source": {
            "stream": f"table/{TABLE}",
            "version": 2,
            "hash": "ee" * 32,
            "log_index": 117,
            "type": "SeatTaken",
        },
        "postings": [
            {"line": 1, "account": SEATS[0], "amount": -5_000},
            {"line": 2, "account": WALLET, "amount": 5_000},
        ],
    }


def test_nothing_booked_is_declarations_alone() -> None:
    nothing = Head([EUR], [])
    assert "".join(beancount.lines(nothing, [])).endswith("1970-01-01 commodity EUR\n")
    assert "".join(hledger.lines(nothing, [])) == "decimal-mark .\ncommodity 1000.00 EUR\n"
    assert list(json_lines.lines(nothing, [])) == []


def test_equity_alone_states_no_balance() -> None:
    moved = Record(DAY, "adjustment", legs(("opening:EUR", 5), ("adjustment:EUR", -5)))
    assert " balance " not in "".join(beancount.lines(HEAD, [moved]))
    assert "(closing)" not in "".join(hledger.lines(HEAD, [moved]))


def test_currencies_of_other_forms() -> None:
    yen, dinar, odd = (
        Currency("JPY", 0, play=False, name="Yen"),
        Currency("KWD", 3, play=False, name="Dinar"),
        Currency("C20", 1, play=False, name="Crowns"),
    )
    head = Head([yen, dinar, odd], [])
    moved = [
        Record(
            DAY,
            "deposit",
            legs((f"cash:m:{one.code}", 1_234), (f"wallet:{FIRST}:{one.code}", -1_234)),
        )
        for one in head.currencies
    ]
    text = "".join(hledger.lines(head, moved))
    assert text.startswith(
        'decimal-mark .\ncommodity 1000. JPY\ncommodity 1000.000 KWD\ncommodity 1000.0 "C20"\n'
    )
    assert "  1234 JPY\n" in text
    assert "  1.234 KWD\n" in text
    assert '  -123.4 "C20"\n' in text


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (f"receivable:{FIRST}:EUR", f"Assets:Receivable:P-{FIRST}"),
        (f"withdrawal:{FIRST}:EUR", f"Liabilities:Withdrawal:P-{FIRST}"),
        (f"tournament:{TABLE}:EUR", f"Liabilities:Tournament:M-{TABLE}"),
        (f"fees:{TABLE}:EUR", f"Liabilities:Fees:M-{TABLE}"),
        (f"bounty:{TABLE}:EUR", f"Liabilities:Bounty:M-{TABLE}"),
        ("fee_income:EUR", "Income:Fees"),
        ("overlay:EUR", "Expenses:Overlay"),
        ("promotion:EUR", "Expenses:Promotion"),
        ("bad_debt:EUR", "Expenses:BadDebt"),
        ("opening:EUR", "Equity:Opening"),
        ("adjustment:EUR", "Equity:Adjustment"),
    ],
)
def test_names(code: str, name: str) -> None:
    assert name_of(code) == name


def test_every_role_has_a_name_of_its_class() -> None:
    classes = {"A": "Assets", "L": "Liabilities", "I": "Income", "X": "Expenses", "Q": "Equity"}
    for role in ROLES.values():
        ids = ["manual" if what == "method" else FIRST for what in role.ids]
        assert name_of(":".join([role.name, *ids, "EUR"])).startswith(classes[role.account_class])
