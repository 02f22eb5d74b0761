"""Canonical JSON (RFC 8785) in the log's strict domain (`eventstore.md` section 2.1).

Allowed are objects, arrays, strings, true, false, null and integers that every JSON reader keeps
exact. One value has one text, so a hash over the text is a hash over the value.
"""

import json
import re
from typing import NoReturn

import msgspec

INTEGER_MAX = 2**53 - 1  # exact in every JSON reader
STRING_CHARACTERS_MAX = 1024  # no free text in events
NESTING_MAX = 8  # bounds the cost of decoding

_key = re.compile(r"[a-z0-9_]{1,40}\Z").match  # one sort order in every language
_encode = msgspec.json.Encoder(order="sorted").encode


class NotCanonicalError(ValueError):
    """A value or a text outside the domain; the message says why."""


def encode(value: object) -> bytes:
    """Canonical bytes of plain values or of a struct. Raises: NotCanonicalError.

    >>> encode({"b": [True, None], "a": -1})
    b'{"a":-1,"b":[true,null]}'
    """
    if isinstance(value, msgspec.Struct):
        value = msgspec.to_builtins(value)
    check(value)
    return _encode(value)


def check(value: object, depth: int = 0) -> None:
    """Refuse a value outside the domain. Raises: NotCanonicalError."""
    kind = type(value)
    if kind is str:
        _check_string(value)  # type: ignore[arg-type]  # its type was just compared
    elif kind is int:
        if not -INTEGER_MAX <= value <= INTEGER_MAX:  # type: ignore[operator]  # an int by now
            raise NotCanonicalError("integer out of range")
    elif kind is dict or kind is list or kind is tuple:
        _check_container(value, depth + 1)
    elif value is not None and kind is not bool:
        raise NotCanonicalError(f"no place for a {kind.__name__}")


def _check_container(value: object, depth: int) -> None:
    if depth > NESTING_MAX:
        raise NotCanonicalError("nested too deep")
    if isinstance(value, dict):
        for key in value:
            if type(key) is not str or not _key(key):
                raise NotCanonicalError(f"no key of the log: {key!r}")
        items = iter(value.values())
    else:
        items = iter(value)  # type: ignore[call-overload]  # a list or a tuple
    for item in items:
        check(item, depth)


def _check_string(value: str) -> None:
    if len(value) > STRING_CHARACTERS_MAX:
        raise NotCanonicalError("string too long")
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise NotCanonicalError("lone surrogate")


def decode(text: str) -> object:
    """Value of a text from outside, which need not be in canonical order.

    Raises: NotCanonicalError for anything but JSON in the domain: floats of any kind, exponents,
    -0, duplicate keys, NaN, lone surrogates, foreign keys.
    """
    try:
        value = json.loads(
            text,
            parse_float=_refuse_float,
            parse_int=_integer,
            parse_constant=_refuse_float,
            object_pairs_hook=_object,
        )
    except (json.JSONDecodeError, RecursionError) as fault:
        raise NotCanonicalError("not JSON") from fault
    check(value)
    return value


def _refuse_float(text: str) -> NoReturn:
    raise NotCanonicalError(f"no integer: {text}")


def _integer(text: str) -> int:
    if text == "-0" or len(text) > len(str(-INTEGER_MAX)):
        raise NotCanonicalError("integer out of range")
    return int(text)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotCanonicalError("duplicate key")
    return found
