"""The process of the check `inputs`: hostile bodies at everything that can be written."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from django.db import connection

from games.rules.selfplay import Random, SeededNumbers, pick
from tonk_site.proving.checks import Breach, Found

HOLE = "a hole in the body"
OWN_ROLE_CHANCE = 0.5
AMOUNTS = frozenset({"amount", "stake", "buy_in"})
NUMBERS = ("amount", "stake", "buy_in", "cap", "bp", "version", "count", "seat", "seats", "length")
TEXTS = ("name", "display_name", "username", "text", "reason", "reference", "device", "email")
SIZES = """SELECT (SELECT count(*) FROM eventstore_event), (SELECT count(*) FROM ledger.posting),
    (SELECT count(*) FROM eventstore_command_receipt)"""


@dataclass(frozen=True, slots=True)
class Sent:
    """A body; `bad` where no endpoint may accept it, with the status where all have one."""

    kind: str
    raw: bytes
    media: str = "application/json"
    bad: bool = True
    status: int | None = None


def run(seed: str, numbers: Sequence[int]) -> Found:
    """The requests of these numbers, shared out to all routes that write."""
    return Thrower(seed).run(numbers)


class Thrower:
    """The world, the corpus, and what came of it."""

    def __init__(self, seed: str) -> None:
        # Loaded by name: the product runs without its tests, this check does not.
        self.tests: Any = import_module("tests.api.world")
        self.picture: Any = import_module("tests.api.callers").picture
        self.corpus: Any = import_module("tests.corpus")
        self.world = self.tests.World()
        self.values = [1, "x", True, None, [], str(self.world.who("admin").id), "admin"]
        self.seed = seed
        self.found = Found(seen={"kinds": Counter(), "routes": Counter(), "answers": Counter()})

    def run(self, numbers: Sequence[int]) -> Found:
        """Each route with its fixture made once; nothing that is refused may leave a trace."""
        names = sorted(self.tests.WRITES)
        for at, name in enumerate(names):
            with self.tests.ready(self.world, name) as endpoint:
                before = self.picture()
                # The other half of what is no amount is another process's.
                amounts = iter(self._no_amounts(endpoint.body)[numbers[0] % 2 :: 2])
                for number in numbers[at :: len(names)]:
                    rng = SeededNumbers(f"{self.seed}/{number}")
                    self._send(endpoint, rng, next(amounts, None))
                after = self.picture()
            changed = [one for one in before if before[one] != after.get(one)]
            if changed:
                self._breach("a refused request changed", name, "nothing", ", ".join(changed))
        self.found.done["errors_5xx"] += 0
        self.found.done["routes"] = len(self.found.seen["routes"])
        return self.found

    def _no_amounts(self, good: Mapping[str, Any]) -> list[Sent]:
        """What is no amount, in place of each amount of a good body: chance leaves none out."""
        places = [place for place, value in _members(good) if type(value) is int]
        amounts = [place for place in places if place[-1] in AMOUNTS]
        return [
            self._with_number(good, place, text)
            for text in self.corpus.AMOUNTS
            for place in amounts
        ]

    def _send(self, endpoint: Any, rng: Random, given: Sent | None) -> None:
        """One request, drawn unless it is given; what is accepted is taken back."""
        name, sent = endpoint.route.name, given or self._drawn(endpoint, rng)
        who = endpoint.who
        if given is None and rng.random() >= OWN_ROLE_CHANCE:
            who = pick(rng, list(self.world.callers.values()))
        before, answers = _sizes(), list[Any]()
        with self.tests.undone(unless=lambda: not answers or answers[-1].status >= 400):
            answers.append(self._answer(endpoint, who, sent))
        answer, where = answers[-1], f"{name}: {sent.kind} {_start(sent.raw)}"
        self.found.done["requests"] += 1
        self.found.seen["kinds"][sent.kind] += 1
        self.found.seen["routes"][name] += 1
        self.found.seen["answers"][str(answer.status)] += 1
        if answer.status >= 500:
            self.found.done["errors_5xx"] += 1
            self._breach("an error of the server", where, "below 500", str(answer.status))
        elif answer.status >= 400 and not _has_code(answer):
            self._breach("a refusal without a code", where, "a code", _start(answer.content))
        elif who is endpoint.who and sent.status not in (None, answer.status):
            self._breach("another status", where, str(sent.status), str(answer.status))
        elif sent.bad and answer.status < 400:
            self._breach("bad input is accepted", where, "refused", str(answer.status))
        if _sizes() != before:
            self._breach("a refused request wrote", where, str(before), str(_sizes()))

    def _answer(self, endpoint: Any, who: Any, sent: Sent) -> Any:
        """The answer; what the product raises would be a 500."""
        path, method = endpoint.path, endpoint.route.method
        who.client.raise_request_exception = False
        return who.call(method, path, raw=sent.raw, Content_Type=sent.media)

    def _drawn(self, endpoint: Any, rng: Random) -> Sent:
        """A body near the good one, with one thing in it that is none; or no body at all."""
        good: Mapping[str, Any] = endpoint.body
        choices = [self._body, self._more, self._text]
        choices += [self._number] * 2
        choices += [self._move] if "move" in good else []
        return pick(rng, choices)(good, rng)

    def _body(self, _: Mapping[str, Any], rng: Random) -> Sent:
        raw, media, status, _code = pick(rng, self.corpus.BODIES)
        return Sent("body", raw, media, status=status)

    def _number(self, good: Mapping[str, Any], rng: Random) -> Sent:
        """A number of the body, or one that other bodies have, is none."""
        places = [place for place, value in _members(good) if type(value) is int]
        place = pick(rng, places) if places else (pick(rng, NUMBERS),)
        return self._with_number(good, place, pick(rng, self.corpus.NO_NUMBERS))

    def _with_number(self, good: Mapping[str, Any], place: Any, text: str) -> Sent:
        raw = json.dumps(_with_hole(good, place)).replace(f'"{HOLE}"', text).encode()
        return Sent("number", raw)

    def _text(self, good: Mapping[str, Any], rng: Random) -> Sent:
        """A text of the body is strange; some may be taken."""
        places = [place for place, value in _members(good) if isinstance(value, str)]
        place = pick(rng, places) if places else (pick(rng, TEXTS),)
        changed = _with_hole(good, place, pick(rng, self.corpus.NAMES))
        return Sent("text", json.dumps(changed).encode(), bad=not places)

    def _more(self, good: Mapping[str, Any], rng: Random) -> Sent:
        """A field of some relation that nobody asked for."""
        name = pick(rng, FIELDS)
        value = pick(rng, self.values)
        return Sent("more", json.dumps({**good, name: value}).encode(), bad=name in NEVER)

    def _move(self, good: Mapping[str, Any], rng: Random) -> Sent:
        move = pick(rng, [*self.corpus.MOVES, *self.corpus.BEYOND])
        return Sent("move", json.dumps({**good, "move": move}).encode())

    def _breach(self, what: str, where: str, expected: str, got: str) -> None:
        rerun = f"manage.py prove inputs --seed {self.seed}"
        self.found.breaches.append(Breach(what, where, expected, got, rerun))


NEVER = (
    "id", "role", "roles", "is_staff", "is_superuser", "is_active", "user", "user_id", "owner",
    "player", "status", "balance", "digest", "created_at", "approved_by", "proposer", "opened_by",
    "actor", "position", "hash", "x", "__proto__", "wallet",
)  # fmt: skip
"""Fields that no body has."""
FIELDS = (*NEVER, *NUMBERS, *TEXTS, "kind", "scopes", "password", "player_id", "options", "rake")


def _members(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every member of a document with its place."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _members(item, (*place, name))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _members(item, (*place, at))
    else:
        yield place, value


def _with_hole(good: Any, place: tuple[Any, ...], filling: object = HOLE) -> Any:
    """The document with something else in a place."""
    if not place:
        return filling
    first, *rest = place
    if isinstance(good, list):
        return [
            _with_hole(one, tuple(rest), filling) if at == first else one
            for at, one in enumerate(good)
        ]
    inner = good.get(first) if isinstance(good, Mapping) else None
    return {**(good or {}), first: _with_hole(inner, tuple(rest), filling)}


def _sizes() -> Any:
    with connection.cursor() as cursor:
        cursor.execute(SIZES)
        return cursor.fetchone()


def _has_code(answer: Any) -> bool:
    return bool(answer.headers["Content-Type"] == "application/problem+json" and answer.code)


def _start(raw: bytes) -> str:
    return repr(raw[:80])
