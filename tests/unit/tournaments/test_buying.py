"""What can be bought after the start, and the order in which the page refuses."""

from dataclasses import replace

import pytest

from eventstore.core.refusal import Refusal
from tournaments.core import events, late_entry
from tournaments.core.late_entry import Buyer, Terms, Window
from tournaments.core.options import Site, from_template

TERMS = Terms(
    "XTK",
    entries_max=10,
    buy_in=1000,
    fee=100,
    bounty=200,
    reentries_max=1,
    rebuys_max=2,
    rebuy_until_level=3,
    rebuy_price=900,
    addon_price=500,
    addon_stakes=20,
    addon_after_level=4,
    stack_stakes=30,
)
OPEN, SHUT = Window(4, 4), Window(5, 4)
BUST = Buyer("b", entry_no=2, stands="bust")
ALIVE = Buyer("a", entry_no=1, stands="alive", chips=300)


def code(answer: object) -> str:
    assert isinstance(answer, Refusal), answer
    return answer.code


def test_a_late_entry_and_a_re_entry() -> None:
    paid = late_entry.enter(TERMS, OPEN, Buyer("n"), entries=9)
    assert paid == events.EntryPaid(
        player="n", entry_no=1, buy_in=1000, fee=100, bounty=200, currency="XTK"
    )
    again = late_entry.re_enter(TERMS, OPEN, BUST, entries=9)
    assert again == events.ReEntered(
        player="b", entry_no=3, buy_in=1000, fee=100, bounty=200, currency="XTK"
    )
    returned = late_entry.enter(TERMS, OPEN, Buyer("n", entry_no=1), entries=0)
    assert isinstance(returned, events.EntryPaid)
    assert returned.entry_no == 2


def test_entries_are_refused_in_the_order_of_the_page() -> None:
    used = replace(BUST, reentries=1)
    closed = late_entry.enter(TERMS, SHUT, ALIVE, entries=10)
    assert closed == Refusal("registration_closed", facts={"level": 5, "limit": 4})
    alive = late_entry.enter(TERMS, OPEN, ALIVE, entries=10)
    assert alive == Refusal("already_registered", facts={"entry_no": 1})
    limit = late_entry.enter(TERMS, OPEN, used, entries=10)
    assert limit == Refusal("limit_reached", facts={"limit": 1})
    full = late_entry.enter(TERMS, OPEN, BUST, entries=10)
    assert full == Refusal("field_full", facts={"entries_max": 10})
    assert code(late_entry.re_enter(TERMS, SHUT, Buyer("n"), entries=10)) == "not_entered"
    assert code(late_entry.re_enter(TERMS, OPEN, used, entries=0)) == "limit_reached"


def test_a_window_that_was_shut_early_or_never_opened() -> None:
    assert not Window(1, 0).is_open
    assert not Window(1, 4, closed=True).is_open
    assert OPEN.is_open
    assert not SHUT.is_open


@pytest.mark.parametrize("chips", [0, 300])
def test_a_rebuy(chips: int) -> None:
    buyer = replace(ALIVE, chips=chips, rebuys=1)
    assert late_entry.rebuy(TERMS, buyer, level=3) == events.RebuyBought(
        player="a", entry_no=1, amount=900, chips=300, currency="XTK"
    )


def test_rebuys_are_refused_in_the_order_of_the_page() -> None:
    used = replace(ALIVE, rebuys=2, chips=301, in_hand=True)
    assert code(late_entry.rebuy(TERMS, BUST, level=9)) == "not_entered"
    assert code(late_entry.rebuy(TERMS, used, level=4)) == "registration_closed"
    assert code(late_entry.rebuy(TERMS, used, level=3)) == "limit_reached"
    assert code(late_entry.rebuy(TERMS, replace(used, rebuys=0), level=3)) == "wrong_state"
    rich = late_entry.rebuy(TERMS, replace(ALIVE, chips=301), level=3)
    assert rich == Refusal(
        "wrong_state",
        facts={
            "status": "running", "command": "rebuy", "in_hand": False, "chips": 301, "limit": 300,
        },
    )  # fmt: skip


def test_an_add_on_comes_once_in_its_break() -> None:
    bought = late_entry.add_on(TERMS, ALIVE, break_after_level=4)
    assert bought == events.AddOnBought(
        player="a", entry_no=1, amount=500, chips=200, currency="XTK"
    )


def test_add_ons_are_refused_in_the_order_of_the_page() -> None:
    had = replace(ALIVE, addon=True, in_hand=True)
    assert code(late_entry.add_on(TERMS, BUST, break_after_level=None)) == "not_entered"
    for none in (None, 3, 5):
        answer = late_entry.add_on(TERMS, had, break_after_level=none)
        assert answer == Refusal("registration_closed", facts={"level": none, "limit": 4})
    without = replace(TERMS, addon_stakes=0)
    assert code(late_entry.add_on(without, had, break_after_level=4)) == "registration_closed"
    assert code(late_entry.add_on(TERMS, had, break_after_level=4)) == "limit_reached"
    playing = replace(had, addon=False)
    assert code(late_entry.add_on(TERMS, playing, break_after_level=4)) == "wrong_state"


def test_terms_are_read_from_a_complete_set_of_options() -> None:
    options = dict(from_template("evening_freezeout", {}, Site(("XTK",), "XTK")).options)
    terms = late_entry.terms_of({**options, "stakes": [20, 30], "addon_stakes": 5})
    assert (terms.buy_in, terms.fee, terms.entries_max) == (2000, 200, 120)
    assert (terms.starting_chips, terms.addon_chips) == (800, 100)
    standard = late_entry.terms_of({**options, "bounty": None, "stakes": "standard"})
    assert (standard.bounty, standard.starting_chips) == (0, 400)


@pytest.mark.parametrize(
    ("window", "left", "over"),
    [
        (OPEN, 5, False),
        (OPEN, 4, True),
        (OPEN, 2, True),
        (SHUT, 50, True),
        (replace(OPEN, closed=True), 2, False),
        (Window(1, 0), 50, True),
    ],
)
def test_late_entry_ends_with_its_window_or_at_the_money(
    window: Window, left: int, over: bool
) -> None:
    assert late_entry.closes(window, left=left, paid_places=3) is over


def test_places_at_the_close_are_of_players_not_of_entries() -> None:
    busts = [{"a": 30}, {"b": 20, "c": 20}, {"a": 50, "d": 10}]
    places = late_entry.places_at_close(2, busts)
    assert places == {"b": (5, 6), "c": (5, 6), "d": (4, 4), "a": (3, 3)}
    assert late_entry.places_at_close(4, []) == {}
