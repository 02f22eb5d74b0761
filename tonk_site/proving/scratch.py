"""Servers of its own for a trial, and processes that find them."""

import contextlib
import multiprocessing
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor

from tonk_site.embedded_services import Services, throwaway
from tonk_site.product import environment_of, migrate

SPAWN = multiprocessing.get_context("spawn")
NO_PORT = 0  # nothing is served


@contextlib.contextmanager
def servers() -> Iterator[tuple[Services, Mapping[str, str]]]:
    """Fresh servers with the product's relations, and the variables that lead to them."""
    with throwaway() as services:
        environment = environment_of(services, NO_PORT)
        migrate(services, environment)
        yield services, environment


@contextlib.contextmanager
def fresh_processes(count: int, variables: Mapping[str, str]) -> Iterator[ProcessPoolExecutor]:
    """Processes that read their settings from these variables. None has set Django up."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        with ProcessPoolExecutor(count, mp_context=SPAWN) as pool:
            yield pool
    finally:
        os.environ.clear()
        os.environ.update(before)
