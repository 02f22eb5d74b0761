"""People, tables and tournaments for trials and tests, made by the product's own services."""

from typing import Any
from uuid import UUID

from eventstore.core.chain import Fact
from eventstore.ports import new_id
from eventstore.services import Receipt, Transaction, in_transaction
from games.services.seats import SitDown, take_seat
from games.services.tables import TableSettings, open_cash_table
from ledger.core.events import DepositRecorded, Line
from ledger.services import record
from ledger.services.adjustments import Wish, propose
from ledger.services.deposits import DepositWish, request_deposit
from ledger.services.freezing import FREEZE
from ledger.services.freezing import propose as propose_freezing
from ledger.services.withdrawals import WithdrawalWish, request_withdrawal
from ledger.store.orders import open_cash
from players.selectors import Person, people
from players.services import Registration, register
from players.services.proposals import Wish as ProposalWish
from players.services.proposals import approve
from tournaments import selectors as tournaments
from tournaments.services import drafting
from tournaments.services.drafting import Draft
from tournaments.services.entries import BotsWish, add_bots

WORDS = "correct-horse-battery"
"""What everybody logs in with."""
SHORT: dict[str, Any] = {"stack_stakes": 5, "level_hands": 3}
"""Options of a tournament that is over after a few hands."""
PLAYED: dict[str, Any] = {"initial_tonk_counts": [1]}
"""Options of a table at which no deal wins by itself: five cards never count so little."""


def receipt(actor: str = "player:test") -> Receipt:
    """A receipt that nothing has used before."""
    return Receipt(actor, new_id().hex, bytes(32))


def a_player(name: str = "ona", *roles: str) -> Person:
    """A person with a wallet, and the extra roles named."""
    who = Registration(username=name, password=WORDS, display_name=name.title())
    account = register(who, extra_roles=roles).id
    return people([account])[str(account)]


def pays_in(who: Person, amount: int = 10_000, method: str = "manual") -> None:
    """Money in the wallet, as two people would have confirmed it."""
    people = (str(new_id()), str(new_id())) if method == "manual" else ()
    deposit = DepositRecorded(
        amount=amount, currency="EUR", method=method, reference=new_id().hex, approved_by=people
    )

    def work(tx: Transaction) -> None:
        open_cash(method, "EUR")
        record(tx, who.id, [Fact(deposit, "worker:payments")])

    in_transaction(work)


def a_deposit(who: Person, amount: int = 5_000, method: str = "manual") -> UUID:
    """A deposit that waits for its money."""
    wish = DepositWish("EUR", amount, method)
    return UUID(str(request_deposit(wish, who, receipt()).result["deposit_id"]))


def a_withdrawal(who: Person, amount: int = 5_000, method: str = "manual") -> UUID:
    """A withdrawal that waits for two people."""
    wish = WithdrawalWish("EUR", amount, method)
    return UUID(str(request_withdrawal(wish, who, receipt()).result["withdrawal_id"]))


def a_gift(player: UUID, amount: int = 250) -> dict[str, Any]:
    """What a gift of the house is asked for with."""
    lines = [
        {"account": "promotion:EUR", "amount": amount},
        {"account": f"wallet:{player}:EUR", "amount": -amount},
    ]
    return {"lines": lines, "currency": "EUR", "reason_code": "goodwill", "text": "a long wait"}


def a_wish(lines: dict[str, int], **more: Any) -> Wish:
    """A manual entry to ask for: amounts by account."""
    given = {"currency": "EUR", "reason_code": "goodwill", "text": "a long wait"} | more
    made = tuple(Line(account=account, amount=amount) for account, amount in lines.items())
    return Wish(lines=made, **given)


def an_adjustment(proposer: Person, player: UUID, amount: int = 250, **more: Any) -> UUID:
    """A gift to a player that waits for a second person."""
    gift = {line["account"]: line["amount"] for line in a_gift(player, amount)["lines"]}
    outcome = propose(a_wish(gift, **more), proposer, receipt())
    return UUID(str(outcome.result["adjustment_id"]))


def a_freeze(player: UUID, proposer: Person, kind: str = FREEZE) -> UUID:
    """A proposal to freeze a wallet, or to release it."""
    wish = ProposalWish(kind=kind, subject=str(player), reason_code="review", text="a complaint")
    return UUID(str(propose_freezing(wish, proposer, receipt()).result["proposal_id"]))


def freezes(player: UUID, proposer: Person, approver: Person, kind: str = FREEZE) -> None:
    """Two people freeze a wallet, or release it."""
    approve(a_freeze(player, proposer, kind), approver, "", receipt())


def a_table(creator: Person, **settings: object) -> UUID:
    """A cash table for play chips at a stake of 10."""
    chosen: dict[str, Any] = {
        "stake": 10,
        "currency": "XTK",
        "seats": 3,
        "clock": "turbo",
    } | settings
    outcome = open_cash_table(TableSettings(**chosen), creator, receipt())
    return UUID(str(outcome.result["table_id"]))


def sits_down(table: UUID, who: Person, buy_in: int = 500) -> int:
    """Seat number of a person who has just sat down."""
    wish = SitDown(
        table=table, person=who, buy_in=buy_in, seat=None, version=None, actor=f"player:{who.id}"
    )
    return int(str(take_seat(wish, receipt()).result["seat"]))


def a_tournament(
    organiser: Person, template: str | None = "sim-short", **overrides: object
) -> UUID:
    """A tournament that takes entries."""
    draft = Draft(template=template, name="Evening", overrides={"bots": "fill"} | overrides)
    created = drafting.create(draft, organiser, receipt())
    tournament = UUID(str(created.result["tournament_id"]))
    drafting.publish(tournament, organiser, 1, receipt())
    drafting.open_registration(tournament, organiser, 2, receipt())
    return tournament


def with_bots(tournament: UUID, organiser: Person, count: int, level: str = "greedy-1") -> None:
    """Enter house bots."""
    version = tournaments.see(tournament, None).row.version
    wish = BotsWish(level=level, count=count, version=version)
    add_bots(tournament, organiser, wish, receipt())
