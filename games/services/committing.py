"""From the commitment to the deal: facts of step 1 and, once the seeds are given, of steps 3 to 6.

Between the two the table is `sealing`. Whatever ends that state is made of `sealed` or `aborted`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from eventstore.core.chain import Fact
from eventstore.core.record import time_of, time_text
from eventstore.core.refusal import InvariantBroken, refuse
from eventstore.ports import new_id
from eventstore.services import Transaction
from games import dealer
from games.beacon import Chain, beacon
from games.folds import Folded, current
from games.models import Table as Live
from games.rules import anchors, events, window
from games.rules.anchors import Anchors
from games.rules.fair import SeatSeed
from games.rules.hosting import dealt_in, may_be_dealt_in
from games.rules.table import Place, Table
from games.services.anchors import anchors_of
from games.services.hands import Deal, committed, cut_for_deal, dealt, first_dealer
from games.services.loading import DEALER, preview


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a deal is made with where it is not the table's own."""

    stake: int
    clock: events.Clock
    refill_bank: bool = False
    payment: events.PaymentRule = "full"


def own_terms(table: Table) -> Terms:
    """Stake and clock of the table."""
    return Terms(stake=table.stake, clock=table.clock)


@dataclass(frozen=True, slots=True)
class Round:
    """The chain of a beacon, asked before the transaction."""

    chain: Chain

    def after(self, closes: datetime) -> tuple[events.BeaconRound, datetime]:
        """The round that is mixed in where seeds are given until then, and its time."""
        earliest = closes + timedelta(milliseconds=window.BEACON_AFTER_MS)
        number, at = self.chain.round_from(earliest)
        return events.BeaconRound(chain=self.chain.hash, round=number), at


def next_round(table_id: UUID) -> Round | None:
    """What a deal at this table needs of the beacon; None where it mixes in none, or none answers.

    Asks the beacon, so it is called before the transaction.
    """
    source = beacon()
    if source is None:
        return None
    row = Live.objects.filter(id=table_id).values_list("hand_version", flat=True).first()
    if current(table_id, row).table.fairness != "beacon":
        return None
    chain = source.chain()
    return None if chain is None else Round(chain)


def with_commitment(
    tx: Transaction,
    loaded: Folded,
    terms: Terms,
    *,
    before: Sequence[Fact] = (),
    mixed_in: Round | None = None,
) -> list[Fact]:
    """`before` and the facts that begin a hand: those alone that could be made.

    At a strict table whoever has no anchor sits out first. The hand is dealt at once where no seat
    is asked for a seed. Raises: Refused with `unavailable` at a table whose beacon is away.
    """
    facts = list(before)
    table = preview(loaded, facts, tx.now)
    if not may_be_dealt_in(table):
        return facts
    if table.fairness == "beacon" and mixed_in is None:
        raise refuse("unavailable")
    chains = _chains(loaded, table, facts)
    if table.fairness == "strict":
        facts += _without_anchor(table, chains)
        table = preview(loaded, facts, tx.now)
    if not may_be_dealt_in(table):  # bots alone may be left
        return facts
    players = dealt_in(table)
    if first_dealer(table, [place.seat for place in players]) is None:
        cut = cut_for_deal(loaded.id, table, players)
        facts.append(Fact(cut, DEALER))
        table = preview(loaded, facts, tx.now)  # the cut may have moved people
        after_cut = anchors.evolve(chains, cut)
        if table.fairness == "strict" and len(after_cut.chains) < len(chains.chains):
            return facts  # whoever was moved fixes new seeds first
        chains = after_cut
    return facts + _begun(tx, table, terms, chains, mixed_in)


def _chains(loaded: Folded, table: Table, before: Sequence[Fact]) -> Anchors:
    """The chains after `before`. Among bots alone there are none, and nothing is asked."""
    if all(place.bot is not None for place in table.places):
        return Anchors()
    known = anchors_of(loaded.id, loaded.table)
    return anchors.fold((fact.event for fact in before), known)


def _without_anchor(table: Table, chains: Anchors) -> list[Fact]:
    """Who is to sit out at a strict table: people who have fixed no seeds."""
    return [
        silent(place)
        for place in table.places
        if place.bot is None and place.sat_out is None and place.leaving is None
        if chains.of(place.seat, place.player) is None
    ]


def silent(place: Place) -> Fact:
    """That a seat sits out until it gives seeds."""
    return Fact(events.SatOut(seat=place.seat, player=place.player, reason="silent"), DEALER)


