"""Which spreads on the table take a card: for hits and slaps."""

from games.rules.melds import Meld
from games.rules.state import Hand


def is_target(hand: Hand, meld: Meld) -> bool:
    """Whether cards may be added to a spread of this kind (`hit_targets`)."""
    return meld.kind == "run" or hand.setup.rules.options.hit_targets == "all"


def hittable(hand: Hand) -> int:
    """Cards that some spread on the table would take, as a set."""
    found = 0
    if hand.melds:
        books = hand.setup.rules.options.hit_targets == "all"
        for meld in hand.melds:
            if books or meld.kind == "run":
                found |= meld.fits
    return found


def slapped_meld(hand: Hand) -> Meld | None:
    """The first spread, in order of laying, that takes the top discard (V16)."""
    card = hand.setup.rules.pack.bits[hand.pile[-1]]
    takes = (meld for meld in hand.melds if meld.fits & card and is_target(hand, meld))
    return next(takes, None)
