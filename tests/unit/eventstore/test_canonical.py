"""Canonical form: our bytes are those of RFC 8785, and nothing outside the domain gets in."""

from typing import Any

import msgspec
import orjson
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from eventstore.core.canonical import (
    INTEGER_MAX,
    NESTING_MAX,
    STRING_CHARACTERS_MAX,
    NotCanonicalError,
    decode,
    encode,
)

KEYS = st.from_regex(r"[a-z0-9_]{1,40}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
INTEGERS = st.integers(-INTEGER_MAX, INTEGER_MAX)
LEAVES = st.none() | st.booleans() | INTEGERS | TEXTS
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


def fits(value: object, depth: int = 0) -> bool:
    if isinstance(value, list | dict):
        items = value.values() if isinstance(value, dict) else value
        return depth < NESTING_MAX and all(fits(item, depth + 1) for item in items)
    return True


@given(VALUES.filter(fits))
def test_three_encoders_give_the_same_bytes_and_they_are_read_back(value: Any) -> None:
    text = encode(value)
    assert text == rfc8785.dumps(value)
    assert text == orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    assert decode(text.decode()) == value
    assert encode(decode(text.decode())) == text


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        float("nan"),
        INTEGER_MAX + 1,
        -INTEGER_MAX - 1,
        "a" * (STRING_CHARACTERS_MAX + 1),
        "\ud800",
        {"A": 1},
        {"a" * 41: 1},
        {"": 1},
        {1: 1},
        b"bytes",
        {1, 2},
        nested(NESTING_MAX + 1),
    ],
)
def test_a_value_outside_the_domain_is_refused(value: object) -> None:
    with pytest.raises(NotCanonicalError):
        encode(value)
    with pytest.raises(NotCanonicalError):
        encode({"a": value} if not isinstance(value, list) else value)


class Named(msgspec.Struct, kw_only=True):
    """A struct as events are."""

    b: object
    a: object = None


class Shouted(msgspec.Struct):
    """A struct with a member that is no key of the log."""

    A: int


@given(VALUES)
def test_a_struct_has_the_text_of_its_members(value: Any) -> None:
    plain = {"a": [value], "b": value}
    if fits(plain):
        assert encode(Named(a=[value], b=value)) == encode(plain)


@pytest.mark.parametrize(
    "value", [Named(b=1.5), Named(b=[INTEGER_MAX + 1]), Named(b=Named(b="\ud800")), Shouted(1)]
)
def test_a_struct_with_something_outside_the_domain_is_refused(value: object) -> None:
    for _ in range(2):  # what is remembered of a class is never that it is good
        with pytest.raises(NotCanonicalError):
            encode(value)


@pytest.mark.parametrize(
    "value", [INTEGER_MAX, -INTEGER_MAX, "a" * STRING_CHARACTERS_MAX, nested(NESTING_MAX), "Ž€"]
)
def test_the_edge_of_the_domain_is_inside(value: object) -> None:
    assert decode(encode(value).decode()) == value


@pytest.mark.parametrize(
    "text",
    ['{"a":1,"a":1}', "-0", "1e3", "1.0", "NaN", "Infinity", "[", "", '"\\ud800"', '{"A":1}', "01"],
)
def test_a_text_outside_the_domain_is_refused(text: str) -> None:
    with pytest.raises(NotCanonicalError):
        decode(text)
