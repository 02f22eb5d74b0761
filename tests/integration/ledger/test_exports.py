"""Exports of the books, judged by the programs that they are for."""

import io
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from eventstore import tree
from eventstore.core.ids import HOUSE, table_stream, wallet_stream
from eventstore.core.refusal import Refused
from eventstore.exports import LOGGER
from ledger import exports, selectors
from ledger.exports import Wanted, walk
from ledger.models import AuditAccess
from ledger.services import settle_due
from ledger.store.closing import Cut, trial_of
from tests.api.callers import caller, refused
from tests.integration.ledger.case_books import book_all
from tests.integration.ledger.commands import cashed_out, command, deposit, sit
from tests.sealing import seal_log
from tonk_site.proving.acting.drive import until_rest
from tonk_site.proving.acting.factories import SHORT, a_player, a_tournament, with_bots

pytestmark = pytest.mark.usefixtures("committed")
AMOUNT = re.compile(r"(?<=  |= )-?\d+\.\d\d(?= EUR)")
EARLIER = date(2026, 11, 3)
CHANGED_LINES = 12  # of one export, each changed alone


def judges() -> dict[str, list[str]]:
    """The program of each form; hledger is Debian's, and may be missing."""
    found = {"beancount": [str(Path(sys.executable).with_name("bean-check"))]}
    if hledger := shutil.which("hledger"):
        found["hledger"] = [hledger, "check", "--strict", "ordereddates", "-f"]
    return found


def accepts(command: Sequence[str], text: str, folder: Path) -> str | None:
    """What the program says against a file, None where it has nothing against it."""
    file = folder / "books.txt"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run([*command, str(file)], capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr or "refused") if done.returncode else None


def export(form: str, asked: Wanted) -> str:
    file = io.BytesIO()
    written = exports.write(form, asked, file)
    assert written.rows == sum(1 for _ in walk.records(asked))
    return file.getvalue().decode()


def everything() -> Wanted:
    return exports.wanted(None, None, None, None)


@pytest.mark.slow
def test_every_case_is_exported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    assert book_all(monkeypatch) > 30
    seal_log()
    asked = everything()
    with subtests.test("twice the same bytes"):
        for form in exports.FORMS:
            assert export(form, asked) == export(form, everything())
    with subtests.test("the totals are those of the trial balance"):
        totals: Counter[str] = Counter()
        for record in walk.records(asked):
            totals.update({leg.account: leg.amount for leg in record.legs})
        held = {one.account: one.amount for one in trial_of(Cut(size=asked.size))}
        assert {code: total for code, total in totals.items() if total} == held
        now = {one.account: one.amount for one in trial_of(Cut())}
        assert now == held
    for form, judge in judges().items():
        text = export(form, asked)
        with subtests.test("accepted", form=form):
            assert accepts(judge, text, tmp_path) is None
        with subtests.test("refused with one cent changed", form=form):
            for changed in with_a_cent_more(text):
                assert accepts(judge, changed, tmp_path)


def test_a_tournament_of_bots_is_exported(tmp_path: Path) -> None:
    """As the demo holds one: play chips, whose amounts have no decimals."""
    organiser = a_player("jonas", "organiser")
    tournament = a_tournament(organiser, entries_min=3, entries_max=3, **SHORT)
    with_bots(tournament, organiser, 3, "random-0")
    until_rest(tournament)
    seal_log()
    for form, judge in judges().items():
        text = export(form, everything())
        assert accepts(judge, text, tmp_path) is None
        changed = re.sub(r"(?<=  )-?\d+(?= XTK)", lambda at: str(int(at[0]) + 1), text, count=1)
        assert changed != text
        assert accepts(judge, changed, tmp_path)


