"""Load a tournament under its lock, append to it, and what its live row says afterwards."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from eventstore.core.chain import Fact, Head, head_of
from eventstore.core.ids import tournament_stream
from eventstore.core.record import EVENTS_PER_APPEND_MAX, Stored
from eventstore.core.refusal import InvariantBroken, Refusal, Refused, refuse
from eventstore.sealing import Sealed, seal, unseal
from eventstore.services import LiveRow, Outcome, Transaction
from ledger.services import mark_due
from tournaments.core import events
from tournaments.core.drafting import Decision
from tournaments.core.folding import evolve
from tournaments.core.lifecycle import Status
from tournaments.core.options import Matches
from tournaments.core.rounds import open_matches
from tournaments.core.state import Tournament
from tournaments.models import LotSecret
from tournaments.selectors import folded
from tournaments.wake import look

RELATION = "tournaments_tournament"
DIRECTOR = "worker:director"
MATCH_ENDS = frozenset({"MatchReported", "WalkoverAwarded"})
SETTLED_TYPES = frozenset({"EntryRefunded", "BountyPaid", "PrizesComputed", "Cancelled", "Settled"})


@dataclass(frozen=True, slots=True)
class Loaded:
    """A tournament as its stream tells, the records, and the stream's head."""

    id: UUID
    state: Tournament
    stored: tuple[Stored, ...]
    head: Head

    @property
    def stream(self) -> str:
        """Name of the tournament's stream."""
        return tournament_stream(self.id)


def live(tournament_id: UUID) -> LiveRow:
    """The live row of a tournament."""
    return LiveRow(RELATION, tournament_id)


def load(tx: Transaction, tournament_id: UUID) -> Loaded:
    """The tournament of a locked live row. One statement."""
    stored = tx.load(tournament_stream(tournament_id)).events
    return Loaded(tournament_id, folded(stored), stored, head_of(stored))


def decided(decision: Decision) -> tuple[events.Event, ...]:
    """The facts of a decision. Raises: Refused where it is a refusal."""
    if isinstance(decision, Refusal):
        raise Refused(decision)
    return decision


def append(tx: Transaction, loaded: Loaded, facts: Sequence[Fact]) -> Loaded:
    """The tournament after these facts, which may need several appends."""
    for start in range(0, len(facts), EVENTS_PER_APPEND_MAX):
        sealed = tx.append(loaded.stream, loaded.head, facts[start : start + EVENTS_PER_APPEND_MAX])
        loaded = after_append(loaded, sealed)
    return loaded


def after_append(loaded: Loaded, sealed: Sequence[Stored]) -> Loaded:
    """The tournament after records that were appended; settlement is marked, doers are woken."""
    state = loaded.state
    for one in sealed:
        if not isinstance(one.event, events.Event):
            raise InvariantBroken(f"{one.type} in {one.stream}")
        state = replace(evolve(state, one.event), version=one.version)
    money = [one for one in sealed if one.type in SETTLED_TYPES]
    if money:
        mark_due(loaded.stream, version=money[-1].version, at=money[0].at)
    if any(one.type == "LotSeedRevealed" for one in sealed):  # from now on it is in the log
        LotSecret.objects.filter(tournament=loaded.id).delete()
    after = Loaded(loaded.id, state, (*loaded.stored, *sealed), head_of(sealed))
    if due(after)[0] is not None:
        look(loaded.id)
    return after


def changes(loaded: Loaded) -> dict[str, object]:
    """The fields of a live row that are a fold of the stream."""
    what, at = due(loaded)
    return {
        "version": loaded.head.version,
        "status": loaded.state.status.value if loaded.state.status else "",
        "due": what,
        "due_at": at,
        "entries": loaded.state.entered,
        "attempts": 0,
    }


def due(loaded: Loaded) -> tuple[str | None, datetime | None]:
    """What is due of the tournament itself: its next round, prizes, the word that all is settled.

    What is due at its tables stands in their own rows.
    """
    at = loaded.head.at
    if at is None:
        return None, None
    if loaded.state.status is Status.RUNNING:
        return _round_due(loaded)
    if loaded.state.status is Status.COMPLETED:
        minutes = loaded.state.options["dispute_minutes"]
        return "prizes", at + timedelta(minutes=int(str(minutes)))
    cancelled = loaded.state.status is Status.CANCELLED and not loaded.state.closed
    if loaded.state.status is Status.SETTLING or (cancelled and loaded.state.last_entry):
        return "settled", at
    return None, None


def _round_due(loaded: Loaded) -> tuple[str | None, datetime | None]:
    """The next round, so long after the last match was over."""
    settings = loaded.state.settings
    if not isinstance(settings, Matches) or settings.round_gap_seconds == "manual":
        return None, None
    if open_matches(loaded.state):
        return None, None
    ends = (one.at for one in reversed(loaded.stored) if one.type in MATCH_ENDS)
    over = next(ends, loaded.head.at)
    return "round", over and over + timedelta(seconds=settings.round_gap_seconds)


def outcome(loaded: Loaded, before: int, *, status: int = 200, **result: object) -> Outcome:
    """Outcome of a command that appended to the tournament above version `before`."""
    return Outcome(
        status=status,
        result={"version": loaded.head.version, **result},
        stream=loaded.stream,
        first_version=before + 1,
        last_version=loaded.head.version,
        changes=changes(loaded),
    )


def check_version(loaded: Loaded, version: int) -> None:
    """The caller's version must be the present one. Raises: Refused with `stale_version`."""
    if loaded.head.version != version:
        raise refuse("stale_version", current_version=loaded.head.version)


def keep_lot(tournament_id: UUID, seed: bytes, now: datetime) -> None:
    """Store the seed of the lot, sealed, until it is revealed."""
    sealed = seal(seed, tournament_id.bytes)
    LotSecret.objects.create(
        tournament=tournament_id,
        key_id=sealed.key_id,
        nonce=sealed.nonce,
        ciphertext=sealed.ciphertext,
        created_at=now,
    )


def lot_of(tournament_id: UUID) -> bytes:
    """The seed of the lot. Raises: InvariantBroken where none is kept."""
    row = LotSecret.objects.filter(tournament=tournament_id).first()
    if row is None:
        raise InvariantBroken(f"tournament {tournament_id} has no lot")
    sealed = Sealed(row.key_id, bytes(row.nonce), bytes(row.ciphertext))
    return unseal(sealed, tournament_id.bytes)
