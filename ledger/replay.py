"""The books replayed in memory: entries and balances that are otherwise than the log says.

Quicker than `ledger/rebuild.py` and without its guards: usable inside a transaction, for a log at
rest.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from eventstore.core.ids import subject
from eventstore.core.record import Stored
from eventstore.core.refusal import Refusal
from eventstore.verification import Difference, unequal
from ledger.core.entries import Entry, entries_for
from ledger.rebuild import posted_events
from ledger.replay_orders import Payments, order_differences
from ledger.selectors import sums
from ledger.store.books import LIVE

BOOKS = "ledger"  # stands for the stream where a difference belongs to an account
ENDS = frozenset({"TableClosed", "Settled"})  # after which an escrow is empty

EntryName = tuple[str, int, int]  # stream, version, part


@dataclass(frozen=True, slots=True)
class _Expected:
    """What the log says: hashes of entries, sums of accounts, escrows that are over, payments."""

    hashes: dict[EntryName, bytes] = field(default_factory=dict)
    sums: Counter[str] = field(default_factory=Counter)
    ended: list[str] = field(default_factory=list)
    payments: Payments = field(default_factory=Payments)
    periods: dict[str, object] = field(default_factory=dict)


def differences() -> Iterator[Difference]:
    """What differs in the live books: entries, legs, balances, sums, ended escrows, orders."""
    expected = _Expected()
    for event in posted_events(LIVE):
        made = entries_for(event)
        if isinstance(made, Refusal):
            yield Difference(event.stream, event.version, "entries", None, made.code)
            continue
        _add(expected, event, made)
    yield from _entry_differences(expected.hashes)
    yield from _account_differences(expected.sums)
    for currency, total in sums().items():
        yield from unequal(BOOKS, 0, {currency: total}, {currency: 0})
    rows = LIVE.rows(
        """SELECT a.code, b.balance FROM ledger.account a
        JOIN ledger.account_balance b ON b.account_id = a.id
        WHERE a.scope = ANY(%s::uuid[]) AND b.balance <> 0 ORDER BY 1""",
        [expected.ended],
    )
    for code, balance in rows:
        yield Difference(BOOKS, 0, f"escrow {code}", balance, 0)
    yield from unequal(BOOKS, 0, _periods(), expected.periods)
    yield from order_differences(expected.payments)


def parked() -> Iterator[Difference]:
    """Streams whose settlement stands: what they say is not in the books, and people must look."""
    stands = "SELECT stream, version, parked_code FROM ledger.settlement_cursor"
    for stream, version, code in LIVE.rows(f"{stands} WHERE parked_code IS NOT NULL ORDER BY 1"):
        yield Difference(stream, version, "parked_code", code, None)


def _add(expected: _Expected, event: Stored, made: Sequence[Entry]) -> None:
    for entry in made:
        expected.hashes[entry.stream, entry.version, entry.part] = entry.hash
        for code, amount in entry.legs:
            expected.sums[code] += amount
    expected.payments.add(event)
    if event.type in ENDS:
        expected.ended.append(str(subject(event.stream)))
    if event.type == "PeriodClosed":
        said = event.payload
        people = (said["proposer"], said["approver"])
        expected.periods[f"period {said['through']}"] = (said["size"], *people)


def _periods() -> dict[str, object]:
    rows = LIVE.rows("SELECT through, size, closed_by, approved_by FROM ledger.period")
    return {f"period {day}": (size, str(one), str(other)) for day, size, one, other in rows}


def _entry_differences(hashes: Mapping[EntryName, bytes]) -> Iterator[Difference]:
    rows = LIVE.rows("SELECT stream, version, part, hash FROM ledger.entry")
    live = {(stream, version, part): bytes(found) for stream, version, part, found in rows}
    for name in sorted(live.keys() | hashes.keys()):
        stream, version, part = name
        forms = [{f"entry #{part}": _hex(found.get(name))} for found in (live, hashes)]
        yield from unequal(stream, version, *forms)


def _hex(digest: bytes | None) -> str | None:
    return None if digest is None else digest.hex()


def _account_differences(expected: Mapping[str, int]) -> Iterator[Difference]:
    rows = LIVE.rows(
        """SELECT a.code, b.balance * b.sign, coalesce(sum(p.amount), 0)
        FROM ledger.account a JOIN ledger.account_balance b ON b.account_id = a.id
        LEFT JOIN ledger.posting p ON p.account_id = a.id
        GROUP BY a.code, b.balance, b.sign"""
    )
    log = {code: amount for code, amount in expected.items() if amount}
    balances = {f"balance {code}": int(balance) for code, balance, _ in rows if balance}
    legs = {f"legs {code}": int(total) for code, _, total in rows if total}
    yield from unequal(
        BOOKS, 0, balances, {f"balance {code}": amount for code, amount in log.items()}
    )
    yield from unequal(BOOKS, 0, legs, {f"legs {code}": amount for code, amount in log.items()})
