"""Callers of the API: people, staff and programs with a token, and what the database looks like."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.test import Client

from eventstore.ports import new_id
from players.models import Token, User
from players.selectors import Person, person
from players.services import issue_token, register_bot
from tonk_site.proving.acting.factories import a_player

NOWHERE = "0198f0c2-a000-7d68-b5ee-4127775f9b84"
KEYED = frozenset({"POST", "DELETE"})


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.content) if self.content else None

    @property
    def code(self) -> str:
        """The code of a problem document."""
        assert self.headers["Content-Type"] == "application/problem+json", self.content
        found = self.document
        assert found["status"] == self.status
        assert found["type"] == f"/problems/{found['code']}"
        return str(found["code"])


def refused(answer: Answer, status: int, code: str) -> Any:
    """The problem document of a refusal of this status and code."""
    assert (answer.status, answer.code) == (status, code), answer.document
    return answer.document


class Caller:
    """A client of the API, with a token or without."""

    def __init__(self, token: str | None = None, who: Person | None = None) -> None:
        self.token, self.client = token, Client()
        self._who = who

    @property
    def who(self) -> Person:
        assert self._who is not None
        return self._who

    def call(
        self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **headers: Any
    ) -> Answer:
        """The answer; a header that is None is left out, `_` in its name stands for `-`."""
        prefix = "" if path in {"/healthz", "/readyz"} else "/api/v1"
        return self.ask(method, prefix + path, body, raw=raw, **headers)

    def ask(
        self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **headers: Any
    ) -> Answer:
        """The same at any path of the product."""
        sent: dict[str, Any] = {"Content-Type": "application/json"}
        if self.token:
            sent["Authorization"] = f"Token {self.token}"
        if method in KEYED:
            sent["Idempotency-Key"] = new_id().hex
        for name, value in headers.items():
            sent[name.replace("_", "-")] = value
        sent = {name: value for name, value in sent.items() if value is not None}
        media = sent.pop("Content-Type", "")
        data = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        answer = self.client.generic(method, path, data, media, headers=sent)
        return Answer(answer.status_code, answer.headers, answer.getvalue())

    def get(self, path: str, **headers: Any) -> Answer:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: Any) -> Answer:
        return self.call("POST", path, body, **headers)


def caller(name: str, *roles: str, scopes: list[str] | None = None) -> Caller:
    """A person with a token of all scopes that the roles allow, or of these."""
    who = a_player(name, *roles)
    return Caller(issue_token(account(who.id), device="test", scopes=scopes).secret, who)


def api_bot(name: str = "Robot") -> Caller:
    """An API bot; the endpoint that makes one follows with the other accounts."""
    made = register_bot("", name)
    return Caller(issue_token(made, device="test").secret, person(made.id))


def account(player: UUID) -> User:
    return User.objects.get(id=player)


def expired_token(player: UUID) -> str:
    """The secret of a token whose time is over."""
    _, secret = Token.objects.create(
        user=account(player),
        expiry=timedelta(seconds=-1),
        id=new_id(),
        device="test",
        scopes=["read", "play", "money"],
    )
    return str(secret)


def picture() -> dict[str, str]:
    """A digest of every relation's rows: equal pictures mean that nothing changed."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT format('%I.%I', n.nspname, c.relname)
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'r' AND n.nspname IN ('public', 'ledger')
                AND has_table_privilege(c.oid, 'SELECT')"""
        )
        names = [name for (name,) in cursor.fetchall()]
        digest = "SELECT '{0}', md5(string_agg(r::text, '|' ORDER BY r::text)) FROM {0} r"
        cursor.execute(" UNION ALL ".join(digest.format(name) for name in names))
        return dict(cursor.fetchall())
