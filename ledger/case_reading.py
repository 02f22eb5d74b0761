"""Reads cases of `kind: ledger`: what they may say, and the events that they describe.

Names stand for ids, accounts leave out currency and stripe (`ledger.md` section 8). Whatever a case
may not say is a fault of the case, never skipped.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from eventstore.core.ids import HOUSE
from eventstore.core.record import NO_HASH, Stored
from ledger.core.accounts import METHOD, ROLES, BadAccount, parse, striped
from ledger.core.currencies import AMOUNT_MAX
from ledger.core.entries import Entry, key_of
from ledger.core.kinds import Kind

Case = Mapping[str, Any]

AT = datetime(2026, 12, 1, tzinfo=UTC)
KEYS = frozenset({"id", "title", "ref", "currency", "opening", "events", "rake", "expect"})
EVENT_KEYS = frozenset({"at", "type", "data", "deliver", "entries", "refusal"})
ENTRY_KEYS = frozenset({"part", "kind", "dr", "cr"})
RAKE_KEYS = frozenset({"end", "bp", "cap", "net", "order"})
# Members of events that hold ids; a case names them.
ID_MEMBERS = frozenset(
    {"player", "head", "proposer", "approver", "withdrawal", "adjustment", "approved_by"}
)


class Fault(Exception):
    """A case says what a case may not say."""


@dataclass(frozen=True, slots=True)
class Expected:
    """An event of a case, and what it must make: entries, or a refusal."""

    event: Stored
    deliveries: int
    entries: tuple[Mapping[str, object], ...]
    refusal: str | None


def demand(condition: object, what: str) -> None:
    """Raises: Fault unless the condition holds."""
    if not condition:
        raise Fault(what)


def check_keys(what: object, allowed: frozenset[str], required: frozenset[str]) -> Case:
    """The mapping, if its keys are allowed and the required ones there. Raises: Fault."""
    if not isinstance(what, Mapping):
        raise Fault("no mapping")
    for key in what:
        demand(key in allowed, f"unknown key {key}")
    for key in sorted(required):
        demand(key in what, f"no {key}")
    return what


def id_of(name: str) -> str:
    """The UUID that a name stands for; `house` is the nil UUID."""
    return str(HOUSE if name == "house" else uuid5(NAMESPACE_URL, f"tonk:case:{name}"))


def stream_of(text: str) -> str:
    """The stream that `<category>/<name>` stands for. Raises: Fault."""
    category, _, name = text.partition("/")
    demand(category in ("table", "tournament", "wallet") and name, f"no stream: {text}")
    return f"{category}/{id_of(name)}"


def code_of(short: str, currency: str) -> str:
    """The account's code, without a stripe, that a case's short form stands for. Raises: Fault."""
    name, *rest = str(short).split(":")
    role = ROLES.get(name)
    if role is None:
        raise Fault(f"no role {name}")
    names, own = rest[: len(role.ids)], rest[len(role.ids) :]
    ids = [
        text if what == METHOD else id_of(text) for what, text in zip(role.ids, names, strict=False)
    ]
    code = ":".join((name, *ids, *(own or [currency])))
    try:
        return parse(code).code
    except BadAccount as fault:
        raise Fault(f"no account {short}") from fault


def amounts_of(given: object, currency: str) -> dict[str, int]:
    """Amounts by account code, of a mapping from short forms. Raises: Fault."""
    demand(isinstance(given, Mapping), "no mapping of accounts")
    assert isinstance(given, Mapping)  # noqa: S101  # just demanded
    for amount in given.values():
        demand(type(amount) is int, f"no amount: {amount}")
    return {code_of(short, currency): amount for short, amount in given.items()}


def events_of(case: Case) -> Iterator[Expected]:
    """The case's events with what is expected of each. Raises: Fault."""
    currency = case.get("currency", "EUR")
    for given in case["events"]:
        item = check_keys(given, EVENT_KEYS, frozenset({"at", "type", "data"}))
        demand(("entries" in item) != ("refusal" in item), "either entries or refusal")
        place, _, version = str(item["at"]).partition("@")
        demand(version.isdecimal(), f"no version: {item['at']}")
        yield Expected(
            event=stored(stream_of(place), int(version), item["type"], _fields(item["data"])),
            deliveries=item.get("deliver", 1),
            entries=tuple(_entry(entry, currency) for entry in item.get("entries", [])),
            refusal=item.get("refusal"),
        )