def with_a_cent_more(text: str) -> list[str]:
    """The file with one amount changed: at several places, from the first to the last."""
    places = list(AMOUNT.finditer(text))
    chosen = places[:: max(1, len(places) // CHANGED_LINES)] + places[-1:]
    return [text[: at.start()] + _more(at[0]) + text[at.end() :] for at in chosen]


def _more(amount: str) -> str:
    minor = int(amount.replace(".", "")) + 1
    return selectors.display(minor, "EUR", 2).removesuffix(" EUR")


def test_hledger_is_there() -> None:
    if "hledger" not in judges():
        pytest.skip("hledger is not installed (Debian package hledger): its half is left out")


@pytest.fixture
def booked() -> tuple[UUID, UUID]:
    """A player with three deposits, of which the last one took effect on an earlier day; sealed."""
    player, other = uuid4(), uuid4()
    deposit(player, 1_000)
    deposit(other, 70, "XTK")
    deposit(player, 200)
    gift = {
        "adjustment": str(uuid4()),
        "lines": [
            {"account": "promotion:EUR", "amount": 30},
            {"account": f"wallet:{player}:EUR", "amount": -30},
        ],
        "currency": "EUR",
        "reason_code": "goodwill",
        "proposer": str(uuid4()),
        "approver": str(uuid4()),
        "reverses": None,
        "effective": str(EARLIER),
    }
    command(wallet_stream(player), ("AdjustmentApproved", gift))
    seal_log()
    return player, other


def test_the_order_is_the_day_of_effect_then_the_log(booked: tuple[UUID, UUID]) -> None:
    found = list(walk.records(everything()))
    assert [record.kind for record in found] == ["adjustment", "deposit", "grant", "deposit"]
    assert found[0].day == EARLIER
    assert [record.log_index for record in found] == [3, 0, 1, 2]


def test_a_range_begins_with_what_was_there(
    booked: tuple[UUID, UUID], tmp_path: Path, subtests: pytest.Subtests
) -> None:
    player, _ = booked
    asked = exports.wanted(None, EARLIER + timedelta(days=1), None, None)
    first, *others = walk.records(asked)
    assert (first.day, first.kind, first.key) == (asked.start, "brought_forward", "-")
    assert [(leg.account, leg.amount) for leg in first.legs] == [
        ("promotion:EUR", 30),
        (f"wallet:{player}:EUR", -30),
    ]
    assert [record.kind for record in others] == ["deposit", "grant", "deposit"]
    for form, judge in judges().items():
        with subtests.test(form=form):
            assert accepts(judge, export(form, asked), tmp_path) is None
    before = exports.wanted(None, None, EARLIER + timedelta(days=1), None)
    assert [record.kind for record in walk.records(before)] == ["adjustment"]
    nothing = exports.wanted(None, EARLIER, EARLIER + timedelta(days=1), "XTK")
    assert list(walk.records(nothing)) == []


def test_one_currency_alone(booked: tuple[UUID, UUID], tmp_path: Path) -> None:
    asked = exports.wanted(None, None, None, "XTK")
    assert [record.kind for record in walk.records(asked)] == ["grant"]
    assert walk.head(asked).accounts == ["issue:XTK", f"wallet:{booked[1]}:XTK"]
    text = export("beancount", asked)
    assert "EUR" not in text
    assert accepts(judges()["beancount"], text, tmp_path) is None


def test_an_earlier_size_is_as_it_was(booked: tuple[UUID, UUID]) -> None:
    size = everything().size
    text = export("csv", everything())
    deposit(booked[0], 5)
    seal_log()
    assert export("csv", exports.wanted(size, None, None, None)) == text
    assert export("csv", everything()).startswith(text)
    two = exports.wanted(2, None, None, None)
    assert [record.log_index for record in walk.records(two)] == [0, 1]
    assert {one.account: one.amount for one in trial_of(Cut(size=2))} == {
        "cash:manual:EUR": 1_000,
        f"wallet:{booked[0]}:EUR": -1_000,
        "issue:XTK": 70,
        f"wallet:{booked[1]}:XTK": -70,
    }


def test_what_is_not_settled_is_not_exported(booked: tuple[UUID, UUID]) -> None:
    size, table = everything().size, uuid4()
    sit(table, booked[0], 500)
    command(table_stream(table), cashed_out(booked[0], 500))
    seal_log()
    assert everything().size == size
    refuses("not_yet_sealed", size + 2)
    settle_due()
    assert everything().size == size + 2


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ((1_000, None, None, None), "bad_proof_range"),
        ((-1, None, None, None), "bad_proof_range"),
        ((None, None, None, "JPY"), "unknown_currency"),
        ((None, date(2026, 2, 1), date(2026, 2, 1), None), "invalid_field"),
        ((None, date.max, None, None), "invalid_field"),
    ],
)
def test_ranges_that_are_refused(
    booked: tuple[UUID, UUID], asked: tuple[int | None, date, date, str], code: str
) -> None:
    refuses(code, *asked)


