"""Manual entries: one person proposes, a second one approves or rejects, time ends the rest."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from uuid import UUID

from eventstore import store as log
from eventstore.core.chain import Fact
from eventstore.core.ids import HOUSE, subject, tournament_stream, wallet_stream
from eventstore.core.record import Stored, time_text
from eventstore.core.refusal import InvariantBroken, Refusal, Refused, Retryable, refuse
from eventstore.ports import new_id
from eventstore.services import (
    LiveRow,
    Outcome,
    Receipt,
    Row,
    Transaction,
    in_transaction,
    require_writable,
    run_command,
    update_live,
)
from ledger.core import adjustments as core
from ledger.core.entries import Entry, entries_for
from ledger.core.events import AdjustmentApproved, AdjustmentProposed, AdjustmentRejected, Line
from ledger.core.periods import FIRST_DAY
from ledger.core.receipts import directors
from ledger.models import Adjustment, AdjustmentComment
from ledger.selectors import currency_kinds, entry_id_of
from ledger.services.orders import by_staff, lock_wallet, require_admin
from ledger.services.wallets import record
from ledger.store import manual as store
from ledger.store import orders
from players.core.proposals import decision_refusal, is_over, over_since
from players.core.roles import ADMIN, AUDITOR, ORGANISER
from players.selectors import Person
from players.services import account_row

CLOCK = "worker:clock"
_DIRECTING = ("TournamentDrafted", "DirectorAdded")
_ENTERING = ("EntryPaid", "ReEntered")
_VERSION_MAX = 2**31 - 1

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A manual entry that somebody asks for; `text` stays out of the log."""

    lines: tuple[Line, ...]
    currency: str
    reason_code: str
    text: str
    reverses: str | None = None
    effective: date | None = None
    tournament: UUID | None = None


def propose(wish: Wish, proposer: Person, receipt: Receipt) -> Outcome:
    """Ask for a manual entry: an admin for any, an organiser for one about his own event.

    Appends AdjustmentProposed; moves nothing. Raises: Refused with `not_permitted`, `not_found`
    (the tournament), `four_eyes` (about himself), `invalid_field`, `unknown_currency`,
    `bad_amount`, `bad_entry`, `unbalanced`, `currency_mismatch`, `unknown_account`,
    `not_adjustable`, `reversal_mismatch`, `already_reversed`, `period_closed`.
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        del row  # locked, so that what one person asks for within a day is counted in order
        amount = _check_shape(wish)
        player = core.subject_of(wish.lines, wish.reverses)
        _check_proposer(wish, proposer, player)
        proposed = _proposed(wish, proposer)
        _check_books(wish, _entry(tx, proposed, player), tx)
        (stored,) = record(tx, UUID(player), [Fact(proposed, _actor(proposer))])
        made = Adjustment.objects.create(
            id=proposed.adjustment,
            stream=stored.stream,
            version=stored.version,
            player=None if player == str(HOUSE) else player,
            tournament=wish.tournament,
            proposer=proposer.id,
            currency=wish.currency,
            amount=amount,
            lines=[{"account": line.account, "amount": line.amount} for line in wish.lines],
            reason_code=wish.reason_code,
            reverses=wish.reverses,
            effective=wish.effective,
            text=wish.text,
            state="proposed",
            proposed_at=tx.now,
        )
        result = {"adjustment_id": str(made.id)}
        return Outcome(201, result, stored.stream, stored.version, stored.version)

    return run_command(receipt, account_row(proposer.id), work)


def approve(adjustment: UUID, approver: Person, note: str, receipt: Receipt) -> Outcome:
    """Agree to a manual entry: it is posted now.

    Raises: Refused with `not_permitted`, `not_found`, `already_decided`, `four_eyes`, `too_late`,
    `cooling_off` (`until` in facts), `insufficient_funds`, `floor_violated`, `account_frozen`,
    `account_closed`, `balance_limit`, `reversal_mismatch`, `already_reversed`, `period_closed`.
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        proposed = _proposal(row)
        _check_decider(tx, row, proposed, approver)
        _check_cooling(tx, row)
        said = {name: getattr(proposed, name) for name in proposed.__struct_fields__}
        approved = AdjustmentApproved(**said, approver=str(approver.id))
        (stored,) = _record(tx, row, Fact(approved, by_staff(approver)))
        _check_held(proposed)
        entry = entry_id_of(stored.stream, stored.version)
        changes = {**_decision(tx, "approved", approver, note), "entry_id": entry}
        result = {"adjustment_id": str(row["id"]), "entry_id": entry}
        return Outcome(200, result, stored.stream, stored.version, stored.version, changes)

    require_admin(approver)
    return run_command(receipt, _live(adjustment), work)


