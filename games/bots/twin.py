"""The fast twin of the rules core: one hand, changed in place, for self-play and learning.

It plays every option but jokers, wild deuces, slaps and reshuffles: the same legal moves, the same
end, the same nets (`manage.py prove fast-twin` compares). Numbers stand for cards and moves
(`twin_tables.py`); a set of cards is one int as everywhere (`games/rules/cards.py`).
"""

from collections.abc import Callable, Sequence
from math import trunc

from games.bots.twin_pay import End, Finish, Finished, claimed, fixed, knocked, outcome
from games.bots.twin_spreads import grown_spread, laid_spread, largest
from games.bots.twin_tables import (
    ACE_LOW,
    CARDS,
    DRAW,
    HIT,
    KNOCK,
    LAY,
    NO_CARD,
    NUMBERS,
    POINTS_BITS,
    POINTS_MASK,
    TAKE,
    Tables,
    tables_of,
)
from games.rules import melds
from games.rules.cards import LANES
from games.rules.options import Options

FROM_STOCK, FROM_DISCARDS = 1, 2

_NEARLY_ONE = 0.999
"""Times 52 it is still more than 51."""
_START = (DRAW, TAKE, KNOCK)
_START_WITHOUT_TAKE = (DRAW, KNOCK)


def last_card() -> float:
    """Chooses the last card of any stock: so they come in the order in which they lie."""
    return _NEARLY_ONE


