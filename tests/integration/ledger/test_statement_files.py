"""A player's statement in the form that `Accept` asks for."""

import csv
import io
from uuid import uuid4

import pytest

from ledger.api import views
from ledger.selectors import Range
from ledger.statements import as_pdf, folder_of
from tests.api.callers import Caller, caller, refused
from tests.integration.ledger.commands import deposit, sit

pytestmark = pytest.mark.django_db
PATH = "/ledger/me/statement"


@pytest.fixture
def ona() -> Caller:
    found = caller("ona")
    for amount in range(1, 120):
        deposit(found.who.id, amount)
    sit(uuid4(), found.who.id, 500)
    return found


def test_csv_is_the_whole_range(ona: Caller) -> None:
    answer = ona.get(f"{PATH}?limit=5", Accept="text/csv", Accept_Language="lt")
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="tonk-eur.csv"'
    assert answer.headers["Content-Language"] == "lt"
    rows = list(csv.DictReader(io.StringIO(answer.content.decode(), newline="")))
    assert len(rows) == 122
    assert [rows[0]["balance"], rows[-1]["balance"]] == ["0.00", "66.40"]
    assert rows[-2]["text"] == "Įnašas prie stalo"
    document = ona.get(f"{PATH}?limit=100").document
    assert [item["entry_id"] for item in document["items"]] == [
        int(row["entry_id"]) for row in rows[1:101]
    ]


def test_pdf(ona: Caller) -> None:
    answer = ona.get(PATH, Accept="application/pdf")
    assert answer.headers["Content-Type"] == "application/pdf"
    expected = folder_of(ona.who.id, "Ona", currency="EUR", span=Range(limit=1_000), language="en")
    assert answer.content == as_pdf(expected) == ona.get(PATH, Accept="application/pdf").content


def test_words_of_the_list_follow_the_language(ona: Caller) -> None:
    path = f"{PATH}?limit=1"
    assert ona.get(path, Accept_Language="lt").document["items"][0]["text"] == "Įmoka"
    assert ona.get(path, Accept_Language="en").document["items"][0]["text"] == "Deposit"
    for accept in (None, "*/*", "application/json", "application/json, text/csv"):
        assert ona.get(path, Accept=accept).headers["Content-Type"] == "application/json"


def test_problems_are_json_in_any_form(ona: Caller) -> None:
    refused(ona.get(PATH, Accept="image/png"), 406, "not_acceptable")
    refused(ona.get(f"{PATH}?currency=JPY", Accept="text/csv"), 400, "unknown_currency")
    refused(ona.get(f"{PATH}?from=x", Accept="application/pdf"), 400, "invalid_field")
    refused(Caller().get(PATH, Accept="application/pdf"), 401, "not_authenticated")
    auditor = caller("auste", "auditor")
    refused(auditor.get(PATH, Accept="text/csv"), 403, "staff_may_not_play")


def test_more_lines_than_a_file_takes(ona: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    media_type, _, write = views.FILES["pdf"]
    monkeypatch.setattr(views, "FILES", {"pdf": (media_type, 119, write)})
    refused(ona.get(PATH, Accept="application/pdf"), 400, "invalid_field")
