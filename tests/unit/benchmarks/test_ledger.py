"""The benchmark of the books: its turns, its peers that may be absent, its processes, its check."""

import os
from importlib import import_module

import pytest
from django.db import connections, transaction

from benchmarks.ledger import books, posting, transfers
from benchmarks.ledger.databases import first_fault, player
from benchmarks.ledger.turns import in_turn, ratios
from benchmarks.ledger.workers import Worker
from benchmarks.measure import table
from benchmarks.pgbench import TPS
from tonk_site.identity import ServicesError

OUTPUT = "latency average = 6.785 ms\ntps = 1178.213 (without initial connection time)\n"
ENTRY = """INSERT INTO ledger.entry
    (kind, currency, stream, version, part, effective_at, recorded_at, posting_count, hash)
    VALUES (21, 'EUR', 'tournament/x', 1, 0, now(), now(), 2, sha256('x'))"""
BALANCE = """UPDATE ledger.account_balance SET balance = 1
    WHERE account_id = (SELECT min(account_id) FROM ledger.account_balance)"""


def test_variants_take_turns_and_a_round_gives_one_ratio() -> None:
    ran: list[str] = []

    def variant(name: str, rate: float) -> float:
        ran.append(name)
        return rate * len(ran)

    variants = {name: lambda name=name: variant(name, 10.0) for name in ("ours", "theirs")}
    rates = in_turn("a case", variants, 2)
    assert ran == ["ours", "theirs", "ours", "theirs"]
    assert rates == {"ours": [10.0, 30.0], "theirs": [20.0, 40.0]}
    assert ratios(rates["ours"], rates["theirs"]) == [0.5, 0.75]


def test_a_rate_of_pgbench_is_read_from_what_it_prints() -> None:
    found = TPS.search(OUTPUT)
    assert found is not None
    assert float(found[1]) == 1178.213


def test_peers_that_are_not_there_are_shown_as_absent() -> None:
    rates = {name: [100.0] for name in ("post", "TPC-B", "no triggers", "house", "one row")}
    figures = [
        posting._beside_pgbench(rates, posting.CLIENTS),
        transfers._figure("through Django, 1 process", [100.0], []),
    ]
    shown = [row for row in table(figures).splitlines() if "absent" in row]
    assert [peer for row in shown for peer in ("pgledger", "django-hordak") if peer in row] == [
        "pgledger",
        "django-hordak",
    ]


def test_one_client_is_measured_beside_pgbench_alone() -> None:
    alone = posting._beside_pgbench({"post": [90.0], "TPC-B": [100.0]}, 1)
    assert (alone.ratio, alone.goal, list(alone.others)) == (0.9, 0.9, [])


def test_players_have_the_ids_that_the_database_gives_their_wallets() -> None:
    assert str(player(255)) == "0199c2b2-6c1f-7000-8000-0000000000ff"


def test_a_quick_run_does_the_same_with_less() -> None:
    whole = books.Plan()
    for name in books.Plan.__dataclass_fields__:
        assert 0 < getattr(books.QUICK, name) <= getattr(whole, name)


@pytest.mark.slow
def test_a_process_that_ends_gives_no_figure(capfd: pytest.CaptureFixture[str]) -> None:
    with Worker("no_such_job", os.environ) as worker, pytest.raises(ServicesError, match="ended"):
        worker.answer()
    assert "no_such_job" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("job", "calls"),
    [
        ("prizes", {"batch", "pipeline"}),
        ("reads", {"balance", "page", "trial", "legs"}),
        ("rebuild", {"compare"}),
        ("tables", {"play", "forget_cards", "seat", "write", "settle"}),
        ("transfers", {"transfer"}),
    ],
)
def test_a_job_has_the_functions_that_are_asked_for(job: str, calls: set[str]) -> None:
    module = import_module(f"benchmarks.ledger.jobs.{job}")
    assert calls <= {name for name, it in vars(module).items() if callable(it)}


@pytest.mark.django_db(databases=["default", "owner"])
@pytest.mark.parametrize(("change", "what"), [(ENTRY, "entry"), (BALANCE, "account")])
def test_books_that_are_wrong_are_noticed(change: str, what: str) -> None:
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        assert first_fault(connections["owner"].connection) is None
        cursor.execute(change)
        assert (first_fault(connections["owner"].connection) or "").startswith(what)
        transaction.set_rollback(True, using="owner")
