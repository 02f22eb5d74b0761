"""Hands as the log holds them, for tests of hand histories: played at random by true deals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple
from uuid import UUID

import msgspec
from hypothesis import strategies as st
from typing_extensions import override

from eventstore.core.chain import START, Fact, head_of, seal
from eventstore.core.ids import table_stream, uuid7
from eventstore.core.record import Stored
from eventstore.core.refusal import Refusal
from games.rules import events, fair, payment
from games.rules.dealing import deal
from games.rules.decide import Decision, decide, time_out
from games.rules.options import RULES_VERSION, Options, rules_hash
from games.rules.result import Result, hand_ended
from games.rules.shuffles import Deck, sealed_deck
from games.rules.state import Hand, fold, setup_of, start
from games.rules.table import CHIPS
from games.rules.tonkh.check import verify
from games.rules.tonkh.history import HandHistory, Proof
from games.rules.tonkh.telling import from_events
from games.rules.tonkh.text import read, write
from games.services.tables import clock_of
from tests.unit.games.rules_tables import option_sets
from tonk_site.proving.cards.random_hands import mover
from tonk_site.proving.cards.streams import PLAYERS

GOLDEN = Path(__file__).parents[2] / "golden/tonkh"
COMPLETE = (GOLDEN / "complete.tonkh").read_text()
SEAT_1 = (GOLDEN / "seat1.tonkh").read_text()
TABLE = UUID("0199c2b2-6c1f-7033-818c-ef2df94c3850")
HAND = "0199c2b2-6c1f-7033-818c-ef2df94c3851"
EVENT = "0199c2b2-6c1f-7033-818c-ef2df94c3852"
AT = datetime(2026, 12, 1, 8, tzinfo=UTC)
NAMES = {PLAYERS[0]: 'Ona "O"', PLAYERS[1]: "bitute\n\\"}
ALL_MOVES = 4_000


@dataclass(slots=True)
class Log:
    """A table's stream while it is written."""

    stored: tuple[Stored, ...] = ()
    at: datetime = AT

    def add(self, *made: msgspec.Struct) -> None:
        """One append, some time after the one before."""
        second = len(self.stored)
        self.at += timedelta(milliseconds=137 * (second % 11), microseconds=second)
        ids = [uuid7(second, bytes([one, *bytes(9)])) for one in range(len(made) + 1)]
        facts = [Fact(one, "player:x") for one in made]
        head = head_of(self.stored) if self.stored else START
        self.stored += seal(table_stream(TABLE), head, facts, at=self.at, ids=ids)


class Played(NamedTuple):
    """A hand: its records, its deck, and the state at each version with nothing half done."""

    stored: tuple[Stored, ...]
    deck: Deck
    states: Mapping[int, Hand]
    result: Result | None

    @override
    def __repr__(self) -> str:
        """Short: the records of an example that fails would be megabytes."""
        return f"Played({[one.type for one in self.stored]})"

    @property
    def running(self) -> list[int]:
        """Versions at which the hand runs."""
        return [version for version, hand in self.states.items() if not hand.over]

    def up_to(self, version: int) -> tuple[Stored, ...]:
        return self.stored[:version]


@dataclass(frozen=True, slots=True)
class Deal:
    """How a hand is dealt."""

    options: Options
    seats: tuple[int, ...]
    dealer: int
    server_seed: bytes
    seeds: tuple[bytes, ...]
    currency: str = "XTK"
    payment: Literal["full", "table_stakes"] = "full"
    stacks: tuple[int, ...] = (900,) * 6
    fairness: events.Fairness = "commit"

    @property
    def players(self) -> list[str]:
        return [PLAYERS[seat - 1] for seat in self.seats]


def a_deal(rng: Random, options: Options, count: int, **changes: Any) -> Deal:
    seats = tuple(sorted(rng.sample(range(1, 7), count)))
    found = Deal(
        options=options,
        seats=seats,
        dealer=rng.choice(seats),
        server_seed=rng.getrandbits(256).to_bytes(32, "big"),
        seeds=tuple(rng.choice([b"", bytes([seat] * 32)]) for seat in seats),
    )
    return replace(found, **changes)


