"""Prizes of a tournament from its events to the commit: in one batch, and post by post."""

from collections.abc import Callable, Sequence
from datetime import datetime
from time import perf_counter
from typing import Any
from uuid import UUID

from django.db import connection

from benchmarks.ledger.databases import CURRENCY, player
from eventstore.core.canonical import encode
from eventstore.core.ids import tournament_stream
from eventstore.core.record import NO_HASH, Stored
from eventstore.core.refusal import Refusal, Refused
from eventstore.ports import new_id
from eventstore.services import Transaction, in_transaction
from ledger import services
from ledger.core.accounts import account, striped
from ledger.core.entries import Entry, entries_for, key_of
from ledger.core.kinds import Kind
from ledger.store.books import LIVE, ids_of
from tournaments.core.parts import ITEMS_PER_PART

PRIZE = 100
_POST = """SELECT entry_id FROM ledger.post(%s::smallint, %s::text, %s::text, %s::int, %s::int,
    %s::timestamptz, %s::timestamptz, NULL, %s::bytea, %s::bigint[], %s::bigint[], %s::int[])"""

Post = Callable[[Sequence[Entry], datetime], object]


def batch(prizes: int) -> float:
    """Seconds by `post_batch`."""
    return _timed(prizes, services.post_batch)


def pipeline(prizes: int) -> float:
    """Seconds by single posts that are sent without waiting for each answer."""
    return _timed(prizes, _singly)


def _timed(prizes: int, post: Post) -> float:
    tournament = new_id()
    _fund(tournament, prizes * PRIZE)
    events = [
        _computed(tournament, 2 + part, range(first, min(first + ITEMS_PER_PART, prizes)))
        for part, first in enumerate(range(0, prizes, ITEMS_PER_PART))
    ]
    LIVE.ids.clear()  # as in a process that has not met these wallets
    start = perf_counter()
    in_transaction(lambda tx: post([one for event in events for one in _made(event)], tx.now))
    return perf_counter() - start


def _fund(tournament: UUID, amount: int) -> None:
    """A pool that the house makes up, for there are no entries."""
    stream = tournament_stream(tournament)
    house = striped(account("overlay", currency=CURRENCY), key_of(stream, 1, 0))
    pool = account("tournament", str(tournament), currency=CURRENCY)

    def work(tx: Transaction) -> None:
        legs = ((house, amount), (pool, -amount))
        services.post(Entry(stream, 1, 0, Kind.OVERLAY, CURRENCY, tx.now, None, legs), tx.now)

    in_transaction(work)


def _computed(tournament: UUID, version: int, winners: range) -> Stored:
    """One part of the event."""

    def work(tx: Transaction) -> Stored:
        listed = [
            {"place": 1 + one, "player": str(player(1 + one)), "amount": PRIZE} for one in winners
        ]
        nothing = dict.fromkeys(("overlay", "rake", "fees", "heads_to_pool"), 0)
        return Stored(
            stream=tournament_stream(tournament),
            version=version,
            event_id=new_id(),
            type="PrizesComputed",
            schema=1,
            data=encode({**nothing, "currency": CURRENCY, "prizes": listed}).decode(),
            meta="{}",
            at=tx.now,
            prev_hash=NO_HASH,
            hash=NO_HASH,
        )

    return in_transaction(work)


def _made(event: Stored) -> tuple[Entry, ...]:
    entries = entries_for(event)
    if isinstance(entries, Refusal):
        raise Refused(entries)
    return entries


def _singly(entries: Sequence[Entry], recorded_at: datetime) -> None:
    ids = ids_of(LIVE, [code for entry in entries for code, _ in entry.legs])
    with connection.cursor() as cursor:
        cursor.executemany(_POST, [_parameters(one, ids, recorded_at) for one in entries])


def _parameters(entry: Entry, ids: dict[str, int], recorded_at: datetime) -> list[Any]:
    legs = sorted((ids[code], amount, line) for line, (code, amount) in enumerate(entry.legs, 1))
    return [
        int(entry.kind),
        entry.currency,
        entry.stream,
        entry.version,
        entry.part,
        entry.effective_at,
        recorded_at,
        entry.hash,
        *(list(column) for column in zip(*legs, strict=True)),
    ]
