"""Dealing: at a cash table when it is due, at a tournament table when it is told."""

from collections.abc import Sequence
from uuid import UUID

from eventstore.core.chain import Fact
from eventstore.core.refusal import refuse
from eventstore.services import (
    Outcome,
    Receipt,
    Row,
    Transaction,
    fingerprint,
    run_command,
)
from games.folds import Folded
from games.rules.table import Table
from games.services import loading
from games.services.committing import Round, Terms, next_round, own_terms, with_commitment
from games.services.loading import DEALER, append
from games.services.stopping import stop_play
from ledger.selectors import cursor


def system_receipt(actor: str, act: str, subject: UUID, version: int) -> Receipt:
    """Receipt of a command of the product itself: its key says what is done at which version."""
    key = f"{act}_{subject}_{version}"
    return Receipt(actor, key, fingerprint("TASK", act, {"id": str(subject), "version": version}))


def books_stand(loaded: Folded) -> bool:
    """Whether people must look at the books of a table before it begins another hand."""
    return cursor(loaded.stream).parked_code is not None


def deal_next(table_id: UUID, version: int) -> Outcome:
    """Deal the hand that is due at a cash table in this version, or commit to it.

    Where somebody may not play on, he is stood up instead, and the table is looked at anew.

    Locks the live row; appends DealerCut before the first hand and ShuffleCommitted; without a
    seat that gives a seed HandDealt too, and the end where the deal decides it. Raises: Refused
    with `stale_version` where something else happened meanwhile, `wrong_state` where nothing is
    due, `table_parked`, `unavailable` (the beacon of the table does not answer).
    """
    mixed_in = next_round(table_id)

    def work(tx: Transaction, row: Row) -> Outcome:
        loaded = loading.load(tx, row)
        table = loaded.table
        if table.version != version:
            raise refuse("stale_version", current_version=table.version)
        if row["due"] != "deal" or tx.now < row["due_at"]:
            raise refuse("wrong_state", status=table.status)
        if books_stand(loaded):
            raise refuse("table_parked")
        stopped = stop_play(tx, loaded)
        if stopped is not None:
            return stopped
        after, first, last = deal_in(tx, loaded, own_terms(table), mixed_in=mixed_in)
        return Outcome(
            status=200,
            result={"version": last},
            stream=loaded.stream,
            first_version=first,
            last_version=last,
            changes=deal_changes(row, after),
        )

    receipt = system_receipt(DEALER, "deal", table_id, version)
    return run_command(receipt, loading.live(table_id), work)


def deal_in(
    tx: Transaction,
    loaded: Folded,
    terms: Terms,
    *,
    before: Sequence[Fact] = (),
    mixed_in: Round | None = None,
) -> tuple[Table, int, int]:
    """Deal at a locked table, or commit to a deal: the table after it, first and last version.

    `before` are facts that go into the same append, ahead of the deal: who is dealt in is judged
    after them. Where a seat has an anchor, HandDealt follows once the seeds are given. Raises:
    Refused with `wrong_state` where fewer than two can be dealt in, `unavailable`.
    """
    facts = with_commitment(tx, loaded, terms, before=before, mixed_in=mixed_in)
    if len(facts) == len(before):
        raise refuse("wrong_state", status=loaded.table.status)
    after, sealed = append(tx, loaded, facts)
    return after.table, sealed[0].version, sealed[-1].version


def deal_changes(row: Row, after: Table) -> dict[str, object]:
    """Fields of the live row after an append that may have dealt a hand."""
    changes = loading.changes(after)
    if after.dealt_version is None or after.dealt_version <= row["version"]:
        return changes
    return changes | {"hand_version": after.dealt_version} | loading.counted_hands(row, after)
