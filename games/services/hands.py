"""Facts of a deal and of a hand's end, from a table and what the dealer drew."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import msgspec

from eventstore.core.chain import Fact
from eventstore.core.record import time_text
from eventstore.core.refusal import InvariantBroken
from games import dealer
from games.rules import events, fair, payment, rotation
from games.rules.cards import TEXTS
from games.rules.hosting import away_reason, dealer_among, dealt_in
from games.rules.initial import claims
from games.rules.options import Options
from games.rules.result import Result, hand_ended, settle
from games.rules.state import Hand, dealt_hand, setup_of
from games.rules.table import BANK_REFILL_HANDS, BANK_REFILL_MS, Place, Table
from games.rules.window import SeedState
from games.services.loading import DEALER
from ledger.core.fees import RakeTerms, rake


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """What the table decided about a hand before the cards are known."""

    hand: UUID
    table: Table
    players: Sequence[Place]
    dealer: int
    stake: int
    clock: events.Clock
    refill_bank: bool = False
    payment: events.PaymentRule = "full"
    seeds: Mapping[int, SeedState] = field(default_factory=dict)  # of seats that were asked

    @property
    def options(self) -> Options:
        """The rules of the hand."""
        return self.table.rules.options

    @property
    def deck_spec(self) -> str:
        """The pack of the hand."""
        return fair.deck_spec(self.options.deck, self.options.jokers)


def cut_for_deal(table_id: UUID, table: Table, players: Sequence[Place]) -> events.DealerCut:
    """The cut before a cash table's first hand (R6, D1): public, from a pack of its own."""
    options = table.rules.options
    pack = dealer.pack_for_cut(table_id, options.deck)
    seats = [place.seat for place in players]
    outcome = rotation.cut(options, seats, pack.cards)
    player_at = {place.seat: place.player for place in players}
    seat_of = {player_at[sitter]: seat for seat, sitter in zip(seats, outcome.order, strict=True)}
    return events.DealerCut(
        deck_spec=pack.deck_spec,
        server_seed=pack.server_seed.hex(),
        draws=tuple(
            events.CutDraw(
                round=draw.round,
                seat=draw.seat,
                player=player_at[draw.seat],
                card=TEXTS[draw.card],
            )
            for draw in outcome.draws
        ),
        dealer=seat_of[player_at[outcome.dealer]],
        seating=tuple(events.Seated(seat=seat, player=player) for player, seat in seat_of.items()),
    )


def dealt(plan: Deal, shuffled: dealer.Shuffled) -> tuple[list[Fact], bool]:
    """Facts of a deal, and whether the deal itself ended the hand."""
    event = _dealt(plan, shuffled)
    hand = dealt_hand(setup_of(event, shuffled.deck), upcard=_upcard(plan, shuffled))
    claimed = bool(claims(hand))
    if not claimed:
        first = hand.setup.seats[hand.actor]
        event = msgspec.structs.replace(event, next=first)
    facts = [Fact(event, DEALER), *_said_again(plan)]
    if claimed:
        ended = dealt_hand(hand.setup, upcard=_upcard(plan, shuffled), finish="claim")
        table = msgspec.structs.replace(plan.table, dealt=event, hand=ended, stake=plan.stake)
        facts += end_of_hand(table, ended, settle(ended), shuffled.server_seed)
    return facts, claimed


def _said_again(plan: Deal) -> list[Fact]:
    """What lasts over hands: a hand is folded from its own HandDealt on."""
    facts = [Fact(_autopilot_goes_on(place), DEALER) for place in plan.players if place.autopilot]
    # Who asked while seeds were given is dealt in once more, and sits out after it.
    return facts + [
        Fact(
            events.SatOut(seat=place.seat, player=place.player, reason=place.sat_out),
            DEALER,
        )
        for place in plan.players
        if place.sat_out is not None
    ]


def end_of_hand(table: Table, hand: Hand, result: Result, server_seed: bytes) -> list[Fact]:
    """HandEnded and HandRevealed, and what waited for the end: sitting out, leaving, closing."""
    if table.dealt is None:
        raise InvariantBroken("a hand ends that was never dealt")
    following = next_dealer(table, table.dealt, result.end)
    ended = hand_ended(
        hand,
        result,
        paid=_paid(table.dealt, hand, result),
        rake=_rake(table, hand, result),
        next_dealer=following,
    )
    if not table.of_tournament and min(one.amount for one in ended.stacks) < 0:
        raise InvariantBroken(f"hand {ended.hand} would end in a debt that nothing covers")
    revealed = events.HandRevealed(hand=hand.setup.hand, server_seed=server_seed.hex())
    stacks = {one.seat: one.amount for one in ended.stacks}
    facts = [Fact(ended, DEALER), Fact(revealed, DEALER)]
    return facts + after_hand(table, stacks)


def next_dealer(table: Table, dealt: events.HandDealt, end: events.End) -> int:
    """Who deals after a hand that ends so, among those who stay (D2)."""
    staying = [place.seat for place in table.places if place.leaving is None]
    seats = staying or [one.seat for one in dealt.players]
    return rotation.next_dealer(table.rules.options, seats, dealt.dealer, end)


