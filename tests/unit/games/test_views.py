"""Silence: what a viewer may not know changes no byte that he can fetch (`rules.md` section 8).

A hand is played at random up to some moment. Then every card that the viewer does not know is put
elsewhere, the same facts are folded over that other deck, and all that he is served is compared.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.core.record import time_text
from games.rules import views
from games.rules.cards import TEXTS
from games.rules.decide import legal, legal_slaps
from games.rules.shuffles import Deck
from games.rules.state import Hand
from games.rules.views import PUBLIC, Viewer
from tests.unit.games.rules_tables import option_sets, options_of
from tonk_site.proving.cards.random_hands import dealt, random_overrides, repaired
from tonk_site.proving.cards.streams import TABLE
from tonk_site.proving.differing import Differs
from tonk_site.proving.silence import pure_silence
from tonk_site.proving.silence.moments import (
    MOVES_MAX,
    Moment,
    known,
    moment_of,
    other_deck,
    random_acts,
    reshuffled,
    served,
    viewers,
)


@st.composite
def moments(draw: st.DrawFn) -> Moment:
    seats = draw(st.integers(2, 4))
    options, rng = draw(option_sets(seats)), draw(st.randoms(use_true_random=False))
    first = dealt(rng, options, seats)
    return moment_of(first, options, random_acts(first, rng, draw(st.integers(0, MOVES_MAX))))


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


def same_bytes(moment: Moment, viewer: Viewer, deck: Deck | None) -> None:
    assert list(served(moment, viewer, moment.deck)) == list(served(moment, viewer, deck))


def as_list(cards: str | Sequence[str]) -> Sequence[str]:
    return [cards] if isinstance(cards, str) else cards


@pytest.mark.slow
@given(moments(), st.randoms(use_true_random=False))
def test_D20_hidden_cards_change_no_byte(moment: Moment, rng: Random) -> None:
    for viewer in viewers(moment):
        other = other_deck(moment, viewer, rng)
        same_bytes(moment, viewer, other)


@pytest.mark.parametrize("seed", range(24))
def test_D20_hidden_cards_change_no_byte_after_any_event(seed: int) -> None:
    """A whole hand, event after event; at each the viewers in turn."""
    rng = Random(seed)
    seats = rng.randint(2, 6)
    options = repaired(random_overrides(rng), seats)
    first = dealt(rng, options, seats)
    whole = moment_of(first, options, random_acts(first, rng, MOVES_MAX))
    for count in range(2, len(whole.stored) + 1):
        so_far = Moment(whole.stored[:count], whole.deck)
        everybody = viewers(so_far)
        viewer = everybody[count % len(everybody)]
        other = other_deck(so_far, viewer, rng)
        same_bytes(so_far, viewer, other)


@given(moments())
def test_who_may_know_nothing_needs_no_deck(moment: Moment) -> None:
    for viewer in (PUBLIC, Viewer(6)):
        same_bytes(moment, viewer, None)


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
def test_E6_the_bytes_for_a_seat_hold_no_hidden_card(moment: Moment) -> None:
    table = moment.table(moment.deck)
    for viewer in viewers(moment):
        text = b"".join(shown for _, shown in served(moment, viewer, moment.deck)).decode()
        once_open = known(moment, viewer) | set(reshuffled(moment))
        hidden = {TEXTS[card] for card in set(moment.deck.cards) - once_open} - stood_for(moment)
        shown = {card for card in hidden if f'"{card}"' in text}
        assert not shown
    assert table.playing


def test_E1_a_view_that_shows_the_stock_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison itself, with a view that shows the next card of the stock."""

    def leaking(hand: Hand) -> views.Document:
        deck = hand.setup.deck
        return {"next": None if deck is None else deck[hand.stock_next]}

    assert pure_silence.compare("1/1").done["bytes"] > 0
    monkeypatch.setattr(views, "_public_cards", leaking)
    with pytest.raises(Differs, match="state"):
        pure_silence.compare("1/1")


def test_E3_an_event_that_shows_a_drawn_card_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with the card of a drawer in everybody's copy of the event."""
    true = views.served_data

    def leaking(payload: Any, *, kind: str, deck: Any, viewer: Viewer) -> views.Document:
        seat = payload.get("seat") if kind == "CardDrawn" else viewer.seat
        return true(payload, kind=kind, deck=deck, viewer=Viewer(seat))

    monkeypatch.setattr(views, "served_data", leaking)
    found = [str(one.what) for one in pure_silence.pairs("3", range(1, 60)).breaches]
    assert {"event differs", "bot's view differs"} & set(found)


def test_E2_no_text_form_shows_a_hidden_card() -> None:
    options = options_of(3)
    first = dealt(Random(1), options, 3)
    moment = moment_of(first, options, random_acts(first, Random(1), 4))
    table = moment.table(moment.deck)
    assert table.hand is not None
    shown = repr([first, first.setup, moment.deck, moment.deck.shuffler, table, table.hand])
    codes = first.setup.deck or ()
    assert not [at for at in range(50) if ", ".join(map(str, codes[at : at + 3])) in shown]
    assert not [held for held in table.hand.cards if str(held) in shown]
