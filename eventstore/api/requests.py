"""Read requests strictly: bodies, parameters, keys, versions (`api.md` section 1)."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated, ClassVar, TypeVar
from uuid import UUID

import msgspec
from django.core.exceptions import RequestDataTooBig
from rest_framework.request import Request

from eventstore.core.canonical import NESTING_MAX, NotCanonicalError, check
from eventstore.core.refusal import Refused, refuse
from eventstore.services import Receipt, fingerprint

BODY_BYTES_MAX = 65_536
KEYS_MAX = 200
AMOUNT_MAX = 10**12  # the largest leg of the books
PAGE_ROWS, PAGE_ROWS_MAX = 25, 100
EVENTS_ROWS_MAX = 500
WAIT_SECONDS_MAX = 25
_KEY = re.compile(r"[A-Za-z0-9_-]{16,128}\Z")
_UNKNOWN = re.compile(r"Object contains unknown field `(.+?)`")
_PLACE = re.compile(r"(.*?)(?: - at `\$(.*)`)?\Z", re.DOTALL)  # how msgspec names a place
_IF_MATCH = re.compile(r'"v([0-9]{1,9})\.(?:s[1-6]|p|d)"\Z')

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
    raw = raw_body(request) or b"{}"
    values = _object_of(raw)  # msgspec would take the last of two equal keys
    try:
        return msgspec.json.decode(raw, type=form)
    except msgspec.DecodeError as fault:
        # The fast way failed: look again, field by field, to name every fault.
        raise _faults(values, form) from fault


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
    return raw


def _object_of(raw: bytes) -> Mapping[str, object]:
    try:
        value = json.loads(raw.decode(), object_pairs_hook=_once, parse_constant=_no_number)
        if not isinstance(value, dict):
            raise refuse("malformed_json")
        for name, item in value.items():
            _check_texts(name, item)
    except (ValueError, RecursionError) as fault:
        raise refuse("malformed_json") from fault
    return value


def _no_number(text: str) -> object:
    raise ValueError(text)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(pairs) > KEYS_MAX:
        raise ValueError("too many keys")
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise field_refusal([("unknown_field", twice, "given twice")])
    return found


def _check_texts(name: str, value: object) -> None:
    """Refuse texts that no reader or relation can keep. Raises: ValueError, Refused."""
    for text in _texts(name, value, depth=1):
        text.encode()  # half a surrogate pair is no Unicode
        if "\0" in text:
            raise field_refusal([("invalid_field", name, "holds U+0000")])


def _texts(name: str, value: object, *, depth: int) -> Iterator[str]:
    yield name
    if isinstance(value, str):
        yield value
    if not isinstance(value, (dict, list)):
        return
    if depth == NESTING_MAX:
        raise ValueError("too deep")
    pairs = value.items() if isinstance(value, dict) else (("", item) for item in value)
    for key, item in pairs:
        yield from _texts(key, item, depth=depth + 1)


def _faults(values: Mapping[str, object], form: type[Body]) -> Refused:
    known = {field.encode_name: field for field in msgspec.structs.fields(form)}
    faults = [("unknown_field", name, "not known here") for name in values if name not in known]
    for name, field in known.items():
        if name not in values:
            if field.required:
                code = "bad_amount" if name in form.amounts else "invalid_field"
                faults.append((code, name, "missing"))
            continue
        try:
            msgspec.convert(values[name], field.type)
        except msgspec.ValidationError as fault:
            faults.append(_fault(name, fault, form))
    return field_refusal(faults)


def _fault(name: str, fault: msgspec.ValidationError, form: type[Body]) -> tuple[str, str, str]:
    """Code, place and words of what is wrong with a field, or deep in it."""
    text, inside = _told_by(fault)
    steps = [name, *re.findall(r"[^.\[\]]+", inside)]
    if unknown := _UNKNOWN.match(text):
        return "unknown_field", "/".join([*steps, unknown[1]]), "not known here"
    code = "bad_amount" if steps[-1] in form.amounts else "invalid_field"
    return code, "/".join(steps), text


def field_refusal(faults: list[tuple[str, str, str]]) -> Refused:
    """Refusal of fields: code, place and words of each fault; the first one's code is the whole's.

    >>> field_refusal([("invalid_field", "seat", "missing")]).refusal.facts["errors"]
    [{'pointer': '/seat', 'code': 'invalid_field', 'detail': 'missing'}]
    """
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
    faults += [
        ("invalid_field", name, "holds U+0000")
        for name, text in request.GET.items()
        if name in known and "\0" in text
    ]
    if faults:
        raise field_refusal(faults)
    try:
        found = msgspec.convert(request.GET.dict(), form, strict=False)
    except msgspec.ValidationError as fault:
        text, inside = _told_by(fault)
        raise field_refusal([("invalid_field", inside.lstrip("."), text)]) from fault
    for field in msgspec.structs.fields(form):
        text, value = request.GET.get(field.encode_name, ""), getattr(found, field.name)
        # Read leniently, a bare number would be seconds.
        if isinstance(value, datetime) and not (text[10:11] in {"T", "t"} and _is_in_utc(value)):
            raise field_refusal([("invalid_field", field.encode_name, "no instant")])
    return found


def _is_in_utc(instant: datetime) -> bool:
    """Whether an instant lies within the years of UTC that anybody can write."""
    try:
        instant.astimezone(UTC)
    except OverflowError:
        return False
    return True


def _told_by(fault: msgspec.ValidationError) -> tuple[str, str]:
    """Words and place of what msgspec found."""
    found = _PLACE.match(str(fault))
    return (found[1], found[2] or "") if found else (str(fault), "")


def receipt_for(request: Request, player: UUID, body: Body) -> Receipt:
    """The receipt's name of a request that carries an `Idempotency-Key`.

    Raises: Refused with `idempotency_key_missing`, `invalid_field`.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        raise refuse("idempotency_key_missing")
    if not _KEY.match(key):
        raise field_refusal([("invalid_field", "Idempotency-Key", "16 to 128 of A-Z a-z 0-9 _ -")])
    said: dict[str, object] = msgspec.to_builtins(body)
    if "version" in said:  # part of the request, wherever it stands
        said["version"] = _version(request, said["version"])
    return Receipt(f"player:{player}", key, _told(request, said))


def _told(request: Request, said: Mapping[str, object]) -> bytes:
    check_members(said)
    return fingerprint(request.method or "", request.path, said)


def check_members(said: Mapping[str, object]) -> None:
    """Refuse members of a body that no hash can be over. Raises: Refused with `invalid_field`."""
    faults = []
    for name, value in said.items():
        try:
            check(value)
        except NotCanonicalError as fault:  # free members may hold what no hash is over
            faults.append(("invalid_field", name, str(fault)))
    if faults:
        raise field_refusal(faults)


def expected_version(request: Request, stated: int | None) -> int:
    """The version that the client saw, from the body or from `If-Match`.

    Raises: Refused with `version_missing`, `invalid_field`.
    """
    version = _version(request, stated)
    if not isinstance(version, int):
        raise refuse("version_missing")
    return version


def _version(request: Request, stated: object) -> object:
    header = request.headers.get("If-Match")
    if header is None:
        return stated
    match = _IF_MATCH.match(header)
    if match is None or (stated is not None and stated != int(match[1])):
        raise field_refusal([("invalid_field", "If-Match", 'the form is "v17.s1"')])
    return int(match[1])
