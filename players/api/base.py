"""The base of all views: who calls, with which scope, and in which form answers go out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal
from uuid import UUID

from django.utils import timezone
from django.utils.translation import get_language
from knox.crypto import hash_token
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from typing_extensions import override

from eventstore.api.requests import NoQuery, Query, raw_body, read_query
from eventstore.core.refusal import refuse
from players.models import Token, User
from players.selectors import Person, person

TOKEN_CHARACTERS_MAX = 128


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Token tonk_...`; one query, nothing written."""

    @override
    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        """The account and its token, None without the header. Raises: `token_invalid`."""
        parts = get_authorization_header(request).split()
        if not parts:
            return None
        if len(parts) != 2 or parts[0].lower() != b"token" or len(parts[1]) > TOKEN_CHARACTERS_MAX:
            raise refuse("token_invalid")
        secret = parts[1].decode("ascii", "replace")
        found = Token.objects.select_related("user").filter(digest=hash_token(secret)).first()
        if found is None or found.expiry <= timezone.now() or not found.user.is_active:
            raise refuse("token_invalid")
        return found.user, found

    @override
    def authenticate_header(self, request: Request) -> str:
        """What a 401 asks for."""
        return "Token"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API: its name in `authz.csv`, the scope it needs, its parameters."""

    name: str
    scope: str | None = None  # None: anybody
    query: type[Query] = NoQuery
    # What serves too, where a role admits more than players.
    staff_scope: str | tuple[str, ...] | None = None

    @property
    def scopes(self) -> frozenset[str | None]:
        """Each of these serves."""
        more = self.staff_scope if isinstance(self.staff_scope, tuple) else (self.staff_scope,)
        return frozenset({self.scope, *more})


class ApiView(APIView):
    """A path of the API. Each method is an operation; checks run in the published order."""

    operations: ClassVar[Mapping[str, Operation]] = {}
    authentication_classes: Sequence[type[BaseAuthentication]] = (TokenAuthentication,)

    @override
    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse who may not call this, before anything is looked up."""
        method = "GET" if request.method == "HEAD" else request.method or ""
        operation = self.operations.get(method)
        if operation is None:
            raise MethodNotAllowed(method)
        if method != "GET":
            raw_body(request)  # its size and media type are judged before anything else
        super().initial(request, *args, **kwargs)
        if operation.scope is not None:
            _, token = self.holder(request)
            if not operation.scopes & set(token.scopes):
                raise refuse("insufficient_scope", needed=operation.scope)
        self.query = read_query(request, operation.query)

    @property
    @override
    def allowed_methods(self) -> list[str]:
        """What `Allow` says of this path."""
        return [*self.operations, *(["HEAD"] if "GET" in self.operations else [])]

    def holder(self, request: Request) -> tuple[User, Token]:
        """The account and its token. Raises: Refused with `not_authenticated`."""
        if not isinstance(request.user, User) or not isinstance(request.auth, Token):
            raise refuse("not_authenticated")
        return request.user, request.auth

    def player(self, request: Request) -> UUID:
        """Whose token this is. Raises: Refused with `not_authenticated`."""
        return self.holder(request)[0].id

    def caller(self, request: Request) -> Person:
        """The account of the token as services want it. Raises: as `holder`."""
        found = person(self.player(request))
        if found is None:
            raise refuse("not_authenticated")
        return found

    def viewer(self, request: Request) -> UUID | None:
        """Whose token this is, or None."""
        return request.user.id if isinstance(request.user, User) else None

    def language(self, request: Request) -> Literal["en", "lt"]:
        """Language of texts: what `Accept-Language` asks for, else the account's, else English."""
        asked = "Accept-Language" in request.headers
        own = request.user.language if isinstance(request.user, User) and not asked else None
        return "lt" if (own or get_language() or "").startswith("lt") else "en"


def answer(document: object, *, status: int = 200, replayed: bool = False) -> Response:
    """An answer that belongs to its caller alone."""
    headers = {"Cache-Control": "private, no-cache"}
    if replayed:
        headers["Idempotency-Replayed"] = "true"
    return Response(document, status=status, headers=headers)
