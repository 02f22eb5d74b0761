"""What manual entries and the closing of periods ask of the live books."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from uuid import UUID

from ledger.core.accounts import OWNER, parse, unstriped
from ledger.core.entries import read_key
from ledger.store.books import LIVE


def missing_accounts(codes: Iterable[str]) -> list[str]:
    """Which accounts, by codes without a stripe, can not be posted on.

    What a player owes has an account from its first use on; his wallet in that currency answers for
    it until then.
    """
    asked = {code: _needed(code) for code in codes}
    rows = LIVE.rows(
        "SELECT code FROM ledger.account WHERE code = ANY(%s::text[])", [list(asked.values())]
    )
    there = {code for (code,) in rows}
    return sorted(code for code, needed in asked.items() if needed not in there)


def _needed(code: str) -> str:
    account = parse(code)
    if account.role.name == "receivable":
        return f"wallet:{account.id_of(OWNER)}:{account.currency}"
    return f"{code}:00" if account.role.house else code


def entry_legs(key: str) -> tuple[int, dict[str, int]] | None:
    """Id and legs of the entry with a key, stripes together; None: there is no such entry."""
    rows = LIVE.rows(
        """SELECT e.id, a.code, p.amount FROM ledger.entry e
        JOIN ledger.posting p ON p.entry_id = e.id JOIN ledger.account a ON a.id = p.account_id
        WHERE (e.stream, e.version, e.part) = (%s::text, %s::int, %s::int)""",
        read_key(key),
    )
    legs = {unstriped(code): amount for _, code, amount in rows}
    return (rows[0][0], legs) if rows else None


def is_reversed(entry_id: int) -> bool:
    """Whether an entry was taken back."""
    return bool(LIVE.rows("SELECT 1 FROM ledger.entry WHERE reverses = %s", [entry_id]))


def asked_within_a_day(proposer: UUID, currency: str, at: datetime, adjustment: UUID) -> int:
    """What a proposer asked for in the 24 hours up to a proposal, with it; refused ones are out."""
    rows = LIVE.rows(
        """SELECT sum(amount) FROM ledger.adjustment
        WHERE proposer = %(proposer)s AND currency = %(currency)s
            AND state IN ('proposed', 'approved') AND proposed_at > %(at)s - interval '24 hours'
            AND (proposed_at, id) <= (%(at)s, %(id)s)""",
        {"proposer": proposer, "currency": currency, "at": at, "id": adjustment},
    )
    return int(rows[0][0] or 0)


def overdue_adjustments(before: datetime) -> list[UUID]:
    """Open proposals that were made before an instant, the oldest first."""
    sql = """SELECT id FROM ledger.adjustment WHERE state = 'proposed' AND proposed_at <= %s
        ORDER BY proposed_at"""
    return [found for (found,) in LIVE.rows(sql, [before])]


def wallet_states(player: UUID) -> set[str]:
    """States of a player's wallets; none: he has no wallet."""
    rows = LIVE.rows(
        """SELECT DISTINCT b.state FROM ledger.account a
        JOIN ledger.account_balance b ON b.account_id = a.id
        WHERE a.owner = %s AND a.role = 'wallet'""",
        [player],
    )
    return {state for (state,) in rows}


# --- periods --------------------------------------------------------------------------------------


def closed_through() -> date | None:
    """The last day whose books are closed."""
    found: date | None = LIVE.rows("SELECT max(through) FROM ledger.period")[0][0]
    return found


def period_id(through: date) -> int:
    """Id of the period that ends with a day."""
    rows = LIVE.rows("SELECT id FROM ledger.period WHERE through = %s", [through])
    return int(rows[0][0])


def keep_period(period: int, held: Sequence[tuple[int, int, int]]) -> None:
    """Keep what the accounts held at a closing: account, balance, version of each."""
    columns = [list(column) for column in zip(*held, strict=True)] or [[], [], []]
    LIVE.rows(
        "SELECT ledger.keep_period(%s::bigint, %s::bigint[], %s::bigint[], %s::bigint[])",
        [period, *columns],
    )
