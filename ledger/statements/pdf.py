"""A statement as PDF: A4, a font of its own with every Lithuanian letter, no clock, no chance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from ledger.core.words import WORDS, title
from ledger.selectors import Line
from ledger.statements.folder import Folder

FONTS = files("font_source_sans_pro").joinpath("files")
PLAIN, BOLD = "SourceSansPro-Regular", "SourceSansPro-Semibold"
INK, FAINT, RULE = HexColor(0x1B1F24), HexColor(0x5B6470), HexColor(0xC9CFD6)
GREEN, STRIPE = HexColor(0x14532D), HexColor(0xF3F5F7)
WIDTH, HEIGHT = A4
LEFT, RIGHT, TOP, BOTTOM = 45, WIDTH - 45, HEIGHT - 52, 52
ROW = 17  # points of a line
HEAD_FIRST, HEAD = 196, 40  # what stands above the table on the first page, and on the others
TIME, TEXT, SOURCE, AMOUNT, BALANCE = LEFT + 6, LEFT + 92, LEFT + 208, RIGHT - 78, RIGHT - 6
MINUS = "\N{MINUS SIGN}"
FORM = "%Y-%m-%d %H:%M:%S"


@cache
def _fonts() -> None:
    """Read the fonts, once a process."""
    for name in (PLAIN, BOLD):
        pdfmetrics.registerFont(TTFont(name, str(FONTS.joinpath(f"{name}.ttf"))))


def as_pdf(folder: Folder) -> bytes:
    """The whole file."""
    _fonts()
    canvas = Canvas("", pagesize=A4, invariant=True, lang=folder.language, pageCompression=1)
    words = WORDS[folder.language]
    canvas.setTitle(f"{words['title']} – {folder.currency.code}")
    canvas.setAuthor("Tonk")
    sheets = list(_sheets(folder.statement.lines))
    for number, lines in enumerate(sheets, 1):
        page = _Page(canvas, folder)
        page.head(is_first=number == 1)
        page.table(lines)
        page.foot(number, len(sheets))
        canvas.showPage()
    made: bytes = canvas.getpdfdata()
    return made


def _sheets(lines: Sequence[Line]) -> Iterator[Sequence[Line]]:
    """The lines of each page; the first one has less room, and is there without a line too."""
    room = _rows_under(HEAD_FIRST)
    yield lines[:room]
    others = _rows_under(HEAD)
    for first in range(room, len(lines), others):
        yield lines[first : first + others]


def _rows_under(head: int) -> int:
    return int(TOP - head - ROW - BOTTOM) // ROW


@dataclass(slots=True)
class _Page:
    """One page: its canvas, and how far down it is written."""

    canvas: Canvas
    folder: Folder
    y: int = int(TOP)

    @property
    def words(self) -> Mapping[str, str]:
        """The texts in the language of the statement."""
        return WORDS[self.folder.language]

    def head(self, *, is_first: bool) -> None:
        """The title, and on the first page whose statement it is and what it comes to."""
        size = 22 if is_first else 12
        self._text(LEFT, self.y, self.words["title"], BOLD, size, GREEN)
        self._right(RIGHT, self.y, f"Tonk · {self.folder.currency.code}", BOLD, 12, GREEN)
        if is_first:
            self._whose()
            self._sums()
        self.y = int(TOP) - (HEAD_FIRST if is_first else HEAD)

    def _whose(self) -> None:
        folder, words = self.folder, self.words
        period = " – ".join(
            (
                _instant(folder.start) or words["first"],
                _instant(folder.end) or words["newest"],
            )
        )
        for offset, name, value in (
            (32, "player", f"{_known(folder.name)}  ·  {folder.player}"),
            (48, "period", period),
        ):
            self._text(LEFT, self.y - offset, words[name], PLAIN, 9, FAINT)
            self._text(LEFT + 70, self.y - offset, value, PLAIN, 9, INK)

    def _sums(self) -> None:
        """Two rows of figures: how the balance came about, and what there is."""
        found, standing = self.folder.statement, self.folder.standing
        money_in = sum(line.amount for line in found.lines if line.amount > 0)
        money_out = sum(line.amount for line in found.lines if line.amount < 0)
        rows = (
            (("opening", found.opening), ("in", money_in), ("out", money_out),
             ("closing", found.closing)),
            (("available", standing.available), ("in_play", standing.in_play),
             ("total", standing.total)),
        )  # fmt: skip
        step = int(RIGHT - LEFT) // 4
        for row, y in zip(rows, (self.y - 84, self.y - 132), strict=True):
            self._rule(y + 20)
            for place, (name, amount) in enumerate(row):
                x, is_last = LEFT + place * step, place == len(row) - 1
                self._text(x, y + 4, self.words[name], PLAIN, 8, FAINT)
                font = BOLD if is_last else PLAIN
                self._text(x, y - 12, self._amount(amount), font, 13, INK)
        self._rule(self.y - 160)

    def table(self, lines: Sequence[Line]) -> None:
        """The lines of this page, under the names of their columns."""
        names, y = self.words, self.y
        for x, name in ((TIME, "at"), (TEXT, "text"), (SOURCE, "source")):
            self._text(x, y, names[name], BOLD, 8, FAINT)
        for x, name in ((AMOUNT, "amount"), (BALANCE, "balance")):
            self._right(x, y, names[name], BOLD, 8, FAINT)
        self._rule(y - 5)
        self.y = y - ROW
        if not self.folder.statement.lines:
            self._text(TIME, self.y, names["nothing"], PLAIN, 9, FAINT)
        for number, line in enumerate(lines):
            self._line(line, is_striped=bool(number % 2))
            self.y -= ROW

    def _line(self, line: Line, *, is_striped: bool) -> None:
        if is_striped:
            self.canvas.setFillColor(STRIPE)
            self.canvas.rect(LEFT, self.y - 5, RIGHT - LEFT, ROW, stroke=0, fill=1)
        self._text(TIME, self.y, _instant(line.at), PLAIN, 8, INK)
        self._text(TEXT, self.y, title(line.kind, self.folder.language), PLAIN, 9, INK)
        self._text(SOURCE, self.y, f"{line.stream}@{line.version}", PLAIN, 6, FAINT)
        self._right(AMOUNT, self.y, self._amount(line.amount), PLAIN, 9, INK)
        self._right(BALANCE, self.y, self._amount(line.balance), BOLD, 9, INK)

    def foot(self, number: int, pages: int) -> None:
        """What a line is, and which page this is."""
        self._rule(BOTTOM - 8)
        self._text(LEFT, BOTTOM - 22, self.words["footer"], PLAIN, 7, FAINT)
        place = self.words["page"].format(page=number, pages=pages)
        self._right(RIGHT, BOTTOM - 22, place, PLAIN, 7, FAINT)

    def _amount(self, minor: int) -> str:
        return self.folder.amount(minor).replace("-", MINUS)

    def _text(self, x: int, y: int, text: str, *style: object) -> None:
        self._styled(*style)
        self.canvas.drawString(x, y, text)

    def _right(self, x: int, y: int, text: str, *style: object) -> None:
        self._styled(*style)
        self.canvas.drawRightString(x, y, text)

    def _styled(self, font: object, size: object, color: object) -> None:
        self.canvas.setFont(font, size)
        self.canvas.setFillColor(color)

    def _rule(self, y: int) -> None:
        self.canvas.setStrokeColor(RULE)
        self.canvas.line(LEFT, y, RIGHT, y)


def _instant(at: datetime | None) -> str:
    return at.astimezone(UTC).strftime(FORM) if at else ""


def _known(text: str) -> str:
    """The text with a question mark for each letter that the font lacks."""
    glyphs = pdfmetrics.getFont(PLAIN).face.charToGlyph
    return "".join(letter if ord(letter) in glyphs else "?" for letter in text)
