"""Processes of their own that do the jobs: each may have other settings and another database.

They read one call a line (JSON) and answer with a line, as `jobs/__main__.py` shows.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Self

from tonk_site.embedded_services import CHECKOUT
from tonk_site.identity import ServicesError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


class Worker:
    """One process of a job: a context manager."""

    def __init__(self, job: str, environment: Mapping[str, str]) -> None:
        self._job, self._environment = job, environment

    def __enter__(self) -> Self:
        """Start it."""
        command = [sys.executable, "-m", "benchmarks.ledger.jobs", self._job]
        self._process = subprocess.Popen(
            command, cwd=CHECKOUT, env=self._environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        return self

    def __exit__(self, *_: object) -> None:
        """End it: it has no further line to read."""
        self._process.communicate()

    def send(self, do: str, *arguments: object) -> None:
        """Let it begin."""
        stdin = self._process.stdin
        if stdin is not None:
            print(json.dumps([do, *arguments]), file=stdin, flush=True)

    def answer(self) -> Any:
        """What came of it. Raises: ServicesError."""
        stdout = self._process.stdout
        line = stdout.readline() if stdout is not None else ""
        if not line:
            raise ServicesError(f"the process of the job {self._job} has ended")
        return json.loads(line)

    def ask(self, do: str, *arguments: object) -> Any:
        """Both."""
        self.send(do, *arguments)
        return self.answer()


@contextmanager
def workers(number: int, job: str, environment: Mapping[str, str]) -> Iterator[Sequence[Worker]]:
    """So many processes of one job."""
    with ExitStack() as stack:
        yield [stack.enter_context(Worker(job, environment)) for _ in range(number)]


def together(
    those: Sequence[Worker], do: str, arguments: Callable[[int], Sequence[object]]
) -> list[Any]:
    """Answers of all, who do it at the same time; `arguments` by the number of each, from 0."""
    for number, one in enumerate(those):
        one.send(do, *arguments(number))
    return [one.answer() for one in those]
