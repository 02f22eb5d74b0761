"""People as actors: each with the shipped client, which asks the product in this process."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from django.urls import resolve
from typing_extensions import override

from clients.python.tonk_client import DealNotFair, FairSeat, NoAnswer, Problem, Tonk
from clients.python.tonk_client.wire import Wire
from games.rules.selfplay import SeededNumbers, pick
from tonk_site.proving.simulator.faults import Menu
from tonk_site.proving.simulator.scheduler import Scheduler
from tonk_site.proving.simulator.strikes import bury
from tonk_site.proving.simulator.watch import Answered, Broken, Watch

HERE = "http://127.0.0.1"
ABSENCE_SECONDS_MAX = 600
WAIT_SECONDS = 25
THINK_SECONDS_MAX = 2.0
READ_SHARE = 0.03
"""How often somebody reads the events that are new since, where he looks at a table."""
WANTED_SHARE = 0.2
"""How often people do what they are keen on, at least."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A request that somebody wants to make."""

    method: str
    path: str
    body: Mapping[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Asked:
    """A request with its key, repeated until it is answered."""

    wish: Wish
    request: httpx.Request


@dataclass
class World:
    """What all actors of a run share."""

    scheduler: Scheduler
    menu: Menu
    watch: Watch
    application: Any
    seed: str
    folder: Path
    kind: str
    size: int
    first: Sequence[str] = ()
    """Operations that people are keen on until one of each was carried out."""
    people: list["Person"] = field(default_factory=list)
    known: dict[str, Any] = field(default_factory=dict)
    """What one tells the others: ids of the table and the tournament, of payments."""
    commands: Counter[str] = field(default_factory=Counter)
    succeeded: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    is_over: bool = False

    def is_wanted(self, operation: str) -> bool:
        """Whether people are keen on it still."""
        return operation in self.first and not self.succeeded[operation]


class Door(httpx.BaseTransport):
    """Requests go in; each is handled by a process that can die."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._inside = httpx.WSGITransport(app=world.application)

    @override
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        actor = self._world.scheduler.current()
        if actor is None:  # while the world is made
            return self._inside.handle_request(request)
        actor.doing, actor.is_inside, actor.is_doomed = operation_of(request), True, False
        try:
            answer = self._inside.handle_request(request)
            answer.read()
        except BaseException as fault:
            if not actor.is_dead:
                raise
            raise httpx.ReadError("the server died", request=request) from fault
        finally:
            actor.is_inside = False
            if actor.is_dead:
                bury(actor)
        if answer.status_code == httpx.codes.INTERNAL_SERVER_ERROR:
            raise Broken(f"{actor.doing}: {answer.text}")
        if self._world.menu.draw(("lost_answer",), actor.doing):
            raise httpx.ReadTimeout("the answer was lost", request=request)
        return answer


def operation_of(request: httpx.Request) -> str:
    """Name of the operation that a request asks for."""
    view = resolve(request.url.path).func
    kind = getattr(view, "cls", None)
    if kind is None:
        return str(view.__name__)
    operation = kind.operations.get(request.method)
    return operation.name if operation else f"{request.method} {request.url.path}"


class QuietWire(Wire):
    """The shipped client's connection, whose pauses are of the scheduler's time."""

    def __init__(self, world: World, token: str | None) -> None:
        super().__init__(HERE, token, transport=Door(world))
        self._world = world

    @override
    def pause(self, seconds: float) -> None:
        if seconds:
            self._world.scheduler.wait(seconds)

    @override
    def get(self, path: str, *, wait: int = 0, **query: Any) -> Any:
        """Never waits inside the product: whoever wants news waits for the scheduler."""
        del wait
        return super().get(path, **query)

    def asked(self, wish: Wish, key: str) -> httpx.Request:
        """The request that carries a wish."""
        headers = {"Idempotency-Key": key} if key else {}
        body = dict(wish.body)
        return self._http.build_request(wish.method, wish.path, json=body, headers=headers)

    def answer(self, request: httpx.Request, *, safe: bool) -> httpx.Response:
        """The answer after all attempts of the client. Raises: NoAnswer."""
        return self._sent(request, safe=safe)


class Person:
    """Somebody who uses the API: a player, an organiser, one of the staff."""

    def __init__(self, world: World, name: str, role: str, player: str, token: str | None) -> None:
        self.world, self.name, self.role, self.player = world, name, role, player
        self.numbers = SeededNumbers(f"{world.seed}/{name}")
        self.wire = QuietWire(world, token)
        self.tonk = Tonk(HERE, token, transport=Door(world), folder=world.folder / name)
        self.tonk._wire = self.wire
        self.memory: dict[str, Any] = {}
        """What acts remember, such as how often they were done."""
        self.refused: dict[str, Problem] = {}
        """By operation, where the last answer was a refusal."""
        self.takes_part = False
        """In the fair deal, with the client's own seat."""
        self._views: dict[str, tuple[int, Any]] = {}
        self._seats: dict[str, FairSeat] = {}
        self._pending: list[Asked] = []
        self.served: dict[str, dict[int, Any]] = {}
        """Events by table and version, as this viewer was shown them."""
        self._share_min = 0.0
        self._readings = SeededNumbers(f"{world.seed}/{name}/readings")

    # --- what acts may ask ---

    def chance(self, share: float) -> bool:
        """Whether something happens that happens so often; more often where one is keen on it."""
        return self.numbers.random() < max(share, self._share_min)

    def view(self, table: str) -> Any:
        """The table as this person sees it; now and then as he saw it before."""
        found = self._seen(f"table/{table}", f"/tables/{table}/state")
        if self._readings.random() < READ_SHARE:
            self._read_on(table)
        seat = self._seat(table, found)
        if seat is not None:
            try:
                seat.follow(found)
            except DealNotFair as unfair:
                raise Broken(f"{self.name} at {table}: {unfair}") from unfair
            except (Problem, NoAnswer):
                pass
        return found

    def tournament(self, tournament: str) -> Any:
        """The tournament in full."""
        return self._seen(f"tournament/{tournament}", f"/tournaments/{tournament}")

    def read(self, path: str, **query: Any) -> Any:
        """A document, or None where it is refused or nobody answers."""
        try:
            return self.wire.get(path, **query)
        except (Problem, NoAnswer):
            return None

    def times(self, what: str, most: int) -> bool:
        """Whether this was done less often than `most` times; counts."""
        done: int = self.memory.get(what, 0)
        self.memory[what] = done + 1
        return done < most

    # --- life ---

    def live(self, acts: Sequence[Any]) -> None:
        """Act until the world is over."""
        world = self.world
        while not world.is_over:
            seen = world.watch.events
            self._be_away()
            if self._pending:
                self._repeat()
            elif not self._act(acts):
                self._wait_for_news(seen)
                continue
            world.scheduler.wait(THINK_SECONDS_MAX * self.numbers.random())

    def _wait_for_news(self, seen: int) -> None:
        """Until something has happened since, as a long poll waits."""
        world = self.world
        world.scheduler.wait(WAIT_SECONDS, lambda: world.watch.events > seen or world.is_over)

    def _be_away(self) -> None:
        found = self.world.menu.draw(("drop_out",), self.name)
        if found is not None:
            self.world.scheduler.wait(ABSENCE_SECONDS_MAX * found[1])

    def _act(self, acts: Sequence[Any]) -> bool:
        """Make the first request that somebody in his place would make now."""
        for act in acts:
            if act.role != self.role:
                continue
            wish = self._wish(act)
            if wish is not None:
                self._ask(wish, keyed=act.is_keyed)
                return True
        return False

    def _wish(self, act: Any) -> Wish | None:
        """The request of an act, if he would make it now."""
        self._share_min = WANTED_SHARE if self.world.is_wanted(act.operation) else 0.0
        found: Wish | None = act.wish(self) if self.chance(act.share) else None
        self._share_min = 0.0
        return found

    def _ask(self, wish: Wish, *, keyed: bool) -> None:
        key = (
            "".join(f"{int(self.numbers.random() * 2**32):08x}" for _ in range(6)) if keyed else ""
        )
        asked = Asked(wish, self.wire.asked(wish, key))
        if not self._settled(asked) and keyed:
            self._pending.append(asked)

    def _repeat(self) -> None:
        asked = pick(self.numbers, self._pending)
        if self._settled(asked):
            self._pending.remove(asked)

    def _settled(self, asked: Asked) -> bool:
        """Whether an answer came that says what has become of the request."""
        key = asked.request.headers.get("Idempotency-Key", "")
        operation = operation_of(asked.request)
        self.world.commands[operation] += 1
        try:
            answer = self.wire.answer(asked.request, safe=bool(key))
        except NoAnswer:
            return False
        if answer.is_error:
            problem = Problem(answer.json())
            self.world.refusals[f"{operation} {problem.code}"] += 1
            if problem.retryable or answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
                return False
            self.refused[operation] = problem
            self._views.clear()  # it may have been made from an old one
        else:
            self.world.succeeded[operation] += 1
            self.refused.pop(operation, None)
        if key:
            self.world.watch.told(Answered(operation, key, is_done=not answer.is_error))
            self._learn(asked.wish, answer)
            self._ask_otherwise(asked, operation)
        return True

    def _learn(self, wish: Wish, answer: httpx.Response) -> None:
        """Tell the others what was made."""
        if not answer.is_error and answer.content:
            for name, value in answer.json().items():
                if name in {"table_id", "tournament_id"} and wish.method == "POST":
                    self.world.known.setdefault(name, value)
                elif name.endswith("_id"):
                    self.world.known.setdefault(name, []).append(value)

    def _ask_otherwise(self, asked: Asked, operation: str) -> None:
        """The same key with another body has no effect."""
        if not self.world.menu.draw(("other_body",), operation):
            return
        other = Wish(asked.wish.method, asked.wish.path, {**asked.wish.body, "version": 999_999})
        request = self.wire.asked(other, asked.request.headers["Idempotency-Key"])
        try:
            answer = self.wire.answer(request, safe=True)
        except NoAnswer:
            return
        if not answer.is_error:
            raise Broken(f"{operation}: another body under the same key was accepted")

    # --- what was seen ---

    def _read_on(self, table: str) -> None:
        """Read events after those that were read before."""
        shown = self.served.setdefault(table, {})
        found = self.read(f"/tables/{table}/events", after=max(shown, default=0))
        for one in (found or {}).get("events", ()):
            shown[one["version"]] = one

    def require_same(self) -> None:
        """What was shown bit by bit is how the whole begins, read at the end. Raises: Broken."""
        for table, shown in self.served.items():
            whole: dict[int, Any] = {}
            while max(whole, default=0) < max(shown, default=0):
                path = f"/tables/{table}/events"
                page = self.wire.get(path, after=max(whole, default=0))["events"]
                if not page:
                    break
                whole |= {one["version"]: one for one in page}
            require_prefix(f"{self.name} at {table}", shown, whole)

    def _seen(self, stream: str, path: str) -> Any:
        """A document of a stream, read again where the stream has grown."""
        version = self.world.watch.versions.get(stream, 0)
        known, found = self._views.get(stream, (0, None))
        stale = known and self.world.menu.draw(("stale_reader",), self.name)
        if found is None or (version > known and not stale):
            fresh = self.read(path)
            if fresh is not None:
                self._not_back(stream, fresh, known)
                self._views[stream] = version, fresh
                return fresh
        return found

    def _not_back(self, stream: str, document: Any, known: int) -> None:
        """One reader never sees time go back."""
        before = self._views.get(stream, (0, {"version": 0}))[1]
        if document["version"] < before["version"]:
            raise Broken(f"{self.name} saw {stream} at {known}, then at {document['version']}")

    def _seat(self, table: str, state: Any) -> FairSeat | None:
        if not self.takes_part or state is None or state["viewer"]["kind"] != "seat":
            return None
        if table not in self._seats:
            try:
                self._seats[table] = FairSeat(self.tonk, table, length=64, entropy=self._entropy)
            except (Problem, NoAnswer):
                return None
        return self._seats[table]

    def _entropy(self, count: int) -> bytes:
        return bytes(int(self.numbers.random() * 256) for _ in range(count))


def require_prefix(who: str, shown: Mapping[int, Any], whole: Mapping[int, Any]) -> None:
    """Versions are 1..n, and each event is what the whole has there. Raises: Broken."""
    if list(shown) != list(range(1, len(shown) + 1)):
        raise Broken(f"{who} was shown versions {list(shown)}")
    for version, one in shown.items():
        if whole.get(version) != one:
            raise Broken(f"{who} was shown {one}; now it is {whole.get(version)}")
