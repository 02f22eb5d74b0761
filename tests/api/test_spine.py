"""The API as a script uses it, against the test client."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from tests.factories import PASSWORD, a_player

pytestmark = pytest.mark.django_db


class Caller:
    """A client of the API with a token."""

    def __init__(self, token: str | None = None) -> None:
        self.client, self.token = Client(), token

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        if self.token:
            headers.setdefault("Authorization", f"Token {self.token}")
        if method in {"POST", "DELETE"}:
            headers.setdefault("Idempotency-Key", uuid4().hex)
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body)
        answer = self.client.generic(
            method, f"/api/v1{path}", data, "application/json", headers=headers
        )
        return answer.status_code, json.loads(answer.content) if answer.content else None


def signed_in(name: str, *roles: str) -> Caller:
    a_player(name, *roles)
    status, found = Caller().call("POST", "/auth/login", {"username": name, "password": PASSWORD})
    assert status == 201
    return Caller(found["token"])


def test_from_registration_to_a_seat_and_a_move() -> None:
    body = {
        "username": "ona",
        "password": PASSWORD,
        "email": "ona@example.org",
        "display_name": "Ona",
        "of_age": True,
    }
    assert Caller().call("POST", "/auth/register", body)[0] == 201
    status, login = Caller().call("POST", "/auth/login", {"username": "ona", "password": PASSWORD})
    assert status == 201
    ona = Caller(login["token"])
    assert ona.call("GET", "/me")[1]["scopes"] == ["read", "play", "money"]
    settings = {"stake": 10, "currency": "XTK", "seats": 3, "bots": [{"level": "greedy-1"}]}
    status, table = ona.call("POST", "/tables", settings)
    assert status == 201, table
    path = f"/tables/{table['table_id']}"
    seat = {"buy_in": 400, "version": table["version"]}
    status, seated = ona.call("POST", f"{path}/seat", seat)
    assert status == 201, seated
    assert seated["state"]["viewer"] == {"kind": "seat", "seat": 2}
    status, found = ona.call("GET", "/ledger/me")
    assert found["balances"][1]["in_play"] == 400
    assert ona.call("GET", f"{path}/events")[1]["version"] == 3
    status, problem = ona.call("POST", f"{path}/moves", {"move": "S", "version": 3})
    assert (status, problem["code"]) == (409, "no_hand")


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("POST", "/tables", {"stake": 0, "currency": "XTK", "seats": 3}, "bad_amount"),
        ("POST", "/tables", {"stake": 1.5, "currency": "XTK", "seats": 3}, "bad_amount"),
        ("POST", "/tables", {"stake": True, "currency": "XTK", "seats": 3}, "bad_amount"),
        ("POST", "/tables", {"stake": 10**13, "currency": "XTK", "seats": 3}, "bad_amount"),
        ("POST", "/tables", {"stake": 10, "currency": "XTK", "seats": 9}, "invalid_field"),
        ("POST", "/tables", {"stake": 10, "currency": "ABC", "seats": 3}, "unknown_currency"),
        ("POST", "/tables", {"stake": 10, "currency": "XTK", "seats": 3, "x": 1}, "unknown_field"),
        ("POST", "/tables", b'{"stake": 10, "stake": 10}', "unknown_field"),
        ("POST", "/tables", b"{", "malformed_json"),
        ("POST", "/tables", b"[1]", "malformed_json"),
        ("POST", "/tables", b"\xff", "malformed_json"),
        ("GET", "/tables?nonsense=1", None, "unknown_field"),
        ("GET", "/tables?limit=1000", None, "invalid_field"),
        ("GET", "/tables?cursor=xyz", None, "bad_cursor"),
        ("GET", "/tables/0198f0c2-a000-7d68-b5ee-4127775f9b84", None, "not_found"),
        ("GET", "/tables/nonsense", None, "not_found"),
        ("PUT", "/tables", None, "method_not_allowed"),
    ],
)
def test_bad_input_gets_a_typed_refusal(method: str, path: str, body: Any, expected: str) -> None:
    status, problem = signed_in("ona").call(method, path, body)
    assert problem["code"] == expected, problem
    assert status == problem["status"]
