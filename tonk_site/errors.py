"""The one map from codes to HTTP: problem documents (RFC 9457), `api.md` sections 2 and 3."""

import logging
import sys
from typing import Any

import orjson
from django.db import DatabaseError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import get_language
from psycopg_pool import PoolTimeout
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore.core.refusal import Refusal, Refused, Retryable, VersionConflict
from eventstore.sealing import KeyLost
from tonk_site.refusals import MEANINGS
from tonk_site.rest import OPTIONS
from web.views import missing

logger = logging.getLogger(__name__)
RETRY_SECONDS = "1"
MEDIA_TYPE = "application/problem+json"
PASSING = "unavailable"
_FRAMEWORK = (
    (exceptions.MethodNotAllowed, "method_not_allowed"),
    (exceptions.NotAcceptable, "not_acceptable"),
    (exceptions.UnsupportedMediaType, "unsupported_media_type"),
    (exceptions.NotAuthenticated, "not_authenticated"),
    (exceptions.AuthenticationFailed, "token_invalid"),
    (exceptions.ParseError, "malformed_json"),
    (exceptions.NotFound, "not_found"),
    (Http404, "not_found"),
    (VersionConflict, "stale_version"),
    (Retryable, "unavailable"),
    (KeyLost, "unavailable"),
    (PoolTimeout, "unavailable"),
    (OperationalError, "unavailable"),
)
_TOP_LEVEL = frozenset({"errors", "problems", "legal", "current_version", "state"})


def problem(
    refusal: Refusal, request: HttpRequest, *, language: str | None = None
) -> dict[str, object]:
    """The problem document of a refusal, in that language or else the one of the request."""
    meaning = MEANINGS[refusal.code]
    language = language or get_language() or "en"
    facts = {name: value for name, value in refusal.facts.items() if name not in _TOP_LEVEL}
    title = (meaning.lt if language.startswith("lt") else meaning.en).format_map(_Facts(facts))
    document: dict[str, object] = {
        "type": f"/problems/{refusal.code}",
        "title": title,
        "status": meaning.status,
        "detail": title,
        "instance": request.path,
        "code": refusal.code,
        "retryable": meaning.retryable,
        "request_id": getattr(request, "request_id", ""),
        "facts": facts,
    }
    if refusal.rule is not None:
        document["rule"] = refusal.rule
    if meaning.status == 400 and "field" in facts:
        place = {"pointer": f"/{facts['field']}", "code": refusal.code, "detail": title}
        document["errors"] = [place]
    return document | {name: value for name, value in refusal.facts.items() if name in _TOP_LEVEL}


def handle(fault: Exception, context: dict[str, Any]) -> Response:
    """DRF's exception handler: every fault of a view becomes a problem document."""
    request = context["request"]._request  # DRF hands out its wrapper only
    refusal = _refusal(fault)
    if refusal.code == "internal" or isinstance(fault, KeyLost):
        logger.error("a fault in %s", request.path, exc_info=fault)
    document = problem(refusal, request, language=_own_language(context["request"]))
    response = Response(document, status=MEANINGS[refusal.code].status, content_type=MEDIA_TYPE)
    _headers(response, refusal)
    return response


def _own_language(request: Request) -> str | None:
    """The account's language, where the request asks for none and somebody has signed in."""
    account = getattr(request, "_user", None)  # `.user` would look for the account once more
    asked = "Accept-Language" in request.headers
    return None if asked else getattr(account, "language", None)


def plain(code: str, request: HttpRequest, **more: object) -> HttpResponse:
    """The problem document of a code, with further members, where no view of the API answers."""
    document = problem(Refusal(code), request) | more
    status = MEANINGS[code].status
    response = HttpResponse(
        orjson.dumps(document, option=OPTIONS), status=status, content_type=MEDIA_TYPE
    )
    _headers(response, Refusal(code))
    return response


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's handler of 404: a page for a browser that sought one, else a problem document."""
    del exception  # what was sought is nobody's business
    is_read = request.method in {"GET", "HEAD"} and not request.path.startswith("/api/")
    if is_read and "text/html" in request.headers.get("Accept", ""):
        return missing(request)
    return plain("not_found", request)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler of what ends where no view of the API answers: pages, waiting, middleware.

    It is called while the fault is handled. One that passes is no fault of ours there either.
    """
    fault = sys.exc_info()[1]
    passes = isinstance(fault, Exception) and _refusal(fault).code == PASSING
    return plain(PASSING if passes else "internal", request)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's handler of 400."""
    del exception  # its text is for logs
    return plain("malformed_json", request)


def _refusal(fault: Exception) -> Refusal:
    if isinstance(fault, Refused) and fault.refusal.code in MEANINGS:
        return fault.refusal
    for kind, code in _FRAMEWORK:
        if isinstance(fault, kind):
            return Refusal(code)
    if isinstance(fault, DatabaseError):
        logger.error("the database refused what the code should have", exc_info=fault)
    return Refusal("internal")


def _headers(response: HttpResponse | Response, refusal: Refusal) -> None:
    if MEANINGS[refusal.code].retryable:
        response["Retry-After"] = RETRY_SECONDS
    if MEANINGS[refusal.code].status == 401:
        response["WWW-Authenticate"] = "Token"


class _Facts(dict[str, object]):
    """Facts for a text; one that is missing stays readable."""

    def __missing__(self, key: str) -> str:
        return "…"
