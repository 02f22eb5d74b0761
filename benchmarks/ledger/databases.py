"""Databases of the benchmark on the same server: books with funded wallets, and their check."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING
from uuid import UUID

import psycopg

from eventstore.core.ids import tournament_stream
from eventstore.ports import new_id
from ledger.core.kinds import Kind
from tonk_site.product import migrate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tonk_site.embedded_services import Services

PRODUCT = "tonk"
BOOKS = "bench_books"  # filled, and posted to without a log
BARE = "bench_bare"  # a copy of it whose triggers are off
LONG = "bench_long"  # few accounts, many legs
PLAY = "bench_play"  # books that follow a log
HORDAK = "bench_hordak"
PGLEDGER = "bench_pgledger"

CURRENCY = "EUR"
FUNDS = 100_000_000  # of each wallet; transfers move single units
FUNDED_AT = datetime(2026, 1, 1, tzinfo=UTC)
ENTRIES_A_BATCH = 10_000
FIRST_PLAYER = 0x0199C2B2_6C1F_7000_8000_000000000000

_PLAYER = f"'{UUID(int=FIRST_PLAYER)}'::text"
_OPEN = f"""
SELECT count(ledger.open_account(
    concat('wallet:', player, ':{CURRENCY}'), 'wallet', 'L', '{CURRENCY}', NULL, player, NULL, 0))
FROM generate_series(1, %(wallets)s) number
CROSS JOIN LATERAL (
    SELECT (left({_PLAYER}, -12) || lpad(to_hex(number), 12, '0'))::uuid AS player) p"""
_BATCH = """
SELECT count(*) FROM ledger.post_batch(%s::smallint[], %s::text[], %s::text[], %s::int[],
    %s::int[], %s::timestamptz[], %s::timestamptz, %s::bigint[], %s::bytea[],
    %s::int[], %s::int[], %s::bigint[], %s::bigint[])"""
_UNBALANCED = """
SELECT e.id FROM ledger.entry e LEFT JOIN ledger.posting p ON p.entry_id = e.id
GROUP BY e.id HAVING sum(p.amount) <> 0 OR count(p.amount) <> e.posting_count LIMIT 1"""
_UNLIKE_LEGS = """
SELECT b.account_id FROM ledger.account_balance b LEFT JOIN (
    SELECT account_id, sum(amount) AS amount, count(*) AS legs
    FROM ledger.posting GROUP BY account_id) p USING (account_id)
WHERE b.balance <> b.sign * coalesce(p.amount, 0) OR b.version <> coalesce(p.legs, 0) LIMIT 1"""


Pair = tuple[int, int]  # accounts: the debited one, the credited one


class WrongBooks(RuntimeError):
    """A run left an entry that is not balanced, or a balance that its legs do not give."""


def player(number: int) -> UUID:
    """The player whose wallet has this number, from 1."""
    return UUID(int=FIRST_PLAYER + number)


def address(services: Services, name: str, user: str = "tonk_owner") -> str:
    """Address of a database for psycopg."""
    return f"host={services.sockets} user={user} dbname={name}"


def environment(services: Services, name: str) -> dict[str, str]:
    """Variables of a process of the product that works on a database of the benchmark."""
    url = services.addresses["DATABASE_URL"].replace(f"/{PRODUCT}?", f"/{name}?")
    return {**os.environ, "DATABASE_URL": url}


def migrated(services: Services, name: str) -> None:
    """A new database of the product."""
    create(services, name)
    migrate(services, environment(services, name))


def copy(services: Services, source: str, name: str) -> None:
    """A new database that is as another one, to which nobody is connected."""
    create(services, name, source)


def create(services: Services, name: str, template: str = "template1") -> None:
    """A new database in place of an older one of that name."""
    drop(services, name)
    _as_superuser(services, f"CREATE DATABASE {name} TEMPLATE {template} OWNER tonk_owner")


def drop(services: Services, name: str) -> None:
    """Remove a database if it is there, whoever is connected."""
    _as_superuser(services, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _as_superuser(services: Services, statement: str) -> None:
    with psycopg.connect(services.superuser_url, autocommit=True) as connection:
        connection.execute(statement.encode())


def fill(services: Services, name: str, wallets: int) -> None:
    """Open wallets, the first accounts of all, and fund each by an entry. Raises: WrongBooks."""
    cash = house_rows(services, name, "cash")[0]
    with psycopg.connect(address(services, name)) as connection:
        connection.execute(_OPEN.encode(), {"wallets": wallets})
        highest = "SELECT max(id), count(*) FROM ledger.account WHERE role = 'wallet'"
        if connection.execute(highest).fetchone() != (wallets, wallets):
            raise WrongBooks("the wallets are not the first accounts")
        for first in range(1, wallets + 1, ENTRIES_A_BATCH):
            some = range(first, min(first + ENTRIES_A_BATCH, wallets + 1))
            post(connection, [(cash, wallet) for wallet in some], FUNDED_AT, FUNDS)
    settle_down(services, name)


def post(
    connection: psycopg.Connection, pairs: Sequence[Pair], at: datetime, amount: int = 1
) -> None:
    """Post and commit an entry of two legs for each pair of accounts."""
    stream, numbers, count = tournament_stream(new_id()), range(1, len(pairs) + 1), len(pairs)
    legs = [
        (number, line, account, signed)
        for number, pair in zip(numbers, pairs, strict=True)
        for line, (account, signed) in enumerate(zip(pair, (amount, -amount), strict=True), 1)
    ]
    heads: list[list[object]] = [
        [int(Kind.COMPENSATION)] * count, [CURRENCY] * count, [stream] * count,
        list(numbers), [0] * count, [at] * count,
    ]  # fmt: skip
    hashes = [sha256(b"%d" % number).digest() for number in numbers]
    columns = [list(column) for column in zip(*legs, strict=True)]
    connection.execute(_BATCH, [*heads, at, [None] * count, hashes, *columns])
    connection.commit()


def settle_down(services: Services, name: str) -> None:
    """Leave nothing of the filling for a run to do."""
    with psycopg.connect(address(services, name, "postgres"), autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
        connection.execute("CHECKPOINT")


def house_rows(services: Services, name: str, role: str) -> list[int]:
    """Ids of the rows of a house account, by stripe."""
    with psycopg.connect(address(services, name)) as connection:
        rows = connection.execute(
            "SELECT id FROM ledger.account WHERE role = %s AND currency = %s ORDER BY stripe",
            [role, CURRENCY],
        )
        return [account for (account,) in rows]


def check(services: Services, *names: str) -> None:
    """Every entry is balanced, every balance is that of its legs. Raises: WrongBooks."""
    for name in names:
        with psycopg.connect(address(services, name)) as connection:
            fault = first_fault(connection)
        if fault is not None:
            raise WrongBooks(f"{name}: {fault} is wrong; the run has no rate")


def first_fault(connection: psycopg.Connection) -> str | None:
    """Something in the books that its legs do not bear out."""
    for what, sql in (("entry", _UNBALANCED), ("account", _UNLIKE_LEGS)):
        found = connection.execute(sql.encode()).fetchone()
        if found:
            return f"{what} {found[0]}"
    return None
