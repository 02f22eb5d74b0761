"""All plants, in the order of their numbers."""

from __future__ import annotations

from tests.planted import doors, log, money, play, silence, together

MODULES = (doors, log, money, play, silence, together)
PLANTS = tuple(
    sorted((plant for module in MODULES for plant in module.PLANTS), key=lambda one: one.number)
)
