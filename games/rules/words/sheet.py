"""The rule sheet: the rules of an option set in words, in both languages (`rules.md` section 11).

It is made from the options alone; a table adds what its terms say.
"""

import html
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from games.rules.options import Options
from games.rules.rulebook import TURNS_PER_SEAT, rulebook
from games.rules.words.plurals import OR, Counted, Language, Text, listed
from games.rules.words.sheet_texts import HEADINGS, LINES, PHRASES, TITLE

DOUBLE_STOP = re.compile(r"\.\.(?=\s|$)")
MARKDOWN_SIGNS = re.compile(r"([\\`*_\[\]<>#|])")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTerms:
    """What a table adds to its options. Amounts are texts, with their currency."""

    stake: str
    seats: int
    liability: str | None = None
    """The most that one seat can lose in one hand; None where nothing is held for it."""
    rake_bp: int = 0
    """The house's share in basis points."""
    rake_cap: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One rule: its number, or "" for what is no rule of the game; a stable key; its text."""

    rule: str
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its lines."""

    key: str
    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rules in words."""

    language: Language
    title: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class _Case:
    """What the conditions of lines ask."""

    o: Options
    terms: TableTerms | None
    counts: tuple[int, ...]

    @property
    def fixed(self) -> bool:
        return self.o.settlement == "fixed"

    @property
    def claims(self) -> bool:
        return bool(self.counts or self.o.initial_spread or self.o.initial_low)

    @property
    def seed(self) -> bool:
        return self.fixed and self.o.caught_rule == "seed"

    @property
    def stock_pays(self) -> bool:
        return self.o.on_empty_stock != "void"

    @property
    def raked(self) -> bool:
        return self.terms is not None and self.terms.rake_bp > 0


def _always(_: _Case) -> bool:
    return True


class Row(NamedTuple):
    """A line of the table of section 11: when it is printed; `tiers`, once for each of them."""

    rule: str
    key: str
    when: Callable[[_Case], bool] = _always
    tiers: str | None = None


ROWS: Mapping[str, tuple[Row, ...]] = MappingProxyType(
    {
        "game": (
            Row("R1", "players", lambda c: c.o.max_players > 2),
            Row("R1", "two_players", lambda c: c.o.max_players == 2),
            Row("R2", "pack_52", lambda c: c.o.deck == 52),
            Row("V2", "pack_40", lambda c: c.o.deck == 40),
            Row("R3", "faces_10", lambda c: c.o.face_values == (10, 10, 10)),
            Row("V3", "faces_11_to_13", lambda c: c.o.face_values == (11, 12, 13)),
            Row("V4", "jokers", lambda c: c.o.jokers > 0),
            Row("V4", "deuces_wild", lambda c: c.o.deuces_wild),
            Row("V4", "wild_cards", lambda c: c.o.jokers > 0 or c.o.deuces_wild),
            Row("R4", "stake", lambda c: c.fixed and c.terms is not None),
            Row("R4", "stake_agreed", lambda c: c.fixed and c.terms is None),
            Row("V15", "point", lambda c: not c.fixed and c.terms is not None),
            Row("V15", "point_agreed", lambda c: not c.fixed and c.terms is None),
            Row(
                "V15",
                "stakes_are_points",
                lambda c: not c.fixed and (c.claims or bool(c.o.drop_low)),
            ),
            Row("V15", "pot", lambda c: c.o.stake_mode == "pot"),
            Row("R6", "cut"),
            Row("V17", "seat_by_cut", lambda c: c.o.seat_by_cut),
            Row("R7", "deal_passes"),
            Row("R8", "hand_size"),
            Row("R9", "upcard", lambda c: c.o.initial_upcard),
            Row("R35", "no_upcard", lambda c: not c.o.initial_upcard),
        ),
        "before_play": (
            Row("R10", "initial_tonk", lambda c: bool(c.counts)),
            Row("V6", "initial_spread", lambda c: c.o.initial_spread),
            Row("V6", "initial_low", tiers="initial_low"),
            Row("R11", "claims_draw", lambda c: c.claims and c.o.initial_tie == "draw"),
            Row("V5", "higher_claim_wins", lambda c: c.claims and c.o.initial_tie == "higher_wins"),
            Row("V17", "same_dealer", lambda c: c.o.redeal_dealer == "same"),
            Row("R13", "totals_in_play", lambda c: bool(c.counts)),
        ),
        "turn": (
            Row("R14", "starts"),
            Row("R15", "knock_at_start", lambda c: c.o.knock_when == "turn_start"),
            Row("V8", "knock_in_turn", lambda c: c.o.knock_when == "own_turn"),
            Row("V8", "knock_from_round", lambda c: c.o.knock_from_round > 1),
            Row("V8", "knock_limit", lambda c: c.o.knock_max_count is not None),
            Row("R16", "draw"),
            Row("V12", "must_use_discard", lambda c: c.o.must_use_discard),
            Row("R20", "spread"),
            Row("R21", "book"),
            Row("R22", "run", lambda c: c.o.ace_runs == "low"),
            Row("V13", "run_high_aces", lambda c: c.o.ace_runs == "high_or_low"),
            Row("R23", "hit"),
            Row("V12", "hit_runs_only", lambda c: c.o.hit_targets == "runs_only"),
            Row("V12", "hits_per_turn", lambda c: c.o.hits_per_turn is not None),
            Row("R36", "must_spread", lambda c: c.o.must_spread),
            Row("R18", "discard"),
            Row(
                "D6",
                "no_return",
                # A discard that must be laid is never thrown: the line would promise too much.
                lambda c: not c.o.allow_return_discard and not c.o.must_use_discard,
            ),
            Row("V12", "return_discard", lambda c: c.o.allow_return_discard),
            Row("R19", "pile"),
            Row("V7", "hit_hold", lambda c: c.o.hit_hold_first > 0),
            Row("V7", "hit_hold_self", lambda c: c.o.hit_hold_self),
            Row("V7", "spread_hold", lambda c: c.o.spread_hold > 0),
            Row("V16", "slap", lambda c: c.o.slap),
            Row("D17", "discard_turn_cap", lambda c: c.o.discard_turn_cap is not None),
            Row("D17", "discard_turn_cap_by_seat", lambda c: c.o.discard_turn_cap is None),
            Row("D18", "time_out"),
        ),
        "end": (
            Row(
                "R27",
                "tonk_out",
                lambda c: c.fixed and not c.o.tonk_double_requires_new_spread,
            ),
            Row(
                "R37",
                "tonk_out_new_spread",
                lambda c: c.fixed and c.o.tonk_double_requires_new_spread,
            ),
            Row("R28", "discard_out", lambda c: c.fixed),
            Row("V11", "all_held", lambda c: c.o.count_method == "all_held"),
            Row("V11", "deadwood", lambda c: c.o.count_method == "deadwood"),
            Row("R30", "knock_win", lambda c: c.fixed),
            Row("V6", "drop_low", lambda c: c.fixed, tiers="drop_low"),
            Row("V6", "drop_low_difference", lambda c: not c.fixed, tiers="drop_low"),
            Row("D11", "tie_catches", lambda c: c.o.knock_tie == "caught"),
            Row("V10", "tie_for_knocker", lambda c: c.o.knock_tie == "knocker_wins"),
            Row("R31", "caught", lambda c: c.seed),
            Row("R32", "bonus_from_all", lambda c: c.seed and c.o.caught_bonus_from == "all"),
            Row(
                "R32",
                "bonus_from_others",
                lambda c: c.seed and c.o.caught_bonus_from == "others_only",
            ),
            Row("V9", "caught_low_only", lambda c: c.o.caught_rule == "low_only"),
            Row("V9", "caught_pays_table", lambda c: c.o.caught_rule == "knocker_pays_table"),
            Row("V9", "caught_single_each", lambda c: c.o.caught_rule == "single_each"),
            Row("V15", "difference", lambda c: not c.fixed),
            Row(
                "R37",
                "difference_new_spread",
                lambda c: not c.fixed and c.o.tonk_double_requires_new_spread,
            ),
            Row("R26", "empty_stock_ends", lambda c: c.o.on_empty_stock == "end"),
            Row("V14", "reshuffle", lambda c: c.o.on_empty_stock == "reshuffle"),
            Row("V14", "empty_stock_voids", lambda c: c.o.on_empty_stock == "void"),
            Row("R34", "stock_out", lambda c: c.stock_pays and c.fixed),
            Row(
                "D14",
                "stockout_each_paid",
                lambda c: c.stock_pays and c.o.stockout_tie == "each_paid",
            ),
            Row("V14", "stockout_split", lambda c: c.o.stockout_tie == "split"),
            Row("V14", "stockout_no_payment", lambda c: c.o.stockout_tie == "no_payment"),
            Row("", "liability", lambda c: c.terms is not None and c.terms.liability is not None),
            Row("", "rake", lambda c: c.raked),
            Row(
                "",
                "rake_cap",
                lambda c: c.raked and c.terms is not None and c.terms.rake_cap is not None,
            ),
        ),
    }
)
"""Rows of each section, in the order of the sheet."""


def sheet(
    options: Options,
    *,
    language: Language,
    terms: TableTerms | None = None,
    name: Text | None = None,
) -> Sheet:
    """The rule sheet of a valid option set; with `terms`, that of a table.

    `name` is what the set is called, for the title. A section without lines is left out.

    >>> from games.rules.options import DEFAULTS
    >>> sheet(DEFAULTS, language="en").sections[0].lines[0]
    Line(rule='R1', key='players', text='Players: 2 to 3.')
    """
    case = _Case(options, terms, rulebook(options, options.max_players).initial_counts)
    values = _values(case, language)
    written = {key: tuple(_lines(rows, case, values, language)) for key, rows in ROWS.items()}
    sections = tuple(
        Section(key, HEADINGS[key].of(language), lines) for key, lines in written.items() if lines
    )
    title = TITLE.of(language)
    if name is not None:
        title = f"{title}: {name.of(language)}"
    return Sheet(language, title, sections)


def as_text(sheet: Sheet) -> str:
    """The sheet as plain text, the numbers of rules in a column."""
    blocks = [sheet.title]
    for section in sheet.sections:
        lines = (f"  {line.rule:<4}{line.text}" for line in section.lines)
        blocks.append("\n".join((section.title, *lines)))
    return "\n\n".join(blocks) + "\n"


def as_html(sheet: Sheet) -> str:
    """The sections of the sheet as a fragment of a page, which gives it a title of its own."""
    return "".join(
        f'<section lang="{sheet.language}"><h2>{html.escape(section.title)}</h2>\n<ul>\n'
        f"{''.join(map(_item, section.lines))}</ul>\n</section>\n"
        for section in sheet.sections
    )


def as_markdown(sheet: Sheet) -> str:
    """The sheet as a page of Markdown."""
    return "\n\n".join([f"# {sheet.title}", *map(section_markdown, sheet.sections)]) + "\n"


def section_markdown(section: Section) -> str:
    """A section of a page of Markdown."""
    lines = (
        "- " + (f"**{line.rule}** " if line.rule else "") + _marked(line.text)
        for line in section.lines
    )
    return "\n\n".join([f"## {section.title}", "\n".join(lines)])


def as_data(sheet: Sheet) -> dict[str, object]:
    """The sheet as JSON values; the rule of a line that is no rule of the game is null."""
    return {
        "language": sheet.language,
        "title": sheet.title,
        "sections": [
            {
                "key": section.key,
                "title": section.title,
                "lines": [
                    {"rule": line.rule or None, "key": line.key, "text": line.text}
                    for line in section.lines
                ],
            }
            for section in sheet.sections
        ],
    }


def _lines(
    rows: tuple[Row, ...], case: _Case, values: Mapping[str, object], language: Language
) -> Iterator[Line]:
    for row in rows:
        if not row.when(case):
            continue
        if row.tiers is None:
            yield _line(row, row.key, language, values)
            continue
        for number, (greatest, multiplier) in enumerate(getattr(case.o, row.tiers), start=1):
            tier = {"max": greatest, "multiplier": Counted(multiplier)}
            yield _line(row, f"{row.key}_{number}", language, {**values, **tier})


def _line(row: Row, key: str, language: Language, values: Mapping[str, object]) -> Line:
    text = LINES[row.key].filled(language, values)
    # An amount may end with an abbreviation, which brings a full stop of its own.
    return Line(row.rule, key, DOUBLE_STOP.sub(".", text))


def _values(case: _Case, language: Language) -> dict[str, object]:
    """Everything that a text may name, numbers ready to be counted."""
    o = case.o
    numbers = {
        name: Counted(value)
        for name in o.__struct_fields__
        if isinstance(value := getattr(o, name), int)
    }
    counts = [str(count) for count in sorted(case.counts)]
    return {
        **numbers,
        **(_terms(case.terms, language) if case.terms else {}),
        "counts": listed(counts, OR.of(language)) if counts else "",
        # The ending of a Lithuanian ordinal: only the third has another one.
        "knock_ordinal": f"{o.knock_from_round}-{'iuoju' if o.knock_from_round == 3 else 'uoju'}",
        "turns_per_seat": TURNS_PER_SEAT,
        "at_full_table": PHRASES["at_full_table" if case.terms else "anywhere"],
        "further_hits": PHRASES["further_hits" if o.hit_hold_extra else "no_further_hits"],
        "catching": PHRASES["equal_or_lower" if o.knock_tie == "caught" else "lower"],
        "gaps": PHRASES["gaps" if case.stock_pays else "gap_of_knock"],
        "more": PHRASES["more_with_claims" if case.claims else "more"],
    }


def _terms(terms: TableTerms, language: Language) -> dict[str, object]:
    whole, part = divmod(terms.rake_bp, 100)
    decimals = f"{part:02}".rstrip("0")
    point = "." if language == "en" else ","
    return {
        "stake": terms.stake,
        "seats": terms.seats,
        "liability": terms.liability,
        "rake_percent": f"{whole}{point}{decimals}" if decimals else str(whole),
        "rake_cap": terms.rake_cap,
        "turns": TURNS_PER_SEAT * terms.seats,
    }


def _item(line: Line) -> str:
    number = f'<span class="rule">{html.escape(line.rule)}</span> ' if line.rule else ""
    return f"<li>{number}{html.escape(line.text)}</li>\n"


def _marked(text: str) -> str:
    return MARKDOWN_SIGNS.sub(r"\\\1", text)
