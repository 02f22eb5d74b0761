"""Canonical JSON (RFC 8785) in the log's strict domain (`eventstore.md` section 2.1).

Allowed are objects, arrays, strings, true, false, null and integers that every JSON reader keeps
exact. One value has one text, so a hash over the text is a hash over the value.
"""

import json
import re
from collections.abc import Iterable
from functools import cache
from typing import NoReturn

import msgspec

INTEGER_MAX = 2**53 - 1  # exact in every JSON reader
STRING_CHARACTERS_MAX = 1024  # no free text in events
NESTING_MAX = 8  # bounds the cost of decoding

_key = re.compile(r"[a-z0-9_]{1,40}\Z").match  # one sort order in every language
_encode = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder().decode


class NotCanonicalError(ValueError):
    """A value or a text outside the domain; the message says why."""


def encode(value: object, depth: int = 0) -> bytes:
    """Canonical bytes of plain values, of structs too. Raises: NotCanonicalError.

    `depth` is where the value lies: -1 for a record, whose data may be nested as deep as any value.

    >>> encode({"b": [True, None], "a": -1})
    b'{"a":-1,"b":[true,null]}'
    """
    check(value, depth)
    return _encode(value)


def check(value: object, depth: int = 0) -> None:
    """Refuse a value outside the domain. Raises: NotCanonicalError."""
    kind = type(value)
    if kind is str:
        _check_string(value)  # type: ignore[arg-type]  # its type was just compared
    elif kind is int:
        if not -INTEGER_MAX <= value <= INTEGER_MAX:  # type: ignore[operator]  # an int by now
            raise NotCanonicalError("integer out of range")
    elif value is None or kind is bool:
        return
    elif depth == NESTING_MAX:
        raise NotCanonicalError("nested too deep")
    else:
        for item in _items(value):
            check(item, depth + 1)


def _items(value: object) -> Iterable[object]:
    """What a container holds, its keys being those of the log."""
    if isinstance(value, msgspec.Struct):
        _check_names(type(value))
        return msgspec.structs.astuple(value)
    if type(value) is dict:
        for key in value:
            if type(key) is not str or not _key(key):
                raise NotCanonicalError(f"no key of the log: {key!r}")
        return value.values()
    if type(value) is list or type(value) is tuple:
        return value
    raise NotCanonicalError(f"no place for a {type(value).__name__}")


@cache
def _check_names(cls: type[msgspec.Struct]) -> None:
    """Refuse a class with a member that is no key of the log."""
    for name in cls.__struct_encode_fields__:
        if not _key(name):
            raise NotCanonicalError(f"no key of the log: {name!r}")


def _check_string(value: str) -> None:
    if len(value) > STRING_CHARACTERS_MAX:
        raise NotCanonicalError("string too long")
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise NotCanonicalError("lone surrogate")


def is_canonical(text: str) -> bool:
    """Whether a text is what `encode` makes of some value. Quick: for every row of the log.

    >>> is_canonical('{"a":1,"b":2}'), is_canonical('{"b":2,"a":1}'), is_canonical('{"a":1.0}')
    (True, False, False)
    """
    try:
        # However leniently it is read: a text that a value of the domain encodes to is its text.
        return encode(_decode(text)) == text.encode()
    except (ValueError, RecursionError):  # msgspec's errors and Unicode's are ValueErrors too
        return False


def decode(text: str, depth: int = 0) -> object:
    """Value of a text from outside, which need not be in canonical order; `depth` as in `encode`.

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
    check(value, depth)
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
