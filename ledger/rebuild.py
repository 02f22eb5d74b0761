"""The books made anew from the log alone, beside the live ones, and compared with them.

The second set lies in a schema of its own, made from the same SQL, with floors and all guards on.
It exists inside one transaction of the owner, which is rolled back: nothing is left over, whatever
happens. Both connections read one exported snapshot, so the product may go on meanwhile.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from django.db import connections, transaction

from eventstore import store as log
from eventstore.core.record import Stored
from eventstore.core.refusal import InvariantBroken, Refusal, Refused
from ledger.core.entries import INLINE, NO_MONEY, entries_for
from ledger.selectors import batched
from ledger.selectors.settlement import CATEGORIES
from ledger.services.posting import Work, apply
from ledger.store.books import LIVE, Books, in_schema
from ledger.store.closing import balances_at

OWNER, READER = "owner", "default"
SCHEMA = "ledger_check"
MIGRATIONS = Path(__file__).with_name("migrations")
SQL_FILES = ("0001_books.sql", "0001_posting.sql", "0001_house.sql", "0003_control.sql")
BATCH_EVENTS = 1_000  # money events posted at once

# What is compared, as a name and a form, written for the live books. `account_version` is no part
# of it: it is numbered anew.
ENTRIES = """
SELECT format('%s@%s#%s', e.stream, e.version, e.part) AS name,
    (e.kind, e.currency, e.effective_at, e.posting_count, encode(e.hash, 'hex'),
        r.stream, r.version, r.part)::text AS form
FROM ledger.entry e LEFT JOIN ledger.entry r ON r.id = e.reverses WITHIN"""
LEGS = """
SELECT format('%s@%s#%s', e.stream, e.version, e.part) AS name,
    array_agg((p.line, a.code, p.amount) ORDER BY p.line)::text AS form
FROM ledger.posting p JOIN ledger.entry e ON e.id = p.entry_id
JOIN ledger.account a ON a.id = p.account_id WITHIN GROUP BY e.id"""
# Of the live books up to a size: entries whose event has a place below it.
WITHIN = """
JOIN eventstore_event v ON (v.stream, v.version) = (e.stream, e.version)
JOIN eventstore_log_leaf f ON f.position = v.position AND f.log_index < SIZE"""
PAYMENTS = """
SELECT 'payment ' || e.method || ' ' || e.reference AS name,
    (e.direction, e.stream, e.version)::text AS form
FROM (SELECT *, wallet_stream AS stream FROM ledger.external_payment) e WITHIN"""
# An account that never had a leg need not be there. What it was opened as never changes.
ACCOUNTS = """
SELECT a.code AS name, (b.state, b.balance, a.role, a.class, a.currency, a.scope, a.owner, a.stripe,
    b.sign, b.currency, b.min_balance)::text AS form
FROM ledger.account a JOIN ledger.account_balance b ON b.account_id = a.id
WHERE b.version > 0 OR b.state <> 'open'"""
PERIODS = """
SELECT 'period through ' || through AS name, (size, closed_by, approved_by)::text AS form
FROM ledger.period"""
FIRST_DIFFERENCE = """
SELECT name, live.form, log.form FROM (LIVE_FORMS) live FULL JOIN (LOG_FORMS) log USING (name)
WHERE live.form IS DISTINCT FROM log.form ORDER BY name LIMIT 1"""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing that is in the live books otherwise than the log says."""

    name: str  # key of an entry, a payment, code of an account, or last day of a period
    live: str | None
    log: str | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a rebuild found; `digest` is over all entry hashes in the order of the log, by part."""

    entries: int
    accounts: int
    digest: str
    difference: Difference | None


def compare(size: int | None = None) -> Comparison:
    """The live books beside those that the log gives. Opens its own transactions.

    With a `size`: as far as they come from the first `size` events of the log, where accounts'
    states are left out: the books keep the newest ones alone.
    """
    with _books_beside() as books:
        summed, entries, refused = sha256(), 0, None
        for events in batched(posted_events(books, size), BATCH_EVENTS):
            work = [(event, entries_for(event)) for event in events]
            refused = _post(books, work)
            if refused:
                break
            for _, made in work:
                for entry in made if isinstance(made, tuple) else ():
                    summed.update(entry.hash)
                    entries += 1
        accounts = books.rows("SELECT count(*) FROM ledger.account_balance WHERE version > 0")[0][0]
        difference = refused or _first_difference(books, size)
        return Comparison(entries, accounts, summed.hexdigest(), difference)


def posted_events(books: Books, size: int | None = None) -> Iterator[Stored]:
    """Events that the live books must hold: of the settler's, those up to its cursor."""
    live = Books(alias=books.alias)
    cursors: Mapping[str, int] = dict(
        live.rows("SELECT stream, version FROM ledger.settlement_cursor")
    )
    for event in log.in_order(size):
        name = (event.type, event.schema)
        if name in NO_MONEY or not event.stream.startswith(CATEGORIES):
            continue
        if name in INLINE or event.version <= cursors.get(event.stream, 0):
            yield event


