"""What people, bots and staff did in the played world: from registration to settled prizes.

Services are called directly and in order, as `drive` does, so nothing of it waits.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connections

from eventstore.followers import registered
from eventstore.following import Runner
from games import selectors
from games.services.deals import deal_next
from games.services.seats import leave_seat
from ledger.services import adjustments, settle_due
from ledger.services.deposits import DepositSaid, decide_deposit
from ledger.services.withdrawals import WithdrawalSaid, decide_withdrawal
from players.selectors import Person
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import (
    a_deposit,
    a_gift,
    a_player,
    a_table,
    a_tournament,
    a_wish,
    a_withdrawal,
    an_adjustment,
    receipt,
    sits_down,
    with_bots,
)
from tonk_site.proving.acting.fair_seats import Links, anchors, gives
from tonk_site.proving.acting.play import hasty, play_out, play_tournament, turn_at
from tonk_site.proving.acting.sealing import seal_log
from tournaments.services.entries import register

PEOPLE = ("ona", "petras", "rasa", "vytas")
STAFF = ("algis", "daiva")
HANDS = 4  # of each cash table
ENTRIES = 4
EVENING: dict[str, Any] = {
    "entries_min": ENTRIES, "entries_max": ENTRIES, "level_hands": 3, "stack_stakes": 5,
    "rake_bp": 300,
}  # fmt: skip


def play() -> None:
    """Play it in the configured database, which is empty; the log is signed and followed."""
    organiser = a_player("jonas", "organiser")
    people = [a_player(name) for name in PEOPLE]
    staff = [a_player(name, "admin") for name in STAFF]
    _pay(people, staff)
    _cash_table(organiser, people)
    _tournament(organiser, people[:2], bots=ENTRIES - 2)
    _tournament(organiser, people, bots=0, currency="EUR")
    _correct(people[1], staff)
    _running_table(organiser, people[:2])
    while any(settled.events for settled in settle_due()):
        pass
    seal_log()
    Runner(registered()).poll()
    connections.close_all()


def _pay(people: Sequence[Person], staff: Sequence[Person]) -> None:
    """Deposits that two people confirm, and a withdrawal: asked for, let go, paid."""
    for who in people:
        order = a_deposit(who, 20_000)
        for one in staff:
            decide_deposit(
                order, DepositSaid(approved=True, reference=f"in {who.name}"), one, receipt()
            )
    order = a_withdrawal(people[0], 3_000)
    for reference in (None, "out 1"):
        for one in staff:
            decide_withdrawal(
                order, WithdrawalSaid(approved=True, reference=reference), one, receipt()
            )


def _correct(player: Person, staff: Sequence[Person]) -> None:
    """A gift that two people make, and its reversal by the same two."""
    proposer, approver = staff
    gift = an_adjustment(proposer, player.id)
    given = adjustments.approve(gift, approver, "so it was", receipt())
    lines = {line["account"]: -line["amount"] for line in a_gift(player.id)["lines"]}
    key = f"{given.stream}@{given.last_version}#0"
    wish = a_wish(lines, reverses=key, reason_code="wrong_player")
    asked = adjustments.propose(wish, approver, receipt()).result["adjustment_id"]
    adjustments.approve(UUID(str(asked)), proposer, "it was another one", receipt())


def _cash_table(organiser: Person, people: Sequence[Person]) -> None:
    """Hands for money with rake; one player takes part in the deal; then everybody leaves."""
    table = a_table(organiser, currency="EUR", seats=4, rake_bp=500, rake_cap=30)
    for who in people:
        sits_down(table, who)
    links = Links(str(people[0].id))
    anchors(table, people[0], links)
    for hand in range(1, HANDS + 1):
        hurry(table)
        deal_next(table, selectors.live_row(table).version)
        gives(table, people[0], links.seed(hand))
        play_out(table, hasty)
    for who in people:
        leave_seat(table, who.id, receipt())


def _running_table(organiser: Person, people: Sequence[Person]) -> None:
    """Hands for play chips, the last of which goes on."""
    table = a_table(organiser, seats=3)
    for who in people:
        sits_down(table, who)
    for _ in range(HANDS):
        turn_at(table)
        play_out(table, hasty)
    turn_at(table)


def _tournament(organiser: Person, people: Sequence[Person], *, bots: int, **more: Any) -> None:
    """A freezeout from the draft to settled prizes."""
    tournament = a_tournament(organiser, **EVENING | more)
    for who in people:
        register(tournament, who, receipt())
    if bots:
        with_bots(tournament, organiser, bots)
    play_tournament(tournament, hasty)
