"""Streams of a table without a database: a hand's facts as the log holds them."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from eventstore.core.chain import START, Fact, head_of, seal
from eventstore.core.ids import table_stream, uuid7
from eventstore.core.record import Stored
from games.rules import events
from games.rules.cards import TEXTS
from games.rules.options import RULES_VERSION, Options, rules_hash
from games.rules.state import Hand
from games.services.tables import clock_of

TABLE = UUID("0199c2b2-6c1f-7033-818c-ef2df94c3850")
HAND = "0199c2b2-6c1f-7033-818c-ef2df94c3851"
PLAYERS = tuple(f"0198f0c2-a000-7000-8000-00000000000{seat}" for seat in range(1, 7))
"""Ids of the players at the seats 1 to 6."""
AT = datetime(2026, 12, 1, 8, tzinfo=UTC)


def opening(hand: Hand, options: Options) -> Iterator[msgspec.Struct]:
    """The table is opened, its seats are taken, the hand is dealt."""
    rules = events.RuleSet(
        preset=None, version=RULES_VERSION, hash=rules_hash(options), options=options
    )
    shared: dict[str, Any] = {
        "rules": rules,
        "currency": "XTK",
        "stake": hand.setup.stake,
        "rake": events.Rake(bp=0, cap=None),
        "fairness": "commit",
        "clock": clock_of("normal"),
    }
    yield events.TableOpened(
        **shared,
        seats=6,
        buy_in_min=0,
        buy_in_max=1000,
        visibility="public",
        api_bots=False,
        spectator_delay_s=0,
        tournament=None,
        opened_by=PLAYERS[0],
    )
    upcard = None
    if options.initial_upcard and hand.pile:
        first = len(hand.setup.seats) * options.hand_size
        upcard = events.PlacedCard(card=TEXTS[hand.pile[0]], place=first)
    yield events.HandDealt(
        **shared,
        hand=HAND,
        hand_no=1,
        deck_spec="std52/1",
        commit="ab" * 32,
        transcript="ab" * 32,
        deck_root="ab" * 32,
        beacon=None,
        players=tuple(
            events.DealtPlayer(
                seat=seat, player=PLAYERS[seat - 1], bot=None, stack=900, bank_ms=0, seed="none"
            )
            for seat in hand.setup.seats
        ),
        away=(),
        dealer=hand.setup.dealer,
        payment="full",
        hand_size=options.hand_size,
        upcard=upcard,
        next=hand.to_act,
    )


def recorded(facts: Sequence[msgspec.Struct]) -> tuple[Stored, ...]:
    """The facts as the log holds them, a second between two."""
    stored: list[Stored] = []
    for second, fact in enumerate(facts):
        ids = [uuid7(second, bytes(10)), uuid7(second, bytes(9) + b"x")]
        at = AT + timedelta(seconds=second)
        made = [Fact(fact, "player:x")]
        stored += seal(
            table_stream(TABLE), head_of(stored) if stored else START, made, at=at, ids=ids
        )
    return tuple(stored)
