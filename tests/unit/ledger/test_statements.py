"""Statements as files: the same lines give the same bytes, in both languages."""

import csv
import io
import re
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from reportlab.pdfbase.pdfmetrics import getFont

from ledger.core.currencies import EUR, XTK, Currency
from ledger.core.kinds import TITLES, Kind
from ledger.core.words import TITLES_LT, WORDS, Language
from ledger.selectors import Balance, Line, Statement
from ledger.statements import Folder, as_csv, as_pdf, pdf

PLAYER = UUID("0199c2b2-6c1f-7cc6-b5e6-76fcb5034a73")
START = datetime(2026, 11, 1, tzinfo=UTC)
STREAM = "tournament/0199c2b2-6c1f-7001-8000-00000000000a"


def folder(
    count: int, language: Language = "en", *, currency: Currency = EUR, name: str = "Živilė"
) -> Folder:
    """A statement of so many lines, of every kind in turn."""
    balance, lines = 1_000, []
    for number in range(1, count + 1):
        amount = (-1) ** number * (number * 37)
        balance += amount
        kind = list(Kind)[number % len(Kind)]
        at = START + timedelta(hours=number)
        lines.append(Line(number, kind, at, amount, balance, STREAM, number + 2, number))
    found = Statement(currency.code, 1_000, balance, tuple(lines), None)
    standing = Balance(currency.code, balance, 500, currency.exponent)
    return Folder(PLAYER, name, currency, START, None, language, found, standing)


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type /Page\b", pdf))


def test_words_are_there_in_both_languages() -> None:
    assert set(TITLES_LT) == set(TITLES)
    assert set(WORDS["en"]) == set(WORDS["lt"])


def test_csv_has_opening_lines_closing() -> None:
    text = as_csv(folder(2, "lt")).decode()
    assert text.endswith("\r\n")
    head, opening, first, _, closing = csv.reader(io.StringIO(text, newline=""))
    assert head == [
        *("at", "kind", "text", "amount_minor", "amount", "balance_minor", "balance"),
        *("currency", "entry_id", "stream", "version"),
    ]
    assert opening == [
        *("2026-11-01T00:00:00.000000Z", "opening", "Pradinis likutis", "", "", "1000", "10.00"),
        *("EUR", "", "", ""),
    ]
    assert first == [
        *("2026-11-01T01:00:00.000000Z", "top_up", "Įnašo papildymas", "-37", "-0.37"),
        *("963", "9.63", "EUR", "1", STREAM, "3"),
    ]
    assert closing[:7] == ["", "closing", "Galutinis likutis", "", "", "1037", "10.37"]


@pytest.mark.parametrize("language", ["en", "lt"])
def test_the_same_lines_give_the_same_pdf(language: Language) -> None:
    made = as_pdf(folder(90, language))
    assert made == as_pdf(folder(90, language))
    assert made != as_pdf(folder(89, language))
    assert made.startswith(b"%PDF-")
    assert f"/Lang ({language})".encode() in made


@pytest.mark.parametrize(("count", "expected"), [(0, 1), (1, 1), (30, 1), (32, 2), (90, 3)])
def test_pages(count: int, expected: int) -> None:
    assert pages(as_pdf(folder(count))) == expected


def test_every_letter_of_both_languages_is_in_the_fonts() -> None:
    as_pdf(folder(1))
    texts = [*WORDS["en"].values(), *WORDS["lt"].values(), *TITLES.values(), *TITLES_LT.values()]
    letters = set("ĄČĘĖĮŠŲŪŽąčęėįšųūž0123456789.-–·\N{MINUS SIGN}".join(texts))
    for font in (pdf.PLAIN, pdf.BOLD):
        glyphs = getFont(font).face.charToGlyph
        assert not {letter for letter in letters if ord(letter) not in glyphs}


def test_a_letter_that_the_font_lacks_is_a_question_mark() -> None:
    assert as_pdf(folder(1, name="A\N{CAT FACE}")) == as_pdf(folder(1, name="A?"))


def test_play_chips_have_no_decimals() -> None:
    assert b",-37,-37,963,963,XTK," in as_csv(folder(1, currency=XTK))
