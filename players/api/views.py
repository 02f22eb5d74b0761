"""Accounts: register, log in, log out, myself."""

from typing import Annotated, Literal

import msgspec
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore.api.requests import Body, field_refusal, read_body
from eventstore.core.record import time_text
from eventstore.core.refusal import refuse
from players import services
from players.api.base import ApiView, Operation, answer
from players.api.limits import in_force
from players.models import Token, User
from players.selectors import limits_now

Text = Annotated[str, msgspec.Meta(max_length=254)]
Secret = Annotated[str, msgspec.Meta(max_length=1024)]


class RegisterBody(Body, frozen=True, kw_only=True):
    """Body of `auth.register`. `of_age` says that the law of the place lets one play."""

    username: Text
    email: Annotated[str, msgspec.Meta(max_length=254, pattern=r"^[^@\s]+@[^@\s]+\Z")]
    password: Secret
    display_name: Text
    of_age: bool
    language: Literal["en", "lt"] = "en"


class LoginBody(Body, frozen=True, kw_only=True):
    """Body of `auth.login`."""

    username: Text
    password: Secret
    device: Annotated[str, msgspec.Meta(min_length=1, max_length=80)] = "unnamed"
    scopes: Annotated[list[str], msgspec.Meta(min_length=1, max_length=6)] | None = None


class Register(ApiView):
    """`POST /auth/register`."""

    operations = {"POST": Operation("auth.register")}

    def post(self, request: Request) -> Response:
        """Open an account."""
        if request.auth is not None:
            raise refuse("signed_in_already")
        body = read_body(request, RegisterBody)
        if body.of_age is not True:
            raise field_refusal([("invalid_field", "of_age", "must be true")])
        account = services.register(
            services.Registration(
                username=body.username,
                email=body.email,
                password=body.password,
                display_name=body.display_name,
                language=body.language,
            )
        )
        return answer(_account(account), status=201)


class Login(ApiView):
    """`POST /auth/login`."""

    operations = {"POST": Operation("auth.login")}

    def post(self, request: Request) -> Response:
        """Give out a token; its secret is shown this once."""
        body = read_body(request, LoginBody)
        issued = services.log_in(
            body.username, body.password, device=body.device, scopes=body.scopes
        )
        document = {
            "token": issued.secret,
            "token_id": str(issued.token_id),
            "player_id": str(issued.player.id),
            "scopes": list(issued.scopes),
            "expires_at": time_text(issued.expires_at),
        }
        response = answer(document, status=201)
        response["Cache-Control"] = "no-store"
        return response


class Logout(ApiView):
    """`POST /auth/logout`."""

    operations = {"POST": Operation("auth.logout")}

    def post(self, request: Request) -> Response:
        """Revoke the token used."""
        read_body(request, Body)
        if not isinstance(request.auth, Token):
            raise refuse("not_authenticated")
        services.log_out(request.auth)
        return Response(status=204)


class Me(ApiView):
    """`GET /me`."""

    operations = {"GET": Operation("me.show", scope="read")}

    def get(self, request: Request) -> Response:
        """Who I am and what this token may do."""
        account, token = self.holder(request)
        document = _account(account) | {
            "language": account.language,
            "roles": sorted(role.role for role in account.roles.all()),
            "scopes": token.scopes,
            "second_factor": False,
            "limits": in_force(limits_now(account.id)),
        }
        return answer(document)


def _account(account: User) -> dict[str, object]:
    return {
        "player_id": str(account.id),
        "username": account.username,
        "display_name": account.display_name,
        "kind": account.kind,
    }