def after_hand(table: Table, stacks: dict[int, int]) -> list[Fact]:
    """What follows when no hand runs: seats that were left are cashed out, a closing table closes.

    `stacks` are those that a hand has just changed. At tournament tables nothing follows.
    """
    if table.of_tournament:
        return []
    facts = [
        Fact(events.SatOut(seat=place.seat, player=place.player, reason="timeouts"), DEALER)
        for place in table.places
        if place.autopilot and place.sat_out is None and place.leaving is None
    ]
    leaving = [place for place in table.places if place.leaving is not None]
    facts += [
        Fact(
            events.SeatCashedOut(
                seat=place.seat,
                player=place.player,
                amount=stacks.get(place.seat, place.stack),
                currency=table.currency,
            ),
            DEALER,
        )
        for place in leaving
    ]
    reasons = {place.leaving for place in leaving}
    if reasons and len(leaving) == len(table.places) and "table_closed" in reasons:
        facts.append(Fact(events.TableClosed(reason="asked"), DEALER))
    return facts


def committed(
    plan: Deal,
    fixed: dealer.Committed,
    *,
    anchored: Collection[int] = (),
    reveal_by: datetime | None = None,
    beacon: events.BeaconRound | None = None,
) -> events.ShuffleCommitted:
    """The commitment to a hand. Seats, dealer and rules stay from here to its deal."""
    return events.ShuffleCommitted(
        hand=str(plan.hand),
        hand_no=plan.table.hand_no + 1,
        commit=fixed.commit,
        deck_spec=plan.deck_spec,
        fairness=plan.table.fairness,
        seats=tuple(
            events.CommittedSeat(
                seat=place.seat,
                player=place.player,
                bot=place.bot,
                anchored=place.seat in anchored,
            )
            for place in plan.players
        ),
        dealer=plan.dealer,
        reveal_by=None if reveal_by is None else time_text(reveal_by),
        beacon=beacon,
    )


def _dealt(plan: Deal, shuffled: dealer.Shuffled) -> events.HandDealt:
    """The deal as the log states it, with nobody to act yet."""
    table = plan.table
    upcard = _upcard(plan, shuffled)
    first_place = len(plan.players) * plan.options.hand_size
    inside = {place.seat for place in plan.players}
    joining = {place.seat for place in dealt_in(table)} - inside
    return events.HandDealt(
        hand=str(plan.hand),
        hand_no=table.hand_no + 1,
        rules=table.rules,
        fairness=table.fairness,
        deck_spec=shuffled.deck_spec,
        commit=shuffled.commit,
        transcript=shuffled.transcript,
        deck_root=shuffled.deck_root,
        beacon=shuffled.beacon,
        players=tuple(_dealt_player(plan, place) for place in plan.players),
        away=tuple(
            events.AwayPlayer(
                seat=place.seat,
                player=place.player,
                bot=place.bot,
                stack=place.stack,
                reason="joining" if place.seat in joining else away_reason(place),
            )
            for place in table.places
            if place.seat not in inside
        ),
        dealer=plan.dealer,
        stake=plan.stake,
        currency=table.currency,
        payment=plan.payment,
        rake=table.rake,
        clock=plan.clock,
        hand_size=plan.options.hand_size,
        upcard=None if upcard is None else events.PlacedCard(card=TEXTS[upcard], place=first_place),
        next=None,
    )


def _dealt_player(plan: Deal, place: Place) -> events.DealtPlayer:
    return events.DealtPlayer(
        seat=place.seat,
        player=place.player,
        bot=place.bot,
        stack=place.stack,
        bank_ms=_bank_ms(plan, place),
        seed=plan.seeds.get(place.seat, "none"),
    )


def _bank_ms(plan: Deal, place: Place) -> int:
    """The bank for the hand: full again, or a little fuller after each ten hands."""
    full, played = plan.clock.bank_ms, plan.table.hand_no
    if plan.refill_bank:
        return full
    if played and played % BANK_REFILL_HANDS == 0:
        return max(place.bank_ms, min(place.bank_ms + BANK_REFILL_MS, full))
    return place.bank_ms


def _upcard(plan: Deal, shuffled: dealer.Shuffled) -> int | None:
    if not plan.options.initial_upcard:
        return None
    return shuffled.deck.cards[len(plan.players) * plan.options.hand_size]


def _autopilot_goes_on(place: Place) -> events.AutopilotSet:
    return events.AutopilotSet(seat=place.seat, player=place.player, on=True, reason="timeouts")


def _paid(dealt: events.HandDealt, hand: Hand, result: Result) -> tuple[events.Payment, ...] | None:
    """What is really paid at a tournament table; None at a money table, where all is covered."""
    if dealt.payment == "full":
        return None
    due = [payment.Transfer(one.from_seat, one.to_seat, one.amount) for one in result.transfers]
    stacks = dict(zip(hand.setup.seats, hand.setup.stacks, strict=True))
    outcome = payment.pay(due, stacks=stacks, payment=dealt.payment)
    return tuple(
        events.Payment(from_seat=one.from_seat, to_seat=one.to_seat, amount=one.amount)
        for one in outcome.paid
    )


def _rake(table: Table, hand: Hand, result: Result) -> dict[int, int]:
    """The house's share per seat (`ledger.md` section 5): none without play."""
    if table.of_tournament:
        return {}
    order = [hand.setup.seats[index] for index in hand.setup.from_left]
    return rake(RakeTerms(table.rake.bp, table.rake.cap), result.end, result.net, order)


def first_dealer(table: Table, seats: Sequence[int]) -> int | None:
    """Who deals: the next dealer, at a tournament's new table the first seat, else the cut."""
    if table.dealer is None and table.of_tournament:
        return min(seats)
    return dealer_among(table, seats)
