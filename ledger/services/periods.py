"""Closing a month: from then on no entry of its days is made, and its balances are kept."""

from datetime import datetime

from eventstore.core.chain import Fact
from eventstore.core.ids import HOUSE
from eventstore.core.refusal import refuse
from eventstore.services import Outcome, Receipt, Row, Transaction, run_command
from ledger.core.events import PeriodClosed
from ledger.core.periods import Month, read_month
from ledger.selectors.periods import is_reconciled, next_month, parked_streams, size_at_end
from ledger.selectors.settlement import settled_size
from ledger.services.orders import require_admin
from ledger.services.wallets import record
from ledger.store import manual as store
from ledger.store.books import LIVE
from ledger.store.closing import balances_at
from players.selectors import Person
from players.services.proposals import Agreed, Wish, propose_in, when_approved

CLOSE = "period_close"
REASON = "month_end"


def propose(period: str, note: str, proposer: Person, receipt: Receipt) -> Outcome:
    """Ask to close a month, `YYYY-MM`.

    What the machines must have done by then is looked at when it is approved. Raises: Refused with
    `not_permitted`, `not_found` (no month), `period_closed`, `wrong_state` (it runs still, or
    another one comes first), `already_decided` (proposed already).
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        del row
        require_admin(proposer)
        month = read_month(period)
        if month is None:
            raise refuse("not_found")
        _check_turn(month, tx.now)
        wish = Wish(
            kind=CLOSE,
            subject=str(month),
            reason_code=REASON,
            text=note,
            data={"through": month.through.isoformat()},
        )
        return Outcome(202, {"proposal_id": str(propose_in(tx, wish, proposer))})

    return run_command(receipt, None, work)


def _carry_out(tx: Transaction, agreed: Agreed) -> None:
    """What the second person's approval does.

    Raises: Refused with `period_closed`, `wrong_state` (`status` says what is missing),
    `not_yet_sealed`.
    """
    month = read_month(agreed.subject)
    if month is None:
        raise refuse("not_found")
    _check_turn(month, tx.now)
    size = _size(month)
    closed = PeriodClosed(
        through=month.through.isoformat(),
        size=size,
        proposer=str(agreed.proposer),
        approver=str(agreed.approver),
    )
    record(tx, HOUSE, [Fact(closed, f"staff:{agreed.approver}")])
    LIVE.rows("SET LOCAL statement_timeout = 0")  # every balance is asked for, once a month
    held = [(one.account_id, one.balance, one.version) for one in balances_at(size)]
    store.keep_period(store.period_id(month.through), held)


def _check_turn(month: Month, now: datetime) -> None:
    """Months are closed when they are over, in order."""
    through = store.closed_through()
    if through is not None and month.through <= through:
        raise refuse("period_closed", through=through.isoformat())
    if now < month.end:
        raise refuse("wrong_state", status="running", until=month.end.isoformat())
    due = next_month()
    if due is not None and month != due:
        raise refuse("wrong_state", status="out_of_order", next=str(due))


def _size(month: Month) -> int:
    """Size of the log at which a month is closed, once log and books have passed it soundly."""
    size = size_at_end(month)
    if size is None:
        raise refuse("not_yet_sealed")
    settled_size(size)
    if parked_streams():
        raise refuse("wrong_state", status="parked")
    if not is_reconciled(size):
        raise refuse("wrong_state", status="not_reconciled")
    return size


def register() -> None:
    """Have approved proposals of this kind carried out."""
    when_approved(CLOSE, _carry_out)
