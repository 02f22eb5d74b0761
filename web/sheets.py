"""Rule sheets and reasons as pages show them: lines to link to, and how a hand was decided.

Every number that a reason names has a line to link to.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.utils.translation import get_language, ngettext

from games import selectors as games
from games.rules.options import DEFAULTS
from games.rules.presets import PRESET_OPTIONS, reference
from games.rules.words.explanation import sentences
from games.rules.words.option_texts import PRESET_TEXTS
from games.rules.words.other_numbers import other_numbers
from games.rules.words.sheet import sheet
from games.rules.words.sheet_texts import HEADINGS
from players.selectors import people
from web.amounts import worth_in
from web.boards import Card, Reason, Why

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from games.rules.options import Options
    from games.rules.words.explained_case import Fact
    from games.rules.words.explanation import Statement
    from games.rules.words.plurals import Language
    from games.rules.words.sheet import Line, Sheet, TableTerms

RAKE_LINES = frozenset({"rake", "rake_cap"})


@dataclass(frozen=True, slots=True)
class SheetLine:
    """A line of a sheet with the name under which it is linked to."""

    anchor: str
    rule: str
    text: str
    is_other: bool  # whether the game rules say something else here


@dataclass(frozen=True, slots=True)
class SheetSection:
    """A heading with its lines."""

    key: str
    title: str
    lines: tuple[SheetLine, ...]


@dataclass(frozen=True, slots=True)
class PresetRow:
    """A preset in the list."""

    name: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class TableRules:
    """The page of a table's rules: its terms, its sheet, and the preset that it was made from."""

    terms: TableTerms
    rake: str  # the sheet's words about the house's share; empty where it takes none
    is_of_tournament: bool
    preset: PresetRow | None
    is_changed: bool  # whether the table plays something else than the preset says
    sections: tuple[SheetSection, ...]

    @property
    def is_marked(self) -> bool:
        """Whether a line is marked as other than the game rules."""
        return any(line.is_other for section in self.sections for line in section.lines)


def language() -> Language:
    """The language of the reader."""
    return "lt" if (get_language() or "").startswith("lt") else "en"


def presets() -> list[PresetRow]:
    """Every preset with a sentence about it."""
    return [preset(name) for name in PRESET_OPTIONS]


def preset(name: str) -> PresetRow:
    """A preset by its name."""
    words = PRESET_TEXTS[name]
    return PresetRow(name, words.title.of(language()), words.text.of(language()))


def sections(options: Options, terms: TableTerms | None = None) -> tuple[SheetSection, ...]:
    """The sheet of an option set; the first line of a rule is linked to by its number alone."""
    usual = sheet(DEFAULTS, language=language(), terms=terms)
    known = {(line.key, line.text) for line in _lines(usual)}
    seen: Counter[str] = Counter()
    found = []
    own = sheet(options, language=language(), terms=terms)
    for section in (*own.sections, other_numbers(options, own)):
        lines = []
        for line in section.lines:
            name = line.rule or line.key
            seen[name] += 1
            anchor = name if seen[name] == 1 else f"{name}-{line.key}"
            is_other = section.key in HEADINGS and (line.key, line.text) not in known
            lines.append(SheetLine(anchor, line.rule, line.text, is_other))
        found.append(SheetSection(section.key, section.title, tuple(lines)))
    return tuple(found)


def table_rules(seen: games.Seen) -> TableRules:
    """What the page of a table's rules shows."""
    rules, terms = seen.table.rules, games.table_terms(seen, _money(seen))
    known = rules.preset is not None and rules.preset in PRESET_OPTIONS
    lines = _lines(sheet(rules.options, language=language(), terms=terms))
    return TableRules(
        terms=terms,
        rake=" ".join(line.text for line in lines if line.key in RAKE_LINES),
        is_of_tournament=seen.table.of_tournament,
        preset=preset(rules.preset) if known and rules.preset is not None else None,
        is_changed=reference(rules.hash) != rules.preset,
        sections=sections(rules.options, terms),
    )


def why(seen: games.Seen, known: Mapping[str, str]) -> Why | None:
    """Why the last hand ended so, sentence by sentence; `known` are names by players' ids."""
    explained = games.explanation(seen)
    if explained is None:
        return None
    statements = explained.statements
    # The numbers stand beside the sentences as links, so the sentences go without them.
    bare = [replace(one, rule=None, also=(), facts=_shown(one)) for one in statements]
    texts = sentences(
        bare, language=language(), names=_names(explained.players, known), money=_money(seen)
    )
    reasons = tuple(
        Reason(text, tuple(number for number in (one.rule, *one.also) if number))
        for one, text in zip(statements, texts, strict=True)
    )
    return Why(explained.hand_no, reasons)


def _names(players: Mapping[int, str], known: Mapping[str, str]) -> Mapping[int, str]:
    """Names by seats; who has left the table since is looked up."""
    left = [player for player in players.values() if player not in known]
    names = (
        {**known, **{player: one.name for player, one in people(left).items()}} if left else known
    )
    return {seat: names[player] for seat, player in players.items() if player in names}


def _shown(one: Statement) -> Mapping[str, Fact]:
    """Facts with cards as pages show them."""
    cards = one.facts.get("cards")
    if not isinstance(cards, tuple):
        return one.facts
    return {**one.facts, "cards": tuple(Card.of(str(card)).text for card in cards)}


def _lines(found: Sheet) -> list[Line]:
    return [line for section in found.sections for line in section.lines]


def _money(seen: games.Seen) -> Callable[[int], str]:
    if seen.table.of_tournament:
        return lambda amount: ngettext("{count} chip", "{count} chips", amount).format(count=amount)
    return worth_in(seen.table.currency)
