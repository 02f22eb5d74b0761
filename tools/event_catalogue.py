"""The page docs/reference/events.md: every event type, made from the classes themselves.

    python -m tools.event_catalogue      writes it

Fields, schema and money come from the registry and the ledger's lists, so the page can not drift.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import django
import msgspec

from eventstore.core.registry import registry
from ledger.core.entries import INLINE, SETTLED

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parents[1] / "docs/reference/events.md"
TITLE = """# Events

Every type of event that the log may hold. This page is made by `python -m tools.event_catalogue`.

A record's `data` has exactly the fields listed, each of them always; what is absent is `null`.
Amounts are integers in minor units, ids lower-case UUIDs, hashes and seeds hex, instants
`YYYY-MM-DDTHH:MM:SS.ffffffZ`, cards `AC` to `KS`, `X1`, `X2`. The column *money* says when the
books get an entry: *inline* in the transaction of the command, *settled* by the settler; amounts
in tournament chips are no money.
"""
SECTIONS = {
    "games": ("table/", "Everything at one table, hand after hand."),
    "tournaments": ("tournament/", "One tournament, from its draft to its archive."),
    "ledger": ("wallet/", "Money of one player; of the house as a whole under the nil UUID."),
    "players": ("player/", "Who somebody is and what he may do."),
    "eventstore": ("log/", "The log's own name and keys."),
}
NAMES = {str: "text", int: "integer", bool: "boolean", object: "any"}


def page() -> str:
    """The page as it must be. Needs Django's apps."""
    return "\n".join([TITLE, *(line for app in SECTIONS for line in _section(app))])


def is_current() -> bool:
    """Whether the page that is there says what the classes say."""
    return PAGE.exists() and PAGE.read_text(encoding="utf-8") == page()


def _section(app: str) -> Iterator[str]:
    stream, about = SECTIONS[app]
    pairs = [
        (name, schema, cls)
        for (name, schema), cls in registry.pairs().items()
        if cls.__module__.startswith(f"{app}.")
    ]
    yield f"## {stream}\n\n{about}\n"
    yield "| type | schema | fields | money | what it says |\n|---|---|---|---|---|"
    for name, schema, cls in pairs:
        yield f"| {name} | {schema} | {_fields(cls)} | {_money(name, schema)} | {_about(cls)} |"
    parts = sorted(set(_parts([cls for _, _, cls in pairs])), key=lambda part: part.__name__)
    if parts:
        yield f"\nParts of events of `{stream}`:\n\n| part | fields |\n|---|---|"
        yield from (f"| {part.__name__} | {_fields(part)} |" for part in parts)
    yield ""


def _about(cls: type[msgspec.Struct]) -> str:
    return " ".join((cls.__doc__ or "").split("\n\n")[0].split())


def _money(name: str, schema: int) -> str:
    if (name, schema) in INLINE:
        return "inline"
    return "settled" if (name, schema) in SETTLED else ""


def _fields(cls: type[msgspec.Struct]) -> str:
    fields = msgspec.structs.fields(cls)
    return "; ".join(f"`{field.encode_name}` {type_text(field.type)}" for field in fields)


def type_text(annotation: Any) -> str:
    """A type as people read it.

    >>> type_text(tuple[int, ...] | None), type_text(Literal["stock", "discard"])
    ('list of integer or null', '`stock`, `discard`')
    """
    options, origin = get_args(annotation), get_origin(annotation)
    if origin is Literal:
        return ", ".join(f"`{one}`" for one in options)
    if isinstance(annotation, UnionType):
        return f"{type_text(next(one for one in options if one is not NoneType))} or null"
    if origin is tuple and options[-1] is Ellipsis:
        return f"list of {type_text(options[0])}"
    if origin is tuple:
        return f"({', '.join(map(type_text, options))})"
    if origin is dict:
        return "object"
    return NAMES.get(annotation) or str(annotation.__name__)


def _parts(classes: list[type[msgspec.Struct]]) -> Iterator[type[msgspec.Struct]]:
    """Structs inside these classes, at whatever depth."""
    for cls in classes:
        inner = [part for field in msgspec.structs.fields(cls) for part in _structs(field.type)]
        yield from inner
        yield from _parts(inner)


def _structs(annotation: Any) -> list[type[msgspec.Struct]]:
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return [annotation]
    return [part for one in get_args(annotation) for part in _structs(one)]


def set_up() -> None:
    """Have the apps register their events."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tonk_site.settings")
    django.setup()


def main() -> None:
    """Write the page."""
    set_up()
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
