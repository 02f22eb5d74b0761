"""Posting: what events say becomes entries and states of accounts, in the caller's transaction."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from django.db import transaction

from eventstore.core.ids import subject
from eventstore.core.record import Stored
from eventstore.core.refusal import Refusal, Refused
from ledger import selectors
from ledger.core.accounts import OWNER, account, parse
from ledger.core.entries import INLINE, Entry, entries_for
from ledger.store import books as store
from ledger.store.books import LIVE, Books, Posted

Work = tuple[Stored, tuple[Entry, ...] | Refusal]  # an event with what `entries_for` says of it


def post(entry: Entry, recorded_at: datetime) -> Posted:
    """Post one entry into the live books. Raises: Refused with a code of `ledger.md` section 7."""
    return store.post(LIVE, entry, recorded_at)


def post_batch(entries: Sequence[Entry], recorded_at: datetime) -> list[Posted]:
    """Post entries in their order, each account updated once. Raises: as `post`."""
    return store.post_batch(LIVE, entries, recorded_at)


def post_inline(events: Iterable[Stored], recorded_at: datetime) -> list[Posted]:
    """Post what belongs to the command that is about to append `events`, before the append.

    Events that the settler posts, or that move nothing, are passed over, so a command may hand in
    all that it appends. `recorded_at` is the transaction's reading of the clock. A refusal leaves
    the transaction usable.

    Raises: Refused with `insufficient_funds` (facts `available_minor`, `pending_minor`),
    `account_frozen`, `account_closed`, `balance_limit`, `entry_conflict`, `duplicate_reference`,
    or a code of `entries_for`.
    """
    own = [(event, entries_for(event)) for event in events if (event.type, event.schema) in INLINE]
    try:
        with transaction.atomic():
            return apply(LIVE, own, recorded_at)
    except Refused as refused:
        if refused.refusal.code != "insufficient_funds":
            raise
        raise Refused(_with_funds(refused.refusal)) from refused


def _with_funds(refusal: Refusal) -> Refusal:
    """The refusal with what the wallet holds, and what is on its way to it."""
    wallet = parse(str(refusal.facts["account"]))
    player = wallet.id_of(OWNER) or ""
    funds = {
        "available_minor": selectors.available(player, wallet.currency),
        "pending_minor": selectors.pending(player, wallet.currency),
        "currency": wallet.currency,
    }
    return Refusal(refusal.code, facts=funds)


def apply(books: Books, work: Iterable[Work], recorded_at: datetime) -> list[Posted]:
    """Post events in order: entries in batches, broken where an event changes accounts' states.

    Entries that are there already are passed over. Raises: Refused; the caller keeps nothing then.
    """
    posted: list[Posted] = []
    waiting: list[Entry] = []
    for event, entries in work:
        if isinstance(entries, Refusal):
            raise Refused(entries)
        if any(entry.reverses for entry in entries):  # what it takes back may be waiting
            posted += _post_all(books, waiting, recorded_at)
            waiting = []
        waiting += entries
        direction = PAYMENTS.get(event.type)
        if direction:
            store.record_payment(books, event, direction)
        change = STATE_CHANGES.get(event.type)
        if change:
            posted += _post_all(books, waiting, recorded_at)
            waiting = []
            change(books, event)
    return posted + _post_all(books, waiting, recorded_at)


def _post_all(books: Books, entries: Sequence[Entry], recorded_at: datetime) -> list[Posted]:
    if len(entries) == 1:
        return [store.post(books, entries[0], recorded_at)]
    return store.post_batch(books, entries, recorded_at)


# --- states of accounts ---------------------------------------------------------------------------


def open_wallets(books: Books, player: str) -> list[str]:
    """Codes of a player's wallets, one a currency, in the order of locks; opened if need be."""
    currencies = store.installed_currencies(books)
    store.ids_of(books, [account("wallet", player, currency=currency) for currency in currencies])
    return store.codes_of_owner(books, player, "wallet")


def _close_escrow(books: Books, event: Stored) -> None:
    """A table or tournament is over: its accounts are closed, which they refuse unless empty."""
    store.set_states(books, store.codes_of_scope(books, _subject(event)), "closed")


def _freeze(books: Books, event: Stored) -> None:
    store.set_states(books, open_wallets(books, _subject(event)), "frozen")


def _release(books: Books, event: Stored) -> None:
    store.set_states(books, open_wallets(books, _subject(event)), "open")


def _subject(event: Stored) -> str:
    return str(subject(event.stream))


PAYMENTS: Mapping[str, str] = MappingProxyType({"DepositRecorded": "in", "WithdrawalPaid": "out"})
STATE_CHANGES: Mapping[str, Callable[[Books, Stored], None]] = MappingProxyType(
    {
        "TableClosed": _close_escrow,
        "Settled": _close_escrow,
        "WalletFrozen": _freeze,
        "WalletReleased": _release,
        "PeriodClosed": store.close_period,
    }
)
