"""May this move be made? One function per verb asks; `decide` enforces and `legal` lists by them.

Order of checks and codes: `rules.md` section 9. Refusals carry the number of the rule that refuses.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from eventstore.core.refusal import Refusal
from games.rules import facts, melds
from games.rules.cards import TEXTS
from games.rules.moves import Move, Verb, meld_name
from games.rules.state import UNKNOWN, Hand, evolve, find_meld
from games.rules.targets import hittable, is_target, slapped_meld

Check = Callable[[Hand, Move], Refusal | None]


def refusal(hand: Hand, seat: int, move: Move) -> Refusal | None:
    """Why a seat may not make a move, None if it may."""
    if hand.finish:
        return Refusal("hand_over", "D7")
    if move.verb == "P":
        return _refuse_slap(hand, seat, move)
    if hand.setup.seats[hand.actor] != seat:
        return Refusal("not_your_turn", "R14", {"to_act": hand.to_act})
    return CHECKS[move.verb](hand, move)


def _refuse_knock(hand: Hand, move: Move) -> Refusal | None:  # noqa: ARG001 -- one shape for all
    options = hand.setup.rules.options
    if hand.drew:
        if options.knock_when == "turn_start":
            return Refusal("knock_only_at_turn_start", "D8")
        if options.must_use_discard and holds_taken(hand):
            return _must_use(hand)
    if options.knock_from_round > 1 and hand.round < options.knock_from_round:
        return Refusal("knock_too_early", "V8", {"round": options.knock_from_round})
    if hand.held or hand.holds[hand.actor]:
        return Refusal("knock_held", "V7")
    limit = options.knock_max_count
    if limit is not None:
        count = hand.setup.rules.count(hand.cards[hand.actor])
        if count > limit:
            return Refusal("knock_over_limit", "V8", {"count": count, "limit": limit})
    return None


def _refuse_stock(hand: Hand, move: Move) -> Refusal | None:  # noqa: ARG001 -- one shape for all
    return Refusal("already_drawn", "R16") if hand.drew else None


def _refuse_take(hand: Hand, move: Move) -> Refusal | None:  # noqa: ARG001 -- one shape for all
    if hand.drew:
        return Refusal("already_drawn", "R16")
    if not hand.pile:
        return Refusal("no_discard", "R16")
    rules = hand.setup.rules
    if hand.discard_turns >= rules.discard_turn_cap:
        return Refusal("must_draw_stock", "D17", {"turns": hand.discard_turns})
    if rules.options.must_use_discard:
        card = rules.pack.bits[hand.pile[-1]]
        if not _usable(hand, hand.cards[hand.actor] | card, card):
            return Refusal("discard_unusable", "V12", {"card": TEXTS[hand.pile[-1]]})
    return None


def _refuse_spread(hand: Hand, move: Move) -> Refusal | None:
    if not hand.drew:
        return Refusal("must_draw_first", "R16")
    rules, held, laid = hand.setup.rules, hand.cards[hand.actor], 0
    for card in move.cards:
        bit = rules.pack.bits[card]
        if not held & bit:
            return _not_held(card)
        laid |= bit
    if laid.bit_count() != len(move.cards) or rules.read(move.cards) is None:
        return Refusal("bad_spread", "R20", {"cards": [TEXTS[card] for card in move.cards]})
    return _strands_taken(hand, move) if rules.options.must_use_discard else None


def _refuse_hit(hand: Hand, move: Move) -> Refusal | None:
    if not hand.drew:
        return Refusal("must_draw_first", "R16")
    card, rules = move.cards[0], hand.setup.rules
    bit, options = rules.pack.bits[card], rules.options
    if not hand.cards[hand.actor] & bit:
        return _not_held(card)
    meld = find_meld(hand, move.meld)[1]
    if meld is None or not melds.place_at(meld, bit, move.end, rules.shape):
        return Refusal("bad_hit", "R23", {"card": TEXTS[card], "meld": meld_name(move.meld)})
    if not is_target(hand, meld):
        return Refusal("bad_hit", "V12", {"card": TEXTS[card], "meld": meld_name(move.meld)})
    if not may_hit(hand):
        return Refusal("hit_limit", "V12", {"limit": options.hits_per_turn})
    return _strands_taken(hand, move) if options.must_use_discard else None


def _refuse_discard(hand: Hand, move: Move) -> Refusal | None:
    card = move.cards[0]
    if hand.drew and hand.setup.rules.pack.bits[card] & discardable(hand):
        return None
    return _why_not_discard(hand, card)


def _why_not_discard(hand: Hand, card: int) -> Refusal:
    """Of all that forbids a discard the first, in the order of section 9."""
    if not hand.drew:
        return Refusal("must_draw_first", "R16")
    rules, held = hand.setup.rules, hand.cards[hand.actor]
    bit, options = rules.pack.bits[card], rules.options
    if not held & bit:
        return _not_held(card)
    if card == hand.taken and held != bit and not options.allow_return_discard:
        return Refusal("same_discard", "D6", {"card": TEXTS[card]})
    if options.must_use_discard and holds_taken(hand):
        return _must_use(hand)
    return Refusal("must_spread", "D16")


CHECKS: Mapping[Verb, Check] = MappingProxyType(
    {
        "S": _refuse_stock,
        "T": _refuse_take,
        "L": _refuse_spread,
        "H": _refuse_hit,
        "D": _refuse_discard,
        "K": _refuse_knock,
    }
)
"""Check of each verb of a player's own turn, the hand running and the seat being his."""


