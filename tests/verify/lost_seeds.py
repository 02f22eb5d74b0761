"""Hands whose seeds were lost, for tests of verifiers: what must hold, and what must not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.verify import exports, stories
from tests.verify.damage import edited, put
from tests.verify.log import Exported

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.verify.log import Change

RUNNING, UNDEALT = 0, 1  # which HandVoided of the story
STACK = {"seat": 1, "player": stories.ONA, "amount": 5000}
DAMAGE: Mapping[str, tuple[str, str, Change]] = {
    "stack": (
        "V13",
        "hand_not_balanced",
        edited("HandVoided", lambda data: data["stacks"].pop(), RUNNING),
    ),
    "stack before the deal": (
        "V13",
        "hand_not_balanced",
        put("HandVoided", UNDEALT, stacks=[STACK]),
    ),
    "kept seed": ("V14", "commit_mismatch", put("HandVoided", RUNNING, reason="outage")),
    "kept seed before the deal": (
        "V14",
        "commit_mismatch",
        put("HandVoided", UNDEALT, reason="restore"),
    ),
    "wrong seed": ("V14", "commit_mismatch", put("HandVoided", RUNNING, server_seed="ab" * 32)),
    "wrong seed before the deal": (
        "V14",
        "commit_mismatch",
        put("HandVoided", UNDEALT, server_seed="ab" * 32),
    ),
    "another hand": ("V14", "deal_out_of_order", put("HandVoided", RUNNING, hand=stories.ONA)),
    "another hand before the deal": (
        "V14",
        "deal_out_of_order",
        put("HandVoided", UNDEALT, hand=stories.ONA),
    ),
}
"""What may be wrong, by a name: the check that finds it, its error, the change of the records."""


def receipt(change: Change | None = None) -> bytes:
    """The receipt of the story."""
    return stories.lost_seeds().build(change)


def export(how: Exported | str) -> bytes:
    """The story's table, or its log."""
    return exports.whole(exports.Export("", how), stories.lost_seeds())


EXPORTS: tuple[Exported | str, ...] = (exports.TABLE, Exported(notes=(10,)))


def warning(first: str) -> str:
    """What is said where all holds; `first` names the record of the first such hand."""
    return f"2 voided without a seed (dealer_key_lost), so not checked by it: {first} and others"
