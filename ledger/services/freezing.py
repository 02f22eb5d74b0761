"""Freezing a wallet until something is cleared up, and releasing it: two people each time."""

from uuid import UUID

from eventstore.core.chain import Fact
from eventstore.core.refusal import refuse
from eventstore.services import Outcome, Receipt, Row, Transaction, run_command
from ledger.core.events import WalletEvent, WalletFrozen, WalletReleased
from ledger.services.orders import require_admin
from ledger.services.wallets import record
from ledger.store.manual import wallet_states
from players.selectors import Person, is_proposed
from players.services import account_row
from players.services.proposals import Agreed, Wish, propose_in, when_approved

FREEZE, RELEASE = "wallet_freeze", "wallet_release"
_ENDS_IN = {FREEZE: "frozen", RELEASE: "open"}


def propose(wish: Wish, proposer: Person, receipt: Receipt) -> Outcome:
    """Ask to freeze or release the wallets of the player that `wish.subject` names.

    Raises: Refused with `not_permitted`, `not_found`, `unknown_account` (he has no wallet),
    `four_eyes` (the admin's own), `already_decided` (proposed, or so already).
    """
    player = UUID(wish.subject)

    def work(tx: Transaction, row: Row) -> Outcome:
        del row  # the player's, locked: of two at once one is first
        require_admin(proposer, player)
        _check_state(wish.kind, player)
        if is_proposed(_ENDS_IN, wish.subject):
            raise refuse("already_decided", status="proposed")
        return Outcome(202, {"proposal_id": str(propose_in(tx, wish, proposer))})

    return run_command(receipt, account_row(player), work)


def _carry_out(tx: Transaction, agreed: Agreed) -> None:
    """What the second person's approval does. Raises: Refused with `already_decided`."""
    player = UUID(agreed.subject)
    tx.lock([account_row(player)])
    _check_state(agreed.kind, player)
    said = {
        "reason_code": agreed.reason_code,
        "proposer": str(agreed.proposer),
        "approver": str(agreed.approver),
    }
    fact: WalletEvent = WalletFrozen(**said) if agreed.kind == FREEZE else WalletReleased(**said)
    record(tx, player, [Fact(fact, f"staff:{agreed.approver}")])


def _check_state(kind: str, player: UUID) -> None:
    states = wallet_states(player)
    if not states:
        raise refuse("unknown_account", player=str(player))
    if states == {_ENDS_IN[kind]}:
        raise refuse("already_decided", status=_ENDS_IN[kind])


def register() -> None:
    """Have approved proposals of these kinds carried out."""
    when_approved(FREEZE, _carry_out)
    when_approved(RELEASE, _carry_out)
