"""Receipts and exports for tests of verifiers: valid ones of every kind, damaged for every code.

A verifier in any language must pass all of `valid()` and `exports()`, and must refuse each of
`damaged()` and `damaged_exports()` with exactly the check and error that stand beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from tests.verify import damage, damage_hands, stories
from tests.verify import exports as export
from tests.verify.log import VKEY, Case

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

STORIES: Mapping[str, Callable[[], Case]] = MappingProxyType(
    {
        "hand-revealed": stories.hand_revealed,
        "hand-silent": stories.hand_silent,
        "hand-bots": stories.hand_bots,
        "hand-strict-abort": stories.hand_strict_abort,
        "hand-beacon": stories.hand_beacon,
        "hand-reshuffle": stories.hand_reshuffle,
        "hand-jokers": stories.hand_jokers,
        "hand-short": stories.hand_short,
        "cash_out": stories.cash_out,
        "prize-parts": stories.prize_parts,
        "bounty": stories.bounty,
        "refund": stories.refund,
        "refund-cancelled": stories.refund_cancelled,
        "compensation": stories.compensation,
        "deposit": stories.deposit,
        "grant": stories.grant,
        "withdrawal_paid": stories.withdrawal_paid,
        "withdrawal_returned": stories.withdrawal_returned,
        "adjustment": stories.adjustment,
        "reversal": stories.reversal,
    }
)


STRICT: Mapping[str, Callable[[], Case]] = MappingProxyType(
    {
        "strict-silent": stories.strict_silent,
        "strict-unanchored": stories.strict_unanchored,
        "old-anchor": stories.old_anchor,
        "old-anchor-cut": lambda: stories.old_anchor(cut=True),
    }
)
"""Stories that no server may tell: a strict hand dealt although a seat gave no seed, a seed that
hangs on an anchor of an earlier stay."""


@dataclass(frozen=True)
class Damage:
    """A file that must be refused: the check that finds it, and the error."""

    name: str
    check: str
    error: str
    file: bytes


@cache
def case_of(name: str) -> Case:
    """The case of a story. It needs the registry of events: Django must be set up."""
    return {**STORIES, **STRICT}[name]()


@cache
def valid() -> Mapping[str, bytes]:
    """A valid receipt of each story, by name."""
    return MappingProxyType({name: case_of(name).build() for name in STORIES})


@cache
def damaged() -> tuple[Damage, ...]:
    """Receipts of which exactly one check fails first, at least one for each error."""
    return tuple(_damaged(plan) for plan in (*damage.plans(), *damage_hands.plans()))


def _damaged(plan: damage.Plan) -> Damage:
    made = case_of(plan.story).build(plan.change, plan.edit)
    file = plan.rewrite(made) if plan.rewrite else made
    whole = valid().get(plan.story)
    assert file != whole, plan
    return Damage(f"{plan.story}: {plan.error}, {plan.about}", plan.check, plan.error, file)


@cache
def exports() -> Mapping[str, bytes]:
    """A valid export of each kind, by name."""
    return MappingProxyType(
        {name: export.whole(one, case_of(one.story)) for name, one in export.EXPORTS.items()}
    )


@cache
def damaged_exports() -> tuple[Damage, ...]:
    """Exports of which exactly one check fails first."""
    return tuple(_damaged_export(plan) for plan in export.plans())


def _damaged_export(plan: export.ExportPlan) -> Damage:
    file = plan.file(case_of(export.EXPORTS[plan.export].story))
    assert file != exports()[plan.export], plan
    return Damage(f"{plan.export}: {plan.error}, {plan.about}", plan.check, plan.error, file)


__all__ = (
    "STORIES",
    "VKEY",
    "Damage",
    "case_of",
    "damaged",
    "damaged_exports",
    "exports",
    "valid",
)