def opening(plan: Deal) -> Iterator[msgspec.Struct]:
    """The table is opened, the dealer commits, seats give their seeds."""
    yield events.TableOpened(
        rules=ruleset(plan.options),
        currency=plan.currency,
        stake=7,
        seats=6,
        buy_in_min=0,
        buy_in_max=1000,
        rake=events.Rake(bp=500, cap=None),
        fairness="commit",
        clock=clock_of("normal"),
        visibility="public",
        api_bots=False,
        spectator_delay_s=0,
        tournament=EVENT if plan.currency == CHIPS else None,
        opened_by=PLAYERS[0],
    )
    hand = UUID(HAND).bytes
    yield events.ShuffleCommitted(
        hand=HAND,
        hand_no=1,
        commit=fair.commit(hand, plan.server_seed).hex(),
        deck_spec=spec_of(plan),
        fairness="commit",
        seats=(),
        dealer=plan.dealer,
        reveal_by=None,
        beacon=None,
    )
    for seat, player, seed in zip(plan.seats, plan.players, plan.seeds, strict=True):
        if seed:
            yield events.SeedRevealed(hand=HAND, seat=seat, player=player, index=1, seed=seed.hex())


def ruleset(options: Options) -> events.RuleSet:
    return events.RuleSet(
        preset=None, version=RULES_VERSION, hash=rules_hash(options), options=options
    )


def spec_of(plan: Deal) -> str:
    return fair.deck_spec(plan.options.deck, plan.options.jokers)


def dealt(plan: Deal) -> tuple[events.HandDealt, Deck, Hand, Result | None]:
    """The deal as the dealer makes it."""
    hand, spec = UUID(HAND).bytes, spec_of(plan)
    commitment = fair.commit(hand, plan.server_seed)
    beacon = bytes(range(32)) if plan.fairness == "beacon" else b""
    transcript = fair.transcript(
        hand,
        commitment=commitment,
        spec=spec,
        seats=[
            fair.SeatSeed(seat, UUID(player).bytes, seed)
            for seat, player, seed in zip(plan.seats, plan.players, plan.seeds, strict=True)
        ],
        beacon=beacon,
    )
    key = fair.hand_key(plan.server_seed, transcript)
    deck = sealed_deck(hand, key, spec)
    event = events.HandDealt(
        hand=HAND,
        hand_no=3,
        rules=ruleset(plan.options),
        fairness=plan.fairness,
        deck_spec=spec,
        commit=commitment.hex(),
        transcript=transcript.hex(),
        deck_root=fair.seal(key, hand=hand, cards=fair.DECKS[spec]).root.hex(),
        beacon=beacon.hex() or None,
        players=tuple(
            events.DealtPlayer(
                seat=seat,
                player=PLAYERS[seat - 1],
                bot="greedy-1" if seat % 2 else None,
                stack=stack,
                bank_ms=0,
                seed="revealed" if seed else "none",
            )
            for seat, seed, stack in zip(plan.seats, plan.seeds, plan.stacks, strict=False)
        ),
        away=(),
        dealer=plan.dealer,
        stake=7,
        currency=plan.currency,
        payment=plan.payment,
        rake=events.Rake(bp=500, cap=None),
        clock=clock_of("normal"),
        hand_size=plan.options.hand_size,
        upcard=None,
        next=None,
    )
    made = deal(setup_of(event, deck))
    event = msgspec.structs.replace(event, upcard=made.upcard, next=made.next)
    return event, deck, start(event, deck), made.result


def play_hand(plan: Deal, rng: Random, moves_max: int = ALL_MOVES) -> Played:
    """A hand from its table's opening to its reveal, or to some move before."""
    log = Log()
    for event in opening(plan):
        log.add(event)
    event, deck, hand, result = dealt(plan)
    if result is not None:
        log.add(event, *ending(plan, hand, result, rng))
        return Played(log.stored, deck, {len(log.stored): hand}, result)
    log.add(event)
    states = {len(log.stored): hand}
    for _ in range(moves_max):
        made = moved(hand, rng)
        hand, result = fold(hand, made.events), made.result
        if result is not None:
            log.add(*made.events, *ending(plan, hand, result, rng))
            states[len(log.stored)] = hand
            break
        log.add(*made.events, *beside(hand, rng))
        states[len(log.stored)] = hand
    return Played(log.stored, deck, states, result)


