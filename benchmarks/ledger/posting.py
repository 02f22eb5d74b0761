"""`ledger.post` by pgbench with prepared statements: one entry of two legs a transaction.

Beside pgbench's own TPC-B-like transaction, beside the same function without its triggers, and
beside pgledger where its SQL is given: it is published as text, in no package, and is not ours.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import psycopg

from benchmarks import pgbench
from benchmarks.ledger import databases
from benchmarks.ledger.turns import in_turn, ratios
from benchmarks.measure import Beside, Figure, say
from ledger.core.accounts import STRIPES
from ledger.core.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.ledger.books import Plan
    from tonk_site.embedded_services import Services

CLIENTS = 8
GOALS = {CLIENTS: (1.0, 1.5), 1: (0.9, 1.4)}  # goal and aim beside TPC-B, by clients
BARE = (0.75, 0.85)  # of the rate without triggers
PGLEDGER = (2.0, 2.5)
HOUSE = (0.75, 0.9)  # of the rate of plain transfers
ONE_ROW = 1.0  # a striped account is no slower than one in a single row
VERSIONS_A_RUN = 1_000_000  # by far more than one client posts in a run
PGLEDGER_ACCOUNTS = 10_000

_VERSION = r"\set version :version + 1"
# Two different wallets, evenly; the lower id first, as all writers lock.
_TWO_WALLETS = r"""\set one random(1, :wallets)
\set two (:one + random(1, :wallets - 1) - 1) % :wallets + 1
\set low least(:one, :two)
\set high greatest(:one, :two)
\set amount 2 * random(0, 1) - 1
\set back -:amount"""
_HOUSE = rf"""\set low random(1, :wallets)
\set stripe random(1, {STRIPES})
\set amount 1
\set back -1"""
_POST = """
SELECT entry_id FROM ledger.post(KIND::smallint, 'CURRENCY',
    concat('tournament/STREAM-', lpad(:client_id::text, 12, '0')), :version, 0, now(), now(), NULL,
    sha256(int8send(:version)), ARRAY[:low, HIGH]::bigint[], ARRAY[:amount, :back]::bigint[]);
"""
_PGLEDGER = r"""\set one random(1, :accounts)
\set two (:one + random(1, :accounts - 1) - 1) % :accounts + 1
SELECT pgledger_create_transfer((SELECT id FROM bench_account WHERE number = :one),
    (SELECT id FROM bench_account WHERE number = :two), '1');
"""
_PGLEDGER_ACCOUNTS = """
CREATE TABLE bench_account AS
    SELECT number, (pgledger_create_account('bench ' || number, 'EUR')).id
    FROM generate_series(1, %s) number;
