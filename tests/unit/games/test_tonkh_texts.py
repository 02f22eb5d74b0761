"""Texts of hand histories (`api.md` section 8): what is refused, and which lies are found."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.core.refusal import Refusal
from games.rules.tonkh.actions import read_action
from games.rules.tonkh.check import Problem, verify
from games.rules.tonkh.history import HandHistory, Proof
from games.rules.tonkh.text import SEPARATOR, TEXT_BYTES_MAX, read, read_all, write_all
from tests.unit.games.rules_tables import options_of
from tests.unit.games.tonkh_hands import (
    COMPLETE,
    SEAT_1,
    checks,
    good,
    refused_at,
    with_keys,
)

# --- lies -----------------------------------------------------------------------------------------


ID = "0198f0c2-a007-71ea-9113-6a1eb39db300"
OTHER = "0" * 64
DECK = COMPLETE.split('deck = "')[1].split('"')[0].split()
LIES: Mapping[str, Mapping[str, Any]] = {
    "hand": {"hand": ID},
    "viewer": {"viewer": "public"},
    "rules_hash": {"rules_hash": OTHER},
    "options": {"options": options_of(3, caught_rule="low_only")},
    "fewer seats": {"options": options_of(2, max_players=2)},
    "stake": {"stake": 50},
    "seats": {"seats": (1, 2, 4)},
    "players": {"players": (ID, *good(COMPLETE).players[1:])},
    "dealer": {"dealer": 1},
    "finished": {"finished": "2026-12-05T18:04:46.000000Z"},
    "started": {"started": "2026-12-05T18:04:12.100000Z"},
    "deal": {"deal": ("3S 5C TD 8H 2D", *good(COMPLETE).deal[1:])},
    "upcard": {"upcard": "2D"},
    "deck": {"deck": " ".join([*DECK[:-2], DECK[-1], DECK[-2]])},
    "reshuffles": {"reshuffles": ("2D",)},
    "actions": {"actions": ("p1 S 9H", *good(COMPLETE).actions[1:])},
    "times_ms": {"times_ms": (*good(COMPLETE).times_ms[:-1], 33701)},
    "end": {"end": "knock_win"},
    "by": {"by": 2},
    "counts": {"counts": (9, 2, 11)},
    "net": {"net": (200, 300, -500)},
    "sum": {"net": (100, 400, -400)},
    "rake": {"rake": (0, 0, 1)},
    "more rake": {"rake": (101, 0, 0)},
    "transfers": {"transfers": (good(COMPLETE).transfers or ())[:-1]},
    "next_dealer": {"next_dealer": 2},
    "void_reason": {"void_reason": "outage"},
    "commit": {"commit": OTHER},
    "seeds": {"seeds": ("", *good(COMPLETE).proof.seeds[1:])},
    "deck_root": {"deck_root": OTHER},
    "server_seed": {"server_seed": OTHER},
    "last_version": {"last_version": 199},
    "first_version": {"first_version": 190},
    "deck_spec": {"deck_spec": "std40/1"},
    "beacon": {"beacon": OTHER},
    "fairness": {"fairness": "beacon"},
    "rules_version": {"rules_version": 2},
    "currency": {"currency": None},
    "payment": {"payment": "full"},
    "tournament": {"tournament": ID},
    "paid": {"paid": ()},
    "kinds": {"kinds": ("human",)},
    "stacks": {"stacks": ()},
    "names": {"names": ("Ona",)},
    "head_hash": {"head_hash": None},
}
UNPROVED: Mapping[str, Mapping[str, Any]] = {
    "table": {"table": ID},
    "hand_no": {"hand_no": 8},
    "rules_preset": {"rules_preset": "mine"},
    "currency": {"currency": "EUR"},
    "names": {"names": ("Ona", "x", "y")},
    "kinds": {"kinds": ("human", "bot", "bot")},
    "stacks": {"stacks": (6000, 5400, 6601)},
    "head_hash": {"head_hash": OTHER},
}
"""What no proof of a hand holds: the record at `last_version` ties it to the log."""


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_found(lie: str) -> None:
    history = with_keys(COMPLETE, **LIES[lie])
    assert verify(history), lie
    assert history != good(COMPLETE)


@pytest.mark.parametrize("key", UNPROVED)
def test_what_the_text_does_not_prove_is_known(key: str) -> None:
    assert verify(with_keys(COMPLETE, **UNPROVED[key])) == ()


def test_every_key_is_tampered_with() -> None:
    keys = {*HandHistory.__struct_fields__, *Proof.__struct_fields__} - {"format", "proof"}
    lied = {key for changes in (*LIES.values(), *UNPROVED.values()) for key in changes}
    assert keys == lied


def test_a_problem_says_what_it_should_be() -> None:
    (problem,) = verify(with_keys(COMPLETE, counts=(9, 2, 11)))
    assert problem == Problem("counts", "the text says [9, 2, 11], the rules [8, 2, 11]")
    assert str(problem) == "counts: the text says [9, 2, 11], the rules [8, 2, 11]"


@pytest.mark.parametrize(
    ("actions", "fault"),
    [
        ((), "end"),
        (("p1 O S 9S, D TD",), "actions"),
        (("p1 O S 9S",), "actions"),
        (("p1 O S 9S, D 9S",), "end"),
        (("p2 O S 9S, D 9S",), "actions"),
        (("p5 S 9S",), "actions"),
        (("p1 S 9S", "p1 L 3S 5C TD"), "actions"),
        ((*good(COMPLETE).actions, "p1 S 3D"), "actions"),
        ((*good(COMPLETE).actions, "p1 O S 3D, D 3D"), "actions"),
    ],
)
def test_actions_that_the_rules_do_not_know(actions: tuple[str, ...], fault: str) -> None:
    history = with_keys(COMPLETE, actions=actions, times_ms=(0,) * len(actions))
    assert fault in checks(history)
    if fault == "actions":
        assert refused_at(history) == {"actions"}


def test_a_hand_that_was_over_before_it_was_voided() -> None:
    nothing = {"counts": (0, 0, 0), "net": (0, 0, 0), "rake": (0, 0, 0), "transfers": ()}
    history = with_keys(COMPLETE, end="void", by=None, void_reason="outage", **nothing)
    assert checks(history) == {"end"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("p1 T 8S", "p1 T KH"), "the rules say p1 T 8S"),
        (("p1 T 8S", "p1 S 8S"), "8S can not be drawn"),
        (("p1 T 8S", "p1 S X1"), "X1 can not be drawn"),
        (("p1 T 8S", "p1 D 3S"), "must_draw_first"),
        (("p1 T 8S", "p2 T 8S"), "not_your_turn"),
        (("p1 T 8S", "p4 T 8S"), "not_seated"),
        (("p3 D 8S", "p3 D 9C"), "9C twice"),
        (("p3 D 8S", "p3 D X1"), "card_not_in_hand"),
        (("p3 D 8S", "p3 O D 8S, D 2D"), "not_your_turn"),
        (("p3 D 8S", "p3 O K"), "knock_only_at_turn_start"),
        (("p3 L 9C 9D 9H", "p3 L 9D 9C 9H"), "the rules say p3 L 9C 9D 9H"),
        (("p3 L 9C 9D 9H", "p3 L 9C 9D 7S"), "7S twice"),
        (("p3 L 9C 9D 9H", "p3 O L 9C 9D 9H"), "a time-out that ends no turn"),
        (("p2 S ??", "p2 X ??"), "the rules say p2 S ??"),
        (("p2 D KH", "p2 P KH"), "slap_not_possible"),
    ],
)
def test_a_running_hand_is_followed_as_far_as_it_is_known(
    change: tuple[str, str], why: str
) -> None:
    found = read(SEAT_1.replace(*change))
    assert isinstance(found, Refusal)
    assert (found.code, found.facts["where"]) == ("bad_tonkh", "actions")
    assert str(found.facts["why"]).endswith(f": {why}")


# --- texts ----------------------------------------------------------------------------------------


def line(number: int) -> str:
    """A line of the complete text, counted from 1 or from the end."""
    return ["", *COMPLETE.splitlines(keepends=True)][number]


REFUSED: dict[str, tuple[str, str, str]] = {
    "an unknown key": ("hand_no = 7\n", "hand_no = 7\nfoo = 1\n", "keys"),
    "an unknown key of the proof": ("commit =", "commitment =", "proof"),
    "another format": ("tonkh/1", "tonkh/2", "format"),
    "a missing key": ("hand_no = 7\n", "", "keys"),
    "a missing list": ("kinds =", "# kinds =", "keys"),
    "no TOML": ("hand_no = 7", "hand_no = ", "text"),
    "no UTF-8": ("bitute", "\ud800", "text"),
    "a number too great": ("stake = 100", f"stake = {'9' * 40}", "stake"),
    "a number far too long": ("stake = 100", f"stake = {'9' * 5000}", "text"),
    "nested too deep": ("options = {}", f"options = {'[' * 3000}", "text"),
    "a fraction": ("stake = 100", "stake = 100.0", "stake"),
    "a truth": ("hand_no = 7", "hand_no = true", "hand_no"),
    "a word": ("hand_no = 7", 'hand_no = "7"', "hand_no"),
    "no table of options": ("options = {}", "options = 1", "options"),
    "an unknown option": ("options = {}", "options = {foo = 1}", "options"),
    "a default option": ("options = {}", "options = {hand_size = 5}", "line 9"),
    "no list of seats": ("seats = [1, 2, 3]", "seats = 3", "seats"),
    "too few seats": ("seats = [1, 2, 3]", "seats = [1]", "options"),
    "seats out of order": ("seats = [1, 2, 3]", "seats = [1, 3, 2]", "seats"),
    "a seat twice": ("seats = [1, 2, 3]", "seats = [1, 2, 2]", "seats"),
    "a seat too high": ("seats = [1, 2, 3]", "seats = [1, 2, 7]", "seats[2]"),
    "unequal lists": ("stacks = [6000, 5400, 6600]", "stacks = [6000, 5400]", "stacks"),
    "unequal counts": ("counts = [8, 2, 11]", "counts = [8, 2]", "counts"),
    "unequal seeds": (', ""]', "]", "proof.seeds"),
    "unequal times": ("times_ms = [2100, ", "times_ms = [", "times_ms"),
    "times that run back": ("[2100, 5300", "[5300, 2100", "times_ms"),
    "a player twice": ("5a806f", "a56ef0", "players"),
    "no such dealer": ("dealer = 3\nstarted", "dealer = 4\nstarted", "dealer"),
    "no such actor": ("by = 3", "by = 4", "by"),
    "nobody's act": ("by = 3\n", "", "by"),
    "no such viewer": ('"all"', '"seat 4"', "viewer"),
    "nobody's viewer": ('"all"', '"me"', "viewer"),
    "a payment to oneself": ("3>1 200", "3>3 200", "transfers"),
    "a payment to nobody": ("3>1 200", "3>4 200", "transfers"),
    "a payment of nothing": ("3>1 200", "3>1 0", "transfers[0]"),
    "no such day": ("2026-12-05T18:04:12", "2026-02-30T18:04:12", "started"),
    "a card twice in the deal": ('"3S 5C TD', '"3S 3S TD', "deal"),
    "the upcard among the dealt": ('upcard = "AS"', 'upcard = "3S"', "deal"),
    "a card too few": ('"3S 5C TD 8H 7S"', '"3S 5C TD 8H"', "deal"),
    "an unseen card": ('"3S 5C TD', '"?? 5C TD', "deal"),
    "a card that is none": ('"3S 5C TD', '"1S 5C TD', "deal[0]"),
    "a card of no pack": ('"3S 5C TD', '"X1 5C TD', "deal"),
    "a card twice in the deck": ('deck = "3S 2C', 'deck = "3S 3S', "deck"),
    "no upcard": ('upcard = "AS"\n', "", "upcard"),
    "no deck": (line(22), "", "deck"),
    "an unseen draw": ("p1 S 9S", "p1 S ??", "actions"),
    "no action": ("p1 D TD", "p1 W TD", "actions"),
    "no card in an action": ("p1 S 9S", "p1 S", "actions"),
    "an illegal action": ("p1 D TD", "p1 D 3H", "actions"),
    "half an end": ("net = [100, 400, -500]\n", "", "net"),
    "no finish": (line(19), "", "finished"),
    "no reveal": (line(-4), "", "proof.server_seed"),
    "no head": (line(-1), "", "proof.head_hash"),
    "a beacon": ('"commit"\n', '"beacon"\n', "proof.beacon"),
    "versions that run back": ("last_version = 201", "last_version = 180", "proof.last_version"),
    "another pack": ('"std52/1"', '"std52j1/1"', "proof.deck_spec"),
    "rules of another day": ("rules_version = 1", "rules_version = 9", "rules_version"),
    "chips": ('"XTK"', '"CHIPS"', "currency"),
    "a tournament with money": (line(4), f'{line(4)}tournament = "{ID}"\n', "tournament"),
    "no currency": ('currency = "XTK"\n', "", "tournament"),
    "payments of money": ("next_dealer", 'paid = ["3>1 1"]\nnext_dealer', "paid"),
    "keys out of order": (
        'hand_no = 7\nviewer = "all"\n', 'viewer = "all"\nhand_no = 7\n', "line 4"
    ),
    "a space too many": ("stake = 100", "stake =  100", "line 11"),
    "another newline": ("stake = 100\n", "stake = 100\r\n", "line 11"),
    "a comment": ("stake = 100", "stake = 100 # each", "line 11"),
    "void for no reason": ('"caught"\nby = 3', '"caught"\nvoid_reason = "outage"', "void_reason"),
    "void with payments": ('"caught"\nby = 3', '"void"\nvoid_reason = "outage"', "counts"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_text_is_refused(name: str) -> None:
    old, new, where = REFUSED[name]
    assert COMPLETE.count(old) >= 1
    found = read(COMPLETE.replace(old, new, 1) if old != "5a806f" else twin())
    assert isinstance(found, Refusal), name
    assert (found.code, found.facts["where"]) == ("bad_tonkh", where), found.facts


def twin() -> str:
    """The text with one player at two seats."""
    first, _, third = good(COMPLETE).players
    return COMPLETE.replace(first, third)


def test_a_running_hand_has_no_keys_of_an_end() -> None:
    for old, new, where in [
        ("dealer = 3\n", "dealer = 3\n", "line"),
        ("\n[proof]", "next_dealer = 1\n\n[proof]", "next_dealer"),
        ("\n[proof]", "counts = [1, 2, 3]\n\n[proof]", "counts"),
        ('"seat 1"', '"all"', "viewer"),
        ('"seat 1"', '"public"', "deal"),
        ('"seat 1"', '"seat 2"', "deal"),
        ('upcard = "AS"\n', 'upcard = "AS"\nreshuffles = ["2D"]\n', "reshuffles"),
        ("p2 S ??", "p2 S 2H", "actions"),
        ("p1 S 9S", "p1 S ??", "actions"),
    ]:
        found = read(SEAT_1.replace(old, new))
        if old == new:
            assert isinstance(found, HandHistory)
            continue
        assert isinstance(found, Refusal)
        assert found.facts["where"] == where


def test_a_text_ends_with_a_newline() -> None:
    found = read(COMPLETE[:-1])
    assert isinstance(found, Refusal)
    assert found.facts["where"] == f"line {len(COMPLETE.splitlines()) + 1}"


def test_a_long_text_is_refused() -> None:
    found = read("#" * (TEXT_BYTES_MAX + 1))
    assert isinstance(found, Refusal)
    assert found.facts["where"] == "text"


def test_many_hands_share_a_file() -> None:
    histories = [good(COMPLETE), good(SEAT_1)]
    text = write_all(histories)
    assert text == f"{COMPLETE}{SEPARATOR}\n{SEAT_1}"
    assert list(read_all(text)) == histories
    assert read_all("") == ()
    assert [type(one) for one in read_all(text.replace("stake = 100", "stake = 0", 1))] == [
        Refusal,
        HandHistory,
    ]


def test_actions_are_read_as_they_are_written() -> None:
    for text in ("p1 S ??", "p2 X", "p2 X 4C", "p3 X ??", "p6 P", "p1 P 2D", "p2 O S ??, D KH"):
        action = read_action(text)
        assert action is not None
        assert action.text == text
    for text in ("", "p7 K", "p1 ", "p1 O ", "p1 X 2D 3D", "p1 S 9S, D 9S", "p1 T ??", "p1 D ??"):
        assert read_action(text) is None


# --- whatever comes in ----------------------------------------------------------------------------

VERBS = ["S", "T", "L", "H", "D", "K", "P", "X", "O S", "O X"]
WORDS = ["9S", "KH", "8S", "3S", "2D", "X1", "??", "m1", "m2", "low", "8S, D", "7S 8S 9S"]
OPTIONS = ["", "must_use_discard = true", "slap = true", 'on_empty_stock = "reshuffle"']


@given(
    st.sampled_from([COMPLETE, SEAT_1]),
    st.integers(0, len(COMPLETE)),
    st.integers(0, 30),
    st.text(max_size=20) | st.sampled_from(["[", "{a = 1}", '"', "1e9", "07:32:00", "-1"]),
)
def test_no_text_breaks_the_reader(text: str, at: int, gone: int, new: str) -> None:
    found = read(text[:at] + new + text[at + gone :])
    if isinstance(found, HandHistory):
        verify(found)
    else:
        assert found.code == "bad_tonkh"


@given(
    st.sampled_from([COMPLETE, SEAT_1]),
    st.integers(0, 14),
    st.sampled_from(VERBS),
    st.lists(st.sampled_from(WORDS), max_size=3),
    st.sampled_from(OPTIONS),
)
def test_no_action_breaks_the_reader(
    text: str, at: int, verb: str, words: list[str], options: str
) -> None:
    action = f"p{at % 4 + 1} {' '.join([verb, *words])}"
    lines = text.replace("options = {}", f"options = {{{options}}}").splitlines(keepends=True)
    first = lines.index("actions = [\n") + 1
    lines[min(first + at, len(lines) - 1)] = f'  "{action}",\n'
    found = read("".join(lines))
    assert isinstance(found, HandHistory) or found.code == "bad_tonkh"
    verify(with_keys(text, actions=(action,), times_ms=(0,)))