class Twin:
    """A hand under way. Players are indexes in seat order; `deal` or `shuffle` begins a hand."""

    __slots__ = (
        "actor", "cards", "dealer", "deck", "drew", "finish", "fits", "fitting", "has_spread",
        "held", "hits", "hold", "holds", "laid", "multiplier", "owners", "pile", "random", "spans",
        "stake", "tables", "taken", "takes", "turn",
    )  # fmt: skip

    tables: Tables
    stake: int
    dealer: int
    actor: int
    """Whose turn it is; after the end, whose act or claim ended the hand."""
    turn: int
    """Turns begun before the present one."""
    cards: list[list[int]]
    """Held cards of each player, in the order in which they came."""
    held: list[int]
    """The same as sets."""
    has_spread: list[bool]
    """Whether a player held a spread after his last draw, spread or hit: False is certain, True is
    so in his own turn once he has drawn."""
    deck: list[int]
    """The stock, its top card last; under `shuffle` in no order."""
    pile: list[int]
    random: Callable[[], float]
    """Chooses the cards of the stock."""
    drew: int
    taken: int
    """Card taken from the discards in this turn, even once laid."""
    takes: int
    """Turns in a row that began with the discard."""
    hits: int
    laid: bool
    """Whether a new spread was laid in this turn."""
    owners: list[int]
    """Owner of each spread on the table, in order of laying."""
    spans: list[int]
    """Places of each run, an ace after the king at its high place; 0 for a book."""
    fits: list[int]
    """Cards that each spread takes, as a set; 0 for one that may not be hit by option."""
    fitting: int
    """Cards that any of them takes; perhaps among them some that lie in a spread by now."""
    holds: list[int]
    hold: bool
    """Whether a hold was charged at the start of this turn."""
    finish: Finish | None
    multiplier: int

    def __init__(self, options: Options, seats: int, stake: int = 1) -> None:
        """Raises: ValueError for options that the twin does not play (`tables_of`)."""
        self.tables = tables_of(options, seats)
        self.stake = stake
        self.finish = "void"

    def deal(self, deck: Sequence[int], dealer: int) -> None:
        """Begin a hand from card codes by place, as `rules.md` D3 deals them."""
        stock = [NUMBERS[code] for code in deck]
        stock.reverse()
        self._begin(stock, dealer, last_card)

    def shuffle(self, random: Callable[[], float], dealer: int) -> None:
        """Begin a hand with numbers from 0 up to 1: each card is chosen when it is needed.

        The order of draws alone, one number a card, decides the cards.
        """
        self._begin(self.tables.deck.copy(), dealer, random)

    def _begin(self, stock: list[int], dealer: int, random: Callable[[], float]) -> None:
        """The deal, the greater part of what a short hand costs; initial claims end it at once."""
        tables = self.tables
        pop = stock.pop
        # `trunc` takes half the time of `int`.
        dealt = [pop(trunc(random() * size)) for size in tables.draws]
        self.deck, self.pile = stock, dealt[tables.dealt :]
        self.random = random
        self.has_spread = [True] * tables.seats
        self.dealer, self.actor = dealer, tables.after[dealer]
        self.turn = self.drew = self.takes = self.hits = self.fitting = 0
        self.taken = NO_CARD
        self.laid = False
        self.owners, self.spans, self.fits = [], [], []
        self.finish, self.multiplier = None, 1
        if tables.holds:
            self.holds, self.hold = [0] * tables.seats, False
        weights, claim_totals, in_question = tables.weights, tables.claim_totals, False
        self.cards, self.held = hands, sets = [], []
        for part in tables.parts[dealer]:
            cards = dealt[part]
            # Different cards add up as they join: the sum is the set above the points.
            both = 0
            for card in cards:
                both += weights[card]
            hands.append(cards)
            sets.append(both >> POINTS_BITS)
            if both & POINTS_MASK in claim_totals:
                in_question = True
        if in_question:
            self._claim()

    def _claim(self) -> None:
        claim = claimed(self.tables, self.held)
        if claim:
            self.finish, self.actor, self.multiplier = claim

    # --- what may be done ------------------------------------------------------------------------

    def legal(self) -> Sequence[int]:
        """Moves of the player to act: draws, spreads, hits, discards, knock; none after the end.

        Within these the order is that of the hand; `twin_greedy` chooses by the published one.
        """
        if self.finish:
            return ()
        tables = self.tables
        drew = self.drew
        if not drew:
            if not tables.free_start:
                return self._to_start()
            return _START if self.pile and self.takes < tables.take_max else _START_WITHOUT_TAKE
        actor = self.actor
        if (
            self.has_spread[actor]
            or (self.fitting and self.held[actor] & self.fitting)
            or not tables.free_play
        ):
            return self._to_play()
        found = [*self.cards[actor]]
        # D6: the taken card, if it is still held, is the last that came.
        if drew == FROM_DISCARDS and found[-1] == self.taken and len(found) > 1:
            found.pop()
        return found

    def _to_start(self) -> list[int]:
        found = [DRAW]
        if self.may_take():
            found.append(TAKE)
        if self._may_knock():
            found.append(KNOCK)
        return found

    def may_take(self) -> bool:
        """Whether the player whose turn begins may take the top discard."""
        tables = self.tables
        if not self.pile or self.takes >= tables.take_max:
            return False
        if not tables.options.must_use_discard:
            return True
        card = tables.bit[self.pile[-1]]
        return self._usable(card, self.held[self.actor] | card, self.fitting, self.hits)

    def _may_knock(self) -> bool:
        """Of the reasons against a knock those that do not depend on the draw."""
        options, tables, actor = self.tables.options, self.tables, self.actor
        if self.turn // tables.seats + 1 < options.knock_from_round:
            return False
        if tables.holds and (self.hold or self.holds[actor]):
            return False
        limit = options.knock_max_count
        return limit is None or tables.book.count(self.held[actor]) <= limit

    def _usable(self, card: int, held: int, fitting: int, hits: int) -> bool:
        """Whether a card among held ones can be laid or hit."""
        if fitting & card and hits < self.tables.hits_max:
            return True
        return any(spread & card for spread in melds.spreads(held, self.tables.top))

    def _to_play(self) -> list[int]:
        """Moves after the draw where spreads, hits or options are concerned."""
        tables, actor = self.tables, self.actor
        options, held = tables.options, self.held[actor]
        found = self._spreads() if self.has_spread[actor] else []
        if held & self.fitting:
            found += self._hits()
        taken_bit = held & tables.bit[self.taken] if self.taken >= 0 else 0
        if options.must_use_discard and taken_bit:
            return [move for move in found if self._leaves_use(move, taken_bit)]
        if not (options.must_spread and melds.must_lay(held, tables.top)):
            found += self.cards[actor]
            if taken_bit and held != taken_bit and not options.allow_return_discard:
                found.remove(self.taken)
        if options.knock_when == "own_turn" and self._may_knock():
            found.append(KNOCK)
        return found

    def _spreads(self) -> list[int]:
        tables, held = self.tables, self.held[self.actor]
        if not tables.top:
            whole = largest(held)
            # Most hands that hold a spread hold one of three cards, and so no other.
            if len(whole) == 1 and whole[0].bit_count() == melds.SPREAD_MIN:
                return [LAY | whole[0]]
        spreads = melds.spreads(held, tables.top)
        found = [LAY | spread for spread in spreads]
        if tables.top:
            found += [LAY | ACE_LOW | one for one in spreads if one.bit_count() == tables.ranks]
        return found

    def _hits(self) -> list[int]:
        if self.hits >= self.tables.hits_max:
            return []
        bit = self.tables.bit
        able = [card for card in self.cards[self.actor] if bit[card] & self.fitting]
        return [
            HIT * number + card
            for number, fits in enumerate(self.fits, 1)
            if fits
            for card in able
            if bit[card] & fits
        ]

    def _leaves_use(self, move: int, taken: int) -> bool:
        """Whether a spread or hit plays the taken card or leaves a use for it (D25)."""
        held = self.held[self.actor]
        if move < LAY:
            card, number = self.tables.bit[move % HIT], move // HIT - 1
            _, fits = grown_spread(self.tables, self.spans[number], self.fits[number], card)
            return card == taken or self._usable(
                taken, held ^ card, self.fitting | fits, self.hits + 1
            )
        cards = move & LANES
        _, fits = laid_spread(self.tables, move)
        return bool(cards & taken) or self._usable(
            taken, held ^ cards, self.fitting | fits, self.hits
        )

    # --- what a move makes -----------------------------------------------------------------------

    def apply(self, move: int) -> None:
        """Make a legal move of the player to act; nothing is checked."""
        actor, tables = self.actor, self.tables
        if move < CARDS:
            cards = self.cards[actor]
            cards.remove(move)
            self.pile.append(move)
            self.held[actor] ^= tables.bit[move]
            if not cards:
                self.finish = "discard"
                return
            self.actor = actor = tables.after[actor]
            self.turn += 1
            self.drew = self.hits = 0
            self.laid, self.taken = False, NO_CARD
            if tables.holds:
                self._charge(actor)
            return
        if move == DRAW:
            deck = self.deck
            if not deck:
                self.finish = tables.stock_end
                return
            card = deck.pop(trunc(self.random() * len(deck)))
            self.drew, self.takes = FROM_STOCK, 0
        elif move >= KNOCK:
            self._play(move)
            return
        else:
            self.taken = card = self.pile.pop()
            self.drew = FROM_DISCARDS
            self.takes += 1
        self.cards[actor].append(card)
        held = self.held[actor] | tables.bit[card]
        self.held[actor] = held
        if self.has_spread[actor] or tables.top:
            self.has_spread[actor] = tables.holds_spread(held)
            return
        # No spread before: one now has the new card and two of its partners.
        partners = held & tables.near[card]
        if partners.bit_count() > 1:
            self.has_spread[actor] = (
                tables.in_run[card][held >> tables.shift[card] & 31]
                or (held & tables.equals[card]).bit_count() > 1
            )

    def _charge(self, actor: int) -> None:
        """A hold of the player whose turn begins goes down by one (D26)."""
        hold = self.holds[actor]
        self.hold = hold > 0
        if hold:
            self.holds[actor] = hold - 1

    def _play(self, move: int) -> None:
        """A knock, a spread or a hit."""
        if move == KNOCK:
            self.finish = "knock"
            return
        actor, tables = self.actor, self.tables
        cards, bit = self.cards[actor], tables.bit
        if move < LAY:
            card = move % HIT
            cards.remove(card)
            gone = bit[card]
            self._hit(move // HIT - 1, gone)
        else:
            gone = move & LANES
            span, fits = laid_spread(tables, move)
            self.owners.append(actor)
            self.spans.append(span)
            self.fits.append(fits)
            self.fitting |= fits
            self.laid = True
            if tables.holds and self.holds[actor] < tables.options.spread_hold:
                self.holds[actor] = tables.options.spread_hold
            self.cards[actor] = cards = [card for card in cards if not bit[card] & gone]
        self.held[actor] = held = self.held[actor] ^ gone
        if not cards:
            self.finish = "empty"
            single = tables.options.tonk_double_requires_new_spread and not self.laid
            self.multiplier = 1 if single else 2
        elif self.has_spread[actor]:
            self.has_spread[actor] = tables.holds_spread(held)

    def _hit(self, number: int, card: int) -> None:
        span, fits = grown_spread(self.tables, self.spans[number], self.fits[number], card)
        self.spans[number], self.fits[number] = span, fits
        # The card itself stays among them: nobody will hold it again.
        self.fitting |= fits
        self.hits += 1
        options = self.tables.options
        if options.hit_hold_first:
            owner = self.owners[number]
            if owner != self.actor or options.hit_hold_self:
                extra = self.holds[owner] > 0
                self.holds[owner] += options.hit_hold_extra if extra else options.hit_hold_first

    # --- the end ---------------------------------------------------------------------------------

    @property
    def counts(self) -> list[int]:
        """Held total of each player by `count_method`."""
        tables = self.tables
        if tables.options.count_method == "deadwood":
            return [tables.book.count(held) for held in self.held]
        points, counts = tables.points, []
        for cards in self.cards:
            count = 0
            for card in cards:
                count += points[card]
            counts.append(count)
        return counts

    def result(self) -> tuple[End, list[int]]:
        """Kind of end and nets by player. Raises: ValueError before the end."""
        finish, tables = self.finish, self.tables
        if finish is None:
            raise ValueError("the hand is not over")
        if tables.fixed_seed:
            if finish == "knock":
                return knocked(tables, self.actor, self.counts, self.stake)
            return fixed(finish, self.actor, self.counts, self.stake * self.multiplier)
        over = Finished(tables, finish, self.actor, self.dealer, self.counts, self.multiplier)
        return outcome(over, self.stake)

    def payoff(self) -> list[int]:
        """Nets by player in minor units. Raises: ValueError before the end."""
        return self.result()[1]
