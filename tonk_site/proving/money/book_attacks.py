"""The invariants of the books, each broken by hand (`ledger.md` section 1).

Every statement runs as the application, as the owner, and as the owner under replication role
`replica`, where plain triggers sleep. Forms name accounts by `{a}`, `{b}`, `{c}`, their codes by
`{code_a}`, an account of chips by `{chips}`, and an entry that is there by `{old}`.
"""

import contextlib
from collections.abc import Iterator, Mapping

import psycopg
from psycopg.conninfo import make_conninfo

from eventstore.checks import APP, OWNER
from eventstore.ports import new_id
from tonk_site.proving.checks import Breach, Found

ENTRY = """INSERT INTO ledger.entry
        (kind, currency, stream, version, part, effective_at, recorded_at, posting_count,
        reverses, hash)
    VALUES (1, 'EUR', 'table/x', 7, 0, now(), now(), {count}, {reverses}, sha256('x'));
    """
LEGS = """INSERT INTO ledger.posting
        (entry_id, account_id, line, amount, account_version, balance_after)
    SELECT (SELECT max(id) FROM ledger.entry), v.* FROM (VALUES {rows}) AS v;
    """
AT_COMMIT = "SET CONSTRAINTS ALL IMMEDIATE"


def one_after_another(*statements: str) -> str:
    """Statements as one."""
    return ";".join(one.rstrip().rstrip(";") for one in statements)


def entry(*rows: str, count: int = 2, reverses: str = "NULL") -> str:
    """Statements that insert an entry with these legs: account, line, amount, version, balance."""
    values = ", ".join(f"({row})" for row in rows)
    return ENTRY.format(count=count, reverses=reverses) + (LEGS.format(rows=values) if rows else "")


# name -> statements, SQLSTATE as owner, constraint
BROKEN = {
    "I1 unbalanced": (entry("{a}, 1, 5, 9, 9", "{b}, 2, -4, 9, 9"), "23514", "balanced"),
    "I2 appended to an old entry": (
        LEGS.replace("(SELECT max(id) FROM ledger.entry)", "{old}").format(
            old="{old}", rows="({b}, 3, 5, 9, 9), ({c}, 4, -5, 9, 9)"
        ),
        "23514",
        "leg_count",
    ),
    "I2 in two statements": (
        entry("{a}, 1, 5, 9, 9") + LEGS.format(rows="({b}, 2, -5, 9, 9)"),
        "23514",
        None,
    ),
    "I2 without legs": (entry() + AT_COMMIT, "23514", "leg_count"),
    "I3 an account twice": (entry("{a}, 1, 5, 9, 9", "{a}, 2, -5, 10, 9"), "23505", "posting_pkey"),
    "I4 zero": (entry("{a}, 1, 0, 9, 9", "{b}, 2, 0, 9, 9"), "23514", "posting_amount_check"),
    "I4 too large": (
        entry("{a}, 1, 1000000000001, 9, 9", "{b}, 2, -1000000000001, 9, 9"),
        "23514",
        "posting_amount_check",
    ),
    "I5 a balance below its floor": (
        "UPDATE ledger.account_balance SET balance = -1 WHERE account_id = {a}",
        "23514",
        "floor",
    ),
    "I5 a leg below the floor": (
        entry("{a}, 1, 5, 9, -1", "{b}, 2, -5, 9, 9"),
        "23514",
        "floor",
    ),
    "I5 a transfer above the wallet": (
        """SELECT ledger.post(1::smallint, 'EUR', 'table/x', 7, 0, now(), now(), NULL, sha256('x'),
            ARRAY[{a}, {b}], ARRAY[1001, -1001])""",
        "23514",
        "floor",
    ),
    "I5 a balance above the limit": (
        "UPDATE ledger.account_balance SET balance = 1000000000000001 WHERE account_id = {a}",
        "23514",
        "balance_limit",
    ),
    "I6 legs without their balances": (
        entry("{a}, 1, 5, 9, 9", "{b}, 2, -5, 9, 9") + AT_COMMIT,
        "23514",
        "balance_moved",
    ),
    "I6 another balance than the one stored": (
        one_after_another(
            entry("{a}, 1, 5, 2, 7", "{b}, 2, -5, 1, 5"),
            "UPDATE ledger.account_balance SET version = 2 WHERE account_id IN ({a}, {b})",
            AT_COMMIT,
        ),
        "23514",
        "balance_moved",
    ),
    "I6 a used version": (
        entry("{a}, 1, 5, 1, 9", "{b}, 2, -5, 9, 9"),
        "23505",
        "posting_version",
    ),
    "I8 the same key": (ENTRY.replace("table/x', 7", "wallet/a', 1"), "23505", "entry_key"),
    "I9 an unknown account": (
        entry("999999, 1, 5, 9, 9", "{b}, 2, -5, 9, 9"),
        "23514",
        "account_known",
    ),
    "I9 a closed account": (
        "SELECT ledger.set_state('{code_c}', 'closed');"
        + entry("{a}, 1, 5, 9, 9", "{c}, 2, -5, 9, 9"),
        "23514",
        "account_open",
    ),
    "I9 another currency": (
        entry("{a}, 1, 5, 9, 9", "{chips}, 2, -5, 9, 9"),
        "23514",
        "entry_currency",
    ),
    "I9 a debit of a frozen account": (
        "SELECT ledger.set_state('{code_a}', 'frozen');"
        + entry("{a}, 1, 5, 9, 9", "{b}, 2, -5, 9, 9"),
        "23514",
        "account_not_frozen",
    ),
    "I10 reversed twice": (
        entry(reverses="{old}") + ENTRY.replace("7, 0", "8, 0").format(count=2, reverses="{old}"),
        "23505",
        "entry_reverses",
    ),
    "I11 a reference twice": (
        "INSERT INTO ledger.external_payment VALUES ('manual', 'r-1', 'in', 'wallet/a', 2)",
        "23505",
        "external_payment_pkey",
    ),
    "an account of a currency that is not installed": (
        "INSERT INTO ledger.account VALUES (99, 'wallet:x:JPY', 'wallet', 'L', 'JPY')",
        "23503",
        "account_currency_fkey",
    ),
    "chips are no currency": (
        "INSERT INTO ledger.currency VALUES ('CHIPS', 0, 'play', 'no')",
        "23514",
        "currency_code_check",
    ),
}
REPLICA = "replica"
IDENTITIES = (APP, OWNER, REPLICA)
# Foreign keys are triggers of the system, which sleep under `replica`.
PAIRS = tuple(
    (who, name)
    for name in BROKEN
    for who in IDENTITIES
    if (who, BROKEN[name][1]) != (REPLICA, "23503")
)
DENIED = "42501"
POSTS = "ledger.post("  # what the application may call