def stored(stream: str, version: int, name: str, fields: Mapping[str, object]) -> Stored:
    """An event as the log would hold it, but for its place in a chain."""
    return Stored(
        stream=stream,
        version=version,
        event_id=UUID(id_of(f"{stream}@{version}")),
        type=name,
        schema=1,
        data=json.dumps(fields),
        meta="{}",
        at=AT,
        prev_hash=NO_HASH,
        hash=NO_HASH,
    )


def _entry(given: object, currency: str) -> Mapping[str, object]:
    entry = check_keys(given, ENTRY_KEYS, ENTRY_KEYS)
    debits, credits_ = (amounts_of(entry[side], currency) for side in ("dr", "cr"))
    legs = debits | {code: -amount for code, amount in credits_.items()}
    demand(len(legs) == len(debits) + len(credits_), "an account on both sides")
    return {"part": entry["part"], "kind": entry["kind"], "legs": legs}


def _fields(given: object) -> dict[str, object]:
    """An event's members, the short forms written out. Raises: Fault."""
    demand(isinstance(given, Mapping), "data is no mapping")
    assert isinstance(given, Mapping)  # noqa: S101  # just demanded
    fields = {name: _value(name, value) for name, value in given.items()}
    if isinstance(given.get("net"), Mapping):
        places = {player: seat for seat, player in enumerate(given["net"], 1)}
        for name in ("net", "rake"):
            fields[name] = _per_seat(given.get(name, {}), places)
    if "reverses" in given:
        stream, _, place = str(given["reverses"]).partition("@")
        fields["reverses"] = f"{stream_of(stream)}@{place}"
    if "dr" in given or "cr" in given:
        currency = str(given.get("currency"))
        sides = ((fields.pop("dr", {}), 1), (fields.pop("cr", {}), -1))
        fields["lines"] = [
            {"account": code, "amount": sign * amount}
            for side, sign in sides
            for code, amount in amounts_of(side, currency).items()
        ]
    return fields


def _per_seat(given: Mapping[str, int], places: Mapping[str, int]) -> list[dict[str, object]]:
    for player in given:
        demand(player in places, f"{player} has no net")
    return [
        {"seat": places[player], "player": id_of(player), "amount": amount}
        for player, amount in given.items()
    ]


def _value(name: str, value: object) -> object:
    if isinstance(value, list):
        return [_value(name, item) for item in value]
    if isinstance(value, Mapping) and name not in ("dr", "cr", "net", "rake"):
        return {key: _value(key, item) for key, item in value.items()}
    return id_of(value) if name in ID_MEMBERS and isinstance(value, str) else value


def opening_entries(case: Case) -> Iterator[Entry]:
    """What brings the accounts to their opening balances, against the account `opening`."""
    stream = stream_of("wallet/opening")
    version = 0
    for code, balance in amounts_of(case.get("opening", {}), case.get("currency", "EUR")).items():
        account = parse(code)
        rest = account.role.sign * balance
        while rest:
            version += 1
            amount = max(-AMOUNT_MAX, min(AMOUNT_MAX, rest))
            rest -= amount
            key = key_of(stream, version, 0)
            legs: Sequence[tuple[str, int]] = [
                (striped(code, key), amount),
                (striped(f"opening:{account.currency}", key), -amount),
            ]
            yield Entry(
                stream=stream,
                version=version,
                part=0,
                kind=Kind.ADJUSTMENT,
                currency=account.currency,
                effective_at=AT,
                reverses=None,
                legs=tuple(sorted(legs)),
            )
