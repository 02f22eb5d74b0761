"""A hand history from the log: what a viewer knows of a hand at a version (`api.md` section 8).

Here alone cards are left out of a history: of other seats' hidden cards, of the deck and of the
seed nothing enters the value of who may not know them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType
from uuid import UUID

from msgspec.structs import replace

from eventstore.core.ids import subject
from eventstore.core.record import Stored, time_text
from eventstore.core.refusal import Refusal
from games.rules import events, fair
from games.rules.cards import TEXTS, texts
from games.rules.rotation import next_dealer
from games.rules.shuffles import FIRST_RESHUFFLED, Deck, sealed_deck
from games.rules.state import UNKNOWN, Hand, evolve, start
from games.rules.table import CHIPS
from games.rules.tonkh.actions import FACTS, Action, told
from games.rules.tonkh.follow import without_deck
from games.rules.tonkh.history import ALL, PUBLIC, UNSEEN, HandHistory, Proof, knows, seat_of
from games.rules.tonkh.play import dealt_places

NO_NAMES: Mapping[str, str] = MappingProxyType({})
Reveal = events.HandRevealed | events.HandVoided


@dataclass(frozen=True, slots=True)
class _Records:
    """The records of one hand, sorted out."""

    tournament: str | None
    first: Stored
    """The commitment, or the deal where that was not given."""
    seeds: Mapping[int, str]
    """Revealed seed of each seat."""
    deal: Stored
    dealt: events.HandDealt
    play: tuple[Stored, ...]
    """All that follows, up to the reveal."""

    @property
    def reveal(self) -> Reveal | None:
        """The record that opens the whole hand to all, once it is there."""
        last = self.play[-1].event if self.play else None
        return last if isinstance(last, Reveal) else None


@dataclass(frozen=True, slots=True)
class _Course:
    """How the play went, up to the last record that leaves nothing half done."""

    hand: Hand
    last: Stored
    actions: tuple[Action, ...]
    times_ms: tuple[int, ...]


def from_events(
    stored: Sequence[Stored],
    *,
    viewer: str,
    deck: Deck | None = None,
    names: Mapping[str, str] = NO_NAMES,
) -> HandHistory | Refusal:
    """The history of a hand for `all`, `public` or `seat N`, from its records in order.

    `stored` are records of a table's stream from the hand's commitment and seeds on, or from its
    deal where no seat gave a seed, up to the version that the viewer asks for; in a tournament the
    opening of the table stands before them. A version inside an append counts as the one before
    it. `deck` gives a seat its own cards of a running hand; of an ended one the seed does. `names`
    are the shown names of those who agreed, by player id.

    Refuses with `no_reveal_yet` (viewer `all`, or a deal that ended the hand, before its reveal)
    and `not_seated` (a seat that was not dealt in). Raises: ValueError for records of no hand, a
    text that is no viewer, a running hand for a seat without the deck; InvariantBroken for facts
    that can not be.
    """
    records = _records(stored)
    seat, seats = seat_of(viewer), [player.seat for player in records.dealt.players]
    if seat is not None and seat not in seats:
        return Refusal("not_seated", facts={"seats": seats})
    if records.reveal is not None:
        deck = _opened(records.dealt, records.reveal)
    elif seat is not None and deck is None:
        raise ValueError("without the deck a seat's own cards are not known")
    course = _course(records, viewer, None if viewer == PUBLIC else deck)
    if course is None or (viewer == ALL and records.reveal is None):
        return Refusal("no_reveal_yet")
    history = _running(records, course, viewer, names)
    return history if records.reveal is None else _ended(history, records, course)


# --- records --------------------------------------------------------------------------------------


def _records(stored: Sequence[Stored]) -> _Records:
    deals = ((at, one.event) for at, one in enumerate(stored))
    at, dealt = next(
        ((at, event) for at, event in deals if isinstance(event, events.HandDealt)), (0, None)
    )
    if dealt is None:
        raise ValueError("no deal among these records")
    before = [one for one in stored[:at] if getattr(one.event, "hand", None) == dealt.hand]
    committed = [one for one in before if isinstance(one.event, events.ShuffleCommitted)]
    revealed = [one.event for one in before if isinstance(one.event, events.SeedRevealed)]
    return _Records(
        tournament=_tournament(stored[0]) if dealt.currency == CHIPS else None,
        first=committed[0] if committed else stored[at],
        seeds={one.seat: one.seed for one in revealed},
        deal=stored[at],
        dealt=dealt,
        play=_to_the_reveal(stored[at + 1 :]),
    )


def _tournament(first: Stored) -> str | None:
    if isinstance(first.event, events.TableOpened):
        return first.event.tournament
    raise ValueError("a tournament's hand without the opening of its table")


def _to_the_reveal(stored: Sequence[Stored]) -> tuple[Stored, ...]:
    ends = (at for at, one in enumerate(stored, start=1) if isinstance(one.event, Reveal))
    return tuple(stored[: next(ends, len(stored))])


def _opened(dealt: events.HandDealt, reveal: Reveal) -> Deck | None:
    """The deck of a hand whose seed is shown; None where the dealer's key was lost."""
    if reveal.server_seed is None:
        return None
    key = fair.hand_key(bytes.fromhex(reveal.server_seed), bytes.fromhex(dealt.transcript))
    return sealed_deck(UUID(dealt.hand).bytes, key, dealt.deck_spec)


