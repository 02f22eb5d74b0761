"""Dealing: at a cash table when it is due, at a tournament table when it is told."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from eventstore.core.chain import Fact
from eventstore.core.refusal import refuse
from eventstore.ports import new_id
from eventstore.services import (
    Outcome,
    Receipt,
    Row,
    Transaction,
    fingerprint,
    run_command,
)
from games import dealer
from games.folds import Folded
from games.rules import events, fair
from games.rules.hosting import dealt_in
from games.rules.table import Table
from games.services import loading
from games.services.hands import Deal, cut_for_deal, deal, first_dealer
from games.services.loading import DEALER, append, preview
from ledger.selectors import cursor


def system_receipt(actor: str, act: str, subject: UUID, version: int) -> Receipt:
    """Receipt of a command of the product itself: its key says what is done at which version."""
    key = f"{act}_{subject}_{version}"
    return Receipt(actor, key, fingerprint("TASK", act, {"id": str(subject), "version": version}))


def deal_next(table_id: UUID, version: int) -> Outcome:
    """Deal the hand that is due at a cash table in this version.

    Locks the live row; appends DealerCut before the first hand, ShuffleCommitted, HandDealt, and
    the end where the deal decides it. Raises: Refused with `stale_version` where something else
    happened meanwhile, `wrong_state` where nothing is due, `table_parked`.
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        loaded = loading.load(tx, row)
        table = loaded.table
        if table.version != version:
            raise refuse("stale_version", current_version=table.version)
        if row["due"] != "deal" or tx.now < row["due_at"]:
            raise refuse("wrong_state", status=table.status)
        if cursor(loaded.stream).parked_code is not None:
            raise refuse("table_parked")
        after, first, last = deal_in(tx, loaded, own_terms(table))
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a deal is made with where it is not the table's own: stake, clock, a full bank."""

    stake: int
    clock: events.Clock
    refill_bank: bool = False


def own_terms(table: Table) -> Terms:
    """Stake and clock of the table."""
    return Terms(stake=table.stake, clock=table.clock)


def deal_in(
    tx: Transaction, loaded: Folded, terms: Terms, *, before: Sequence[Fact] = ()
) -> tuple[Table, int, int]:
    """Deal at a locked table: the table after it, first and last version.

    `before` are facts that go into the same append, ahead of the deal: who is dealt in is judged
    after them. Raises: Refused with `wrong_state` where fewer than two can be dealt in.
    """
    table, hand_id = preview(loaded, before, tx.now), new_id()
    players = dealt_in(table)
    if not players:
        raise refuse("wrong_state", status=table.status)
    facts = list(before)
    dealer_seat = first_dealer(table, [place.seat for place in players])
    if dealer_seat is None:
        cut = cut_for_deal(loaded.id, table, players)
        facts.append(Fact(cut, DEALER))
        dealer_seat = cut.dealer
        table = preview(loaded, facts, tx.now)  # the cut may have moved people
        players = dealt_in(table)
    options = table.rules.options
    shuffled = dealer.shuffle(
        hand_id,
        fair.deck_spec(options.deck, options.jokers),
        [(place.seat, UUID(place.player)) for place in players],
    )
    plan = Deal(
        hand=hand_id,
        table=table,
        players=players,
        dealer=dealer_seat,
        stake=terms.stake,
        clock=terms.clock,
        refill_bank=terms.refill_bank,
    )
    made, ended = deal(plan, shuffled)
    if not ended:
        dealer.keep(hand_id, shuffled.server_seed, tx.now)
    after, sealed = append(tx, loaded, facts + made)
    return after.table, sealed[0].version, sealed[-1].version


def deal_changes(row: Row, after: Table) -> dict[str, object]:
    """Fields of the live row after a deal."""
    changes = loading.changes(after)
    if after.dealt is not None and after.dealt_version is not None:
        changes["hand_version"] = after.dealt_version
    return changes | loading.counted_hands(row, after)
