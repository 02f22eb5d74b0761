"""The text of a hand history: TOML in the one form that equal hands share byte for byte.

`api.md` section 8: keys in the order of `HandHistory`, actions one a line, a final newline.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from eventstore.core.refusal import Refusal
from games.rules.options import SEATS_MIN, Options, complete, differences
from games.rules.tonkh.history import HandHistory
from games.rules.tonkh.play import replay
from games.rules.tonkh.shape import complaint

MEDIA_TYPE = "application/vnd.tonk.hand+toml"
SEPARATOR = "# ----"
"""The line between two hands of one file."""
TEXT_BYTES_MAX = 256 * 1024
"""Of one hand: what `POST /hands/verify` takes; the longest hands have some 30 KiB."""
CODE = "bad_tonkh"

_BETWEEN = re.compile(rf"^{SEPARATOR}\n", re.MULTILINE)
_ESCAPED = re.compile('[\x00-\x1f"\\\\\x7f]')


def write(history: HandHistory) -> str:
    """The text of a history, the same for equal ones."""
    lines = _lines(history, leave_out=("proof",))
    return "\n".join([*lines, "", "[proof]", *_lines(history.proof)]) + "\n"


def write_all(histories: Iterable[HandHistory]) -> str:
    """The text of a file of many hands."""
    return f"{SEPARATOR}\n".join(map(write, histories))


def read(text: str) -> HandHistory | Refusal:
    """The history that a text of one hand is.

    Refuses with `bad_tonkh`, whose facts say where (a key, a line, an action) and why: a text that
    is not in canonical form, a key that is not as it must be, an action that the rules refuse.
    """
    document = _document(text)
    history = document if isinstance(document, Refusal) else _converted(document)
    if isinstance(history, Refusal):
        return history
    found = complaint(history)
    if found is not None:
        return _refusal(*found)
    line = _first_difference(text, write(history))
    if line is not None:
        return _refusal(f"line {line}", "not in canonical form")
    played = replay(history)
    return history if played.fault is None else _refusal("actions", played.fault)


def read_all(text: str) -> tuple[HandHistory | Refusal, ...]:
    """What each hand of a file is, in order; empty for an empty file."""
    return tuple(read(one) for one in _BETWEEN.split(text)) if text else ()


def _refusal(where: str, why: str) -> Refusal:
    return Refusal(CODE, facts={"where": where, "why": why})


# --- writing --------------------------------------------------------------------------------------


def _lines(struct: msgspec.Struct, *, leave_out: Sequence[str] = ()) -> list[str]:
    names = [name for name in struct.__struct_fields__ if name not in leave_out]
    values = {name: getattr(struct, name) for name in names}
    return [f"{name} = {_key(name, value)}" for name, value in values.items() if value is not None]


def _key(name: str, value: object) -> str:
    if isinstance(value, Options):
        changed = [f"{option} = {_value(one)}" for option, one in differences(value).items()]
        return f"{{{', '.join(changed)}}}"
    if name == "actions" and isinstance(value, tuple) and value:
        lines = [f"  {_value(one)}," for one in value]
        return "\n".join(["[", *lines, "]"])
    return _value(value)


def _value(value: object) -> str:
    if isinstance(value, str):
        return f'"{_ESCAPED.sub(_escape, value)}"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return str(value)


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    return f"\\{character}" if character in '"\\' else f"\\u{ord(character):04X}"


# --- reading --------------------------------------------------------------------------------------


def _document(text: str) -> dict[str, object] | Refusal:
    try:
        if len(text.encode()) <= TEXT_BYTES_MAX:
            return tomllib.loads(text)
    # A number with too many digits is a plain ValueError, and so is a text that is no UTF-8.
    except (ValueError, RecursionError) as fault:
        return _refusal("text", f"no TOML: {fault}")
    return _refusal("text", f"longer than {TEXT_BYTES_MAX} bytes")


def _converted(document: dict[str, object]) -> HandHistory | Refusal:
    """The value of a decoded text; its options are completed by the defaults."""
    chosen, seats = document.get("options"), document.get("seats")
    if not isinstance(chosen, Mapping):
        return _refusal("options", "no table")
    count = len(seats) if isinstance(seats, list) else SEATS_MIN
    options = complete(chosen, count)
    if isinstance(options, Refusal):
        return _refusal("options", str(options.facts["problems"]))
    try:
        return msgspec.convert(document | {"options": options}, HandHistory)
    except msgspec.ValidationError as fault:
        why, _, where = str(fault).partition(" - at `$.")
        return _refusal(where.rstrip("`") or "keys", why)


def _first_difference(text: str, canonical: str) -> int | None:
    """Number of the first line that is not as it must be."""
    if text == canonical:
        return None
    lines, right = text.split("\n"), canonical.split("\n")
    pairs = enumerate(zip(lines, right, strict=False), start=1)
    return next((number for number, (one, other) in pairs if one != other), len(right))
