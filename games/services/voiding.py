"""Hands whose seed is lost are given up: nothing is won or lost, and the table goes on."""

from collections.abc import Iterator
from dataclasses import dataclass
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
    unpark,
)
from games import dealer
from games.hands import find
from games.rules import events
from games.rules.table import Table
from games.services import loading
from games.services.hands import after_hand, next_dealer
from games.services.loading import DEALER, append


@dataclass(frozen=True, slots=True)
class LostHand:
    """A hand that can not be played on, and its table; that is None where no table knows it."""

    hand: UUID
    table: UUID | None
    is_dealt: bool = False


def lost_hands() -> Iterator[LostHand]:
    """Hands whose seed is sealed under a key that is in no file, the oldest first."""
    for hand in dealer.lost_hands():
        place = find(hand)
        if place is None:
            yield LostHand(hand, None)
        else:
            yield LostHand(hand, place.table, place.dealt_version is not None)


def void_lost(table_id: UUID, hand: UUID) -> Outcome:
    """Give up the hand of a table whose seed is lost, dealt or only committed to.

    Locks the live row; appends HandVoided without a seed, with stacks as dealt, and what waited for
    the hand's end. The sealed seed is removed, and a table that was parked is looked after again.
    Of a hand that was not dealt no stack is named, and the deal does not pass. Raises: Refused with
    `no_hand` (another one runs, or none), `wrong_state` (the key is there).
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        loaded = loading.load_without_deck(tx, row)
        facts = _given_up(loaded.table, str(hand))
        if not dealer.is_seed_lost(hand):
            raise refuse("wrong_state", status=loaded.table.status)
        dealer.forget(hand)
        after, made = append(tx, loaded, facts)
        return Outcome(
            status=200,
            result={"version": after.head.version},
            stream=loaded.stream,
            first_version=made[0].version,
            last_version=after.head.version,
            changes=loading.changes(after.table) | {"parked_code": None},
        )

    asked = fingerprint("TASK", "void", {"id": str(table_id), "hand": str(hand)})
    receipt = Receipt(DEALER, f"void_{hand}", asked)
    return run_command(receipt, loading.live(table_id), work)


def resume() -> int:
    """Have tables looked after again that were parked for a lost key; their number."""
    return unpark(loading.RELATION, events.KEY_LOST)


def _given_up(table: Table, hand: str) -> list[Fact]:
    """The facts that end this hand. Raises: Refused with `no_hand`."""
    if table.sealing and table.commitment is not None and table.commitment.hand == hand:
        return [Fact(_voided(hand, (), table.commitment.dealer), DEALER)]
    if not table.playing or table.dealt is None or table.dealt.hand != hand:
        raise refuse("no_hand")
    stacks = tuple(
        events.SeatAmount(seat=one.seat, player=one.player, amount=one.stack)
        for one in table.dealt.players
    )
    fact = _voided(hand, stacks, next_dealer(table, table.dealt, "void"))
    return [Fact(fact, DEALER), *after_hand(table, {one.seat: one.amount for one in stacks})]


def _voided(hand: str, stacks: tuple[events.SeatAmount, ...], deals: int) -> events.HandVoided:
    return events.HandVoided(
        hand=hand, reason=events.KEY_LOST, server_seed=None, stacks=stacks, next_dealer=deals
    )