def test_nothing_is_signed_yet() -> None:
    refuses("not_yet_sealed", None)


def refuses(code: str, size: int | None, *more: Any) -> None:
    with pytest.raises(Refused) as caught:
        exports.wanted(size, *(more or (None, None, None)))
    assert caught.value.refusal.code == code


# --- by HTTP and by command -----------------------------------------------------------------------


def test_both_doors_give_the_same_bytes_and_put_it_on_the_list(
    booked: tuple[UUID, UUID], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    auditor, size = caller("auste", "auditor"), everything().size
    seal_log()
    for form in exports.FORMS:
        file = tmp_path / form
        with caplog.at_level("INFO", logger=LOGGER):
            call_command("export", form, "--size", str(size), "--out", str(file))
        answer = auditor.get(f"/ledger/export/{form}?size={size}")
        assert answer.status == 200
        assert form[:4] in answer.headers["Content-Disposition"] or form == "hledger"
        asked = exports.wanted(size, None, None, None)
        assert answer.content == file.read_bytes() == export(form, asked).encode()
        digest = sha256(answer.content).hexdigest()
        told = f"{form} for the command line: size {size}, root {tree.root(size).hex()}"
        assert f"exported {told}, sha256 {digest}" in caplog.text
        by_http, by_command = AuditAccess.objects.order_by("-id")[:2]
        assert (by_command.actor, by_http.actor) == (
            "the command line",
            f"staff:{auditor.who.id}",
        )
        for row in (by_command, by_http):
            assert (row.what, row.row_count, row.sha256) == ("ledger.export", 4, digest)
            assert row.parameters == {"format": form, "size": size}


def test_a_line_of_json_is_the_entry_as_the_api_shows_it(booked: tuple[UUID, UUID]) -> None:
    player, stream = booked[0], wallet_stream(booked[0])
    mirror = [
        {"account": f"wallet:{player}:EUR", "amount": 200},
        {"account": "cash:manual:EUR", "amount": -200},
    ]
    people = {"proposer": str(uuid4()), "approver": str(uuid4())}
    said = {"adjustment": str(uuid4()), "lines": mirror, "currency": "EUR", "effective": None,
            "reason_code": "duplicate", "reverses": f"{stream}@2#0", **people}  # fmt: skip
    command(wallet_stream(HOUSE), ("AdjustmentApproved", said))
    seal_log()
    auditor = caller("auste", "auditor")
    lines = [json.loads(line) for line in export("jsonl", everything()).splitlines()]
    assert sum("reverses" in line for line in lines) == 1
    for line in lines:
        shown = auditor.get(f"/ledger/entries/{line['entry_id']}").document
        shown.pop("reversed_by", None)  # it may come after an export
        assert line == shown


def test_parameters_of_the_door(booked: tuple[UUID, UUID]) -> None:
    admin = caller("algis", "admin")
    answer = admin.get(f"/ledger/export/csv?from={EARLIER}&to=2026-11-04&currency=EUR")
    assert len(answer.content.splitlines()) == 3
    row = AuditAccess.objects.latest("id")
    assert row.parameters == {
        "format": "csv",
        "size": everything().size,
        "from": str(EARLIER),
        "to": "2026-11-04",
        "currency": "EUR",
    }
    for path, status, code in (
        ("xlsx", 404, "not_found"),
        ("csv?from=yesterday", 400, "invalid_field"),
        ("csv?size=-1", 400, "invalid_field"),
        ("csv?size=99999999", 400, "bad_proof_range"),
        ("csv?currency=JPY", 400, "unknown_currency"),
        ("csv?format=csv", 400, "unknown_field"),
    ):
        refused(admin.get(f"/ledger/export/{path}"), status, code)
    assert AuditAccess.objects.latest("id") == row


def test_a_command_that_is_refused_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "books.csv"
    with pytest.raises(CommandError, match="not_yet_sealed"):
        call_command("export", "csv", "--out", str(file))
    assert not file.exists()
    assert not AuditAccess.objects.exists()