# --- the course of play ---------------------------------------------------------------------------


def _course(records: _Records, viewer: str, deck: Deck | None) -> _Course | None:
    """How the play went; None where not even the deal is complete."""
    hand, actions, times_ms = _start(records, deck), list[Action](), list[int]()
    whole = None if hand.over else _Course(hand, records.deal, (), ())
    before, pending = hand, list[Stored]()
    for one in records.play:
        hand = evolve(hand, one.event)
        if isinstance(one.event, FACTS):
            pending.append(one)
        if pending and _is_complete(pending, before, hand):
            sight = _Sight(viewer, hand.setup.deck)
            actions.append(told(before, [fact.event for fact in pending], sight.card_of))
            times_ms.append((pending[0].at - records.deal.at) // timedelta(milliseconds=1))
            pending = []
        if not pending:
            before = hand
            if not hand.over or isinstance(one.event, Reveal):
                whole = _Course(hand, one, tuple(actions), tuple(times_ms))
    return whole


def _start(records: _Records, deck: Deck | None) -> Hand:
    """The hand after its deal. Without the deck too it can say what a wild card would stand for."""
    hand = start(records.dealt, deck)
    return hand if deck is not None else replace(hand, setup=without_deck(hand.setup))


def _is_complete(pending: Sequence[Stored], before: Hand, after: Hand) -> bool:
    """Whether these facts are an action, and not the beginning of one."""
    if isinstance(pending[0].event, events.TurnTimedOut):
        return after.over or after.turn != before.turn
    return not isinstance(pending[-1].event, events.PileReshuffled)


@dataclass(frozen=True, slots=True)
class _Sight:
    """Which drawn cards a viewer knows."""

    viewer: str
    deck: tuple[int, ...] | None

    def card_of(self, event: events.CardDrawn) -> int:
        """Code of a card drawn from the stock, -1 for who may not know it."""
        if self.deck is None or not knows(self.viewer, event.seat):
            return UNKNOWN
        return self.deck[event.place]


# --- the keys -------------------------------------------------------------------------------------


def _running(
    records: _Records, course: _Course, viewer: str, names: Mapping[str, str]
) -> HandHistory:
    """The keys that a hand has from its deal on."""
    dealt, chips = records.dealt, records.dealt.currency == CHIPS
    players = [one.player for one in dealt.players]
    known = tuple(names.get(player, "") for player in players)
    return HandHistory(
        hand=dealt.hand,
        table=str(subject(records.deal.stream)),
        hand_no=dealt.hand_no,
        tournament=records.tournament,
        viewer=viewer,
        rules_preset=dealt.rules.preset,
        rules_version=dealt.rules.version,
        rules_hash=dealt.rules.hash,
        options=dealt.rules.options,
        currency=None if chips else dealt.currency,
        stake=dealt.stake,
        payment=dealt.payment if chips else None,
        seats=tuple(one.seat for one in dealt.players),
        players=tuple(players),
        names=known if any(known) else None,
        kinds=tuple("human" if one.bot is None else "bot" for one in dealt.players),
        stacks=tuple(one.stack for one in dealt.players),
        dealer=dealt.dealer,
        started=time_text(records.deal.at),
        deal=_deal(course.hand, viewer),
        upcard=dealt.upcard.card if dealt.upcard else None,
        actions=tuple(action.text for action in course.actions),
        times_ms=course.times_ms,
        proof=_proof(records, course),
    )


def _deal(hand: Hand, viewer: str) -> tuple[str, ...]:
    """The dealt cards of each seat that the viewer knows; of others their number."""
    setup, size = hand.setup, hand.setup.rules.options.hand_size
    found = []
    for player, seat in enumerate(setup.seats):
        cards = [UNSEEN] * size
        if setup.deck is not None and knows(viewer, seat):
            cards = [TEXTS[setup.deck[place]] for place in dealt_places(setup, player)]
        found.append(" ".join(cards))
    return tuple(found)


def _proof(records: _Records, course: _Course) -> Proof:
    dealt = records.dealt
    missing = [one.seat for one in dealt.players if one.seed == "revealed"]
    if not set(missing) <= set(records.seeds):
        raise ValueError("a hand without the seeds that its seats have revealed")
    return Proof(
        fairness=dealt.fairness,
        deck_spec=dealt.deck_spec,
        commit=dealt.commit,
        seeds=tuple(records.seeds.get(one.seat, "") for one in dealt.players),
        beacon=dealt.beacon,
        deck_root=dealt.deck_root,
        first_version=records.first.version,
        last_version=course.last.version,
    )


def _ended(history: HandHistory, records: _Records, course: _Course) -> HandHistory:
    """The history with the keys of a hand that has ended."""
    last, reveal, setup = course.last, records.reveal, course.hand.setup
    proof = replace(
        history.proof,
        server_seed=reveal.server_seed if reveal else None,
        head_hash=last.hash.hex(),
    )
    history = replace(history, proof=proof, finished=time_text(last.at))
    if history.viewer == ALL and setup.deck is not None:
        pack = len(setup.rules.pack.codes)
        again = " ".join(texts(setup.deck[FIRST_RESHUFFLED:]))
        history = replace(
            history,
            deck=" ".join(texts(setup.deck[:pack])),
            reshuffles=(again,) if again else None,
        )
    if isinstance(reveal, events.HandVoided):
        return _voided(history, reveal)
    ends = (one.event for one in records.play if isinstance(one.event, events.HandEnded))
    return _with_result(history, next(ends))


def _voided(history: HandHistory, voided: events.HandVoided) -> HandHistory:
    nothing = (0,) * len(history.seats)
    return replace(
        history,
        end="void",
        void_reason=voided.reason,
        counts=nothing,
        net=nothing,
        rake=nothing,
        transfers=(),
        next_dealer=_dealer(history, voided.next_dealer, "void"),
    )


def _with_result(history: HandHistory, ended: events.HandEnded) -> HandHistory:
    rakes = {one.seat: one.amount for one in ended.rake}
    paid = [f"{one.from_seat}>{one.to_seat} {one.amount}" for one in ended.paid or ()]
    return replace(
        history,
        end=ended.end,
        by=ended.by,
        counts=tuple(held.count for held in ended.held),
        net=tuple(one.amount for one in ended.net),
        rake=tuple(rakes.get(seat, 0) for seat in history.seats),
        transfers=tuple(
            f"{one.from_seat}>{one.to_seat} {one.amount} {one.rule}" for one in ended.transfers
        ),
        paid=None if ended.paid is None else tuple(paid),
        next_dealer=_dealer(history, ended.next_dealer, ended.end),
    )


def _dealer(history: HandHistory, stated: int | None, end: events.End) -> int | None:
    """The next dealer where the seats in the text give it, all of them staying."""
    if stated is None:
        return None
    seated = sorted({*history.seats, stated})
    return stated if next_dealer(history.options, seated, history.dealer, end) == stated else None
