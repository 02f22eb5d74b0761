"""Is a hand history one? What can be said of its keys without playing it (`api.md` section 8)."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from eventstore.core.record import time_of
from games.rules import fair
from games.rules.cards import CODES, codes_of
from games.rules.events import KEY_LOST
from games.rules.options import RULES_VERSIONS
from games.rules.table import CHIPS
from games.rules.tonkh.actions import read_action
from games.rules.tonkh.history import ALL, UNSEEN, HandHistory, knows

Complaint = tuple[str, str]
"""The key that is not as it must be, and why."""

OF_SEATS = ("players", "names", "kinds", "stacks", "deal", "counts", "net", "rake")
OF_THE_END = ("finished", "end", "counts", "net", "rake", "transfers")
"""Keys that every hand has that has ended, and no other."""


def complaint(history: HandHistory) -> Complaint | None:
    """The first key that no history may have so, None for a sound one."""
    checks = (_lists, _seats, _rules, _end, _money, _proof, _times, _cards, _actions)
    return next((found for check in checks for found in check(history)), None)


def shows(history: HandHistory, seat: int) -> bool:
    """Whether a text shows the hidden cards of a seat; with the dealer's key they are lost."""
    lost = history.ended and history.proof.server_seed is None
    return knows(history.viewer, seat) and not lost


def _lists(history: HandHistory) -> Iterator[Complaint]:
    count = len(history.seats)
    for key in OF_SEATS:
        value = getattr(history, key)
        if value is not None and len(value) != count:
            yield key, f"{len(value)} items for {count} seats"
    if len(history.proof.seeds) != count:
        yield "proof.seeds", f"{len(history.proof.seeds)} items for {count} seats"
    if len(history.times_ms) != len(history.actions):
        yield "times_ms", f"{len(history.times_ms)} times for {len(history.actions)} actions"


def _seats(history: HandHistory) -> Iterator[Complaint]:
    seats = history.seats
    if any(one >= other for one, other in pairwise(seats)):
        yield "seats", "not in seat order"
    if len(set(history.players)) != len(history.players):
        yield "players", "a player twice"
    if history.dealer not in seats:
        yield "dealer", "no seat of the hand"
    if history.by is not None and history.by not in seats:
        yield "by", "no seat of the hand"
    if history.viewer_seat is not None and history.viewer_seat not in seats:
        yield "viewer", "no seat of the hand"
    for key in ("transfers", "paid"):
        for one in getattr(history, key) or ():
            payer, receiver = int(one[0]), int(one[2])
            if payer == receiver or not {payer, receiver} <= set(seats):
                yield key, f"{one!r} is not between two seats of the hand"


def _rules(history: HandHistory) -> Iterator[Complaint]:
    options, spec = history.options, history.proof.deck_spec
    if history.rules_version not in RULES_VERSIONS:
        yield "rules_version", "unknown here"
    if len(history.seats) > options.max_players:
        yield "seats", f"more than max_players = {options.max_players}"
    if spec != fair.deck_spec(options.deck, options.jokers):
        yield "proof.deck_spec", "not the pack of these rules"
    if (history.upcard is not None) != options.initial_upcard:
        yield "upcard", "goes with initial_upcard"


def _end(history: HandHistory) -> Iterator[Complaint]:
    for key in OF_THE_END:
        if (getattr(history, key) is not None) != history.ended:
            yield key, "goes with the end of the hand"
    if history.viewer == ALL and not history.ended:
        yield "viewer", "nobody knows all of a running hand"
    if history.void_reason is not None:
        yield from _voided(history)
    by_deal = history.end is not None and history.end.startswith("initial_")
    by_nobody = not history.ended or by_deal or history.void_reason is not None
    if (history.by is None) != by_nobody:
        yield "by", "names whose act ended the hand"
    if history.next_dealer is not None and not history.ended:
        yield "next_dealer", "goes with the end of the hand"


def _voided(history: HandHistory) -> Iterator[Complaint]:
    if history.end != "void":
        yield "void_reason", "goes with a void hand"
    for key in ("counts", "net", "rake", "transfers"):
        if any(getattr(history, key) or ()):
            yield key, "a voided hand counts and moves nothing"


def _money(history: HandHistory) -> Iterator[Complaint]:
    """In a tournament amounts are chips, and what was really paid may be stated."""
    chips = history.currency is None
    if history.currency == CHIPS:
        yield "currency", "chips are none"
    for key in ("tournament", "payment"):
        if (getattr(history, key) is not None) != chips:
            yield key, "goes with a tournament"
    if history.paid is not None and not (chips and history.ended and history.void_reason is None):
        yield "paid", "goes with the end of a tournament's hand"


def _proof(history: HandHistory) -> Iterator[Complaint]:
    proof = history.proof
    revealed = proof.server_seed is not None
    if revealed != history.ended and not (history.void_reason == KEY_LOST and not revealed):
        yield "proof.server_seed", "goes with the end of the hand"
    if (proof.head_hash is not None) != history.ended:
        yield "proof.head_hash", "goes with the end of the hand"
    if (proof.beacon is not None) != (proof.fairness == "beacon"):
        yield "proof.beacon", "goes with fairness beacon"
    if proof.first_version > proof.last_version:
        yield "proof.last_version", "before the first one"
    if (history.deck is not None) != (history.viewer == ALL and revealed):
        yield "deck", "goes with a viewer who knows all"
    if history.reshuffles is not None and history.deck is None:
        yield "reshuffles", "goes with deck"


def _times(history: HandHistory) -> Iterator[Complaint]:
    for key in ("started", "finished"):
        value = getattr(history, key)
        if value is not None and not _is_instant(value):
            yield key, "no instant"
    if any(one > other for one, other in pairwise(history.times_ms)):
        yield "times_ms", "time runs back"


def _is_instant(text: str) -> bool:
    try:
        time_of(text)
    except ValueError:
        return False
    return True


def _cards(history: HandHistory) -> Iterator[Complaint]:
    pack, size = fair.DECKS[history.proof.deck_spec], history.options.hand_size
    seen = [] if history.upcard is None else [history.upcard]
    for seat, dealt in zip(history.seats, history.deal, strict=True):
        cards = dealt.split()
        if len(cards) != size:
            yield "deal", f"{len(cards)} cards for seat {seat}, not {size}"
        if (cards != [UNSEEN] * size) if not shows(history, seat) else UNSEEN in cards:
            yield "deal", f"the viewer knows his own cards and no others: seat {seat}"
        seen += [card for card in cards if card != UNSEEN]
    yield from _twice("deal", seen, pack)
    if history.deck is not None and tuple(sorted(codes_of(history.deck.split()))) != pack:
        yield "deck", "not the pack of these rules"
    for order in history.reshuffles or ():
        yield from _twice("reshuffles", order.split(), pack)


def _twice(key: str, cards: list[str], pack: tuple[int, ...]) -> Iterator[Complaint]:
    twice = [card for card, times in Counter(cards).items() if times > 1]
    if twice:
        yield key, f"{twice[0]} twice"
    strangers = [card for card in cards if CODES[card] not in pack]
    if strangers:
        yield key, f"{strangers[0]} is not in the pack"


def _actions(history: HandHistory) -> Iterator[Complaint]:
    for number, text in enumerate(history.actions, start=1):
        action = read_action(text)
        if action is None or action.text != text:
            yield "actions", f"action {number}: {text!r} is none"
        elif action.draws and (UNSEEN in text) == shows(history, action.seat):
            yield "actions", f"action {number}: the viewer knows his own draws and no others"