def reject(adjustment: UUID, decider: Person, note: str, receipt: Receipt) -> Outcome:
    """Refuse a manual entry. Appends AdjustmentRejected. Raises: Refused as `approve`."""

    def work(tx: Transaction, row: Row) -> Outcome:
        _check_decider(tx, row, _proposal(row), decider)
        rejected = AdjustmentRejected(
            adjustment=str(row["id"]), reason_code=core.REJECTED, rejected_by=str(decider.id)
        )
        _record(tx, row, Fact(rejected, by_staff(decider)))
        changes = _decision(tx, core.REJECTED, decider, note)
        return Outcome(200, {"adjustment_id": str(row["id"])}, changes=changes)

    require_admin(decider)
    return run_command(receipt, _live(adjustment), work)


def comment(adjustment: UUID, author: Person, text: str, receipt: Receipt) -> Outcome:
    """Say something of a manual entry: its proposer, auditors and admins.

    Raises: Refused with `not_permitted`, `not_found`.
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        if row["proposer"] != author.id and not author.roles & {AUDITOR, ADMIN}:
            raise refuse("not_found")
        made = AdjustmentComment.objects.create(
            id=new_id(), adjustment_id=row["id"], author=author.id, at=tx.now, text=text
        )
        return Outcome(201, {"comment_id": str(made.id)})

    if not author.roles & {ORGANISER, AUDITOR, ADMIN}:
        raise refuse("not_permitted")
    return run_command(receipt, _live(adjustment), work)


def expire_due() -> int:
    """End the proposals that nobody decided in time; how many there were.

    Opens a transaction for each, so that one that can not be ended does not hold up the others.
    """
    done = 0
    for adjustment in in_transaction(lambda tx: store.overdue_adjustments(over_since(tx.now))):
        try:
            done += in_transaction(partial(_expire, adjustment=adjustment))
        except Retryable as fault:
            logger.warning("adjustment %s waits for the next sweep: %s", adjustment, fault)
    return done


def _expire(tx: Transaction, *, adjustment: UUID) -> bool:
    require_writable()  # time has no receipt that would ask
    live = _live(adjustment)
    (row,) = tx.lock([live])
    if row["state"] != "proposed" or not is_over(row["proposed_at"], tx.now):
        return False
    ended = AdjustmentRejected(
        adjustment=str(adjustment), reason_code=core.EXPIRED, rejected_by=None
    )
    _record(tx, row, Fact(ended, CLOCK, auto=True))
    update_live(live, {"state": core.EXPIRED, "decided_at": tx.now})
    return True


# --- what may be asked for ------------------------------------------------------------------------


def _check_shape(wish: Wish) -> int:
    """How much is moved, if the wish is sound in itself."""
    core.check_reason(wish.reason_code, wish.reverses)
    known = currency_kinds()
    if wish.currency not in known:
        raise refuse("unknown_currency", field="currency", known=sorted(known))
    return core.debits(wish.lines)


def _check_proposer(wish: Wish, proposer: Person, player: str) -> None:
    """Nobody asks for himself; an organiser asks for a player, or the entries, of his own event."""
    stream = tournament_stream(wish.tournament) if wish.tournament else None
    directing = log.events_after(stream, 0, types=_DIRECTING) if stream else ()
    if stream and not directing:
        raise refuse("not_found", field="tournament_id")
    if ADMIN not in proposer.roles:
        if ORGANISER not in proposer.roles or str(proposer.id) not in directors(directing):
            raise refuse("not_permitted")
        if not _belongs_to(str(stream), wish, player):
            raise refuse("not_permitted", field="lines")
    if str(proposer.id) in core.concerned(wish.lines):
        raise refuse("four_eyes")


def _belongs_to(stream: str, wish: Wish, player: str) -> bool:
    """Whether a wish is about an event: an entry that it made, or a player who entered."""
    if wish.reverses:
        return wish.reverses.startswith(f"{stream}@")
    entered = log.latest_of_player(stream, types=_ENTERING, player=player, below=_VERSION_MAX)
    return entered is not None


def _proposed(wish: Wish, proposer: Person) -> AdjustmentProposed:
    return AdjustmentProposed(
        adjustment=str(new_id()),
        lines=wish.lines,
        currency=wish.currency,
        reason_code=wish.reason_code,
        proposer=str(proposer.id),
        reverses=wish.reverses,
        effective=wish.effective.isoformat() if wish.effective else None,
    )


def _entry(tx: Transaction, proposed: AdjustmentProposed, player: str) -> Entry:
    """The entry that an approval would post, which judges its shape. Raises: Refused."""
    stream = wallet_stream(player)
    said = {name: getattr(proposed, name) for name in proposed.__struct_fields__}
    approved = AdjustmentApproved(**said, approver=str(HOUSE))  # for nobody yet: it is not kept
    (sealed,) = tx.seal(stream, tx.load(stream).head, [Fact(approved, CLOCK)])
    made = entries_for(sealed)
    if isinstance(made, Refusal):
        raise Refused(made)
    (entry,) = made
    return entry


def _check_books(wish: Wish, entry: Entry, tx: Transaction) -> None:
    """Refuse what the books would never take, whenever it is approved."""
    if entry.effective_at > tx.now or entry.effective_at.date() < FIRST_DAY:
        raise refuse("invalid_field", field="effective")
    closed = store.closed_through()
    if closed is not None and entry.effective_at.date() <= closed:
        raise refuse("period_closed", through=closed.isoformat())
    if wish.reverses:
        _check_mirror(wish.reverses, wish.lines)
    missing = store.missing_accounts(line.account for line in wish.lines)
    if missing:
        raise refuse("unknown_account", account=missing[0])


def _check_mirror(key: str, lines: tuple[Line, ...]) -> None:
    found = store.entry_legs(key)
    mirror = {line.account: -line.amount for line in lines}
    if found is None or found[1] != mirror:
        raise refuse("reversal_mismatch", reverses=key)
    if store.is_reversed(found[0]):
        raise refuse("already_reversed", reverses=key)


def _actor(proposer: Person) -> str:
    return by_staff(proposer) if ADMIN in proposer.roles else f"player:{proposer.id}"


# --- who may decide -------------------------------------------------------------------------------


def _proposal(row: Row) -> AdjustmentProposed:
    (stored,) = log.events_after(row["stream"], row["version"] - 1, limit=1)
    if not isinstance(stored.event, AdjustmentProposed):
        raise InvariantBroken(f"{row['stream']}@{row['version']} is no proposal")
    return stored.event


def _check_decider(
    tx: Transaction, row: Row, proposed: AdjustmentProposed, decider: Person
) -> None:
    refusal = decision_refusal(
        row["state"],
        (row["proposer"], decider.id),
        (row["proposed_at"], tx.now),
        own=core.concerned(proposed.lines),
    )
    if refusal:
        raise Refused(refusal)


def _check_cooling(tx: Transaction, row: Row) -> None:
    """Much money in one day is slept over."""
    at = row["proposed_at"]
    asked = store.asked_within_a_day(row["proposer"], row["currency"], at, row["id"])
    until = core.cooling_until(row["currency"], asked, at)
    if until is not None and tx.now < until:
        raise refuse("cooling_off", until=time_text(until))


def _check_held(proposed: AdjustmentProposed) -> None:
    """What withdrawals on their way hold is theirs, whatever a mirror would take back.

    Asked after the posting, whose lock every step of a withdrawal waits for.
    """
    for line in proposed.lines:
        if line.account.startswith("withdrawal:") and orders.uncovered(line.account):
            raise refuse("floor_violated", account=line.account)


def _decision(tx: Transaction, state: str, decider: Person, note: str) -> Mapping[str, object]:
    return {"state": state, "decided_by": decider.id, "decided_at": tx.now, "note": note}


def _record(tx: Transaction, row: Row, fact: Fact) -> tuple[Stored, ...]:
    """Record a decision in the stream of its proposal, behind whoever writes to that wallet."""
    player = subject(row["stream"])
    lock_wallet(tx, player)
    return record(tx, player, [fact])


def _live(adjustment: UUID) -> LiveRow:
    return LiveRow("ledger.adjustment", adjustment)