def moved(hand: Hand, rng: Random) -> Decision:
    """A random move, or that of a player whose time ran out."""
    if rng.random() < 0.15:
        made = time_out(hand, in_row=1, bank_ms=0)
    else:
        made = decide(hand, *mover(hand, rng))
    assert isinstance(made, Decision), made
    return made


def beside(hand: Hand, rng: Random) -> list[msgspec.Struct]:
    """Sometimes a fact of the table that is no action."""
    if rng.random() > 0.1:
        return []
    seat = rng.choice(hand.setup.seats)
    return [events.AutopilotSet(seat=seat, player=PLAYERS[seat - 1], on=True, reason="timeouts")]


def ending(plan: Deal, hand: Hand, result: Result, rng: Random) -> list[msgspec.Struct]:
    paid, rake = None, {seat: max(0, net // 20) for seat, net in result.net.items()}
    if plan.currency == CHIPS:
        rake = {}
    if plan.payment == "table_stakes":
        stacks = dict(zip(hand.setup.seats, hand.setup.stacks, strict=True))
        due = [payment.Transfer(one.from_seat, one.to_seat, one.amount) for one in result.transfers]
        paid = [
            events.Payment(from_seat=one.from_seat, to_seat=one.to_seat, amount=one.amount)
            for one in payment.pay(due, stacks=stacks, payment=plan.payment).paid
        ]
    following = rng.choice([None, *range(1, 7)])
    ended = hand_ended(hand, result, paid=paid, rake=rake, next_dealer=following)
    revealed = events.HandRevealed(hand=HAND, server_seed=plan.server_seed.hex())
    return [ended, revealed, events.SatOut(seat=1, player=PLAYERS[0], reason="asked")]


@st.composite
def hands(draw: st.DrawFn, moves_max: int = ALL_MOVES) -> Played:
    count = draw(st.integers(2, 4))
    # A seed, since whole hands ask for more numbers than an example may draw.
    options, rng = draw(option_sets(count)), Random(draw(st.integers(0, 1 << 32)))
    chips = rng.random() < 0.5
    plan = a_deal(
        rng,
        options,
        count,
        currency=CHIPS if chips else "XTK",
        payment="table_stakes" if chips and rng.random() < 0.7 else "full",
        stacks=tuple(rng.choice([3, 15, 900]) for _ in range(count)) if chips else (900,) * count,
        fairness=rng.choice(["commit", "beacon"]),
    )
    return play_hand(plan, rng, moves_max)


MOMENT = st.integers(0, 1 << 16)
"""Chooses a version or a viewer of whatever hand was played."""


def history_of(stored: Sequence[Stored], viewer: str = "all", **more: Any) -> HandHistory:
    found = from_events(stored, viewer=viewer, **more)
    assert isinstance(found, HandHistory), found
    return found


def bare(hand: Hand) -> object:
    """A state without its setup, whose deck is known by other means."""
    free: Any = hand
    return msgspec.structs.replace(free, setup=None), hand.setup.deck


def good(text: str) -> HandHistory:
    found = read(text)
    assert isinstance(found, HandHistory), found
    return found


def checks(history: HandHistory) -> set[str]:
    return {one.check for one in verify(history)}


def refused_at(history: HandHistory) -> set[str]:
    found = read(write(history))
    return {str(found.facts["where"])} if isinstance(found, Refusal) else set()


def with_keys(text: str, **changes: Any) -> HandHistory:
    history = good(text)
    of_proof = {name: changes.pop(name) for name in list(changes) if hasattr(Proof, name)}
    proof = msgspec.structs.replace(history.proof, **of_proof)
    return msgspec.structs.replace(history, proof=proof, **changes)