ALTER TABLE bench_account ADD PRIMARY KEY (number);"""

Run = Callable[[], float]


def measure(services: Services, plan: Plan, pgledger: Path | None) -> Iterator[Figure]:
    """The rows of `ledger.post`, by 8 clients and by one. Raises: WrongBooks."""
    scale = ("--initialize", "--quiet", "--scale", plan.scale, "--username", "tonk_owner")
    pgbench.pgbench(services, *scale, databases.BOOKS)
    with psycopg.connect(databases.address(services, databases.BARE)) as connection:
        for relation in ("entry", "posting"):
            connection.execute(f"ALTER TABLE ledger.{relation} DISABLE TRIGGER USER".encode())
    for name in (databases.BOOKS, databases.BARE):
        databases.settle_down(services, name)
    with TemporaryDirectory(prefix="tonk-bench-") as folder, contextlib.ExitStack() as kept:
        scripts = Scripts(services, plan, Path(folder))
        eight = scripts.variants(CLIENTS) | scripts.of_eight()
        if pgledger is None:
            say("ledger: pgledger is absent: --pgledger FILE names its SQL")
        else:
            kept.callback(databases.drop, services, databases.PGLEDGER)
            eight["pgledger"] = scripts.pgledger(pgledger)
        rates = in_turn("post, 8 clients", eight, plan.rounds)
        alone = in_turn("post, 1 client", scripts.variants(1), plan.rounds)
    databases.check(services, databases.BOOKS, databases.BARE)
    yield _beside_pgbench(rates, CLIENTS)
    yield _beside_pgbench(alone, 1)
    yield _to_house(rates)


def _beside_pgbench(rates: dict[str, list[float]], clients: int) -> Figure:
    goal, aim = GOALS[clients]
    others = []
    for peer, (least, wished) in {"no triggers": BARE, "pgledger": PGLEDGER}.items():
        theirs = rates.get(peer, [])
        rate = median(theirs) if theirs else None
        found = ratios(rates["post"], theirs)
        others.append(Beside(peer=peer, rate=rate, ratios=found, goal=least, aim=wished))
    return Figure(
        bench="ledger",
        case=f"post, 2 legs, {clients} client{'s' * (clients > 1)}",
        rate=median(rates["post"]),
        peer="TPC-B",
        peer_rate=median(rates["TPC-B"]),
        ratios=ratios(rates["post"], rates["TPC-B"]),
        goal=goal,
        aim=aim,
        others=others if clients == CLIENTS else (),
        facts={"clients": clients},
    )


def _to_house(rates: dict[str, list[float]]) -> Figure:
    """A house account of many rows, beside wallets; and what one row for all would cost."""
    one_row = Beside(
        peer="one row",
        rate=median(rates["one row"]),
        ratios=ratios(rates["house"], rates["one row"]),
        goal=ONE_ROW,
    )
    return Figure(
        bench="ledger",
        case=f"post to the house, {CLIENTS} clients",
        rate=median(rates["house"]),
        peer="wallets",
        peer_rate=median(rates["post"]),
        ratios=ratios(rates["house"], rates["post"]),
        goal=HOUSE[0],
        aim=HOUSE[1],
        others=(one_row,),
        facts={
            "clients": CLIENTS,
            "one_row_beside_wallets": round(median(ratios(rates["one row"], rates["post"])), 3),
        },
    )


class Scripts:
    """The variants as pgbench runs them."""

    def __init__(self, services: Services, plan: Plan, folder: Path) -> None:
        self._services, self._plan, self._folder = services, plan, folder
        self._firsts = count(0, VERSIONS_A_RUN)
        self._rows = databases.house_rows(services, databases.BOOKS, "rake")

    def variants(self, clients: int) -> dict[str, Run]:
        """Ours and its first peer."""
        post = self._post(clients, databases.BOOKS, "0199c2b2-6c1f-7033-818c", _TWO_WALLETS)
        tpcb = ("--builtin", "tpcb-like", "--username", "tonk_owner", databases.BOOKS)
        return {"post": post, "TPC-B": partial(self._run, clients, *tpcb)}

    def of_eight(self) -> dict[str, Run]:
        """What is measured by 8 clients alone."""
        bare = self._post(CLIENTS, databases.BARE, "0199c2b2-6c1f-7033-818d", _TWO_WALLETS)
        striped = f"({_array(self._rows)})[:stripe]"
        house = self._post(CLIENTS, databases.BOOKS, "0199c2b2-6c1f-7033-818e", _HOUSE, striped)
        row = f"({_array(self._rows[:1])})[least(:stripe, 1)]"
        one = self._post(CLIENTS, databases.BOOKS, "0199c2b2-6c1f-7033-818f", _HOUSE, row)
        return {"no triggers": bare, "house": house, "one row": one}

    def _post(
        self, clients: int, database: str, stream: str, choice: str, high: str = ":high"
    ) -> Run:
        text = _POST.replace("KIND", str(int(Kind.COMPENSATION))).replace("HIGH", high)
        text = text.replace("CURRENCY", databases.CURRENCY).replace("STREAM", stream)
        script = self._folder / f"{stream}.sql"
        script.write_text(f"{_VERSION}\n{choice}{text}", encoding="utf-8")

        def run() -> float:
            return self._run(
                clients, "--define", f"version={next(self._firsts)}",
                "--define", f"wallets={self._plan.wallets}", "--file", script,
                "--username", "tonk_app", database,
            )  # fmt: skip

        return run

    def pgledger(self, file: Path) -> Run:
        """Transfers by pgledger's own function, in a database that has its SQL and no more."""
        name = databases.PGLEDGER
        databases.create(self._services, name)
        with psycopg.connect(databases.address(self._services, name)) as connection:
            connection.execute(file.read_bytes())
            connection.execute((_PGLEDGER_ACCOUNTS % PGLEDGER_ACCOUNTS).encode())
        databases.settle_down(self._services, name)
        script = self._folder / "pgledger.sql"
        script.write_text(_PGLEDGER, encoding="utf-8")
        return partial(
            self._run, CLIENTS, "--define", f"accounts={PGLEDGER_ACCOUNTS}", "--file", script,
            "--username", "tonk_owner", name,
        )  # fmt: skip

    def _run(self, clients: int, *arguments: object) -> float:
        return pgbench.rate(self._services, clients, self._plan.seconds, *arguments)


def _array(accounts: list[int]) -> str:
    return f"ARRAY[{', '.join(map(str, accounts))}]::bigint[]"
