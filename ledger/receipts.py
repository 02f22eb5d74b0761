"""Receipts: everything that proves one payout, put together from books and log."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone

from eventstore import store, tree
from eventstore.core.ids import HOUSE_STREAM, table_stream, tournament_stream, wallet_stream
from eventstore.core.record import Stored
from eventstore.core.refusal import Refused, refuse
from eventstore.exports import verifier_keys
from eventstore.readers import COMMITMENT, running_hands
from ledger.core.entries import key_of
from ledger.core.kinds import Kind
from ledger.core.receipts import (
    CLAIMED,
    RECORDS_MAX,
    Booked,
    Claim,
    Evidence,
    Line,
    Sealed,
    Slice,
    claims,
    directors,
    document,
    first_of_matter,
    is_dealt_in,
    last_part,
    last_table,
)
from ledger.models import Entry, Posting
from players.core.roles import AUDITOR, STAFF
from players.selectors import Person, people

DECK_SHOWN = ("HandRevealed", "HandVoided")  # the last record of a hand that was dealt
BEGUN = ("WithdrawalRequested", "AdjustmentProposed")  # what a later event of a wallet concludes
ID_MAX = 2**63 - 1
TOURNAMENTS, WALLETS = tournament_stream(""), wallet_stream("")


@dataclass(frozen=True, slots=True, order=True)
class _Range:
    """Versions of a stream, both included."""

    stream: str
    first: int
    last: int


def receipt(entry: Booked, player: UUID | None = None) -> dict[str, object]:
    """The receipt of what an entry pays to a player; without one, to the only one that it pays.

    Raises: Refused with `not_found`, `invalid_field` (several are paid), `not_yet_sealed`,
    `receipt_too_long`.
    """
    claim = _claim(entry, player)
    (source,) = store.events_after(entry.stream, entry.version - 1, limit=1)
    return document(
        entry,
        claim,
        _evidence(source, sorted(_ranges(entry, claim, source))),
        made_at=timezone.now(),
        names={known: person.name for known, person in people([claim.player]).items()},
    )


def receipt_for(entry: Booked, caller: Person, player: UUID | None) -> dict[str, object]:
    """The receipt that a caller may have: his own, or as director or staff anybody's.

    An auditor sees pseudonyms alone. Raises: Refused as `receipt`, and with `not_permitted`.
    """
    if caller.roles & STAFF == {AUDITOR}:
        return receipt(entry, player) | {"names": {}}
    if caller.roles & STAFF or str(caller.id) in directors_of(entry.stream):
        return receipt(entry, player)
    if str(caller.id) not in entry.parties or player not in (None, caller.id):
        raise refuse("not_found")
    if entry.stream == HOUSE_STREAM:  # its records are for the staff
        raise refuse("not_permitted")
    return receipt(entry, caller.id)


def booked(entry_id: int) -> Booked:
    """An entry with its lines. Raises: Refused with `not_found`."""
    known = Entry.objects.select_related("reverses")
    found = known.filter(id=entry_id).first() if entry_id <= ID_MAX else None
    if found is None:
        raise refuse("not_found")
    legs = Posting.objects.filter(entry_id=entry_id).order_by("line")
    lines = legs.values_list("line", "account__code", "amount")
    back = found.reverses
    return Booked(
        id=found.id,
        kind=Kind(found.kind),
        currency=found.currency,
        stream=found.stream,
        version=found.version,
        part=found.part,
        recorded_at=found.recorded_at,
        reverses=key_of(back.stream, back.version, back.part) if back else None,
        lines=tuple(Line(*line) for line in lines),
    )


def payouts(stream: str) -> list[int]:
    """Ids of the entries of a stream that pay players, in the order of their keys."""
    found = Entry.objects.filter(stream=stream, kind__in=CLAIMED)
    return list(found.order_by("version", "part").values_list("id", flat=True))


def _claim(entry: Booked, player: UUID | None) -> Claim:
    """The claim of a player on an entry; without a player, of the only one."""
    found = claims(entry)
    if player is None and len({claim.player for claim in found}) > 1:
        raise refuse("invalid_field", field="player", why="several are paid here: name one")
    for claim in found:
        if player is None or claim.player == str(player):
            return claim
    raise refuse("not_found")


def directors_of(stream: str) -> frozenset[str]:
    """Who directs the event that a stream is about; a cash table has no director."""
    if not stream.startswith(TOURNAMENTS):
        return frozenset()
    named = ("TournamentDrafted", "DirectorAdded")
    return directors(store.events_after(stream, 0, types=named))


# --- which records --------------------------------------------------------------------------------


def _ranges(entry: Booked, claim: Claim, source: Stored) -> Iterator[_Range]:
    """What proves a claim, one range a stream."""
    if entry.stream.startswith(TOURNAMENTS):
        yield _Range(entry.stream, 1, last_part(source))
        yield from _last_match(source, claim.player)
    elif entry.stream.startswith(WALLETS):
        earlier = store.events_after(entry.stream, 0, types=BEGUN)
        yield _Range(entry.stream, first_of_matter(source, earlier), entry.version)
    elif entry.kind is Kind.HAND:
        commitment = _commitment(entry.stream, entry.version)
        yield _hands(entry.stream, commitment, entry.version)
    else:
        seated = store.latest_of_player(
            entry.stream, types=["SeatTaken"], player=claim.player, below=entry.version
        )
        yield _Range(entry.stream, seated.version if seated else 1, entry.version)


def _last_match(source: Stored, player: str) -> Iterator[_Range]:
    """All hands of a player at his last table that were over when the money became his."""
    table = last_table(store.events_after(source.stream, 0, below=source.version), player)
    index = tree.index_of(source.stream, source.version)
    if table is None or index is None:
        return
    stream = table_stream(table)
    below = store.version_within(stream, index) + 1
    over = max(store.version_before(stream, name, below) or 0 for name in DECK_SHOWN)
    deals = store.events_after(stream, 0, below=over, types=["HandDealt"])
    his = [one.version for one in deals if is_dealt_in(one, player)]
    if his:
        yield _hands(stream, _commitment(stream, his[0]), his[-1])


def _commitment(stream: str, version: int) -> int:
    """Version of the commitment of the hand to which an event belongs."""
    return store.version_before(stream, COMMITMENT, version) or version


def _hands(stream: str, commitment: int, within: int) -> _Range:
    """Hands from a commitment to the end of the one that an event lies in, with their anchors."""
    (end,) = store.events_after(stream, within, types=DECK_SHOWN, limit=1)
    return _Range(stream, _anchored(stream, commitment, end.version), end.version)


def _anchored(stream: str, commitment: int, last: int) -> int:
    """Version of the oldest anchor that a seed of these hands hangs on, or their beginning.

    A player's first seed tells: his later ones hang on the same anchor, or on a newer one.
    """
    firsts: dict[str, int] = {}
    for seed in store.events_after(stream, commitment, below=last, types=["SeedRevealed"]):
        firsts.setdefault(str(seed.payload["player"]), seed.version)
    found = [commitment]
    for player, version in firsts.items():
        below = _commitment(stream, version)
        wanted = store.latest_of_player(stream, types=["SeedAnchored"], player=player, below=below)
        found += [wanted.version] if wanted else []
    return min(found)


# --- records with their proof ---------------------------------------------------------------------


def _evidence(source: Stored, ranges: Sequence[_Range]) -> Evidence:
    """The records under a signed note: one that a witness signed too, where that is late enough.

    Raises: Refused with `receipt_too_long`, `not_yet_sealed`.
    """
    witnessed, newest = tree.newest_witnessed(), tree.newest()
    if newest is None:
        raise refuse("not_yet_sealed")
    if witnessed is not None:
        try:
            return _under(witnessed, source, ranges)
        except Refused as refused:
            if refused.refusal.code != "not_yet_sealed":
                raise
    return _under(newest, source, ranges)


def _under(note: tree.Checkpoint, source: Stored, ranges: Sequence[_Range]) -> Evidence:
    return Evidence(source, [_slice(one, note.size) for one in ranges], _sealed(note))


def _slice(wanted: _Range, size: int) -> Slice:
    """The records of a range, proved at a signed size.

    Raises: Refused with `receipt_too_long`, `not_yet_sealed`.
    """
    count = wanted.last - wanted.first + 1
    if count > RECORDS_MAX:
        raise refuse("receipt_too_long", stream=wanted.stream, records=count, limit=RECORDS_MAX)
    index = tree.index_of(wanted.stream, wanted.last)
    if index is None or index >= size:
        raise refuse("not_yet_sealed")
    hidden_from = running_hands([wanted.stream], size).get(wanted.stream)
    if hidden_from is not None and hidden_from <= wanted.last:  # a hand runs on: nobody reads it
        raise refuse("not_yet_sealed")
    records = store.events_after(wanted.stream, wanted.first - 1, limit=count)
    return Slice(records, index, tree.inclusion(index, size))


def _sealed(checkpoint: tree.Checkpoint) -> Sealed:
    return Sealed(
        origin=tree.origin(),
        keys=verifier_keys(checkpoint.size),
        size=checkpoint.size,
        note=checkpoint.note,
    )
