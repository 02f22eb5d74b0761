"""What a client was told: every attempt at a request, noted on the wire of the shipped client."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal

import httpx
from typing_extensions import override

REPEATED_OK = 10  # of so many writes that went well one is sent again at the end
REPEAT_PAUSE_SECONDS = 0.2
API = "/api/v1"

Outcome = Literal["ok", "refused", "unknown"]


@dataclass(frozen=True, slots=True)
class Call:
    """One attempt: who asked what when, and what came of it. Times are of one monotonic clock."""

    player: str
    began: float
    ended: float
    method: str
    path: str  # below the API's root
    key: str | None  # the same in every attempt at one write
    body: Mapping[str, Any]
    outcome: Outcome
    status: int = 0  # of HTTP; 0: none came
    answer: Mapping[str, Any] = field(default_factory=dict)
    is_replayed: bool = False


class Recorder(httpx.BaseTransport):
    """The wire of one player, with his history; it may be used by one client after the other."""

    def __init__(self, player: str, wire: Callable[[], httpx.BaseTransport]) -> None:
        """`wire` makes the connection that is noted, anew for each client."""
        self.player = player
        self.calls: list[Call] = []
        self._requests: dict[str, httpx.Request] = {}
        self._new_wire, self._wire = wire, wire()

    @override
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        began = time.monotonic()
        try:
            response = self._wire.handle_request(request)
            response.read()
        except Exception:
            self._note(request, began, None)
            raise
        self._note(request, began, response)
        return response

    @override
    def close(self) -> None:
        self._wire.close()
        self._wire = self._new_wire()

    def repeat(self, until: float) -> None:
        """Send what has no answer yet again until it has one, and some that have, once more.

        What is still without an answer at the instant `until` stays so.
        """
        pause = threading.Event()
        for key in repeated(self.calls):
            for _ in count():
                with_answer = self._sent(self._requests[key])
                if with_answer or time.monotonic() > until:
                    break
                pause.wait(REPEAT_PAUSE_SECONDS)

    def _sent(self, request: httpx.Request) -> bool:
        try:
            self.handle_request(request)
        except httpx.TransportError:
            return False
        return self.calls[-1].outcome != "unknown"

    def _note(self, request: httpx.Request, began: float, response: httpx.Response | None) -> None:
        key = request.headers.get("Idempotency-Key")
        if key:
            self._requests[key] = request
        answer = document(response)
        self.calls.append(
            Call(
                player=self.player,
                began=began,
                ended=time.monotonic(),
                method=request.method,
                path=request.url.path.removeprefix(API),
                key=key,
                body=json.loads(request.content or b"{}"),
                outcome=outcome(response, answer),
                status=response.status_code if response else 0,
                answer=answer,
                is_replayed=bool(response and "Idempotency-Replayed" in response.headers),
            )
        )


def document(response: httpx.Response | None) -> Mapping[str, Any]:
    """The object that came, or an empty one."""
    try:
        found = json.loads(response.content) if response else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def outcome(response: httpx.Response | None, answer: Mapping[str, Any]) -> Outcome:
    """What a client knows now: what may be tried again is not decided."""
    if response is None or response.status_code >= 500 or answer.get("retryable"):
        return "unknown"
    return "ok" if response.status_code < 400 else "refused"


def repeated(calls: list[Call]) -> Iterator[str]:
    """Keys to send again: all that have no answer, and some of the others."""
    keys = dict.fromkeys(call.key for call in calls if call.key)
    decided = {call.key: call.outcome for call in calls if call.outcome != "unknown"}
    well = (key for key in keys if decided.get(key) == "ok")
    some = {key for number, key in enumerate(well) if number % REPEATED_OK == 0}
    yield from [key for key in keys if key not in decided or key in some]
