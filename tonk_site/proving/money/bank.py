"""Wallets between which connections move money at random, while readers sum and some are killed.

Jepsen's bank: whatever happens, every snapshot sums to the start (incidents C4 and C8).
"""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from uuid import UUID

import psycopg
from django.db import Error, connection, connections, transaction

from eventstore import store
from eventstore.core.chain import Fact
from eventstore.core.ids import tournament_stream
from eventstore.core.refusal import Refused, Retryable
from eventstore.ports import new_id
from eventstore.services import Transaction, in_transaction
from games.rules.selfplay import Random, SeededNumbers, pick
from ledger import replay
from ledger.core.events import DepositRecorded
from ledger.services import post_inline, record
from tonk_site.proving.cards.random_hands import below
from tournaments.core.events import AmountOfPlayer, CompensationPosted, Debit

WALLETS = 50
EACH, MOST = 1_000, 400  # what a wallet starts with, and the most that one transfer moves
KILL_CHANCE = 1 / 100
ACTOR = "worker:trial"
_SUM = """SELECT sum(balance) FROM ledger.account_balance b
    JOIN ledger.account a ON a.id = b.account_id WHERE a.owner = ANY(%s::uuid[])"""


def opened() -> list[UUID]:
    """Wallets that hold the same."""
    wallets = [new_id() for _ in range(WALLETS)]
    for wallet in wallets:
        people = (str(new_id()), str(new_id()))
        deposit = DepositRecorded(
            amount=EACH, currency="EUR", method="manual", reference=str(wallet), approved_by=people
        )
        in_transaction(partial(record, player=wallet, facts=[Fact(deposit, ACTOR)]))
    connections.close_all()
    return wallets


def differences() -> list[str]:
    """What is otherwise in the books than the events of all transfers say."""
    found = [str(one) for one in replay.differences()]
    connections.close_all()
    return found


@dataclass(frozen=True, slots=True)
class Shift:
    """What one process does: connections that write, each until its transfers are done."""

    seed: str
    wallets: Sequence[UUID]
    writers: Sequence[int]
    transfers: int  # of each writer
    superuser: str  # address, for whoever kills


@dataclass
class Report:
    """How transfers ended, what snapshots summed to, how many connections were killed."""

    ends: Counter[str] = field(default_factory=Counter)
    sums: Counter[int] = field(default_factory=Counter)
    kills: int = 0


def work(shift: Shift) -> Report:
    """Write and read at once in this process."""
    bank, report = Bank(shift), Report()
    with ThreadPoolExecutor(len(shift.writers) + 1) as pool:
        reader = pool.submit(bank.read)
        writers = [pool.submit(bank.write, number) for number in shift.writers]
        try:
            for writer in writers:
                report.ends += writer.result()
        finally:
            bank.over.set()
        report.sums = reader.result()
    report.kills = bank.kills
    return report


class Bank:
    """The wallets, and which server processes the writers use now."""

    def __init__(self, shift: Shift) -> None:
        self._shift, self._processes = shift, dict[int, int]()
        self.over, self.kills = Event(), 0

    def write(self, number: int) -> Counter[str]:
        """Transfers at random until enough are done; now and then another writer is cut off."""
        rng, ends = SeededNumbers(f"{self._shift.seed}/writer {number}"), Counter[str]()
        try:
            while ends["done"] < self._shift.transfers:
                if rng.random() < KILL_CHANCE:
                    self._kill(rng, number)
                ends[self._transfer(rng, number)] += 1
        finally:
            connections.close_all()
        return ends

    def read(self) -> Counter[int]:
        """Sums of snapshots, wallet by wallet and at once by turns, until the writers are done."""
        sums = Counter[int]()
        try:
            while not self.over.is_set():
                sums.update((self._wallet_by_wallet(), self._at_once()))
        finally:
            connections.close_all()
        return sums

    def _transfer(self, rng: Random, number: int) -> str:
        payer, payee = pick(rng, self._shift.wallets), pick(rng, self._shift.wallets)
        amount = 1 + below(rng, MOST)
        if payer == payee:
            return "to oneself"
        try:
            connection.ensure_connection()
            self._processes[number] = connection.connection.info.backend_pid
            _move(payer, payee, amount)
        except Refused as refused:
            return refused.refusal.code
        except (Error, Retryable):
            connections.close_all()
            return "lost"
        return "done"

    def _kill(self, rng: Random, number: int) -> None:
        others = [pid for writer, pid in self._processes.items() if writer != number]
        if others:
            with psycopg.connect(self._shift.superuser, autocommit=True) as superuser:
                superuser.execute("SELECT pg_terminate_backend(%s)", [pick(rng, others)])
                self.kills += 1

    def _wallet_by_wallet(self) -> int:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            return sum(self._sum([wallet]) for wallet in self._shift.wallets)

    def _at_once(self) -> int:
        return self._sum(self._shift.wallets)

    def _sum(self, wallets: Sequence[UUID]) -> int:
        with connection.cursor() as cursor:
            cursor.execute(_SUM, [list(wallets)])
            return int(cursor.fetchone()[0])


def _move(payer: UUID, payee: UUID, amount: int) -> None:
    """From wallet to wallet as the product does: posted, then appended, in one transaction."""
    fact = CompensationPosted(
        part=1,
        parts=1,
        currency="EUR",
        reason_code="trial",
        debits=(Debit(player=str(payer), wallet=amount, receivable=0),),
        credits=(AmountOfPlayer(player=str(payee), amount=amount),),
    )
    stream = tournament_stream(new_id())

    def work(tx: Transaction) -> None:
        head = tx.load(stream).head
        sealed = tx.seal(stream, head, [Fact(fact, ACTOR)])
        post_inline(sealed, tx.now)
        store.append(sealed, head)

    in_transaction(work)
