"""Processes of the check `no-leak` that ask the product for everything, twice: of a hand as it
lies, and of the same records over other cards.

Every route of the URL configuration is asked by every kind of viewer; what is refused is compared
as well, and what is accepted, with what a viewer reads after it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from unittest.mock import patch
from uuid import UUID

from django.utils import timezone

from games import selectors
from games.rules.cards import TEXTS
from games.rules.selfplay import Random, SeededNumbers, pick, shuffled
from tonk_site.proving.acting.play import Turn, play, turn_at
from tonk_site.proving.cards.random_hands import below
from tonk_site.proving.checks import Breach, Found
from tonk_site.proving.silence import silent_acts
from tonk_site.proving.silence.other_cards import (
    Secret,
    known_at,
    other_cards,
    secret_of,
    secrets_shown,
    told,
    viewer_of,
)
from tonk_site.proving.silence.pure_silence import RERUN
from tonk_site.proving.silence.silent_acts import Act, Done

PAIRS_A_SIGNATURE = 5
PLACES_ASKED = 3
MOVES_NAMED = 4
SHOWN = 80  # characters of a difference
NONSENSE = {"nonsense": 1}
PARTS = 3
"""Of the routes that are not of a table one in so many is asked for a pair."""
OF_TABLES = ("table.", "hand.", "seat.", "me.tables")
PARAMETERS = {"log.inclusion": "?index=0", "log.consistency": "?from=1"}
OF_THE_HAND = frozenset({"table.state", "table.cards", "hand.card", "hand.tonkh", "hand.verify"})
"""Routes that tell of the running hand alone."""
OF_TIME = "system.ready"
"""Tells how long work has waited by the database's clock, so no two answers need be equal."""
OF_IT = " of the hand"
NEWEST = f"table.events{OF_IT}"


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody asks for; `path` is that of the API unless it is a page."""

    name: str
    method: str
    path: str
    body: Mapping[str, object] | None = None


def run(seed: str, numbers: Sequence[int]) -> Found:
    """The pairs of these numbers, in a database of this process alone."""
    found = Found(seen={"routes": Counter(), "viewers": Counter(), "accepted": Counter()})
    asker = Asker(found, seed)
    for number in numbers:
        asker.compare(number)
        found.done["pairs_http"] += 1
    if len(numbers) >= 2 * PARTS:
        found.breaches += [_breach("a route nobody asked", name, seed) for name in asker.missed()]
        never = sorted(silent_acts.NAMES - set(found.seen["accepted"]))
        found.breaches += [_breach("a write that was never accepted", one, seed) for one in never]
    return found


class Asker:
    """A played world with a running hand, and all that can be asked in it."""

    def __init__(self, found: Found, seed: str) -> None:
        # Loaded by name: the product runs without its tests, this check does not.
        self.tests: Any = import_module("tests.api.world")
        self.sealing: Any = import_module("tonk_site.proving.acting.sealing")
        self.pages: Any = import_module("web.urls").urlpatterns
        self.found, self.seed = found, seed
        world = self.world = self.tests.World()
        for fixture in (
            world.deposit, world.withdrawal, world.adjustment, world.proposal, world.last_month,
            world.preset, world.ended_hand,
        ):  # fmt: skip
            fixture()
        self.table: UUID = world.ids["table_id"]
        self.roles = list(world.callers)
        world.ids |= {
            "category": "table", "stream_id": self.table, "level": 0, "tile": "000", "entry_id": 1,
            "code": "rake:EUR", "format": "csv", "preset": "gamerules",
        }  # fmt: skip
        self.time = silent_acts.database_time()

    def compare(self, number: int) -> None:
        """One viewer at one state of the hand: all that he can ask, over both decks."""
        with silent_acts.standing(self.time):
            self._compare(number)

    def _compare(self, number: int) -> None:
        rng = SeededNumbers(f"{self.seed}/{number}")
        turn = self._play_on(rng)
        if number % PAIRS_A_SIGNATURE == 0:
            self.sealing.seal_log()
        role = self.roles[number % len(self.roles)]
        who, secret = self.world.callers[role], secret_of(self.table)
        self.world.ids["hand_id"] = secret.dealt.hand
        player = who.who.id if role != "anon" else None
        viewer = viewer_of(selectors.see_now(self.table).table, player)
        known = known_at(self.table, viewer)
        part = (number // len(self.roles) + number) % PARTS
        requests = [*self._everywhere(part), *self._looks(rng)]
        requests += self._refused(rng, turn, player)
        now = timezone.now()  # what is answered tells its time
        with patch.object(timezone, "now", lambda: now):
            ours = [self._answer(who, one) for one in requests]
            with other_cards(secret, known, rng):
                others = [self._answer(who, one) for one in requests]
        for request, expected, got in zip(requests, ours, others, strict=True):
            if request.name != OF_TIME:
                self._judge(f"{role}: {request.method} {request.path}", expected, got)
            self._scan(role, request, expected, (secret, known))
            self.found.seen["routes"][request.name.removesuffix(OF_IT)] += 1
            self.found.done["bytes"] += len(expected[2])
        acts = list(silent_acts.some(self.tests, self.world, turn, rng, number))
        with patch.object(timezone, "now", lambda: now):
            self._compare_acts(acts, role, secret, rng)
        self.found.seen["viewers"][role] += 1

    def _compare_acts(self, acts: Sequence[Act], role: str, secret: Secret, rng: Random) -> None:
        """What is accepted, and what a viewer reads after it, over both decks.

        Both keep what whoever acts and the viewer know after it, or the act would be another one.
        That neither of the two is shown what only the other knows is seen by looking for cards.
        """
        pairs = defaultdict[frozenset[int], list[tuple[Act, Done]]](list)
        for act in acts:
            ours = self._do(act, role)
            if ours.known is not None:
                pairs[ours.kept].append((act, ours))
        for kept, those in pairs.items():
            with other_cards(secret, set(kept), rng):
                others = [self._do(act, role) for act, _ in those]
            for (act, ours), other in zip(those, others, strict=True):
                self._judge_act(act, role, secret, ours, other)

    def _do(self, act: Act, role: str) -> Done:
        """Act, let a viewer look, and take it back."""
        key = {"X_Request_Id": "the-same-request-id", "Idempotency_Key": "the-same-key-0001"}
        actor, viewer = self.world.callers[act.role], self.world.callers[role]
        since = selectors.see_now(self.table).table.version
        looks = (f"/tables/{self.table}/state", f"/tables/{self.table}/events?after={since}")
        with self.tests.undone(), silent_acts.repeated(f"{self.seed}/{since}", self.time):
            answers = [told(actor.call(act.method, act.path, act.body, **key))]
            del key["Idempotency_Key"]
            answers += [told(viewer.call("GET", path, **key)) for path in looks]
            runs = selectors.see_now(self.table).table.to_act is not None
            known = (self._known(act.role), self._known(role)) if runs else None
        return Done(tuple(answers), known)

    def _known(self, role: str) -> frozenset[int]:
        player = self.world.callers[role].who.id if role != "anon" else None
        viewer = viewer_of(selectors.see_now(self.table).table, player)
        return frozenset(known_at(self.table, viewer))

    def _judge_act(self, act: Act, role: str, secret: Secret, ours: Done, other: Done) -> None:
        acted = f"{act.role}: {act.method} {act.path} {dict(act.body)}"
        places = (acted, f"{role}: state after {acted}", f"{role}: events after {acted}")
        of_actor, of_viewer = ours.known or ((), ())
        for where, known, expected, got in zip(
            places, (of_actor, of_viewer, of_viewer), ours.answers, other.answers, strict=True
        ):
            self._judge(where, expected, got)
            self._look_for(where, expected, (secret, set(known)))
            self.found.done["bytes"] += len(expected[2])
        if ours.answers[0][0] < 400:
            self.found.done["accepted"] += 1
            self.found.seen["accepted"][act.name] += 1

    def missed(self) -> set[str]:
        """Routes of the URL configuration that were not asked once."""
        routes: Mapping[str, Any] = self.tests.ROUTES
        return {*routes, *map(_page_name, self.pages)} - set(self.found.seen["routes"])

    def _play_on(self, rng: Random) -> Turn:
        """Some random moves, so that a hand runs; the next is dealt where one ends."""
        for _ in range(1 + below(rng, 3)):
            turn = turn_at(self.table)
            play(self.table, turn, pick(rng, turn.legal)["move"])
        return turn_at(self.table)

    def _everywhere(self, part: int) -> Iterator[Request]:
        """Every route of the table, and a part of all others; what is written is refused."""
        others = 0
        for name, route in self.tests.ROUTES.items():
            is_look = name.startswith(OF_TABLES) and route.method == "GET"
            others += not is_look
            if is_look or others % PARTS == part:
                path = self.tests.address(route.path, self.world.ids) + PARAMETERS.get(name, "")
                yield Request(name, route.method, path, None if route.method == "GET" else NONSENSE)
        for page in self.pages:
            others += 1
            if others % PARTS == part:
                path = self.tests.address(f"/{_template(page)}", self.world.ids)
                yield Request(_page_name(page), "GET", path)

    def _looks(self, rng: Random) -> Iterator[Request]:
        """The newest of the stream, and some places of the deck."""
        since = selectors.live_row(self.table).hand_version or 1
        stream = f"/tables/{self.table}/events?after={since - 1}"
        yield Request(NEWEST, "GET", stream)
        yield Request("table.events", "GET", f"{stream}&limit=2")
        hand = f"/hands/{self.world.ids['hand_id']}/cards/"
        for _ in range(PLACES_ASKED):
            yield Request("hand.card", "GET", f"{hand}{below(rng, 52)}")

    def _refused(self, rng: Random, turn: Turn, player: UUID | None) -> Iterator[Request]:
        """Moves that are not to be: out of turn, against the rules, with foreign cards, stale."""
        legal = {one["move"] for one in turn.legal} if player == turn.player else set()
        path, card = f"/tables/{self.table}/moves", TEXTS[below(rng, 52)]
        named = ("S", "T", "K", f"D {card}", f"H {card} m1", f"L {card} AH 2H", "P")
        for move in (one for one in shuffled(rng, named)[:MOVES_NAMED] if one not in legal):
            yield Request("table.move", "POST", path, {"move": move, "version": turn.version})
        yield Request("table.move", "POST", path, {"move": "S", "version": 1})

    def _answer(self, who: Any, request: Request) -> Any:
        headers = {"X_Request_Id": "the-same-request-id", "Idempotency_Key": "the-same-key-0001"}
        if request.method == "GET":
            del headers["Idempotency_Key"]
        ask = who.ask if request.name.startswith("page ") else who.call
        with self.tests.undone():
            return told(ask(request.method, request.path, request.body, **headers))

    def _judge(self, where: str, expected: Any, got: Any) -> None:
        if expected == got:
            return
        differing = [one for one in zip(expected, got, strict=True) if one[0] != one[1]]
        texts = [_from_difference(str(one), str(other)) for one, other in differing[-1:]]
        for ours, other in texts:
            self.found.breaches.append(
                Breach("the answer differs", where, ours, other, RERUN.format(self.seed))
            )

    def _scan(
        self, role: str, request: Request, answer: Any, hidden: tuple[Secret, set[int]]
    ) -> None:
        if request.name not in OF_THE_HAND | {NEWEST, OF_TIME}:
            return
        self._look_for(f"{role}: {request.path}", answer, hidden)

    def _look_for(self, where: str, answer: Any, hidden: tuple[Secret, set[int]]) -> None:
        for what in secrets_shown(answer[2].decode(), *hidden):
            self.found.breaches.append(_breach(f"an answer shows {what}", where, self.seed))


def _template(page: Any) -> str:
    """The path of a page with its parameters as the matrix writes them."""
    routes: Any = import_module("tests.api.routes")
    return str(routes.CONVERTER.sub(r"{\1}", str(page.pattern)))


def _page_name(page: Any) -> str:
    return f"page {page.name}"


def _from_difference(ours: str, other: str) -> tuple[str, str]:
    """Both from where they begin to differ."""
    pairs_of = zip(ours, other, strict=False)
    at = next((at for at, (one, two) in enumerate(pairs_of) if one != two), 0)
    start = max(at - 20, 0)
    return ours[start : start + SHOWN], other[start : start + SHOWN]


def _breach(what: str, where: str, seed: str) -> Breach:
    return Breach(what, where, "nothing", what, RERUN.format(seed))
