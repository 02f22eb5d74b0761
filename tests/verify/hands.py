"""Hands at a test table, dealt and played by the product's rules, as events of a log."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from msgspec.structs import replace

from eventstore.core.ids import table_stream
from eventstore.core.refusal import Refusal
from games.rules import events, fair, payment
from games.rules.cards import TEXTS
from games.rules.dealing import judged
from games.rules.decide import decide, legal, legal_slaps
from games.rules.initial import claims
from games.rules.options import RULES_VERSION, Options, complete, rules_hash
from games.rules.result import Result, hand_ended, settle
from games.rules.selfplay import POLICIES, SeededNumbers
from games.rules.shuffles import Deck, KeyedShuffle
from games.rules.state import Hand, dealt_hand, fold, setup_of
from ledger.core.fees import RakeTerms, rake

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.verify.log import Log

PLAYERS = (
    "0199c2b2-6c1f-7cc6-b5e6-76fcb5034a73",
    "0199c2b2-6c1f-7726-b502-f14087f9a32b",
    "0199c2b2-6c1f-7f25-be26-90015e9a6ee6",
)
CLOCK = events.Clock(profile="turbo", move_ms=8000, first_move_ms=15000, bank_ms=20000)
BEACON = sha256(b"round 1000").digest()


@dataclass
class Anchor:
    """The chain of links of one seat; `used` counts the links that were shown."""

    links: list[bytes]
    used: int = 0

    @classmethod
    def of(cls, text: str, length: int = 8) -> Anchor:
        """A chain whose last link is a hash of the text."""
        links = [sha256(text.encode()).digest()]
        while len(links) <= length:
            links.append(fair.link(links[-1]))
        return cls(links[::-1])


@dataclass(kw_only=True)
class Sitter:
    """Who sits at a seat."""

    player: str
    stack: int
    bot: str | None = None
    anchor: Anchor | None = None


@dataclass(kw_only=True)
class Seating:
    """A table in a log: its rules, who sits there, how many hands were dealt."""

    log: Log
    table: UUID
    options: Options
    currency: str = "EUR"
    stake: int = 100
    fairness: events.Fairness = "commit"
    payment: Literal["full", "table_stakes"] = "full"
    rake: events.Rake = field(default_factory=lambda: events.Rake(bp=500, cap=None))
    sitters: dict[int, Sitter] = field(default_factory=dict)
    dealer: int = 1
    hand_no: int = 0
    ended: list[int] = field(default_factory=list)  # versions of HandEnded
    committed: list[int] = field(default_factory=list)  # versions of ShuffleCommitted

    @property
    def stream(self) -> str:
        """Stream of the table."""
        return table_stream(self.table)

    @property
    def rules(self) -> events.RuleSet:
        """The rules as events state them."""
        version = RULES_VERSION
        fingerprint = rules_hash(self.options, version)
        return events.RuleSet(preset=None, version=version, hash=fingerprint, options=self.options)

    def append(self, *made: events.Event, actor: str = "worker:dealer") -> int:
        """The events as one append; the version of the last."""
        return self.log.append(self.stream, *made, actor=actor)[-1].version

    def open(self, tournament: str | None = None) -> None:
        """The table's first event."""
        self.append(
            events.TableOpened(
                rules=self.rules,
                currency=self.currency,
                stake=self.stake,
                seats=self.options.max_players,
                buy_in_min=1000,
                buy_in_max=20000,
                rake=self.rake,
                fairness=self.fairness,
                clock=CLOCK,
                visibility="public",
                api_bots=True,
                spectator_delay_s=0,
                tournament=tournament,
                opened_by=PLAYERS[0],
            )
        )

    def sit(self, seat: int, player: str, buy_in: int, *, bot: str | None = None) -> int:
        """A player sits down; the version of SeatTaken."""
        self.sitters[seat] = Sitter(player=player, stack=buy_in, bot=bot)
        money = 0 if self.currency == "CHIPS" else buy_in
        taken = events.SeatTaken(
            seat=seat, player=player, bot=bot, buy_in=money, currency=self.currency
        )
        version = self.append(taken, actor=f"player:{player}")
        if not money:
            self.append(events.ChipsSet(seat=seat, player=player, chips=buy_in))
        return version

    def top_up(self, seat: int, amount: int) -> None:
        """More money at a seat."""
        who = self.sitters[seat]
        who.stack += amount
        self.append(
            events.StackToppedUp(
                seat=seat, player=who.player, amount=amount, currency=self.currency
            ),
            actor=f"player:{who.player}",
        )

    def anchor(self, seat: int, text: str, length: int = 8) -> int:
        """A new chain of seeds for a seat; the version of SeedAnchored."""
        who = self.sitters[seat]
        who.anchor = Anchor.of(text, length)
        return self.append(
            events.SeedAnchored(
                seat=seat, player=who.player, anchor=who.anchor.links[0].hex(), length=length
            ),
            actor=f"player:{who.player}",
        )

    def cash_out(self, seat: int) -> int:
        """A player leaves; the version of SeatCashedOut."""
        who = self.sitters.pop(seat)
        return self.append(
            events.SeatLeft(seat=seat, player=who.player, reason="asked"),
            events.SeatCashedOut(
                seat=seat, player=who.player, amount=who.stack, currency=self.currency
            ),
        )

    # --- the deal ---------------------------------------------------------------------------------

    def commit(self, seed: str) -> Committed:
        """The dealer's commitment to the seed that a text stands for."""
        hand, secret = self.log.new_id(), sha256(seed.encode()).digest()
        options = self.options
        commitment = fair.commit(hand.bytes, secret)
        spec = fair.deck_spec(options.deck, options.jokers)
        beacon = events.BeaconRound(chain=sha256(b"chain").hexdigest(), round=1000)
        anchored = any(one.anchor for one in self.sitters.values())
        version = self.append(
            events.ShuffleCommitted(
                hand=str(hand),
                hand_no=self.hand_no + 1,
                commit=commitment.hex(),
                deck_spec=spec,
                fairness=self.fairness,
                seats=tuple(
                    events.CommittedSeat(
                        seat=seat,
                        player=one.player,
                        bot=one.bot,
                        anchored=one.anchor is not None,
                    )
                    for seat, one in sorted(self.sitters.items())
                ),
                dealer=self.dealer,
                reveal_by="2026-12-01T09:00:00.000000Z" if anchored else None,
                beacon=beacon if self.fairness == "beacon" else None,
            )
        )
        self.committed.append(version)
        return Committed(hand, secret, commitment, spec)

    def reveal(self, made: Committed, silent: Sequence[int] = ()) -> None:
        """The next seed of every anchored seat that is not silent."""
        for seat, who in sorted(self.sitters.items()):
            if who.anchor is None or seat in silent:
                continue
            who.anchor.used += 1
            made.seeds[seat] = who.anchor.links[who.anchor.used]
            self.append(
                events.SeedRevealed(
                    hand=str(made.hand),
                    seat=seat,
                    player=who.player,
                    index=who.anchor.used,
                    seed=made.seeds[seat].hex(),
                ),
                actor=f"player:{who.player}",
            )

    def abort(self, seed: str, silent: Sequence[int]) -> None:
        """A commitment whose silent seats let it come to nothing."""
        made = self.commit(seed)
        self.reveal(made, silent)
        self.append(
            events.ShuffleAborted(
                hand=str(made.hand),
                missing=tuple(silent),
                reason="silent_seat",
                server_seed=made.secret.hex(),
            )
        )

    def play(self, seed: str, *, silent: Sequence[int] = (), policy: str = "quiet-0") -> int:
        """A whole hand; the version of its HandEnded."""
        made = self.commit(seed)
        self.reveal(made, silent)
        dealt, deck = self._deal(made)
        upcard = None
        if dealt.upcard:
            upcard = deck.cards[dealt.upcard.place]
        hand = dealt_hand(setup_of(dealt, deck), upcard=upcard)
        facts: list[events.Event] = [dealt]
        result: Result | None = None
        if claims(hand):
            judgement = judged(hand)
            hand, result = judgement.hand, judgement.result
        numbers = SeededNumbers(seed)
        while result is None:
            seat, move = self._next_move(hand, policy, numbers)
            decided = decide(hand, seat, move)
            assert not isinstance(decided, Refusal), decided
            self.append(*facts)
            facts = list(decided.events)
            hand, result = fold(hand, decided.events), decided.result
        return self._end(made, dealt, hand, result, facts)

    def void(self, seed: str, *, is_lost: bool = False) -> int:
        """A hand that is dealt and given up, `is_lost`: with its seed; version of HandVoided."""
        made = self.commit(seed)
        self.reveal(made)
        dealt, _ = self._deal(made)
        self.append(dealt)
        self.append(
            events.CardDrawn(seat=dealt.next or 0, source="stock", place=_first(dealt), card=None)
        )
        return self._give_up(made, dealt.players, is_lost=is_lost)

    def void_undealt(self, seed: str) -> int:
        """A commitment that is given up, since its seed is lost; the version of HandVoided."""
        made = self.commit(seed)
        self.reveal(made)
        return self._give_up(made, (), is_lost=True)

    def _give_up(
        self, made: Committed, dealt: Sequence[events.DealtPlayer], *, is_lost: bool
    ) -> int:
        return self.append(
            events.HandVoided(
                hand=str(made.hand),
                reason="dealer_key_lost" if is_lost else "outage",
                server_seed=None if is_lost else made.secret.hex(),
                stacks=tuple(
                    events.SeatAmount(seat=one.seat, player=one.player, amount=one.stack)
                    for one in dealt
                ),
                next_dealer=self.dealer,
            )
        )

    def _next_move(self, hand: Hand, policy: str, numbers: SeededNumbers) -> tuple[int, Any]:
        for seat in hand.setup.seats:
            slaps = legal_slaps(hand, seat)
            if slaps:
                return seat, slaps[0]
        return hand.setup.seats[hand.actor], POLICIES[policy](legal(hand), numbers)

    def _deal(self, made: Committed) -> tuple[events.HandDealt, Deck]:
        beacon = BEACON if self.fairness == "beacon" else b""
        transcript = fair.transcript(
            made.hand.bytes,
            commitment=made.commit,
            spec=made.spec,
            seats=[
                fair.SeatSeed(seat, UUID(one.player).bytes, made.seeds.get(seat, b""))
                for seat, one in self.sitters.items()
            ],
            beacon=beacon,
        )
        key = fair.hand_key(made.secret, transcript)
        sealed = fair.seal(key, hand=made.hand.bytes, cards=fair.DECKS[made.spec])
        self.hand_no += 1
        deck = Deck(sealed.order, KeyedShuffle(made.hand.bytes, key))
        place = len(self.sitters) * self.options.hand_size
        upcard = events.PlacedCard(card=TEXTS[sealed.order[place]], place=place)
        dealt = events.HandDealt(
            hand=str(made.hand),
            hand_no=self.hand_no,
            rules=self.rules,
            fairness=self.fairness,
            deck_spec=made.spec,
            commit=made.commit.hex(),
            transcript=transcript.hex(),
            deck_root=sealed.root.hex(),
            beacon=beacon.hex() or None,
            players=tuple(
                events.DealtPlayer(
                    seat=seat,
                    player=one.player,
                    bot=one.bot,
                    stack=one.stack,
                    bank_ms=CLOCK.bank_ms,
                    seed=made.state_of(seat, one),
                )
                for seat, one in sorted(self.sitters.items())
            ),
            away=(),
            dealer=self.dealer,
            stake=self.stake,
            currency=self.currency,
            payment=self.payment,
            rake=self.rake,
            clock=CLOCK,
            hand_size=self.options.hand_size,
            upcard=upcard if self.options.initial_upcard else None,
            next=None,
        )
        hand = dealt_hand(setup_of(dealt, deck), upcard=None)
        if claims(hand):
            return dealt, deck
        first = hand.setup.seats[hand.actor]
        return replace(dealt, next=first), deck

    def _end(
        self,
        made: Committed,
        dealt: events.HandDealt,
        hand: Hand,
        result: Result | None,
        facts: list[events.Event],
    ) -> int:
        result = result or settle(hand)
        ended = hand_ended(
            hand, result, paid=self._paid(dealt, result), rake=self._rake(hand, result)
        )
        revealed = events.HandRevealed(hand=str(made.hand), server_seed=made.secret.hex())
        version = self.append(*facts, ended, revealed) - 1
        self.ended.append(version)
        for one in ended.stacks:
            self.sitters[one.seat].stack = one.amount
        self.dealer = result.next_dealer
        return version

    def _paid(self, dealt: events.HandDealt, result: Result) -> list[events.Payment] | None:
        if self.currency != "CHIPS":
            return None
        due = [payment.Transfer(one.from_seat, one.to_seat, one.amount) for one in result.transfers]
        stacks = {one.seat: one.stack for one in dealt.players}
        paid = payment.pay(due, stacks=stacks, payment=dealt.payment).paid
        return [
            events.Payment(from_seat=one.from_seat, to_seat=one.to_seat, amount=one.amount)
            for one in paid
        ]

    def _rake(self, hand: Hand, result: Result) -> Mapping[int, int]:
        order = [hand.setup.seats[index] for index in hand.setup.from_left]
        return rake(RakeTerms(self.rake.bp, self.rake.cap), result.end, result.net, order)


@dataclass
class Committed:
    """A commitment with what the dealer alone knows, and the seeds shown so far."""

    hand: UUID
    secret: bytes
    commit: bytes
    spec: str
    seeds: dict[int, bytes] = field(default_factory=dict)

    def state_of(self, seat: int, who: Sitter) -> Literal["revealed", "missing", "none"]:
        """How the seat took part."""
        if seat in self.seeds:
            return "revealed"
        return "none" if who.anchor is None else "missing"


def _first(dealt: events.HandDealt) -> int:
    return len(dealt.players) * dealt.hand_size + (dealt.upcard is not None)


def options_of(**changes: object) -> Options:
    """The default rules with these changes."""
    options = complete(changes, len(PLAYERS))
    assert isinstance(options, Options), options
    return options
