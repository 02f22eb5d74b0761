"""The attempts of the check `four-eyes`: every way to be one person where two are needed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.db import connections

from eventstore.core.chain import START, Fact, seal
from eventstore.core.ids import HOUSE_STREAM, wallet_stream
from eventstore.core.refusal import Refusal, Refused
from eventstore.ports import new_id
from ledger.core.entries import entries_for
from ledger.core.events import (
    AdjustmentApproved,
    DepositRecorded,
    Line,
    PeriodClosed,
    WalletFrozen,
    WalletReleased,
    WithdrawalPaid,
)
from ledger.services import adjustments
from ledger.services.deposits import DepositSaid, decide_deposit
from ledger.services.freezing import FREEZE, RELEASE
from ledger.services.withdrawals import WithdrawalSaid, decide_withdrawal
from players.core.roles import ADMIN
from players.selectors import Person
from players.services import proposals
from tonk_site.proving.acting.factories import (
    a_deposit,
    a_freeze,
    a_player,
    a_withdrawal,
    an_adjustment,
    freezes,
    pays_in,
    receipt,
)

AT = datetime(2026, 1, 1, tzinfo=UTC)
Act = Callable[[], object]


@dataclass(frozen=True, slots=True)
class End:
    """What was tried, the code that it must be refused with, and what became of it."""

    what: str
    expected: str
    got: str


def attack() -> list[End]:
    """Try everything on the configured database; nothing of it may succeed."""
    ends = [End(what, expected, _code(act)) for what, expected, act in _attempts()]
    connections.close_all()
    return ends


def _code(act: Act) -> str:
    try:
        found = act()
    except Refused as refused:
        return refused.refusal.code
    return found.code if isinstance(found, Refusal) else "done"


def _attempts() -> Iterator[tuple[str, str, Act]]:
    player, outsider = a_player("victim"), a_player("outsider")
    proposer, approver = a_player("first", ADMIN), a_player("second", ADMIN)
    pays_in(player, 20_000)
    yield from _adjustments(player, outsider, proposer)
    yield from _orders(player, outsider, proposer, approver)
    yield from _freezing(player, outsider, proposer, approver)
    yield from _facts()


def _promoted(player: Person) -> Person:
    """The player as one of the staff."""
    return replace(player, roles=frozenset({ADMIN}))


def _adjustments(
    player: Person, outsider: Person, proposer: Person
) -> Iterator[tuple[str, str, Act]]:
    asked = an_adjustment(proposer, player.id)
    himself = _promoted(player)
    for decide in (adjustments.approve, adjustments.reject):
        name = f"{decide.__name__} a manual entry"
        for who, whose, code in (
            (proposer, "of his own", "four_eyes"),
            (himself, "about himself", "four_eyes"),
            (outsider, "as a player", "not_permitted"),
        ):
            yield f"{name} {whose}", code, partial(decide, asked, who, "", receipt())
    yield "propose about himself", "four_eyes", partial(an_adjustment, himself, player.id)
    yield "propose as a player", "not_permitted", partial(an_adjustment, outsider, player.id)


def _orders(
    player: Person, outsider: Person, first: Person, second: Person
) -> Iterator[tuple[str, str, Act]]:
    """Deposits and withdrawals, which the first of two has approved already."""
    deposit, said = a_deposit(player), DepositSaid(approved=True, reference="trial 1")
    decide_deposit(deposit, said, first, receipt())
    withdrawal, paid = a_withdrawal(player), WithdrawalSaid(approved=True, reference="trial 2")
    let_go = WithdrawalSaid(approved=True)
    decide_withdrawal(withdrawal, let_go, first, receipt())
    himself = _promoted(player)
    for who, whose, code in (
        (first, "as the same", "four_eyes"),
        (himself, "as the one concerned", "four_eyes"),
        (outsider, "as a player", "not_permitted"),
    ):
        yield (
            f"confirm a deposit {whose}",
            code,
            partial(decide_deposit, deposit, said, who, receipt()),
        )
        yield (
            f"let a withdrawal go {whose}",
            code,
            partial(decide_withdrawal, withdrawal, let_go, who, receipt()),
        )
    decide_withdrawal(withdrawal, let_go, second, receipt())
    decide_withdrawal(withdrawal, paid, first, receipt())
    yield (
        "report a payout as the same",
        "four_eyes",
        partial(decide_withdrawal, withdrawal, paid, first, receipt()),
    )


def _freezing(
    player: Person, outsider: Person, first: Person, second: Person
) -> Iterator[tuple[str, str, Act]]:
    himself = _promoted(player)
    for kind in (FREEZE, RELEASE):
        if kind == RELEASE:
            freezes(player.id, first, second)
        yield (
            f"propose a {kind} of himself",
            "four_eyes",
            partial(a_freeze, player.id, himself, kind),
        )
        asked = a_freeze(player.id, first, kind)
        for who, whose, code in (
            (first, "of his own", "four_eyes"),
            (himself, "of himself", "four_eyes"),
            (outsider, "as a player", "not_permitted"),
        ):
            for decide in (proposals.approve, proposals.reject):
                yield (
                    f"{decide.__name__} a {kind} {whose}",
                    code,
                    partial(decide, asked, who, "", receipt()),
                )
        proposals.reject(asked, second, "", receipt())


def _facts() -> Iterator[tuple[str, str, Act]]:
    """Facts that one person makes: the books take none of them, whoever wrote them."""
    one = str(new_id())
    said = {"reason_code": "review", "proposer": one, "approver": one}
    money: dict[str, Any] = {
        "amount": 5,
        "currency": "EUR",
        "method": "manual",
        "reference": "trial 3",
    }
    lines = (Line(account="promotion:EUR", amount=5), Line(account=f"wallet:{one}:EUR", amount=-5))
    for approved_by in ((one, one), (one,), ()):
        deposit = DepositRecorded(**money, approved_by=approved_by)
        paid = WithdrawalPaid(**money, withdrawal=one, approved_by=approved_by)
        count = len(approved_by)
        yield f"a deposit that {count} names confirm", "four_eyes", partial(_booked, deposit)
        yield f"a payout that {count} names confirm", "four_eyes", partial(_booked, paid)
    gift = AdjustmentApproved(
        adjustment=one, lines=lines, currency="EUR", reason_code="goodwill", proposer=one,
        reverses=None, effective=None, approver=one,
    )  # fmt: skip
    yield "a gift of one person", "four_eyes", partial(_booked, gift)
    yield "a freeze by one person", "four_eyes", partial(_booked, WalletFrozen(**said))
    yield "a release by one person", "four_eyes", partial(_booked, WalletReleased(**said))
    closed = PeriodClosed(through="2025-12-31", size=1, proposer=one, approver=one)
    yield "a closing by one person", "four_eyes", partial(_booked, closed, HOUSE_STREAM)


def _booked(event: Any, stream: str = wallet_stream(new_id())) -> object:
    """What the books make of a fact."""
    (sealed,) = seal(stream, START, [Fact(event, "worker:trial")], at=AT, ids=[new_id(), new_id()])
    return entries_for(sealed)


COUNT = 39
"""How many attempts there are."""
