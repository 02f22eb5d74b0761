"""Requests over HTTP: one key for each write, kept through every attempt."""

import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from .problem import Closed, NoAnswer, Problem

Document = dict[str, Any]
Parameter = str | int | None

ATTEMPTS_MAX = 6
PATIENT_ATTEMPTS_MAX = 30  # two minutes of pauses
FIRST_PAUSE_SECONDS = 0.1  # doubled each time, unless the server says how long
PAUSE_SECONDS_MAX = 5.0
ANSWER_SECONDS_MAX = 20.0
KEY_BYTES = 24
NOT_MODIFIED = 304
BUSY = frozenset({409, 429, 503})
PROXY = frozenset({502, 503, 504})  # without a document of ours: whoever stands in front


def pause_seconds(attempt: int, retry_after: str | None) -> float:
    """How long to wait after so many attempts.

    >>> [pause_seconds(attempt, None) for attempt in (1, 2, 3)]
    [0.1, 0.2, 0.4]
    >>> pause_seconds(1, "2"), pause_seconds(1, "600"), pause_seconds(1, "tomorrow")
    (2.0, 5.0, 0.1)
    """
    asked = retry_after is not None and retry_after.isdecimal()
    seconds = float(retry_after or 0) if asked else FIRST_PAUSE_SECONDS * (1 << (attempt - 1))
    return min(seconds, PAUSE_SECONDS_MAX)


class Wire:
    """One caller's connection to the API. It may be used by one thread, and closed by another."""

    def __init__(
        self, base_url: str, token: str | None, *, transport: httpx.BaseTransport | None = None
    ) -> None:
        self.token = token
        self._closing, self._is_patient = threading.Event(), False
        self._http = httpx.Client(
            base_url=f"{base_url.rstrip('/')}/api/v1",
            timeout=ANSWER_SECONDS_MAX,
            transport=transport,
        )

    def close(self) -> None:
        """End every wait and drop the connection."""
        self._closing.set()
        self._http.close()

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Inside, reads wait for a server that is away, such as one that is started anew."""
        before, self._is_patient = self._is_patient, True
        try:
            yield
        finally:
            self._is_patient = before

    def get(self, path: str, *, wait: int = 0, **query: Parameter) -> Document | None:
        """A document, or None where there is nothing newer. Raises: Problem, NoAnswer, Closed."""
        given = {name: value for name, value in query.items() if value is not None}
        if wait:
            given["wait"] = wait
        request = self._http.build_request(
            "GET", path, params=given, timeout=ANSWER_SECONDS_MAX + wait
        )
        answer = self._sent(request, safe=True)
        return None if answer.status_code == NOT_MODIFIED else _document(answer)

    def text(self, path: str) -> str:
        """What is served as plain text. Raises: as `get`."""
        answer = self._sent(self._http.build_request("GET", path), safe=True)
        _refuse(answer)
        return answer.text

    def write(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, *, keyed: bool = True
    ) -> Document:
        """What the server did; `{}` where it has nothing to say. Raises: as `get`."""
        headers = {"Idempotency-Key": secrets.token_urlsafe(KEY_BYTES)} if keyed else {}
        request = self._http.build_request(method, path, json=dict(body or {}), headers=headers)
        return _document(self._sent(request, safe=keyed))

    def pause(self, seconds: float) -> None:
        """Wait. Raises: Closed."""
        if self._closing.wait(seconds):
            raise Closed

    def _sent(self, request: httpx.Request, *, safe: bool) -> httpx.Response:
        """The answer, after as many attempts as it takes and are allowed.

        A request that is not `safe` is sent again only if the server surely did not take it.
        """
        if self.token:
            request.headers["Authorization"] = f"Token {self.token}"
        attempt = 0
        while True:
            attempt += 1
            self.pause(0)
            retry_after = None
            try:
                answer = self._http.send(request)
            except httpx.TransportError as fault:
                unsent = isinstance(fault, httpx.ConnectError)
                is_away = not isinstance(fault, httpx.TimeoutException)
                if attempt >= self._most(request, is_away=is_away) or not (safe or unsent):
                    raise NoAnswer(f"{request.method} {request.url}: {fault!r}") from fault
            except RuntimeError as fault:  # httpx, when it was closed meanwhile
                raise Closed from fault
            else:
                is_away = answer.status_code in PROXY
                if attempt >= self._most(request, is_away=is_away) or not _is_busy(answer):
                    return answer
                if attempt < ATTEMPTS_MAX:  # patience lasts as long, whatever the server asks for
                    retry_after = answer.headers.get("Retry-After")
            self.pause(pause_seconds(attempt, retry_after))

    def _most(self, request: httpx.Request, *, is_away: bool) -> int:
        """How often a request is tried where that is how it ended."""
        waits = self._is_patient and is_away and request.method == "GET"
        return PATIENT_ATTEMPTS_MAX if waits else ATTEMPTS_MAX


def _is_busy(answer: httpx.Response) -> bool:
    """Whether the same request may succeed in a moment."""
    if _is_problem(answer):
        return answer.status_code in BUSY and Problem(answer.json()).retryable
    return answer.status_code in PROXY


def _is_problem(answer: httpx.Response) -> bool:
    media = str(answer.headers.get("Content-Type", ""))
    return media.startswith("application/problem+json")


def _refuse(answer: httpx.Response) -> None:
    if _is_problem(answer):
        raise Problem(answer.json())
    if answer.is_error:
        raise NoAnswer(f"{answer.request.method} {answer.url}: status {answer.status_code}")


def _document(answer: httpx.Response) -> Document:
    _refuse(answer)
    if not answer.content:
        return {}
    try:
        found = answer.json()
    except ValueError as fault:
        raise NoAnswer(f"{answer.url}: no JSON") from fault
    if not isinstance(found, dict):
        raise NoAnswer(f"{answer.url}: no JSON object")
    return found
