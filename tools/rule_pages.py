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
from games.rules.words.sheet import as_markdown, sheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from games.rules.words.plurals import Language

FOLDER = Path(__file__).resolve().parents[1] / "docs/reference"


class Frame(NamedTuple):
    """What a page says around the texts of the rules."""

    file: str
    intro: str
    presets: str
    options: str
    kinds: Mapping[type[Domain], str]


FRAMES: Mapping[Language, Frame] = MappingProxyType(
    {
        "en": Frame(
            "rules.md",
            """# Rules

How the game is played by the preset `gamerules`, what the other presets change, and every option.
This page is made by `python -m tools.rule_pages`. A table's own sheet is at `/tables/<id>/rules`,
that of any set at `GET /api/v1/rulesets/{ref}/sheet`. Numbers name rules: R of the source, D
decided where it is silent, V options. Lithuanian: [taisyklės](taisykles.md).
""",
            """## Presets

A name for a set of options; what a table plays by is fixed by the options themselves.

| preset | what differs | options |
|---|---|---|""",
            """## Options

All are optional where a table is opened; `POST /api/v1/rulesets/validate` tries a set out.

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
        ),
        "lt": Frame(
            "taisykles.md",
            """# Taisyklės

Kaip žaidžiama pagal rinkinį `gamerules`, ką keičia kiti rinkiniai, ir visos nuostatos. Šį puslapį
kuria `python -m tools.rule_pages`. Stalo taisyklių lapas yra adresu `/tables/<id>/rules`, bet kurio
rinkinio – `GET /api/v1/rulesets/{ref}/sheet`. Numeriai įvardija taisykles: R – šaltinio, D –
nuspręsta, kur šaltinis nutyli, V – nuostatos. Angliškai: [rules](rules.md).
""",
            """## Taisyklių rinkiniai

Rinkinio pavadinimas – tik vardas; kaip žaidžiama prie stalo, lemia pačios nuostatos.

| rinkinys | kas skiriasi | nuostatos |
|---|---|---|""",
            """## Nuostatos

Atidarant stalą nė viena nebūtina; rinkinį išbando `POST /api/v1/rulesets/validate`.

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
        ),
    }
)


def page(language: Language) -> str:
    """The page as it must be."""
    frame = FRAMES[language]
    _, _, rules = as_markdown(sheet(DEFAULTS, language=language)).partition("\n\n")
    parts = [frame.intro, rules, "\n".join([frame.presets, *_presets(language)]), ""]
    return "\n".join([*parts, "\n".join([frame.options, *_options(language)])]) + "\n"


def stale() -> list[str]:
    """Names of the pages that are not as they must be."""
    return [
        frame.file
        for language, frame in FRAMES.items()
        if not (FOLDER / frame.file).exists()
        or (FOLDER / frame.file).read_text(encoding="utf-8") != page(language)
    ]


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
