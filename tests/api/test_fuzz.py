"""Whatever is sent, the answer is no fault of ours: never a 5xx, and a refusal has its code."""

import json
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import fields

from tests.api.callers import Answer, Caller
from tests.api.routes import ROUTES
from tests.api.world import WRITES, Ready, World, ready, undone

pytestmark = pytest.mark.django_db

NUMBERS = st.integers(-(2**70), 2**70) | st.floats() | st.sampled_from([0, 1, -1, 2**31, 10**12])
LEAVES = st.none() | st.booleans() | NUMBERS | st.text(max_size=30)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
FEW = settings(
    max_examples=settings().max_examples // 4,  # of each endpoint
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def sent_for(body: dict[str, Any], ids: dict[str, Any]) -> st.SearchStrategy[bytes]:
    """Bodies near a good one, and bodies far from any."""
    names = st.sampled_from([*body, *KNOWN]) | st.text(max_size=12)
    ours = st.sampled_from([str(one) for one in ids.values()] or [""])
    changed = st.dictionaries(names, VALUES | ours, max_size=4).map(lambda more: body | more)
    gone = st.sampled_from(sorted(body) or [""]).map(
        lambda name: {key: value for key, value in body.items() if key != name}
    )
    documents = (changed | gone | VALUES).map(lambda value: json.dumps(value).encode())
    return documents | st.binary(max_size=60)


LOOKS = [name for name, route in ROUTES.items() if route.method == "GET"]
KNOWN = ("version", "seat", "options", "overrides", "bots", "rake", "name", "scopes", "device")


@pytest.mark.slow
def test_bodies(world: World, subtests: pytest.Subtests) -> None:
    for name in WRITES:
        with subtests.test(name), ready(world, name) as endpoint:
            send_anything(endpoint, world.ids)


def send_anything(endpoint: Ready, ids: dict[str, Any]) -> None:
    @FEW
    @given(sent_for(endpoint.body, ids))
    def send(raw: bytes) -> None:
        with undone():
            no_fault(endpoint.call(raw=raw))

    send()


TEXTS = st.text(max_size=20) | NUMBERS.map(str) | st.datetimes().map(str)
TEXTS |= st.sampled_from(["2026-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "null", "true"])
TEXTS |= st.sampled_from(["9999-12-31T23:59:59.999999-14:00", "MQ", "WzEsMl0"])


@pytest.mark.slow
def test_parameters(world: World, subtests: pytest.Subtests) -> None:
    for name in LOOKS:
        with subtests.test(name), ready(world, name) as endpoint:
            ask_anything(endpoint)


def ask_anything(endpoint: Ready) -> None:
    known = [one.encode_name for one in fields(endpoint.route.operation.query)]
    known = [one for one in known if one != "wait"]  # patience is tested elsewhere
    names = st.sampled_from(known) if known else st.text(max_size=5)

    @FEW
    @given(st.dictionaries(names, TEXTS, max_size=3), st.text(max_size=30))
    def ask(parameters: dict[str, str], tag: str) -> None:
        header = "".join(one for one in tag if one.isascii() and one.isprintable())
        asked = replace(endpoint, path=f"{endpoint.path}?{urlencode(parameters, errors='replace')}")
        no_fault(asked.call(If_None_Match=header, Accept_Language=header))

    ask()


def no_fault(answer: Answer) -> None:
    """Done, or refused with a code."""
    assert answer.status < 500, answer.document
    assert answer.status < 400 or answer.code


def test_headers() -> None:
    nobody = Caller()
    wanted = ["Authorization", "Idempotency_Key", "If_Match", "X_Request_Id", "Accept"]
    text = st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=60)

    @FEW
    @given(st.dictionaries(st.sampled_from(wanted), text))
    def ask(headers: dict[str, Any]) -> None:
        for method, path in (("GET", "/tables"), ("POST", "/tables"), ("POST", "/auth/login")):
            no_fault(nobody.call(method, path, {} if method == "POST" else None, **headers))

    ask()
