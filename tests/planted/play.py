"""Faults of the rules, the cards and the deal."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from eventstore import ports
from games.rules import facts, fair, state
from games.rules.events import CardDrawn, Event
from tests.planted.planting import Plant
from tests.planted.putting import instead
from tonk_site.proving.cards import shuffles
from tonk_site.proving.cards.fair_deal import Sample
from tonk_site.proving.checks import Breach, Found, Order

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from games.rules.state import Hand


def swap_with_any_place() -> None:
    """Each place is swapped with any of the whole deck."""

    def swap_any(cards: Sequence[int], words: Iterator[int]) -> tuple[int, ...]:
        order = list(cards)
        for place in range(len(order)):
            other = next(words) % len(order)
            order[place], order[other] = order[other], order[place]
        return tuple(order)

    instead(fair, "fisher_yates", lambda _: swap_any)


def sattolo() -> None:
    """No card may keep its place."""

    def cycle(cards: Sequence[int], words: Iterator[int]) -> tuple[int, ...]:
        order = list(cards)
        for last in range(len(order) - 1, 0, -1):
            other = next(words) % last
            order[last], order[other] = order[other], order[last]
        return tuple(order)

    instead(fair, "fisher_yates", lambda _: cycle)


def seed_of_32_bits() -> None:
    """Four bytes of the system's randomness, and again the same."""

    def make(true: Any) -> Any:
        return lambda count: (true(4) * (count // 4 + 1))[:count]

    instead(ports, "random_bytes", make)


def taken_card_stays_in_the_pile() -> None:
    """Who takes the discard leaves it where it lies."""

    def make(true: Any) -> Any:
        def evolve(hand: Hand, event: Event) -> Hand:
            after: Hand = true(hand, event)
            taken = isinstance(event, CardDrawn) and event.source == "discard"
            return replace(after, pile=hand.pile) if taken else after

        return evolve

    instead(state, "evolve", make)


def empty_stock_raises() -> None:
    """There will be a top card, one thinks."""

    def make(true: Any) -> Any:
        def of_draw(hand: Hand, seat: int) -> Any:
            stock = (hand.setup.deck or ())[hand.stock_next :][: hand.stock_count]
            _ = stock[0]  # the card that is drawn
            return true(hand, seat)

        return of_draw

    instead(facts, "_of_draw", make)


def products_shuffle(order: Order) -> Found:
    """Decks of the product's shuffle before the battery, without its mutants and seeds."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        failed = Sample(pool, order).failures(shuffles.product, order.sizes["decks"])
    return Found(breaches=[Breach(one, "decks", "", "", "") for one in failed])


PLANTS = (
    Plant(
        26,
        "F2",
        "swap with any place",
        ("fair-deal",),
        sizes={"decks": 2_000, "seeds": 100},
        put=swap_with_any_place,
        starred=True,
        part=products_shuffle,
    ),
    Plant(27, "F3", "Sattolo", ("fair-deal",), sizes={"decks": 2_000, "seeds": 100}, put=sattolo),
    Plant(28, "F1", "32-bit seed", ("fair-deal",), sizes={"decks": 2_000}, put=seed_of_32_bits),
    Plant(
        29,
        "G1",
        "taken card stays in the pile",
        ("cards",),
        sizes={"hands": 100},
        put=taken_card_stays_in_the_pile,
    ),
    Plant(
        30,
        "G3",
        "empty stock raises",
        ("rules-twin",),
        sizes={"hands": 250},
        put=empty_stock_raises,
    ),
)