def discardable(hand: Hand) -> int:
    """The cards that the player to act may throw once he drew, as a set."""
    rules, held = hand.setup.rules, hand.cards[hand.actor]
    options = rules.options
    if options.must_spread and rules.must_lay(held):
        return 0
    if hand.drew == "discard":
        taken = rules.pack.bits[hand.drawn] & held
        if taken and options.must_use_discard:
            return 0
        if taken != held and not options.allow_return_discard:
            return held ^ taken
    return held


def may_hit(hand: Hand) -> bool:
    """Whether the player to act has a hit left in this turn (`hits_per_turn`)."""
    limit = hand.setup.rules.options.hits_per_turn
    return limit is None or hand.hits < limit


def holds_taken(hand: Hand) -> bool:
    """Whether the player to act still holds the card taken from the discards in this turn."""
    taken = hand.taken
    return taken != UNKNOWN and bool(hand.cards[hand.actor] & hand.setup.rules.pack.bits[taken])


def _usable(hand: Hand, held: int, card: int) -> bool:
    """Whether a card among held ones can be laid: in a spread, or by a hit that is still free."""
    rules = hand.setup.rules
    if may_hit(hand) and hittable(hand) & card:
        return True
    return any(spread & card for spread in rules.spreads(held))


def _strands_taken(hand: Hand, move: Move) -> Refusal | None:
    """D25: a spread or hit may not leave the taken card in the hand without any use."""
    if not holds_taken(hand) or keeps_use(hand, move, uses_of_taken(hand)):
        return None
    return _must_use(hand)


def uses_of_taken(hand: Hand) -> list[int]:
    """Spreads of the taken card with held ones, but for those that hold a smaller one."""
    rules = hand.setup.rules
    taken = rules.pack.bits[hand.taken]
    least: list[int] = []
    for spread in sorted(rules.spreads(hand.cards[hand.actor]), key=int.bit_count):
        if spread & taken and not any(one & spread == one for one in least):
            least.append(spread)
    return least


def keeps_use(hand: Hand, move: Move, uses: Sequence[int]) -> bool:
    """Whether a legal spread or hit plays the held taken card or leaves it a use (D25)."""
    if hand.taken in move.cards:
        return True
    bits = hand.setup.rules.pack.bits
    laid = hand.setup.rules.pack.set_of(move.cards)
    if any(not use & laid for use in uses):
        return True
    after = evolve(hand, facts.laid_down(hand, move))
    return may_hit(after) and bool(hittable(after) & bits[hand.taken])


def _refuse_slap(hand: Hand, seat: int, move: Move) -> Refusal | None:
    """The discarder sheds nothing; everybody else names the card that he sheds."""
    open_to = hand.discarder != UNKNOWN and seat in hand.setup.seats
    if not open_to or slapped_meld(hand) is None:
        return Refusal("slap_not_possible", "V16")
    player = hand.index(seat)
    if player == hand.discarder:
        return Refusal("slap_not_possible", "V16", {"sheds": 0}) if move.cards else None
    held = [card for card in move.cards if hand.cards[player] & hand.setup.rules.pack.bits[card]]
    return None if held else Refusal("card_not_in_hand", "V16", {"sheds": 1})


def _not_held(card: int) -> Refusal:
    return Refusal("card_not_in_hand", "R17", {"card": TEXTS[card]})


def _must_use(hand: Hand) -> Refusal:
    return Refusal("must_use_discard", "D25", {"card": TEXTS[hand.taken]})
