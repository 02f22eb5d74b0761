"""The pages docs/reference/rules.md and taisykles.md: the rules in words, presets, all options.

    python -m tools.rule_pages      writes them

Both are made from the texts that players see, so they can not drift.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import orjson

from games.rules.domains import Choice, Counts, Domain, Flag, Range, Tiers
from games.rules.options import DEFAULTS, DOMAINS, differences
from games.rules.presets import PRESET_OPTIONS
from games.rules.words.option_texts import OPTION_TEXTS, PRESET_TEXTS
from games.rules.words.other_numbers import HEADING, OTHER_NUMBERS
from games.rules.words.page_texts import MOVE_TEXTS, TOGETHER
from games.rules.words.sheet import Line, Section, as_markdown, section_markdown, sheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from games.rules.words.plurals import Language
    from games.rules.words.sheet import Sheet

FOLDER = Path(__file__).resolve().parents[1] / "docs/reference"


class Frame(NamedTuple):
    """What a page says around the texts of the rules."""

    file: str
    intro: str
    others: str
    moves: str
    after_moves: str
    presets: str
    options: str
    kinds: Mapping[type[Domain], str]
    together: str


FRAMES: Mapping[Language, Frame] = MappingProxyType(
    {
        "en": Frame(
            "rules.md",
            """# Rules

How the game is played by the preset `gamerules`, what the other presets change, and every option.
This page is made by `python -m tools.rule_pages`. A table's own sheet is at `/tables/<id>/rules`,
that of a preset, and of any set that a table was opened with, at
`GET /api/v1/rulesets/{ref}/sheet`. Numbers name rules: R of the source, D decided where it is
silent, V options. Lithuanian: [taisyklės](taisykles.md).
""",
            "Refusals and payments name these too.",
            """## Moves

What is sent as `move`. A card is its rank and suit: `TC` is the ten of clubs, `AS` the ace of
spades; jokers are `X1` and `X2`. After the draw come any number of spreads and added cards, in any
order, then the discard.

| move | does |
|---|---|""",
            """
Where a laid spread has a wild card, `stands_for` beside its `cards` says what each of them is; that
never changes. `legal` lists all that is accepted now, slaps also when it is not your turn.
""",
            """## Presets

A name for a set of options; what a table plays by is fixed by the options themselves.

| preset | what differs | options |
|---|---|---|""",
            """## Options

Where a table is opened each may be left out. `POST /api/v1/rulesets/validate` tries a set out: it
needs `options` (`{}` changes nothing) and `seats`, takes a `preset`, and answers with the whole set
and its sheet.

| rule | option | values | default | what it says |
|---|---|---|---|---|""",
            MappingProxyType(
                {
                    Flag: "`true`, `false`",
                    Range: "{low} to {high}",
                    Counts: "null or a list of numbers, {low} to {high}",
                    Tiers: "list of [total to {total}, stakes to {stakes}]",
                }
            ),
            """### What goes together

A set is refused, with the option and what it may be, where one option changes nothing
(`no_effect`) or contradicts another (`conflict`).

| option | asks for | else |
|---|---|---|""",
        ),
        "lt": Frame(
            "taisykles.md",
            """# Taisyklės

Kaip žaidžiama pagal taisyklių variantą `gamerules`, ką keičia kiti variantai, ir visos nuostatos.
Šį puslapį kuria `python -m tools.rule_pages`. Stalo taisyklių lapas yra adresu
`/tables/<id>/rules`, varianto ir bet kurių taisyklių, su kuriomis buvo atidarytas stalas, –
`GET /api/v1/rulesets/{ref}/sheet`. Numeriai įvardija taisykles: R – šaltinio, D – nuspręsta, kur
šaltinis nutyli, V – nuostatos. Angliškai: [rules](rules.md).
""",
            "Atsakymuose ir mokėjimuose minimi ir šie numeriai.",
            """## Ėjimų užrašai

Kas siunčiama kaip `move`. Korta užrašoma verte ir rūšimi: `TC` – kryžių dešimtakė, `AS` – vynų
tūzas; džokeriai – `X1` ir `X2`. Paėmus kortą galima bet kokia tvarka išdėti kiek norima derinių ir
pridėti kortų, tada viena atmetama.

| užrašas | ką daro |
|---|---|""",
            """
Jei išdėtame derinyje yra pakaitinė korta, `stands_for` šalia `cards` sako, kas yra kiekviena jo
korta; tai nesikeičia. `legal` išvardija viską, kas dabar priimama, pliaukštelėjimus – ir ne savo
eilės metu.
""",
            """## Taisyklių variantai

Varianto pavadinimas – tik vardas; kaip žaidžiama prie stalo, lemia pačios nuostatos.

