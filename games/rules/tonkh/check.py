"""The verifier of hand histories: whether a text says what rules and proof say (`api.md` 8)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from msgspec.structs import replace
from typing_extensions import override

from eventstore.core.record import time_of
from games.rules import fair
from games.rules.cards import texts
from games.rules.options import rules_hash
from games.rules.payment import Transfer, pay
from games.rules.result import Result
from games.rules.rotation import next_dealer
from games.rules.shuffles import FIRST_RESHUFFLED
from games.rules.tonkh.history import UNSEEN, HandHistory, transfer_texts
from games.rules.tonkh.play import Replay, dealt_places, key_of, replay, setup_of
from games.rules.tonkh.shape import complaint


@dataclass(frozen=True, slots=True)
class Problem:
    """What of a history is not so; `check` is the key or the part that is wrong."""

    check: str
    detail: str

    @override
    def __str__(self) -> str:
        return f"{self.check}: {self.detail}"


def verify(history: HandHistory) -> tuple[Problem, ...]:
    """Everything that is wrong with a history; empty for a good one.

    An ended hand is dealt again from its seed and played again from its deck; a running one is
    checked as far as its viewer's knowledge goes. Table, numbers, names, currency, stacks and
    instants stand in no proof of the hand: they are checked for their form and against each other,
    and `head_hash` ties them to the log.
    """
    found = complaint(history)
    if found is not None:
        return (Problem(found[0], found[1]),)
    played = replay(history)
    checks = (_rules(history), _proof(history), _played(history, played), _log(history, played))
    return tuple(problem for check in checks for problem in check)


def _differs(check: str, stated: object, right: object) -> Iterator[Problem]:
    if stated != right:
        yield Problem(check, f"the text says {_plain(stated)}, the rules {_plain(right)}")


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _rules(history: HandHistory) -> Iterator[Problem]:
    right = rules_hash(history.options, history.rules_version)
    yield from _differs("rules_hash", history.rules_hash, right)


# --- the deal -------------------------------------------------------------------------------------


def _proof(history: HandHistory) -> Iterator[Problem]:
    """The commitment, the deck that seed and seats give, its root, and the cards of the deal."""
    key, proof, hand = key_of(history), history.proof, UUID(history.hand).bytes
    if key is None or proof.server_seed is None:
        return
    commitment = fair.commit(hand, bytes.fromhex(proof.server_seed))
    yield from _differs("commit", proof.commit, commitment.hex())
    sealed = fair.seal(key, hand=hand, cards=fair.DECKS[proof.deck_spec])
    yield from _differs("deck_root", proof.deck_root, sealed.root.hex())
    yield from _deal(history, sealed.order)
    if history.deck is not None:
        yield from _differs("deck", history.deck, " ".join(texts(sealed.order)))
        yield from _reshuffles(history)


def _deal(history: HandHistory, order: Sequence[int]) -> Iterator[Problem]:
    setup = setup_of(history)
    for player, cards in enumerate(history.deal):
        right = " ".join(texts(order[place] for place in dealt_places(setup, player)))
        if UNSEEN not in cards:
            yield from _differs("deal", cards, right)
    if history.upcard is not None:
        first = len(setup.seats) * history.options.hand_size
        yield from _differs("upcard", history.upcard, texts(order)[first])


def _reshuffles(history: HandHistory) -> Iterator[Problem]:
    """Every reshuffle is the one of the hand's key over what the discards were."""
    right = replay(replace(history, deck=None, reshuffles=None))
    cards = texts((right.hands[-1].setup.deck or ())[FIRST_RESHUFFLED:])
    orders = (" ".join(cards),) if cards else ()
    yield from _differs("reshuffles", history.reshuffles or (), orders)


# --- the play -------------------------------------------------------------------------------------


def _played(history: HandHistory, played: Replay) -> Iterator[Problem]:
    over, voided = played.hands[-1].over, history.void_reason is not None
    if played.fault is not None:
        yield Problem("actions", played.fault)
    elif over != (history.ended and not voided):
        yield Problem("end", f"the hand {'is over' if over else 'goes on'} after these actions")
    elif played.result is not None:
        yield from _result(history, played.result)


def _result(history: HandHistory, result: Result) -> Iterator[Problem]:
    """Every key of the end, against the result of the rules."""
    yield from _differs("end", history.end, result.end)
    yield from _differs("by", history.by, result.by)
    counts = tuple(held.count for held in result.held)
    yield from _differs("counts", history.counts, counts)
    yield from _differs("transfers", history.transfers, transfer_texts(result))
    net, paid = _moved(history, result)
    if history.paid is not None or history.payment == "table_stakes":
        yield from _differs("paid", history.paid, paid)
    yield from _differs("net", history.net, net)
    yield from _differs("sum of net", sum(history.net or ()), 0)
    yield from _rake(history)
    yield from _next_dealer(history, result)


def _moved(history: HandHistory, result: Result) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Net of each seat, and who pays whom what, where stacks may be short."""
    due = [Transfer(one.from_seat, one.to_seat, one.amount) for one in result.transfers]
    stacks = dict(zip(history.seats, history.stacks, strict=True))
    outcome = pay(due, stacks=stacks, payment=history.payment or "full")
    net = tuple(outcome.stacks[seat] - stacks[seat] for seat in history.seats)
    return net, tuple(f"{one.from_seat}>{one.to_seat} {one.amount}" for one in outcome.paid)


def _rake(history: HandHistory) -> Iterator[Problem]:
    """The house takes a part of what winners gain, of chips nothing; its terms are not in here."""
    takes = history.currency is not None
    for rake, net in zip(history.rake or (), history.net or (), strict=True):
        if rake > (max(net, 0) if takes else 0):
            yield Problem("rake", f"{rake} of a net of {net}")


def _next_dealer(history: HandHistory, result: Result) -> Iterator[Problem]:
    """The rules' own next dealer, or a seat beside those dealt in that comes before it."""
    stated = history.next_dealer
    if stated is not None:
        seated = sorted({*history.seats, stated})
        right = next_dealer(history.options, seated, history.dealer, result.end)
        yield from _differs("next_dealer", stated, right)


# --- the log --------------------------------------------------------------------------------------


def _log(history: HandHistory, played: Replay) -> Iterator[Problem]:
    """Instants and versions agree with the actions, as far as they can."""
    by_rules = history.ended and history.void_reason is None
    if history.finished is not None:
        taken = time_of(history.finished) - time_of(history.started)
        taken_ms = taken // timedelta(milliseconds=1)
        last_ms = history.times_ms[-1] if history.times_ms else 0
        # The end stands in one append with what ended the hand; a void hand may end at any time.
        if taken_ms < last_ms or (by_rules and taken_ms != last_ms):
            yield Problem("finished", f"{taken_ms} ms after started, the last action {last_ms} ms")
    seeds = sum(map(bool, history.proof.seeds))
    before = seeds + (seeds > 0)  # seeds follow a commitment
    records = before + 1 + played.facts + (2 if by_rules else history.ended)
    if history.proof.last_version - history.proof.first_version + 1 < records:
        yield Problem("last_version", f"the hand has {records} records or more")
