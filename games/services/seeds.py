"""What seats give to the deal: an anchor once, then a seed for each hand (`eventstore.md` 5.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from eventstore import store
from eventstore.core.chain import Fact
from eventstore.core.refusal import refuse
from eventstore.services import Outcome, Receipt, Row, Transaction, run_command
from games.folds import Folded
from games.rules import events, window
from games.rules.table import Place
from games.services import loading
from games.services.anchors import anchors_of
from games.services.committing import sealed
from games.services.deals import deal_changes
from games.services.loading import append, preview


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAnchor:
    """A chain of seeds that a player fixes for his seat."""

    table: UUID
    player: UUID
    anchor: str
    length: int


def register_anchor(wish: NewAnchor, receipt: Receipt) -> Outcome:
    """Fix the seeds of a seat: in force from the next commitment on.

    Locks the live row; appends SeedAnchored, and SatIn for whoever sits out since he was silent.
    The seat's newest anchor again is no news. Raises: Refused with `not_seated`, `bad_seed` (a link
    of the chain in force: the seeds after it are known).
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        loaded = loading.load(tx, row)
        place = _seat_of(loaded, wish.player)
        facts = _anchored(loaded, place, wish)
        if place.sat_out == "silent":
            facts.append(Fact(events.SatIn(seat=place.seat, player=place.player), _actor(place)))
        said = Outcome(201, {"index": 0})
        return _appended(tx, row, loaded, facts, said) if facts else said

    return run_command(receipt, loading.live(wish.table), work)


def _anchored(loaded: Folded, place: Place, wish: NewAnchor) -> list[Fact]:
    """The fact of a chain that is new. Raises: Refused."""
    chain = anchors_of(loaded.id, loaded.table).chains.get(place.seat)
    if chain is not None and chain.player == place.player:
        if chain.was_registered(wish.anchor, wish.length):
            return []
        if chain.shows_next_of(wish.anchor):
            raise refuse("bad_seed")
    anchored = events.SeedAnchored(
        seat=place.seat, player=place.player, anchor=wish.anchor, length=wish.length
    )
    return [Fact(anchored, _actor(place))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """The seed that a player gives for a hand."""

    table: UUID
    player: UUID
    hand: UUID
    seed: str


def give_seed(given: Seed, receipt: Receipt) -> Outcome:
    """Give the seat's next seed for the hand that the table is committed to.

    Locks the live row; appends SeedRevealed, and with the last seed HandDealt and what follows it,
    unless a beacon is waited for. The same seed again changes nothing. Raises: Refused with
    `not_seated`, `bad_seed`, `seed_too_late`, `not_found` (no hand of this table).
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        loaded = loading.load(tx, row)
        place = _seat_of(loaded, given.player)
        before = _given_before(loaded, place, given)
        if before is not None:
            return Outcome(200, {"index": before.index})
        revealed = _revealed(tx, loaded, place, given)
        facts = [Fact(revealed, _actor(place))]
        table = preview(loaded, facts, tx.now)
        committed = table.commitment
        if committed and not committed.beacon and not window.missing(committed, table.seeds):
            facts += sealed(table)
        return _appended(tx, row, loaded, facts, Outcome(200, {"index": revealed.index}))

    return run_command(receipt, loading.live(given.table), work)


def _seat_of(loaded: Folded, player: UUID) -> Place:
    place = loaded.table.seat_of(str(player))
    if place is None:
        raise refuse("not_seated")
    return place


def _actor(place: Place) -> str:
    return f"player:{place.player}"


def _given_before(loaded: Folded, place: Place, given: Seed) -> events.SeedRevealed | None:
    """The same seed of the same hand, if it is in the log.

    The hand may have been dealt since: a request whose answer was lost may come late.
    """
    newest = store.latest(
        loaded.stream, types=("SeedRevealed",), seat=place.seat, below=loaded.head.version + 1
    )
    event = newest.event if newest is not None else None
    if not isinstance(event, events.SeedRevealed) or event.player != place.player:
        return None
    return event if (event.hand, event.seed) == (str(given.hand), given.seed) else None


def _revealed(tx: Transaction, loaded: Folded, place: Place, given: Seed) -> events.SeedRevealed:
    """The fact of a good seed. Raises: Refused."""
    table = loaded.table
    committed = table.commitment
    if committed is None or committed.hand != str(given.hand):
        whole = [(loaded.stream, 1, loaded.head.version)]
        if not store.holding(whole, types=("ShuffleCommitted",), name="hand", text=str(given.hand)):
            raise refuse("not_found")
        raise refuse("seed_too_late")
    closes = window.closes_at(committed)
    if closes is None or tx.now >= closes:
        raise refuse("seed_too_late", reveal_by=committed.reveal_by)
    chain = anchors_of(loaded.id, table).of(place.seat, place.player)
    asked = any(
        one.anchored and (one.seat, one.player) == (place.seat, place.player)
        for one in committed.seats
    )
    if not asked or chain is None or place.seat not in window.missing(committed, table.seeds):
        raise refuse("bad_seed")
    if not chain.is_next(given.seed):
        raise refuse("bad_seed", index=chain.used + 1)
    return events.SeedRevealed(
        hand=committed.hand,
        seat=place.seat,
        player=place.player,
        index=chain.used + 1,
        seed=given.seed,
    )


def _appended(
    tx: Transaction, row: Row, loaded: Folded, facts: Sequence[Fact], said: Outcome
) -> Outcome:
    after, made = append(tx, loaded, facts)
    return replace(
        said,
        stream=loaded.stream,
        first_version=made[0].version,
        last_version=after.head.version,
        changes=deal_changes(row, after.table),
    )
