"""The end of the time for seeds: the deck is sealed and dealt, or the commitment is given up."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from eventstore.core.chain import Fact
from eventstore.core.refusal import refuse
from eventstore.services import Outcome, Row, Transaction, run_command
from games.beacon import beacon, beacon_of
from games.folds import Folded, current
from games.models import Table as Live
from games.rules import window
from games.rules.table import Table
from games.services import loading
from games.services.committing import (
    aborted,
    round_at,
    sealed,
    silent,
    terms_of,
    with_commitment,
)
from games.services.deals import books_stand, deal_changes, system_receipt
from games.services.loading import DEALER, append


def seal_next(table_id: UUID, version: int) -> Outcome:
    """Seal the hand that a table is committed to, its time for seeds being over.

    Locks the live row; appends HandDealt, or ShuffleAborted: at a strict table with a silent seat,
    which sits out, together with the next commitment; without the beacon's round. The seed of an
    aborted hand is shown and removed. Raises: Refused with `stale_version`, `wrong_state` (no
    commitment, or time is left), `unavailable` (the beacon's round is waited for).
    """
    drawn = _drawn(table_id)

    def work(tx: Transaction, row: Row) -> Outcome:
        loaded = loading.load(tx, row)
        table = loaded.table
        if table.version != version:
            raise refuse("stale_version", current_version=table.version)
        if row["due"] != "seal" or not table.sealing or tx.now < row["due_at"]:
            raise refuse("wrong_state", status=table.status)
        after, made = append(tx, loaded, _ending(tx, loaded, drawn))
        return Outcome(
            status=200,
            result={"version": after.head.version},
            stream=loaded.stream,
            first_version=made[0].version,
            last_version=after.head.version,
            changes=deal_changes(row, after.table),
        )

    receipt = system_receipt(DEALER, "seal", table_id, version)
    return run_command(receipt, loading.live(table_id), work)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What the beacon has said about a round; no bytes: it is not to be had."""

    number: int
    randomness: bytes = b""


def _drawn(table_id: UUID) -> _Drawn | None:
    """The beacon's bytes for the open commitment, asked before the transaction."""
    row = Live.objects.filter(id=table_id).values_list("hand_version", "due").first()
    if beacon() is None or row is None or row[1] != "seal":
        return None
    committed = current(table_id, row[0]).table.commitment
    if committed is None or committed.beacon is None:
        return None
    # The settings may name another chain by now, whose rounds have the same numbers.
    source, number = beacon_of(committed.beacon.chain), committed.beacon.round
    if source is None:
        return None
    return _Drawn(number, source.randomness(number) or b"")


def _ending(tx: Transaction, loaded: Folded, drawn: _Drawn | None) -> list[Fact]:
    table = loaded.table
    if not window.still_there(table):
        return aborted(table, "seat_lost")
    committed = table.commitment
    missing = window.missing(committed, table.seeds) if committed else ()
    if table.fairness == "strict" and missing:
        return _without_the_silent(tx, loaded, missing)
    if committed is None or committed.beacon is None:
        return sealed(table)
    if drawn and drawn.randomness and drawn.number == committed.beacon.round:
        return sealed(table, drawn.randomness)
    if _is_waited_for(tx, table):
        raise refuse("unavailable")
    return aborted(table, "beacon_unavailable")


def _is_waited_for(tx: Transaction, table: Table) -> bool:
    at = round_at(table)
    patience = timedelta(milliseconds=window.BEACON_PATIENCE_MS)
    return at is not None and tx.now < at + patience


def _without_the_silent(tx: Transaction, loaded: Folded, missing: tuple[int, ...]) -> list[Fact]:
    """The abort, and at once a new hand and seed with the others where two or more are left."""
    table = loaded.table
    terms = terms_of(table)
    facts = aborted(table, "silent_seat", missing)
    facts += [silent(table.place(seat)) for seat in missing if table.place(seat).sat_out is None]
    if books_stand(loaded):
        return facts
    return with_commitment(tx, loaded, terms, before=facts)