| variantas | kas skiriasi | nuostatos |
|---|---|---|""",
            """## Nuostatos

Atidarant stalą nė viena nebūtina. Nuostatas išbando `POST /api/v1/rulesets/validate`: būtini laukai
`options` (`{}` nekeičia nieko) ir `seats`, galima nurodyti `preset`; atsakyme – visos nuostatos ir
taisyklių lapas.

| taisyklė | nuostata | reikšmės | numatytoji | ką sako |
|---|---|---|---|---|""",
            MappingProxyType(
                {
                    Flag: "`true`, `false`",
                    Range: "nuo {low} iki {high}",
                    Counts: "null arba skaičių nuo {low} iki {high} sąrašas",
                    Tiers: "sąrašas [suma iki {total}, statymai iki {stakes}]",
                }
            ),
            """### Kas su kuo dera

Nuostatos nepriimamos, nurodant, kuri netinka ir kokia ji gali būti, jei viena nieko nekeičia
(`no_effect`) arba prieštarauja kitai (`conflict`).

| nuostata | ko reikia | kitaip |
|---|---|---|""",
        ),
    }
)


def page(language: Language) -> str:
    """The page as it must be."""
    frame, found = FRAMES[language], sheet(DEFAULTS, language=language)
    _, _, rules = as_markdown(found).partition("\n\n")
    parts = [frame.intro, rules, _others(found, frame)]
    parts += [frame.moves, *_moves(language), frame.after_moves]
    parts += [frame.presets, *_presets(language), ""]
    parts += [frame.options, *_options(language), ""]
    return "\n".join([*parts, frame.together, *_together(language), ""])


def stale() -> list[str]:
    """Names of the pages that are not as they must be."""
    return [
        frame.file
        for language, frame in FRAMES.items()
        if not (FOLDER / frame.file).exists()
        or (FOLDER / frame.file).read_text(encoding="utf-8") != page(language)
    ]


def _others(found: Sheet, frame: Frame) -> str:
    """Every number that can be named and stands neither on the sheet nor among the options."""
    printed = {line.rule for section in found.sections for line in section.lines}
    lines = [
        Line(number, number, one.text.of(found.language))
        for number, one in OTHER_NUMBERS.items()
        if number not in printed and not number.startswith("V")
    ]
    section = Section("other_numbers", HEADING.of(found.language), tuple(lines))
    title, _, listed = section_markdown(section).partition("\n\n")
    return f"{title}\n\n{frame.others}\n\n{listed}\n"


def _moves(language: Language) -> Iterator[str]:
    for move, text in MOVE_TEXTS.items():
        yield f"| `{move}` | {text.of(language)} |"


def _together(language: Language) -> Iterator[str]:
    for one in TOGETHER:
        yield f"| {one.option.of(language)} | {one.needs.of(language)} | `{one.code}` |"


def _presets(language: Language) -> Iterator[str]:
    for name, options in PRESET_OPTIONS.items():
        words = PRESET_TEXTS[name]
        changed = ", ".join(f"`{one}` {_value(to)}" for one, to in differences(options).items())
        title, text = words.title.of(language), words.text.of(language)
        yield f"| {title} (`{name}`) | {text} | {changed} |"


def _options(language: Language) -> Iterator[str]:
    for name, domain in DOMAINS.items():
        words = OPTION_TEXTS[name]
        values = _values(domain, FRAMES[language])
        text = words.text.of(language)
        yield f"| {words.rule} | `{name}` | {values} | {_value(domain.default)} | {text} |"


def _values(domain: Domain, frame: Frame) -> str:
    match domain:
        case Flag():
            return frame.kinds[Flag]
        case Choice():
            return ", ".join(map(_value, domain.values))
        case Range():
            null = "null, " if domain.default is None else ""
            return null + frame.kinds[Range].format(low=domain.low, high=domain.high)
        case Counts():
            return frame.kinds[Counts].format(low=domain.low, high=domain.high)
        case Tiers():
            limits = {"total": domain.total_max, "stakes": domain.multiplier_max}
            return frame.kinds[Tiers].format(**limits)
        case _:
            raise TypeError(domain)


def _value(value: object) -> str:
    """A value as JSON, texts without quotes.

    >>> _value((10, 10, 10)), _value("draw"), _value(None), _value(3)
    ('`[10,10,10]`', '`draw`', 'null', '3')
    """
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return orjson.dumps(value).decode()
    return f"`{value}`" if isinstance(value, str) else f"`{orjson.dumps(value).decode()}`"


def main() -> None:
    """Write the pages."""
    for language, frame in FRAMES.items():
        (FOLDER / frame.file).write_text(page(language), encoding="utf-8")


if __name__ == "__main__":
    main()
