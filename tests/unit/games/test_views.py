"""Silence: what a viewer may not know changes no byte that he can fetch (`rules.md` section 8).

A hand is played at random up to some moment. Then every card that the viewer does not know is put
elsewhere, the same facts are folded over that other deck, and all that he is served is compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.core.chain import head_of
from eventstore.core.record import Stored, time_text
from games import selectors
from games.folds import Folded
from games.rules import events, views
from games.rules.cards import TEXTS
from games.rules.decide import legal, legal_slaps
from games.rules.options import Options
from games.rules.shuffles import FIRST_RESHUFFLED, Deck, GivenShuffle, extended
from games.rules.state import Hand
from games.rules.table import Table, fold
from games.rules.views import PUBLIC, Viewer
from tests.unit.games.rules_tables import dealt, option_sets, options_of, walk
from tests.unit.games.streams import HAND, TABLE, opening, recorded
from tonk_site.proving.random_hands import random_overrides, repaired

MOVES_MAX = 40


@dataclass(frozen=True, slots=True)
class Moment:
    """A running hand: the facts that lead to it, and the deck that they were dealt from."""

    stored: tuple[Stored, ...]
    deck: Deck

    def table(self, deck: Deck | None) -> Table:
        return fold(self.stored, {} if deck is None else {HAND: deck})


def moment_of(hand: Hand, options: Options, rng: Random, moves: int) -> Moment:
    """The hand after some random moves, and before its last."""
    facts: list[msgspec.Struct] = []
    for made, (_, _, decision, following) in enumerate(walk(hand, rng)):
        if following.over or made >= moves:
            break
        facts += decision.events
    assert hand.setup.deck is not None
    deck = Deck(hand.setup.deck, hand.setup.shuffler)
    again = [fact for fact in facts if isinstance(fact, events.PileReshuffled)]
    if again:
        cards = deck.reshuffled(again[0].places)[0]
        deck = Deck(deck.cards, GivenShuffle(cards[FIRST_RESHUFFLED:]))
    return Moment(recorded([*opening(hand, options), *facts]), deck)


@st.composite
def moments(draw: st.DrawFn) -> Moment:
    seats = draw(st.integers(2, 4))
    options, rng = draw(option_sets(seats)), draw(st.randoms(use_true_random=False))
    return moment_of(dealt(rng, options, seats), options, rng, draw(st.integers(0, MOVES_MAX)))


def known(moment: Moment, viewer: Viewer) -> set[int]:
    """Codes of the cards that everybody has seen, and of those that the viewer holds."""
    public, full = moment.table(None).hand, moment.table(moment.deck).hand
    assert public is not None
    assert full is not None
    cards_in = public.setup.rules.pack.cards_in
    seen = set(public.pile) | {card for held in public.cards for card in cards_in(held)}
    seen |= {card for meld in public.melds for card in cards_in(meld.cards)}
    if viewer.seat in full.setup.seats:
        seen |= set(full.held_cards(viewer.seat))
    return seen


def other_deck(moment: Moment, viewer: Viewer, rng: Random) -> Deck:
    """The deck with all that the viewer does not know in another order.

    Of a reshuffled stock he knows which cards lie there: only their order is hidden.
    """
    seen, shuffler = known(moment, viewer), moment.deck.shuffler
    again = reshuffled(moment)
    order = turned(again, {place for place, card in enumerate(again) if card in seen}, rng)
    fixed = seen | set(again)
    places = {place for place, card in enumerate(moment.deck.cards) if card in fixed}
    return Deck(turned(moment.deck.cards, places, rng), GivenShuffle(order) if again else shuffler)


def reshuffled(moment: Moment) -> tuple[int, ...]:
    """The stock that a reshuffle made, empty without one: all of it lay open in the pile before."""
    shuffler = moment.deck.shuffler
    return shuffler.order if isinstance(shuffler, GivenShuffle) else ()


def stood_for(moment: Moment) -> set[str]:
    """Cards that wild cards stand for: named, wherever they may be.

    In a book that is any suit that is missing there, anew with each card that comes.
    """
    laid = [one.event for one in moment.stored if hasattr(one.event, "stands_for")]
    found = {card for fact in laid for card in as_list(fact.stands_for)}
    document = views.state_document(
        moment.table(None), PUBLIC, table_id=str(TABLE), names={}, time_text=time_text
    )
    melds: Any = document.get("melds", ())
    return found | {card for meld in melds for card in meld.get("stands_for", ())}


def as_list(cards: str | Sequence[str]) -> Sequence[str]:
    return [cards] if isinstance(cards, str) else cards


def turned(cards: tuple[int, ...], fixed: set[int], rng: Random) -> tuple[int, ...]:
    """The cards in another order, but for those at fixed places."""
    places = [place for place in range(len(cards)) if place not in fixed]
    found = list(cards)
    for place, source in zip(places, rng.sample(places, len(places)), strict=True):
        found[place] = cards[source]
    return tuple(found)


def by_place(deck: Deck | None) -> tuple[int, ...] | None:
    """Codes by place, those of a reshuffled stock too."""
    if deck is None:
        return None
    if not isinstance(deck.shuffler, GivenShuffle):
        return deck.cards
    return extended(deck.cards, deck.shuffler.order)


def served(moment: Moment, viewer: Viewer, deck: Deck | None) -> list[bytes]:
    """All that a viewer can fetch: state, events, and the view and moves of a bot at his seat."""
    table = moment.table(deck)
    document = views.state_document(
        table, viewer, table_id=str(TABLE), names={}, time_text=time_text
    )
    found = [msgspec.json.encode(document)]
    for one in moment.stored:
        fields = views.served_data(one.payload, kind=one.type, deck=by_place(deck), viewer=viewer)
        found.append(msgspec.json.encode(fields))
    if viewer.seat is not None:
        folded = Folded(TABLE, table, head_of(moment.stored), moment.stored)
        view, moves = selectors.bots_view(folded, viewer.seat)
        found += [view.to_bytes(), msgspec.json.encode(moves)]
    return found


def viewers(moment: Moment) -> list[Viewer]:
    dealt_in = moment.table(None).places
    return [PUBLIC, Viewer(6), *(Viewer(place.seat) for place in dealt_in)]


@given(moments(), st.randoms(use_true_random=False))
def test_D20_hidden_cards_change_no_byte(moment: Moment, rng: Random) -> None:
    for viewer in viewers(moment):
        other = other_deck(moment, viewer, rng)
        assert served(moment, viewer, moment.deck) == served(moment, viewer, other)


@pytest.mark.parametrize("seed", range(24))
def test_D20_hidden_cards_change_no_byte_after_any_event(seed: int) -> None:
    """A whole hand, event after event; at each the viewers in turn."""
    rng = Random(seed)
    seats = rng.randint(2, 6)
    options = repaired(random_overrides(rng), seats)
    whole = moment_of(dealt(rng, options, seats), options, rng, MOVES_MAX)
    for count in range(2, len(whole.stored) + 1):
        so_far = Moment(whole.stored[:count], whole.deck)
        everybody = viewers(so_far)
        viewer = everybody[count % len(everybody)]
        other = other_deck(so_far, viewer, rng)
        assert served(so_far, viewer, whole.deck) == served(so_far, viewer, other)


@given(moments())
def test_who_may_know_nothing_needs_no_deck(moment: Moment) -> None:
    for viewer in (PUBLIC, Viewer(6)):
        assert served(moment, viewer, moment.deck) == served(moment, viewer, None)


@given(moments())
def test_only_the_player_to_act_is_told_his_moves(moment: Moment) -> None:
    table = moment.table(moment.deck)
    assert table.hand is not None
    for viewer in viewers(moment):
        document = views.state_document(
            table, viewer, table_id=str(TABLE), names={}, time_text=time_text
        )
        expected = list(legal(table.hand)) if viewer.seat == table.to_act else []
        if viewer.seat in table.hand.setup.seats:
            expected = [*legal_slaps(table.hand, viewer.seat), *expected]
        assert document.get("legal", []) == views.listed(expected)


@given(moments())
def test_a_seat_sees_its_own_cards_alone(moment: Moment) -> None:
    table = moment.table(moment.deck)
    for viewer in viewers(moment):
        text = b"".join(served(moment, viewer, moment.deck)).decode()
        once_open = known(moment, viewer) | set(reshuffled(moment))
        hidden = {TEXTS[card] for card in set(moment.deck.cards) - once_open} - stood_for(moment)
        shown = {card for card in hidden if f'"{card}"' in text}
        assert not shown
    assert table.playing


def test_a_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison itself, with a view that shows the next card of the stock."""

    def leaking(hand: Hand) -> views.Document:
        deck = hand.setup.deck
        return {"next": None if deck is None else deck[hand.stock_next]}

    rng, options = Random(1), options_of(3)
    moment = moment_of(dealt(rng, options, 3), options, rng, 4)
    other = other_deck(moment, PUBLIC, rng)
    assert served(moment, PUBLIC, moment.deck) == served(moment, PUBLIC, other)
    monkeypatch.setattr(views, "_public_cards", leaking)
    assert served(moment, PUBLIC, moment.deck) != served(moment, PUBLIC, other)
