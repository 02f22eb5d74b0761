"""Trials that ask the product over HTTP: in a process and a database of their own.

Passwords are hashed cheaply there and no static files are collected: settings as in the tests.
"""

import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from importlib import import_module
from typing import Any

import django
from django.db import connections
from django.test.utils import setup_test_environment

from tonk_site.proving import scratch
from tonk_site.proving.checks import Found

SETTINGS = {"DJANGO_SETTINGS_MODULE": "tonk_site.settings.test"}


def begun(module: str, seed: str, numbers: Sequence[int]) -> Found:
    """`run(seed, numbers)` of a module that can be loaded only where Django is set up."""
    django.setup()
    setup_test_environment()
    logging.disable(logging.WARNING)  # every refusal would be a line
    world: Any = import_module(f"tonk_site.proving.silence.{module}")
    found: Found = world.run(seed, numbers)
    connections.close_all()  # the database is dropped now
    return found


def in_databases(module: str, seed: str, parts: Sequence[Sequence[int]]) -> Found:
    """What `run` of a module finds in all parts, each in a process and a database of its own."""
    total = Found()
    with ExitStack() as stack:
        for part in list(_started(stack, module, seed, parts)):
            total.add(part.result())
    return total


def _started(
    stack: ExitStack, module: str, seed: str, parts: Sequence[Sequence[int]]
) -> Iterator[Future[Found]]:
    for part in parts:
        place = stack.enter_context(scratch.database())
        variables = {**place.variables, **SETTINGS}
        pool = stack.enter_context(scratch.fresh_processes(1, variables))
        yield pool.submit(begun, module, seed, part)
