"""Databases of simulations: real ones whose clock is the scheduler's, one for each run."""

import importlib
import multiprocessing
import os
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg
from django.conf import settings
from django.db import connections

from tonk_site.proving import scratch
from tonk_site.proving.simulator.order import Order, Report

CLOCK = """
CREATE SCHEMA simulated;
CREATE TABLE simulated.clock (now timestamptz NOT NULL);
INSERT INTO simulated.clock VALUES ('2026-12-01 12:00Z');
CREATE FUNCTION simulated.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS 'SELECT now FROM simulated.clock';
-- The horizon of a whole server would let other databases into the run. Here nobody else is at work
-- while one is.
CREATE FUNCTION simulated.pg_current_snapshot() RETURNS pg_snapshot LANGUAGE sql STABLE AS $$
    SELECT format('%1$s:%1$s:', pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))::pg_snapshot $$;
GRANT USAGE ON SCHEMA simulated TO PUBLIC;
GRANT SELECT ON simulated.clock TO PUBLIC;"""
# Found before PostgreSQL's own, because that one is named last.
SEARCH = 'ALTER DATABASE "{}" SET search_path = simulated, "$user", public, pg_catalog'
SETTINGS = "tonk_site.proving.settings"
RUN = "tonk_site.proving.simulator.run"  # needs Django set up
FORK = multiprocessing.get_context("fork")

Simulate = Callable[[Order], Report]


@contextmanager
def with_clock() -> Iterator[scratch.Place]:
    """A fresh database whose `clock_timestamp()` is a row that the simulator writes."""
    with scratch.database() as place:
        with psycopg.connect(place.superuser_url, autocommit=True) as connection:
            connection.execute(CLOCK)
            connection.execute(SEARCH.format(place.name))
        yield place


@contextmanager
def simulator() -> Iterator[Simulate]:
    """What simulates an order, each in a database and a process of its own.

    It may be called by as many threads as there are processors.
    """
    with scratch.shared() as shared:
        variables = {**shared.migrated().variables, "DJANGO_SETTINGS_MODULE": SETTINGS}
        with scratch.fresh_processes(os.cpu_count() or 1, variables) as pool:

            def simulate(order: Order) -> Report:
                with with_clock() as place:
                    return pool.submit(_run, order, place.name, place.superuser_url).result()

            yield simulate


def simulated(orders: Iterable[Order]) -> Generator[Report]:
    """A report for each order, in their order, as many at once as there are processors.

    Whoever may not read to the end closes it: what runs for it goes then.
    """
    with simulator() as simulate:
        yield from at_once(simulate, orders)


def at_once(simulate: Simulate, orders: Iterable[Order]) -> Iterator[Report]:
    """The same by a simulator that is there, for whoever has further orders then."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        yield from threads.map(simulate, orders)


def _run(order: Order, name: str, superuser: str) -> Report:
    """The run in a fork of this process, which has loaded the product and has no connection."""
    for module in (RUN, settings.ROOT_URLCONF):
        importlib.import_module(module)
    with ProcessPoolExecutor(1, mp_context=FORK) as own:
        return own.submit(_in_its_process, order, name, superuser).result()


def _in_its_process(order: Order, name: str, superuser: str) -> Report:
    for alias in connections:
        connections[alias].settings_dict["NAME"] = name
    running: Any = importlib.import_module(RUN)
    report: Report = running.run(order, superuser)
    return report
