"""The commands of the product by what they meet at. Every pair of one place is raced.

A command with a receipt stands here by its service; a test sees to it that none is missing.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations_with_replacement
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.utils import timezone

from eventstore.core.refusal import Refused
from eventstore.ports import new_id
from eventstore.services import Outcome, Receipt, in_transaction
from games.services import bots, deals, moves, sealing, seats, seeds, stopping, sweep, tables
from games.services.bots import BotsWanted
from games.services.moves import MoveCommand
from games.services.seeds import NewAnchor, Seed
from games.services.tables import TableSettings
from ledger import cashier
from ledger.cashier.sandbox import Sandbox
from ledger.core.periods import month_of
from ledger.services import adjustments, deposits, freezing, payouts, periods, settle, withdrawals
from ledger.services.deposits import DepositSaid, DepositWish
from ledger.services.freezing import FREEZE
from ledger.services.withdrawals import WithdrawalSaid, WithdrawalWish
from players.core.proposals import LIFE
from players.selectors import Person, person
from players.selectors import proposals as found_proposals
from players.services import LimitsWish, exclude, proposals, set_limits
from players.services.proposals import expire_proposals
from tonk_site.proving.acting import factories, fair_seats
from tonk_site.proving.races.races_meeting import Point
from tonk_site.proving.races.races_scenes import (
    BOT_FUNDS,
    BOT_LEVEL,
    BUY_IN,
    ENTRIES,
    EUR,
    LITTLE,
    MOST,
    STAKE,
    DecisionScene,
    EventScene,
    OrderScene,
    PlayerScene,
    Scene,
    TableScene,
    World,
    changed,
    paid_notice,
    sitting,
)
from tournaments import selectors as tournaments
from tournaments.services import conduct, drafting, entries, start

Act = Callable[[Receipt], object]
"""What a racer does."""


@dataclass(frozen=True, slots=True)
class Command:
    """A way to change something: `prepare` makes a scene ready for it, and says what to do."""

    prepare: Callable[[Any], Act]
    """Given a scene of its place."""
    service: Callable[..., object]
    stage: str = ""
    """Of the scene in which the command has an effect."""


POINTS = (Point.BEGIN, Point.LOCK, Point.APPEND)


@dataclass(frozen=True, slots=True)
class Place:
    """What commands meet at, and all of them."""

    scene: Callable[[World, str], Scene]
    commands: Mapping[str, Command]
    points: Sequence[Point] = POINTS
    """Where racers may meet there."""


# --- a table --------------------------------------------------------------------------------------


def moves_of(scene: TableScene, number: int = 0) -> MoveCommand:
    """The n-th legal move, at the version that was seen."""
    return MoveCommand(
        table=scene.id,
        player=str(scene.mover),
        move=scene.moves[number % len(scene.moves)] if scene.moves else "S",
        version=scene.version,
        actor=f"player:{scene.mover}",
    )


def _move(scene: TableScene) -> Act:
    return lambda receipt: moves.submit_move(moves_of(scene), receipt)


def _clock(scene: TableScene) -> Act:
    scene.hurry()
    return lambda _: moves.play_for(scene.id, scene.version)


def _attend(scene: TableScene) -> Act:
    scene.hurry()
    return lambda _: sweep.attend(scene.id)


def _bot(scene: TableScene) -> Act:
    return lambda _: bots.bot_turn(scene.id, scene.version)


def _deal(scene: TableScene) -> Act:
    scene.hurry()
    return lambda _: deals.deal_next(scene.id, scene.version)


def _seal(scene: TableScene) -> Act:
    scene.hurry()
    return lambda _: sealing.seal_next(scene.id, scene.version)


def _seed(scene: TableScene) -> Act:
    def act(receipt: Receipt) -> Outcome:
        committed = scene.table.commitment
        hand = UUID(committed.hand) if committed else new_id()
        given = Seed(table=scene.id, player=scene.ona.id, hand=hand, seed=scene.links.seed(1))
        return seeds.give_seed(given, receipt)

    return act


def _anchor(scene: TableScene) -> Act:
    links = fair_seats.Links(name=new_id().hex)
    wish = NewAnchor(
        table=scene.id, player=scene.petras.id, anchor=links.anchor, length=links.length
    )
    return lambda receipt: seeds.register_anchor(wish, receipt)


def _sit_down(scene: TableScene) -> Act:
    wish = sitting(scene.id, scene.birute, BUY_IN)
    return lambda receipt: seats.take_seat(wish, receipt)


def _leave(scene: TableScene) -> Act:
    return lambda receipt: seats.leave_seat(scene.id, scene.ona.id, receipt)


def _sit_out(scene: TableScene) -> Act:
    return lambda receipt: seats.sit_out(scene.id, scene.petras.id, receipt)


def _sit_in(scene: TableScene) -> Act:
    guest = scene.guest()
    seats.sit_out(scene.id, guest.id, factories.receipt())
    return lambda receipt: seats.sit_back_in(scene.id, guest.id, receipt)


def _close(scene: TableScene) -> Act:
    return lambda receipt: tables.close_table(scene.id, scene.host, receipt)


def _add_bot(scene: TableScene) -> Act:
    free_bots(1)
    return lambda receipt: bots.add_bot(
        scene.id, BOT_LEVEL, seat=None, creator=scene.host, receipt=receipt
    )


def free_bots(count: int) -> None:
    """Have house bots ready that can pay: the next command need not open accounts."""
    bots.free_bots(BotsWanted(level=BOT_LEVEL, count=count, currency="XTK", amount=BOT_FUNDS))


def _settle_table(scene: TableScene) -> Act:
    seats.leave_seat(scene.id, scene.guest().id, factories.receipt())
    return lambda _: settle(scene.stream)


def _stop(scene: TableScene) -> Act:
    return lambda _: stopping.leave_tables(scene.petras.id, 1)


def _excludes_himself(scene: TableScene) -> Act:
    guest = scene.guest()
    return lambda receipt: exclude(guest, None, receipt)


TABLE = Place(
    TableScene,
    {
        "move": Command(_move, moves.submit_move, "hand"),
        "clock": Command(_clock, moves.play_for, "hand"),
        "attend": Command(_attend, sweep.attend, "hand"),
        "bot": Command(_bot, bots.bot_turn, "bot"),
        "deal": Command(_deal, deals.deal_next, "rest"),
        "seal": Command(_seal, sealing.seal_next, "sealing"),
        "seed": Command(_seed, seeds.give_seed, "sealing"),
        "anchor": Command(_anchor, seeds.register_anchor, "rest"),
        "sit down": Command(_sit_down, seats.take_seat, "rest"),
        "leave": Command(_leave, seats.leave_seat, "rest"),
        "sit out": Command(_sit_out, seats.sit_out, "rest"),
        "sit in": Command(_sit_in, seats.sit_back_in, "rest"),
        "close": Command(_close, tables.close_table, "rest"),
        "add a bot": Command(_add_bot, bots.add_bot, "rest"),
        "settle": Command(_settle_table, settle, "rest"),
        "stop": Command(_stop, stopping.leave_tables, "rest"),
        "exclude himself": Command(_excludes_himself, exclude, "rest"),
    },
)


# --- a player: his money and his account ----------------------------------------------------------


def _buy_in(scene: PlayerScene) -> Act:
    wish = sitting(scene.table(), scene.ona, MOST)
    return lambda receipt: seats.take_seat(wish, receipt)


def _enter(scene: PlayerScene) -> Act:
    event = scene.event()
    return lambda receipt: entries.register(event, scene.ona, receipt)


def _withdraw(scene: PlayerScene) -> Act:
    wish = WithdrawalWish(EUR, MOST, "manual")
    return lambda receipt: withdrawals.request_withdrawal(wish, scene.ona, receipt)


def _cancel(scene: PlayerScene) -> Act:
    order = scene.withdrawal()
    return lambda receipt: withdrawals.cancel_withdrawal(order, scene.ona, receipt)


def _let_go(scene: PlayerScene) -> Act:
    first, second, _ = scene.world.admins
    order = scene.withdrawal(first)
    said = WithdrawalSaid(approved=True)
    return lambda receipt: withdrawals.decide_withdrawal(order, said, second, receipt)


def _pay_out(scene: PlayerScene) -> Act:
    order = scene.withdrawal(*scene.world.admins[:2], method="sandbox")
    return lambda _: payouts.attend_order(order)


def _pay_in(scene: PlayerScene) -> Act:
    wish = DepositWish(EUR, LITTLE)
    return lambda receipt: deposits.request_deposit(wish, scene.ona, receipt)


def _record_deposit(scene: PlayerScene) -> Act:
    first, second, _ = scene.world.admins
    order = factories.a_deposit(scene.ona, LITTLE)
    said = DepositSaid(approved=True, reference=new_id().hex)
    deposits.decide_deposit(order, said, first, factories.receipt())
    return lambda receipt: deposits.decide_deposit(order, said, second, receipt)


def _take_notice(scene: PlayerScene) -> Act:
    told = paid_notice(scene.ona.id, LITTLE, new_id().hex)
    return lambda _: payouts.take_notice(told)


def _adjusted(amount: int) -> Callable[[PlayerScene], Act]:
    def prepare(scene: PlayerScene) -> Act:
        entry, approver = scene.adjustment(amount), scene.world.admins[1]
        return lambda receipt: adjustments.approve(entry, approver, "", receipt)

    return prepare


def _freeze(scene: PlayerScene) -> Act:
    proposed = scene.freeze()
    return lambda receipt: proposals.approve(proposed, scene.world.admins[1], "", receipt)


def _propose_freeze(scene: PlayerScene) -> Act:
    wish = proposals.Wish(
        kind=FREEZE, subject=str(scene.ona.id), reason_code="review", text="a complaint"
    )
    return lambda receipt: freezing.propose(wish, scene.world.admins[2], receipt)


def _propose_entry(scene: PlayerScene) -> Act:
    gift = {
        line["account"]: line["amount"] for line in factories.a_gift(scene.ona.id, LITTLE)["lines"]
    }
    wish = factories.a_wish(gift)
    return lambda receipt: adjustments.propose(wish, scene.world.admins[2], receipt)


def _set_limits(scene: PlayerScene) -> Act:
    wish = LimitsWish(money={"loss_day": {EUR: LITTLE}})
    return lambda _: set_limits(scene.ona, wish)


def _exclude(scene: PlayerScene) -> Act:
    return lambda receipt: exclude(scene.ona, None, receipt)


def _settle_wallet(scene: PlayerScene) -> Act:
    stream = scene.left_table()
    return lambda _: settle(stream)


def _open_table(scene: PlayerScene) -> Act:
    settings = TableSettings(stake=STAKE, currency=EUR, seats=3)
    return lambda receipt: tables.open_cash_table(settings, scene.ona, receipt)


def _draft(scene: PlayerScene) -> Act:
    draft = drafting.Draft(template="sim-short", name="Evening")
    return lambda receipt: drafting.create(draft, scene.ona, receipt)


PLAYER = Place(
    PlayerScene,
    {
        "buy in": Command(_buy_in, seats.take_seat),
        "enter": Command(_enter, entries.register),
        "withdraw": Command(_withdraw, withdrawals.request_withdrawal),
        "cancel a withdrawal": Command(_cancel, withdrawals.cancel_withdrawal),
        "let a withdrawal go": Command(_let_go, withdrawals.decide_withdrawal),
        "pay out": Command(_pay_out, payouts.attend_order),
        "pay in": Command(_pay_in, deposits.request_deposit),
        "record a deposit": Command(_record_deposit, deposits.decide_deposit),
        "take a notice": Command(_take_notice, payouts.take_notice),
        "give": Command(_adjusted(MOST), adjustments.approve),
        "take away": Command(_adjusted(-MOST), adjustments.approve),
        "freeze": Command(_freeze, proposals.approve),
        "propose a freeze": Command(_propose_freeze, freezing.propose),
        "propose an entry": Command(_propose_entry, adjustments.propose),
        "set limits": Command(_set_limits, set_limits),
        "exclude himself": Command(_exclude, exclude),
        "settle": Command(_settle_wallet, settle),
        "open a table": Command(_open_table, tables.open_cash_table),
        "draft an event": Command(_draft, drafting.create),
    },
    (*POINTS, Point.MONEY),
)


# --- an event -------------------------------------------------------------------------------------


def _publish(scene: EventScene) -> Act:
    return lambda receipt: drafting.publish(scene.id, scene.host, scene.version, receipt)


def _open(scene: EventScene) -> Act:
    return lambda receipt: drafting.open_registration(scene.id, scene.host, scene.version, receipt)


def _register(scene: EventScene) -> Act:
    return lambda receipt: entries.register(scene.id, scene.ona, receipt)


def _register_another(scene: EventScene) -> Act:
    return lambda receipt: entries.register(scene.id, scene.petras, receipt)


def _give_back(scene: EventScene) -> Act:
    """One of those who are in gives his place back."""
    entered = tournaments.see(scene.id, scene.host.id).state.living_entries()
    someone = (person(entered[0].player) if entered else None) or scene.ona
    return lambda receipt: entries.withdraw(scene.id, someone, receipt)


def _add_bots(scene: EventScene) -> Act:
    free_bots(ENTRIES)

    def act(receipt: Receipt) -> Outcome:
        wish = entries.BotsWish(level=BOT_LEVEL, count=1, version=scene.version)
        return entries.add_bots(scene.id, scene.host, wish, receipt)

    return act


def _start(scene: EventScene) -> Act:
    return lambda receipt: start.start(scene.id, scene.host, scene.version, receipt)


def _conduct(scene: EventScene) -> Act:
    table = scene.table()
    return lambda _: conduct.conduct(table)


def _attend_event_table(scene: EventScene) -> Act:
    table = scene.table()
    return lambda _: sweep.attend(table)


EVENT = Place(
    EventScene,
    {
        "publish": Command(_publish, drafting.publish, "draft"),
        "open": Command(_open, drafting.open_registration, "announced"),
        "register": Command(_register, entries.register, "registration"),
        "register another": Command(_register_another, entries.register, "registration"),
        "give back": Command(_give_back, entries.withdraw, "registration"),
        "add bots": Command(_add_bots, entries.add_bots, "registration"),
        "start": Command(_start, start.start, "registration"),
        "conduct": Command(_conduct, conduct.conduct, "running"),
        "attend": Command(_attend_event_table, sweep.attend, "running"),
    },
)


# --- an order of a payment ------------------------------------------------------------------------


def _says_of_deposit(scene: OrderScene, admin: Person, *, approved: bool) -> Act:
    said = DepositSaid(approved, scene.reference if approved else None)
    return lambda receipt: deposits.decide_deposit(scene.deposit, said, admin, receipt)


def _second_says(scene: OrderScene) -> Act:
    first, second, _ = scene.world.admins
    said = DepositSaid(approved=True, reference=scene.reference)
    with contextlib.suppress(Refused):  # a provider's, or said already
        deposits.decide_deposit(scene.deposit, said, first, factories.receipt())
    return _says_of_deposit(scene, second, approved=True)


def _refuse_deposit(scene: OrderScene) -> Act:
    return _says_of_deposit(scene, scene.world.admins[2], approved=False)


def _notice_of_deposit(scene: OrderScene) -> Act:
    told = paid_notice(scene.deposit, LITTLE, scene.reference)
    return lambda _: payouts.take_notice(told)


def _expire_deposit(scene: OrderScene) -> Act:
    overdue(scene.deposit)
    return lambda _: payouts.attend_order(scene.deposit)


def overdue(order: UUID) -> None:
    """What waits for its time is due now."""
    changed(
        "UPDATE ledger.payment_order SET due_at = created_at WHERE id = %s AND due_at IS NOT NULL",
        order,
    )


def _says(scene: OrderScene, admin: int, *, approved: bool = True) -> Act:
    said, who = WithdrawalSaid(approved), scene.world.admins[admin]
    return lambda receipt: withdrawals.decide_withdrawal(scene.withdrawal, said, who, receipt)


def _second_lets_go(scene: OrderScene) -> Act:
    _let_go_by(scene, 1)
    return _says(scene, 1)


def _take_back(scene: OrderScene) -> Act:
    return lambda receipt: withdrawals.cancel_withdrawal(scene.withdrawal, scene.ona, receipt)


def _attend_payout(scene: OrderScene) -> Act:
    _let_go_by(scene, 2)
    overdue(scene.withdrawal)
    return lambda _: payouts.attend_order(scene.withdrawal)


def _notice_of_payout(scene: OrderScene) -> Act:
    """Of a payout that was asked for; the answer to that was lost."""
    _let_go_by(scene, 2)
    sandbox = cashier.provider_of("sandbox")
    if scene.stage == "sandbox" and isinstance(sandbox, Sandbox):
        sandbox.fail_next(["no_answer"])
        overdue(scene.withdrawal)
        payouts.attend_order(scene.withdrawal)
        overdue(scene.withdrawal)
    told = paid_notice(scene.withdrawal, LITTLE, f"payout-{scene.withdrawal}", "out")
    return lambda _: payouts.take_notice(told)


def _let_go_by(scene: OrderScene, people: int) -> None:
    """Have the withdrawal let go by so many, unless it is already."""
    said = WithdrawalSaid(approved=True)
    for admin in scene.world.admins[:people]:
        with contextlib.suppress(Refused):
            withdrawals.decide_withdrawal(scene.withdrawal, said, admin, factories.receipt())


DEPOSIT = Place(
    OrderScene,
    {
        "a second person records it": Command(_second_says, deposits.decide_deposit, "manual"),
        "refuse": Command(_refuse_deposit, deposits.decide_deposit, "manual"),
        "take a notice": Command(_notice_of_deposit, payouts.take_notice, "sandbox"),
        "expire": Command(_expire_deposit, payouts.attend_order, "sandbox"),
    },
)
WITHDRAWAL = Place(
    OrderScene,
    {
        "let go": Command(_second_lets_go, withdrawals.decide_withdrawal, "manual"),
        "refuse": Command(
            lambda scene: _says(scene, 2, approved=False), withdrawals.decide_withdrawal, "manual"
        ),
        "cancel": Command(_take_back, withdrawals.cancel_withdrawal, "manual"),
        "pay out": Command(_attend_payout, payouts.attend_order, "sandbox"),
        "take a notice": Command(_notice_of_payout, payouts.take_notice, "sandbox"),
    },
)


# --- what two people decide -----------------------------------------------------------------------


def _approve(scene: DecisionScene) -> Act:
    approver = scene.world.admins[1]
    return lambda receipt: adjustments.approve(scene.adjustment, approver, "", receipt)


def _reject(scene: DecisionScene) -> Act:
    decider = scene.world.admins[2]
    return lambda receipt: adjustments.reject(scene.adjustment, decider, "", receipt)


def _comment(scene: DecisionScene) -> Act:
    author = scene.world.admins[2]
    return lambda receipt: adjustments.comment(scene.adjustment, author, "seen", receipt)


def _approve_freeze(scene: DecisionScene) -> Act:
    return lambda receipt: proposals.approve(scene.freeze, scene.world.admins[1], "", receipt)


def _reject_freeze(scene: DecisionScene) -> Act:
    return lambda receipt: proposals.reject(scene.freeze, scene.world.admins[2], "", receipt)


def _expire_proposals(scene: DecisionScene) -> Act:
    sql = "UPDATE players_proposal SET created_at = created_at - %s WHERE id = %s"
    changed(sql, LIFE, scene.freeze)
    return lambda _: in_transaction(expire_proposals)


def _propose_closing(scene: DecisionScene) -> Act:
    for open_one in found_proposals(kind=periods.CLOSE, state="proposed"):
        proposals.reject(open_one.id, scene.world.admins[1], "", factories.receipt())
    month, proposer = _last_month(), scene.world.admins[0]
    return lambda receipt: periods.propose(month, "", proposer, receipt)


def _last_month() -> str:
    """The month that is over."""
    return str(month_of(timezone.now().date().replace(day=1) - timedelta(days=1)))


DECISION = Place(
    DecisionScene,
    {
        "approve an entry": Command(_approve, adjustments.approve),
        "reject an entry": Command(_reject, adjustments.reject),
        "comment on an entry": Command(_comment, adjustments.comment),
        "approve a freeze": Command(_approve_freeze, proposals.approve),
        "reject a freeze": Command(_reject_freeze, proposals.reject),
        "expire proposals": Command(_expire_proposals, expire_proposals),
        "propose a closing": Command(_propose_closing, periods.propose),
    },
)


# --- all of them ----------------------------------------------------------------------------------

PLACES: Mapping[str, Place] = MappingProxyType(
    {
        "table": TABLE,
        "player": PLAYER,
        "event": EVENT,
        "deposit": DEPOSIT,
        "withdrawal": WITHDRAWAL,
        "decision": DECISION,
    }
)
EXCLUDED: Mapping[str, str] = MappingProxyType(
    {
        "tournaments.services.drafting.directed": "the common part of publishing and opening",
    }
)
"""Functions with a receipt that are no commands of their own, and why."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two commands of a place."""

    place: str
    first: str
    second: str

    @property
    def name(self) -> str:
        """How it is told."""
        return f"{self.place}: {self.first} against {self.second}"


def pairs() -> tuple[Pair, ...]:
    """Every command with every one of its place, itself among them."""
    return tuple(
        Pair(name, *pair)
        for name, place in PLACES.items()
        for pair in combinations_with_replacement(place.commands, 2)
    )
