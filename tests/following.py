"""Followers in a test, in its own process: what sequencer and followers do in the product."""

from __future__ import annotations

from eventstore.followers import registered
from eventstore.following import Runner
from tests.sealing import seal_log


def follow_all() -> int:
    """Every committed event has its place, and every follower has applied it; how many it did.

    Sees committed rows alone: the test has the fixture `committed`.
    """
    seal_log()
    return Runner(registered()).poll()
