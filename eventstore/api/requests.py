"""Read requests strictly: bodies, parameters, keys, versions (`api.md` section 1)."""

import json
import re
from collections.abc import Mapping
from typing import Annotated, ClassVar, TypeVar
from uuid import UUID

import msgspec
from django.core.exceptions import RequestDataTooBig
from rest_framework.request import Request

from eventstore.core.canonical import NESTING_MAX
from eventstore.core.refusal import Refused, refuse
from eventstore.services import Receipt, fingerprint

BODY_BYTES_MAX = 65_536
AMOUNT_MAX = 10**12  # the largest leg of the books
PAGE_ROWS, PAGE_ROWS_MAX = 25, 100
EVENTS_ROWS_MAX = 500
WAIT_SECONDS_MAX = 25
_KEY = re.compile(r"[A-Za-z0-9_-]{16,128}\Z")
_IF_MATCH = re.compile(r'"v(\d{1,9})\.(?:s[1-6]|p|d)"\Z')

Amount = Annotated[int, msgspec.Meta(ge=1, le=AMOUNT_MAX)]
Version = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]


class Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request's body. Fields named in `amounts` answer `bad_amount` when they are wrong."""

    amounts: ClassVar[frozenset[str]] = frozenset()


class Query(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The parameters that an endpoint knows."""


class NoQuery(Query, frozen=True, kw_only=True):
    """An endpoint without parameters."""


class PageQuery(Query, frozen=True, kw_only=True):
    """A page of a list."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=PAGE_ROWS_MAX)] = PAGE_ROWS
    cursor: str | None = None


class EventsQuery(Query, frozen=True, kw_only=True):
    """A stretch of a stream."""

    after: Version = 0
    limit: Annotated[int, msgspec.Meta(ge=1, le=EVENTS_ROWS_MAX)] = EVENTS_ROWS_MAX


B = TypeVar("B", bound=Body)
Q = TypeVar("Q", bound=Query)


def read_body(request: Request, form: type[B]) -> B:
    """The body in its form; an empty body counts as `{}`.

    Raises: Refused with `body_too_large`, `unsupported_media_type`, `malformed_json`,
    `unknown_field`, `invalid_field`, `bad_amount`; all faults of fields at once in `errors`.
    """
    raw = raw_body(request)
    try:
        return msgspec.json.decode(raw or b"{}", type=form)
    except (msgspec.DecodeError, UnicodeDecodeError):
        values = _object_of(raw)
    # The fast way failed or met a key twice: look again, field by field, to name every fault.
    raise _faults(values, form)


def raw_body(request: Request) -> bytes:
    """Bytes of the body. Raises: Refused with `body_too_large`, `unsupported_media_type`."""
    try:
        raw: bytes = request._request.body  # DRF's own parsers are switched off
    except RequestDataTooBig as fault:
        raise refuse("body_too_large", limit=BODY_BYTES_MAX) from fault
    if len(raw) > BODY_BYTES_MAX:
        raise refuse("body_too_large", limit=BODY_BYTES_MAX)
    media = (request.content_type or "").split(";")[0].strip().lower()
    if raw and media != "application/json":
        raise refuse("unsupported_media_type", supported=["application/json"])
    if raw:
        _object_of(raw)  # msgspec would take the last of two equal keys
    return raw


def _object_of(raw: bytes) -> Mapping[str, object]:
    try:
        value = json.loads(raw.decode(), object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as fault:
        raise refuse("malformed_json") from fault
    if not isinstance(value, dict) or _depth(value) > NESTING_MAX:
        raise refuse("malformed_json")
    return value


def _no_number(text: str) -> object:
    raise ValueError(text)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _field_refusal([("unknown_field", twice, "given twice")])
    return found


def _depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max((_depth(item) for item in value.values()), default=0)
    if isinstance(value, list):
        return 1 + max((_depth(item) for item in value), default=0)
    return 0


def _faults(values: Mapping[str, object], form: type[Body]) -> Refused:
    known = {field.encode_name: field for field in msgspec.structs.fields(form)}
    faults = [("unknown_field", name, "not known here") for name in values if name not in known]
    for name, field in known.items():
        code = "bad_amount" if name in form.amounts else "invalid_field"
        if name not in values:
            if field.required:
                faults.append((code, name, "missing"))
            continue
        try:
            msgspec.convert(values[name], field.type)
        except msgspec.ValidationError as fault:
            faults.append((code, name, str(fault)))
    return _field_refusal(faults)


def _field_refusal(faults: list[tuple[str, str, str]]) -> Refused:
    errors = [{"pointer": f"/{name}", "code": code, "detail": text} for code, name, text in faults]
    return refuse(faults[0][0] if faults else "invalid_field", errors=errors)


def read_query(request: Request, form: type[Q]) -> Q:
    """The parameters in their form. Raises: Refused with `unknown_field`, `invalid_field`."""
    known = {field.encode_name for field in msgspec.structs.fields(form)}
    faults = [
        ("unknown_field", name, "no parameter here") for name in request.GET if name not in known
    ]
    faults += [
        ("invalid_field", name, "given twice")
        for name in request.GET
        if name in known and len(request.GET.getlist(name)) > 1
    ]
    if faults:
        raise _field_refusal(faults)
    try:
        return msgspec.convert(request.GET.dict(), form, strict=False)
    except msgspec.ValidationError as fault:
        raise _field_refusal([("invalid_field", "", str(fault))]) from fault


def receipt_for(request: Request, player: UUID, body: object) -> Receipt:
    """The receipt's name of a request that carries an `Idempotency-Key`.

    Raises: Refused with `idempotency_key_missing`, `invalid_field`.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        raise refuse("idempotency_key_missing")
    if not _KEY.match(key):
        raise _field_refusal([("invalid_field", "Idempotency-Key", "16 to 128 of A-Z a-z 0-9 _ -")])
    told = fingerprint(request.method or "", request.path, msgspec.to_builtins(body))
    return Receipt(f"player:{player}", key, told)


def expected_version(request: Request, stated: int | None) -> int:
    """The version that the client saw, from the body or from `If-Match`.

    Raises: Refused with `version_missing`, `invalid_field`.
    """
    header = request.headers.get("If-Match")
    if header is None:
        if stated is None:
            raise refuse("version_missing")
        return stated
    match = _IF_MATCH.match(header)
    if match is None or (stated is not None and stated != int(match[1])):
        raise _field_refusal([("invalid_field", "If-Match", 'the form is "v17.s1"')])
    return int(match[1])