def _post(books: Books, work: list[Work]) -> Difference | None:
    """Post a batch; if it is refused, event by event, to name the one that is."""
    if _refusal(books, work) is None:
        return None
    singles = ((event, _refusal(books, [(event, entries)])) for event, entries in work)
    for event, refusal in singles:
        if refusal:
            return Difference(f"{event.stream}@{event.version}", None, f"refused: {refusal.code}")
    raise InvariantBroken("a batch is refused of which every event is posted alone")


def _refusal(books: Books, work: Sequence[Work]) -> Refusal | None:
    """None once all is posted and every deferred guard has passed it; else nothing is."""
    try:
        with transaction.atomic(using=books.alias):
            apply(books, work, work[-1][0].at)
            books.rows("SET CONSTRAINTS ALL IMMEDIATE")
            books.rows("SET CONSTRAINTS ALL DEFERRED")
    except Refused as refused:
        return refused.refusal
    return None


def _first_difference(books: Books, size: int | None) -> Difference | None:
    within = "" if size is None else WITHIN.replace("SIZE", str(int(size)))
    for forms in (ENTRIES, LEGS, PAYMENTS):
        found = _forms(books, forms.replace("WITHIN", ""), forms.replace("WITHIN", within))
        if found:
            return found
    if size is not None:
        return _balances(books, size)
    return _forms(books, ACCOUNTS, ACCOUNTS) or _forms(books, PERIODS, PERIODS)


def _forms(books: Books, log_forms: str, live_forms: str) -> Difference | None:
    sql = FIRST_DIFFERENCE.replace("LOG_FORMS", in_schema(log_forms, books.schema))
    found = Books(alias=books.alias).rows(sql.replace("LIVE_FORMS", live_forms))
    return Difference(*found[0]) if found else None


def _balances(books: Books, size: int) -> Difference | None:
    """The first account that held something else at this size of the log."""
    codes = dict(LIVE.rows("SELECT id, code FROM ledger.account"))
    live = {codes[one.account_id]: one.balance for one in balances_at(size)}
    rows = books.rows(
        """SELECT a.code, b.balance FROM ledger.account a
        JOIN ledger.account_balance b ON b.account_id = a.id WHERE b.version > 0"""
    )
    made = dict(rows)
    for code in sorted(live.keys() | made.keys()):
        forms = [str(held[code]) if code in held else None for held in (live, made)]
        if forms[0] != forms[1]:
            return Difference(code, *forms)
    return None


@contextmanager
def _books_beside() -> Iterator[Books]:
    """Empty books in a schema of their own, while log and live books stand still for the reader."""
    with transaction.atomic(using=OWNER):
        books = Books(alias=OWNER, schema=SCHEMA)
        books.rows("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        snapshot = books.rows("SELECT pg_export_snapshot()")[0][0]
        with transaction.atomic(using=READER), connections[READER].cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            cursor.execute(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
            # The reader waits while a batch is posted on the other connection.
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute("SET LOCAL statement_timeout = 0")
            for name in SQL_FILES:
                _run(name)
            _install_currencies(books)
            _open_cash(books)
            yield books
        transaction.set_rollback(True, using=OWNER)


def _install_currencies(books: Books) -> None:
    """Have the currencies that were installed since, each with the house's accounts."""
    live = Books(alias=books.alias)
    for currency in live.rows("SELECT code, exponent, kind, name FROM ledger.currency"):
        books.rows(
            """INSERT INTO ledger.currency (code, exponent, kind, name) VALUES (%s, %s, %s, %s)
            ON CONFLICT DO NOTHING""",
            currency,
        )
    books.rows("SELECT ledger.open_house()")


def _open_cash(books: Books) -> None:
    """Have accounts of every method of payment: those of the house are not opened by an event."""
    methods = "SELECT DISTINCT split_part(code, ':', 2) FROM ledger.account WHERE role = 'cash'"
    for (method,) in Books(alias=books.alias).rows(methods):
        books.rows("SELECT ledger.open_cash(%s::text)", [method])


def _run(name: str) -> None:
    """Run a file of the migrations for the schema beside. Sent whole, so without parameters."""
    text = MIGRATIONS.joinpath(name).read_text(encoding="utf-8")
    with connections[OWNER].cursor() as cursor:
        cursor.execute(in_schema(text, SCHEMA))