def _begun(
    tx: Transaction, table: Table, terms: Terms, chains: Anchors, mixed_in: Round | None
) -> list[Fact]:
    """The commitment, and the deal with it where there is no window."""
    players = dealt_in(table)
    dealer_seat = first_dealer(table, [place.seat for place in players])
    if dealer_seat is None:
        raise InvariantBroken("nobody deals after the cut")
    fixed = dealer.commit(new_id())
    plan = Deal(
        hand=fixed.hand,
        table=table,
        players=players,
        dealer=dealer_seat,
        stake=terms.stake,
        clock=terms.clock,
        refill_bank=terms.refill_bank,
        payment=terms.payment,
    )
    anchored = {one.seat for one in players if chains.of(one.seat, one.player) is not None}
    kept: dict[str, object] = msgspec.to_builtins(
        _Kept(terms.stake, terms.clock, terms.refill_bank, terms.payment)
    )
    if table.fairness == "beacon" and mixed_in is not None:
        closes = _closes(tx.now, terms, anchored)
        named, round_at = mixed_in.after(closes)
        kept["round_at"] = time_text(round_at)
        fact = committed(plan, fixed, anchored=anchored, reveal_by=closes, beacon=named)
    elif anchored:
        closes = _closes(tx.now, terms, anchored)
        fact = committed(plan, fixed, anchored=anchored, reveal_by=closes)
    else:
        return [Fact(committed(plan, fixed), DEALER), *_at_once(tx, plan, fixed)]
    dealer.keep(fixed, tx.now, kept)
    return [Fact(fact, DEALER)]


def _closes(now: datetime, terms: Terms, anchored: set[int]) -> datetime:
    """When the last seed may be given: at once where none is asked for."""
    wait_ms = window.reveal_ms(terms.clock.profile) if anchored else 0
    return now + timedelta(milliseconds=wait_ms)


def _at_once(tx: Transaction, plan: Deal, fixed: dealer.Committed) -> list[Fact]:
    seats = [SeatSeed(place.seat, UUID(place.player).bytes) for place in plan.players]
    facts, ended = dealt(plan, dealer.shuffle(fixed, plan.deck_spec, seats))
    if not ended:
        dealer.keep(fixed, tx.now)
    return facts


class _Kept(msgspec.Struct, frozen=True):
    """Terms of a deal as they are stored with its seed."""

    stake: int
    clock: events.Clock
    refill_bank: bool
    payment: events.PaymentRule = "full"
    round_at: str | None = None


def sealed(table: Table, drawn: bytes = b"") -> list[Fact]:
    """The deal of the hand that a table is committed to, with the seeds given so far.

    Steps 3 to 6; `drawn` are the beacon's bytes. Raises: InvariantBroken without a commitment.
    """
    commitment = table.commitment
    if commitment is None:
        raise InvariantBroken("a deal without a commitment")
    hand = UUID(commitment.hand)
    fixed, kept = dealer.kept(hand), _kept(hand)
    if fixed.commit != commitment.commit:
        raise InvariantBroken(f"the seed of hand {hand} is not the one committed to")
    plan = Deal(
        hand=hand,
        table=table,
        players=[table.place(one.seat) for one in commitment.seats],
        dealer=commitment.dealer,
        stake=kept.stake,
        clock=kept.clock,
        refill_bank=kept.refill_bank,
        payment=kept.payment,
        seeds=window.seed_states(commitment, table.seeds),
    )
    shuffled = dealer.shuffle(
        fixed, commitment.deck_spec, window.seat_seeds(commitment, table.seeds), drawn
    )
    facts, ended = dealt(plan, shuffled)
    if ended:
        dealer.forget(hand)
    return facts


def aborted(table: Table, reason: str, missing: Sequence[int] = ()) -> list[Fact]:
    """ShuffleAborted with the dealer's seed, which is removed; nothing where none is open."""
    if not table.sealing or table.commitment is None:
        return []
    hand = UUID(table.commitment.hand)
    fixed = dealer.kept(hand)
    dealer.forget(hand)
    fact = events.ShuffleAborted(
        hand=str(hand),
        missing=tuple(missing),
        reason=reason,
        server_seed=fixed.server_seed.hex(),
    )
    return [Fact(fact, DEALER)]


def terms_of(table: Table) -> Terms:
    """The terms of the hand that a table is committed to."""
    if table.commitment is None:
        raise InvariantBroken("no hand is committed to")
    kept = _kept(UUID(table.commitment.hand))
    return Terms(
        stake=kept.stake,
        clock=kept.clock,
        refill_bank=kept.refill_bank,
        payment=kept.payment,
    )


def round_at(table: Table) -> datetime | None:
    """When the beacon's round of the open commitment is due."""
    if table.commitment is None or table.commitment.beacon is None:
        return None
    kept = _kept(UUID(table.commitment.hand))
    return None if kept.round_at is None else time_of(kept.round_at)


def _kept(hand: UUID) -> _Kept:
    stored: Mapping[str, Any] = dealer.terms_of(hand)
    return msgspec.convert(dict(stored), _Kept)
