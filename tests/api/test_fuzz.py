"""Whatever is sent, the answer is no fault of ours: never a 5xx, and a refusal has its code."""

import json
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.callers import Caller
from tests.api.routes import ROUTES
from tests.api.world import FIXTURES, WRITES, World, actor_of, address, undone

pytestmark = pytest.mark.django_db

NUMBERS = st.integers(-(2**70), 2**70) | st.floats() | st.sampled_from([0, 1, -1, 2**31, 10**12])
LEAVES = st.none() | st.booleans() | NUMBERS | st.text(max_size=30)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
FEW = settings(
    max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
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


KNOWN = ("version", "seat", "options", "overrides", "bots", "rake", "name", "scopes", "device")


@pytest.mark.parametrize("name", WRITES)
def test_bodies(name: str) -> None:
    world = World()
    body = FIXTURES.get(name, lambda _: {})(world)
    route, who = ROUTES[name], actor_of(world, name)
    path = address(route.path, world.ids)

    @FEW
    @given(sent_for(body, world.ids))
    def send(raw: bytes) -> None:
        with undone():
            answer = who.call(route.method, path, raw=raw)
        assert answer.status < 500, answer.document
        assert answer.status < 400 or answer.code

    send()


@pytest.mark.parametrize("name", [name for name, route in ROUTES.items() if route.method == "GET"])
def test_parameters(name: str) -> None:
    world = World()
    FIXTURES.get(name, lambda _: {})(world)
    route, who = ROUTES[name], world.callers["player_own"]
    path = address(route.path, world.ids)
    known = [field.encode_name for field in msgspec.structs.fields(route.operation.query)]
    known = [one for one in known if one != "wait"]  # patience is tested elsewhere
    texts = st.text(max_size=20) | NUMBERS.map(str) | st.datetimes().map(str)
    texts |= st.sampled_from(["2026-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "null", "true"])
    texts |= st.sampled_from(["9999-12-31T23:59:59.999999-14:00", "MQ", "WzEsMl0"])
    names = st.sampled_from(known) if known else st.text(max_size=5)

    @FEW
    @given(st.dictionaries(names, texts, max_size=3), st.text(max_size=30))
    def ask(parameters: dict[str, str], tag: str) -> None:
        header = tag.encode("ascii", "ignore").decode().replace("\n", "").replace("\r", "")
        query = urlencode(parameters, errors="replace")
        answer = who.get(f"{path}?{query}", If_None_Match=header, Accept_Language=header)
        assert answer.status < 500, answer.document
        assert answer.status < 400 or answer.code

    ask()


def test_headers() -> None:
    nobody = Caller()
    wanted = ["Authorization", "Idempotency_Key", "If_Match", "X_Request_Id", "Accept"]
    text = st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=60)

    @FEW
    @given(st.dictionaries(st.sampled_from(wanted), text))
    def ask(headers: dict[str, str]) -> None:
        for method, path in (("GET", "/tables"), ("POST", "/tables"), ("POST", "/auth/login")):
            answer = nobody.call(method, path, {} if method == "POST" else None, **headers)
            assert answer.status < 500
            assert answer.status < 400 or answer.code

    ask()
