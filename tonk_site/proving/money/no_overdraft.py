"""No account is ever below its floor, whoever moves money at the same time (`trust.md` section 1).

Live: the running balance of each account, summed here. Trial: connections make random transfers,
some are killed, readers take snapshots; then raw SQL tries to go below a floor.
"""

from contextlib import ExitStack

from tonk_site.proving import live
from tonk_site.proving.checks import Breach, Check, Found, Order
from tonk_site.proving.money import bank, legs
from tonk_site.proving.money.bank import EACH, WALLETS, Shift
from tonk_site.proving.money.book_attacks import attack, pairs_of
from tonk_site.proving.scratch import Place, database, fresh_processes

NAME = "no-overdraft"
INVARIANTS = "I5"  # of `ledger.md` section 1
PROCESSES, CONNECTIONS = 2, 8
ENDS = {"done", "insufficient_funds", "lost", "to oneself"}


def look() -> Found:
    """Every account in the order in which its lines were recorded; its floor never changes."""
    found = Found()
    for account in legs.accounts():
        if account.floor is None:
            continue
        running = 0
        for move in account.moves:
            running += account.sign * move.amount
            found.done["prefixes"] += 1
            if running < account.floor:
                where, floor = f"{account.code} line {move.version}", f"at least {account.floor}"
                found.breaches.append(
                    live.told("below the floor", where, expected=floor, got=running)
                )
        if account.balance < account.floor:
            floor = f"at least {account.floor}"
            found.breaches.append(
                live.told(
                    "a balance below the floor", account.code, expected=floor, got=account.balance
                )
            )
    return found


def run(order: Order) -> Found:
    """The bank on a database of its own; then attacks and the live part there."""
    rerun = f"manage.py prove {NAME} --seed {order.seed}"
    with database() as place:
        found = _transfers(order, place, rerun)
        found.add(attack(place.superuser_url, INVARIANTS, rerun))
        found.add(live.read_there(look, place, rerun))
    return found


def _transfers(order: Order, place: Place, rerun: str) -> Found:
    each = -(-order.sizes["transfers"] // CONNECTIONS)
    found = Found()
    with ExitStack() as stack:
        pools = [stack.enter_context(fresh_processes(1, place.variables)) for _ in range(PROCESSES)]
        wallets = pools[0].submit(bank.opened).result()
        shifts = [
            Shift(
                order.seed, wallets, range(CONNECTIONS)[job::PROCESSES], each, place.superuser_url
            )
            for job in range(PROCESSES)
        ]
        tasks = [pool.submit(bank.work, shift) for pool, shift in zip(pools, shifts, strict=True)]
        for task in tasks:
            report = task.result()
            found.add(_of(report, rerun))
        found.breaches += [
            Breach("the books are not as the log says", one, "the same", "another", rerun)
            for one in pools[0].submit(bank.differences).result()
        ]
    return found


def _of(report: bank.Report, rerun: str) -> Found:
    found = Found(seen={"ends": report.ends})
    found.done.update(
        transfers=report.ends["done"], kills=report.kills, snapshots=report.sums.total()
    )
    wrong = {str(total): count for total, count in report.sums.items() if total != WALLETS * EACH}
    found.breaches += [
        Breach("a snapshot", f"{count} of them", str(WALLETS * EACH), total, rerun)
        for total, count in wrong.items()
    ]
    found.breaches += [
        Breach(
            "the end of a transfer",
            f"{report.ends[end]} of them",
            ", ".join(sorted(ENDS)),
            end,
            rerun,
        )
        for end in sorted(report.ends.keys() - ENDS)
    ]
    return found


CHECK = Check(
    name=NAME,
    promise=1,
    quick={
        "transfers": 2_000, "prefixes": 4_000, "snapshots": 20, "kills": 5,
        "refused": pairs_of(INVARIANTS),
    },
    full={
        "transfers": 10_000, "prefixes": 20_000, "snapshots": 100, "kills": 25,
        "refused": pairs_of(INVARIANTS),
    },
    run=run,
    live=look,
)  # fmt: skip
