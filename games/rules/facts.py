"""The facts that a legal move makes, each verb of the rules its own (`eventstore.md` 7.1)."""

from eventstore.core.refusal import InvariantBroken
from games.rules import events, melds
from games.rules.cards import TEXTS, texts
from games.rules.melds import Reading, WildAt
from games.rules.moves import Move, meld_name
from games.rules.shuffles import FIRST_RESHUFFLED, Deck
from games.rules.state import Hand, Setup, find_meld, may_reshuffle
from games.rules.targets import slapped_meld


def of_move(hand: Hand, move: Move) -> tuple[events.Event, ...]:
    """The facts of a legal move of the player to act."""
    setup = hand.setup
    seat = setup.seats[hand.actor]
    match move.verb:
        case "S":
            return _of_draw(hand, seat)
        case "T":
            card = hand.pile[-1]
            place = setup.place_of[card]
            return (events.CardDrawn(seat=seat, source="discard", place=place, card=TEXTS[card]),)
        case "D":
            card = move.cards[0]
            place = setup.place_of[card]
            return (events.CardDiscarded(seat=seat, card=TEXTS[card], place=place),)
        case "K":
            return (events.Knocked(seat=seat),)
        case _:
            return (laid_down(hand, move),)


def _of_draw(hand: Hand, seat: int) -> tuple[events.Event, ...]:
    """The top card of the stock; an empty one is refused, or the pile is reshuffled (V14)."""
    if hand.stock_count:
        return (_drawn(seat, hand.stock_next),)
    if may_reshuffle(hand):
        return (_reshuffled(hand), _drawn(seat, FIRST_RESHUFFLED))
    return (events.StockRefused(seat=seat),)


def _drawn(seat: int, place: int) -> events.CardDrawn:
    return events.CardDrawn(seat=seat, source="stock", place=place, card=None)


def _reshuffled(hand: Hand) -> events.PileReshuffled:
    setup = hand.setup
    places = tuple(setup.place_of[card] for card in hand.pile[:-1])
    root = Deck(setup.deck or (), setup.shuffler).reshuffled(places)[1]
    return events.PileReshuffled(hand=setup.hand, shuffle_no=1, places=places, root=root)


def laid_down(hand: Hand, move: Move) -> events.SpreadLaid | events.CardHit:
    """The fact of a spread or hit of the player to act."""
    return _hit(hand, move) if move.verb == "H" else _spread(hand, move)


def _hit(hand: Hand, move: Move) -> events.CardHit:
    setup, card = hand.setup, move.cards[0]
    meld = find_meld(hand, move.meld)[1]
    text = TEXTS[card]
    return events.CardHit(
        seat=setup.seats[hand.actor],
        meld=meld_name(move.meld),
        card=text,
        stands_for=text if meld is None else _stands_for(setup, meld, move),
        place=setup.place_of[card],
    )


def _stands_for(setup: Setup, meld: melds.Meld, move: Move) -> str:
    """What an added card stands for: in a run the card of its place."""
    rules, card = setup.rules, move.cards[0]
    bit = rules.pack.bits[card]
    if not bit & rules.shape.wilds:
        return TEXTS[card]
    after = melds.grown(meld, bit, melds.place_at(meld, bit, move.end, rules.shape), rules.shape)
    pairs = melds.layout(after.cards, after.reading, rules.shape)
    return next(_text(setup, stands) for held, stands in pairs if held == bit)


def _spread(hand: Hand, move: Move) -> events.SpreadLaid:
    setup = hand.setup
    kind, pairs = in_meld_order(setup, move.cards)
    code_of = setup.rules.pack.code_of
    cards = [code_of(card) for card, _ in pairs]
    return events.SpreadLaid(
        seat=setup.seats[hand.actor],
        meld=meld_name(_free_number(hand)),
        kind=kind,
        cards=tuple(texts(cards)),
        stands_for=tuple([TEXTS[code_of(stands)] for _, stands in pairs]),
        places=tuple([setup.place_of[card] for card in cards]),
    )


def in_meld_order(setup: Setup, cards: tuple[int, ...]) -> tuple[melds.Kind, list[WildAt]]:
    """Kind of a spread, and its cards with what each stands for, in suit or run order."""
    rules = setup.rules
    laid = rules.pack.set_of(cards)
    reading = rules.read(cards) or Reading("book", laid)
    return reading.kind, melds.layout(laid, reading, rules.shape)


def slap(hand: Hand, seat: int, move: Move) -> tuple[events.CardSlapped]:
    """The fact of a legal slap: the top discard goes on the first spread that takes it (V16)."""
    setup, card = hand.setup, hand.pile[-1]
    onto = slapped_meld(hand)
    if onto is None:
        raise InvariantBroken("a slap that is not possible")
    shed = [events.PlacedCard(card=TEXTS[one], place=setup.place_of[one]) for one in move.cards]
    slapped = events.CardSlapped(
        seat=seat,
        meld=meld_name(onto.number),
        card=TEXTS[card],
        stands_for=_stands_for(setup, onto, Move("H", (card,), onto.number)),
        place=setup.place_of[card],
        shed=shed[0] if shed else None,
    )
    return (slapped,)


def _text(setup: Setup, card: int) -> str:
    return TEXTS[setup.rules.pack.code_of(card)]


def _free_number(hand: Hand) -> int:
    """The lowest meld number not on the table."""
    used, number = {meld.number for meld in hand.melds}, 1
    while number in used:
        number += 1
    return number
