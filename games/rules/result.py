"""How a finished hand settles: its result, and the `HandEnded` that records it."""

from collections.abc import Mapping, Sequence

import msgspec

from eventstore.core.refusal import InvariantBroken
from games.rules import events, initial, payouts
from games.rules.cards import TEXTS
from games.rules.events import End
from games.rules.payouts import Owed, Showdown
from games.rules.rotation import next_dealer
from games.rules.state import Hand, Setup

UNCLAIMED: tuple[int, ...] = ()
CLAIM_RULES = ("R10", "V6")
"""Rule of a claim by total; of the others."""


class Held(msgspec.Struct, frozen=True, gc=False):
    """What a seat holds at the end: card codes in order of places, and their count."""

    seat: int
    cards: tuple[int, ...]
    count: int


class Result(msgspec.Struct, frozen=True, gc=False):
    """The outcome of a hand by the rules alone: before short stacks and rake."""

    end: End
    by: int | None
    """Seat whose act ended the hand, None after a deal that did."""
    winners: tuple[int, ...]
    """Seats that won by R12; several where lowest totals tie, none in drawn and void hands."""
    held: tuple[Held, ...]
    transfers: tuple[events.Transfer, ...]
    net: Mapping[int, int]
    """Seat to its sum of transfers, in seat order."""
    next_dealer: int
    """Who deals next if all who were dealt in stay."""


def settle(hand: Hand) -> Result:
    """The result of a hand that is over, with the deck known. Raises: InvariantBroken if not."""
    if hand.setup.deck is None or hand.finish is None:
        raise InvariantBroken("only a finished hand with all cards known settles")
    showdown = Showdown(
        options=hand.setup.rules.options,
        stake=hand.setup.stake,
        counts=tuple(map(hand.setup.rules.count, hand.cards)),
        from_left=hand.setup.from_left,
    )
    end, winners, owed = _judge(hand, showdown)
    by_nobody = hand.finish in ("claim", "voided")
    return _result(hand, showdown, Verdict(end, winners, None if by_nobody else hand.actor, owed))


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """An end with its payments, players as indexes."""

    end: End
    winners: Sequence[int]
    by: int | None
    owed: Sequence[Owed]


Judged = tuple[End, Sequence[int], list[Owed]]


def _judge(hand: Hand, showdown: Showdown) -> Judged:
    actor = hand.actor
    match hand.finish:
        case "claim":
            return _judge_claims(hand, showdown)
        case "empty":
            return "tonk_out", [actor], payouts.tonk_out(showdown, actor, new_spread=hand.laid)
        case "discard":
            return "discard_out", [actor], payouts.discard_out(showdown, actor)
        case "knock":
            return _judge_knock(showdown, actor)
        case "stock":
            return "stock_out", showdown.lowest(), payouts.stock_out(showdown)
        case _:  # void by the empty stock, or voided from outside
            return "void", UNCLAIMED, []


def _judge_claims(hand: Hand, showdown: Showdown) -> Judged:
    claim = initial.winner(hand)
    if claim is None:
        return "initial_draw", UNCLAIMED, []
    rule = CLAIM_RULES[claim.kind != "initial_tonk"]
    owed = payouts.each_pays(showdown, claim.player, rule, multiplier=claim.multiplier)
    return claim.kind, [claim.player], owed


def _judge_knock(showdown: Showdown, knocker: int) -> Judged:
    if not payouts.catchers(showdown, knocker):
        return "knock_win", [knocker], payouts.knock_win(showdown, knocker)
    lowest = showdown.lowest(but=knocker)
    return "caught", lowest, payouts.caught(showdown, knocker)


def _result(hand: Hand, showdown: Showdown, verdict: Verdict) -> Result:
    setup = hand.setup
    seats = setup.seats
    owed = payouts.ordered(verdict.owed)
    net = dict.fromkeys(seats, 0)
    transfers = []
    for rule, receiver, payer, amount in owed:
        giver, taker = seats[payer], seats[receiver]
        net[giver] -= amount
        net[taker] += amount
        transfers.append(events.Transfer(from_seat=giver, to_seat=taker, amount=amount, rule=rule))
    held = [
        Held(seat, _in_order_of_places(setup, cards), count)
        for seat, cards, count in zip(seats, hand.cards, showdown.counts, strict=True)
    ]
    return Result(
        end=verdict.end,
        by=None if verdict.by is None else seats[verdict.by],
        winners=tuple([seats[index] for index in verdict.winners]),
        held=tuple(held),
        transfers=tuple(transfers),
        net=net,
        next_dealer=next_dealer(setup.rules.options, seats, setup.dealer, verdict.end),
    )


def _in_order_of_places(setup: Setup, cards: int) -> tuple[int, ...]:
    return tuple(sorted(setup.rules.pack.cards_in(cards), key=setup.place_of.__getitem__))


def hand_ended(
    hand: Hand,
    result: Result,
    *,
    paid: Sequence[events.Payment] | None = None,
    rake: Mapping[int, int] | None = None,
    next_dealer: int | None = None,
) -> events.HandEnded:
    """The fact that ends a hand, with every amount that it moves.

    `paid` is what tournament tables really pay: then net is its sum per seat. `rake` maps seats to
    the house's share, zeros left out. `next_dealer` is the seat, by default that of the result.
    Raises: InvariantBroken where nets or stacks would not add up.
    """
    setup, rakes = hand.setup, {seat: part for seat, part in (rake or {}).items() if part}
    net = dict(result.net) if paid is None else _net_of(setup.seats, paid)
    if sum(net.values()):
        raise InvariantBroken("the nets of a hand must sum to zero")
    stacks = {
        seat: stack + net[seat] - rakes.get(seat, 0)
        for seat, stack in zip(setup.seats, setup.stacks, strict=True)
    }
    return events.HandEnded(
        hand=setup.hand,
        end=result.end,
        by=result.by,
        winners=result.winners,
        held=tuple(_held(setup, held) for held in result.held),
        transfers=result.transfers,
        paid=None if paid is None else tuple(paid),
        net=_amounts(setup, net),
        rake=_amounts(setup, rakes),
        stacks=_amounts(setup, stacks),
        next_dealer=result.next_dealer if next_dealer is None else next_dealer,
        currency=setup.currency,
    )


def _net_of(seats: Sequence[int], paid: Sequence[events.Payment]) -> dict[int, int]:
    net = dict.fromkeys(seats, 0)
    for one in paid:
        net[one.from_seat] -= one.amount
        net[one.to_seat] += one.amount
    return net


def _amounts(setup: Setup, amounts: Mapping[int, int]) -> tuple[events.SeatAmount, ...]:
    return tuple(
        events.SeatAmount(seat=seat, player=player, amount=amounts[seat])
        for seat, player in zip(setup.seats, setup.players, strict=True)
        if seat in amounts
    )


def _held(setup: Setup, held: Held) -> events.HeldHand:
    return events.HeldHand(
        seat=held.seat,
        cards=tuple(TEXTS[card] for card in held.cards),
        places=tuple(setup.place_of[card] for card in held.cards),
        count=held.count,
    )
