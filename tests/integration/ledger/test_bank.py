"""Fifty wallets, sixteen connections, some of them killed: every snapshot sums to the start."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Event
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

import pytest
from django.db import Error, connection, connections, transaction

from eventstore.core.ids import tournament_stream
from eventstore.core.refusal import Refused
from ledger.rebuild import compare
from tests.databases import as_superuser
from tests.integration.ledger.commands import command, deposit

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.usefixtures("committed")
ACCOUNTS, WRITERS, READERS = 50, 16, 2
EACH, TRANSFERS = 1_000, 20  # what a wallet starts with; transfers of one writer
SUM = """SELECT sum(balance) FROM ledger.account_balance b
    JOIN ledger.account a ON a.id = b.account_id WHERE a.owner = ANY(%s::uuid[])"""


class Bank:
    """The wallets, and which server processes the writers use now."""

    def __init__(self) -> None:
        self.wallets = [uuid4() for _ in range(ACCOUNTS)]
        self.processes: dict[int, int] = {}
        self.killed: list[int] = []
        self.over = Event()

    def write(self, number: int) -> Counter[str]:
        """Transfers at random; one in eight kills the connection of another writer first."""
        rng, ends = Random(number), Counter[str]()
        try:
            for _ in range(TRANSFERS):
                if rng.random() < 1 / 8:
                    self.kill(rng, number)
                ends[self.transfer(rng, number)] += 1
        finally:
            connections.close_all()
        return ends

    def transfer(self, rng: Random, number: int) -> str:
        (payer, payee), amount = rng.sample(self.wallets, 2), rng.randint(1, 400)
        facts = {
            "debits": [{"player": str(payer), "wallet": amount, "receivable": 0}],
            "credits": [{"player": str(payee), "amount": amount}],
            "currency": "EUR",
        }
        try:
            connection.ensure_connection()
            self.processes[number] = connection.connection.info.backend_pid
            command(tournament_stream(uuid4()), ("CompensationPosted", facts))
        except Refused as refused:
            return refused.refusal.code
        except Error:
            connections.close_all()
            return "lost"
        return "done"

    def kill(self, rng: Random, number: int) -> None:
        others = [pid for writer, pid in self.processes.items() if writer != number]
        if others:
            with as_superuser() as superuser:
                victim = rng.choice(others)
                superuser.execute("SELECT pg_terminate_backend(%s)", [victim])
                self.killed.append(victim)

    def read(self) -> set[int]:
        """Sums of snapshots, each read wallet by wallet, until the writers are done."""
        sums: set[int] = set()
        try:
            while not self.over.is_set():
                sums |= {self.snapshot(), self.at_once()}
        finally:
            connections.close_all()
        return sums

    def snapshot(self) -> int:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            found = 0
            for wallet in self.wallets:
                cursor.execute(SUM, [[wallet]])
                found += int(cursor.fetchone()[0])
            return found

    def at_once(self) -> int:
        with connection.cursor() as cursor:
            cursor.execute(SUM, [self.wallets])
            return int(cursor.fetchone()[0])


def opened(wallets: Sequence[UUID]) -> None:
    for wallet in wallets:
        deposit(wallet, EACH)


def test_every_snapshot_sums_to_the_start() -> None:
    bank = Bank()
    opened(bank.wallets)
    with ThreadPoolExecutor(WRITERS + READERS) as pool:
        readers = [pool.submit(bank.read) for _ in range(READERS)]
        writers = [pool.submit(bank.write, number) for number in range(WRITERS)]
        ends = sum((writer.result() for writer in writers), Counter[str]())
        bank.over.set()
        sums = [reader.result() for reader in readers]
    assert sums == [{ACCOUNTS * EACH}] * READERS
    assert bank.killed
    assert set(ends) <= {"done", "insufficient_funds", "lost"}
    assert ends["done"] > WRITERS * TRANSFERS / 2
    assert bank.at_once() == ACCOUNTS * EACH
    assert compare().difference is None
