"""Wallets: opened with the player, with the first play chips; facts about them."""

from collections.abc import Sequence
from uuid import UUID

from eventstore import store as log
from eventstore.core.chain import Fact
from eventstore.core.ids import wallet_stream
from eventstore.core.record import Stored
from eventstore.core.refusal import Retryable, VersionConflict
from eventstore.services import Transaction
from ledger.core.currencies import XTK
from ledger.core.events import ChipsGranted
from ledger.services.posting import open_wallets, post_inline
from ledger.store.books import LIVE

WELCOME_CHIPS = 10_000  # also what a day's play deposits may bring (`ledger.md` section 2.4)
CASHIER = "worker:payments"


def open_wallet(player: UUID) -> None:
    """The player has a wallet in every currency from now on; once more does nothing."""
    open_wallets(LIVE, str(player))


def welcome(tx: Transaction, player: UUID) -> None:
    """Open the wallets of a new player and grant the first play chips.

    For `players.services.when_registered`: in the transaction of the registration.
    """
    open_wallet(player)
    chips = ChipsGranted(amount=WELCOME_CHIPS, currency=XTK.code, reason_code="welcome")
    record(tx, player, [Fact(chips, CASHIER)])


def record(tx: Transaction, player: UUID, facts: Sequence[Fact]) -> tuple[Stored, ...]:
    """Append facts to `wallet/<player>` and post what they say, in the caller's transaction.

    Raises: Retryable (somebody else wrote to the stream meanwhile), Refused as `post_inline`.
    """
    stream = wallet_stream(player)
    head = tx.load(stream).head
    sealed = tx.seal(stream, head, facts)
    post_inline(sealed, tx.now)
    try:
        log.append(sealed, head)
    except VersionConflict as fault:  # nobody decided on the state that has passed
        raise Retryable(str(fault)) from fault
    return sealed