def attack(superuser: str, invariants: str, rerun: str) -> Found:
    """Break these invariants (`I1 I2`) by raw SQL in every role; what is not refused is a breach.

    `superuser` is the address of the database for its superuser. Nothing stays there.
    """
    found = Found()
    chosen = [(who, name) for who, name in PAIRS if name.split()[0] in invariants.split()]
    for who, name in chosen:
        with identity(superuser, who) as connection:
            wanted = expected(who, name)
            got = refusal_of(connection, statement(name, books(connection)))
        if got is not None and got[0] == wanted[0] and wanted[1] in (None, got[1]):
            found.done["refused"] += 1
        else:
            found.breaches.append(
                Breach(f"not refused: {name}", f"as {who}", str(wanted), str(got), rerun)
            )
    return found


def pairs_of(invariants: str) -> int:
    """How many attempts `attack` makes."""
    return sum(name.split()[0] in invariants.split() for _, name in PAIRS)


@contextlib.contextmanager
def identity(superuser: str, who: str) -> Iterator[psycopg.Connection]:
    """A connection of one of the identities, rolled back at the end."""
    address = make_conninfo(superuser, user=who) if who != REPLICA else superuser
    with psycopg.connect(address) as connection:
        if who == REPLICA:
            connection.execute("SET session_replication_role = 'replica'")
            connection.execute(f"SET ROLE {OWNER}".encode())
        yield connection
        connection.rollback()


def statement(name: str, made: Mapping[str, object]) -> str:
    """The attempt, with the accounts that it speaks of."""
    sql = BROKEN[name][0].replace("{count}", "2").replace("{reverses}", "NULL")
    return sql.format(**made)


def expected(who: str, name: str) -> tuple[str, str | None]:
    """SQLSTATE, and the constraint where it matters; the application lacks the right itself."""
    sql, state, constraint = BROKEN[name]
    return (DENIED, None) if who == APP and POSTS not in sql else (state, constraint)


def refusal_of(connection: psycopg.Connection, sql: str) -> tuple[str | None, str | None] | None:
    """SQLSTATE and constraint of what a statement is refused with, None where it is done."""
    try:
        connection.execute(sql.encode())
    except psycopg.Error as fault:
        return fault.sqlstate, fault.diag.constraint_name
    return None


def books(connection: psycopg.Connection) -> dict[str, object]:
    """Wallets a (1000), b and c, one of chips, and the entry that paid into a."""
    codes = {name: f"wallet:{new_id()}:EUR" for name in "abc"}
    made: dict[str, object] = {f"code_{name}": code for name, code in codes.items()}
    codes["chips"] = f"wallet:{new_id()}:XTK"
    for name, code in codes.items():
        made[name] = _value(
            connection.execute(
                "SELECT ledger.open_account(%s, 'wallet', 'L', %s, NULL, NULL, NULL, 0)",
                [code, code[-3:]],
            )
        )
    made["old"] = _value(
        connection.execute(
            """SELECT entry_id FROM ledger.post(30::smallint, 'EUR', 'wallet/a', 1, 0, now(), now(),
            NULL, sha256('x'),
            ARRAY[%s, (SELECT id FROM ledger.account WHERE code = 'cash:manual:EUR:00')],
            ARRAY[-1000, 1000])""",
            [made["a"]],
        )
    )
    connection.execute("SELECT ledger.record_payment('manual', 'r-1', 'in', 'wallet/a', 1)")
    connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    connection.execute("SET CONSTRAINTS ALL DEFERRED")
    return made


def _value(cursor: psycopg.Cursor) -> object:
    (row,) = cursor.fetchall()
    return row[0]
