"""Options that need more than the engine: a slap out of turn, a reshuffle by the key, jokers."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from eventstore import store
from eventstore.core.ids import table_stream
from eventstore.core.record import Stored
from eventstore.core.refusal import Refused
from games import selectors
from games.replay import deal_differences
from games.rules import events
from games.services.moves import MoveCommand, submit_move
from tonk_site.proving.acting.factories import a_player, a_table, receipt, sits_down
from tonk_site.proving.acting.play import Turn, play, play_out, turn_at

pytestmark = pytest.mark.django_db

HANDS_MAX = 60
"""With six wild cards in the pack nearly every hand has such a spread."""


def table_of(count: int, **options: object) -> UUID:
    """A table with these options and so many people."""
    people = [a_player(name) for name in ("ona", "petras", "birute")[:count]]
    table = a_table(people[0], seats=count, options=options)
    for one in people:
        sits_down(table, one)
    return table


def stored_of(table: UUID) -> tuple[Stored, ...]:
    return store.events_after(table_stream(table), 0, limit=10_000)


def of_type(table: UUID, name: str) -> list[Stored]:
    return [one for one in stored_of(table) if one.type == name]


def slaps(table: UUID) -> list[tuple[UUID, int, str]]:
    """Who may slap now, at which version, and how."""
    seen = selectors.see_now(table).table
    found = []
    for place in seen.places:
        player = UUID(place.player)
        document: dict[str, Any] = selectors.state_document(selectors.see(table, player))
        found += [
            (player, seen.version, one["move"])
            for one in document.get("legal", ())
            if one["kind"] == "slap"
        ]
    return found


def slap(table: UUID, player: UUID, version: int, move: str) -> None:
    command = MoveCommand(
        table=table, player=str(player), move=move, version=version, actor=f"player:{player}"
    )
    submit_move(command, receipt())


def careless(turn: Turn) -> str:
    """A discard that fits a spread where there is one, else the first legal move."""
    moves: list[str] = [one["move"] for one in turn.legal]
    fitting = [f"D {move.split()[1]}" for move in moves if move.startswith("H ")]
    return next((move for move in fitting if move in moves), moves[0])


@pytest.mark.slow
def test_a_slap_needs_no_turn_and_the_second_comes_too_late() -> None:
    table = table_of(3, slap=True, initial_tonk_counts=[])
    while not (possible := slaps(table)):
        turn = turn_at(table)
        play(table, turn, careless(turn))
    others = [one for one in possible if one[0] != possible[0][0]]
    slap(table, *possible[0])
    (slapped,) = of_type(table, "CardSlapped")
    assert slapped.facts["actor"] == f"player:{possible[0][0]}"
    assert slaps(table) == []
    if others:  # the version that he saw has passed
        with pytest.raises(Refused, match="stale_version"):
            slap(table, *others[0])
    player, _, move = possible[0]
    with pytest.raises(Refused, match=r"slap_not_possible|hand_over|no_hand"):
        slap(table, player, selectors.see_now(table).table.version, move)
    play_out(table)


def idle(turn: Turn) -> str:
    """A move that lets the hand go on: the stock, then the card just drawn or any other."""
    moves: list[str] = [one["move"] for one in turn.legal]
    if "S" in moves:
        return "S"
    return next(move for move in reversed(moves) if move.startswith("D "))


def test_a_reshuffle_is_dealt_by_the_key_and_proved_after_the_hand() -> None:
    table = table_of(2, on_empty_stock="reshuffle", hand_size=12, initial_tonk_counts=[])
    while not of_type(table, "PileReshuffled"):
        turn = turn_at(table)
        play(table, turn, idle(turn))
    reshuffled = of_type(table, "PileReshuffled")[0]
    assert isinstance(reshuffled.event, events.PileReshuffled)
    assert reshuffled.facts["actor"] == "worker:dealer"
    player = turn_at(table).player
    state = selectors.state_document(selectors.see(table, player))
    served, _, _ = selectors.served_events(table, player, after=reshuffled.version, limit=5)
    drawn = served[0]["data"]
    assert isinstance(drawn, dict)
    assert drawn["place"] == 64
    cards = state["cards"]
    assert isinstance(cards, list)
    assert drawn["card"] in cards
    while selectors.see_now(table).table.to_act is not None:
        turn = turn_at(table)
        play(table, turn, idle(turn))
    stored = stored_of(table)
    assert list(deal_differences(stored)) == []
    root = reshuffled.event.root
    lies = list(deal_differences(with_root(stored, reshuffled.version, root[::-1])))
    assert [(one.version, one.field) for one in lies] == [(reshuffled.version, "root")]


def with_root(stored: Sequence[Stored], version: int, root: str) -> list[Stored]:
    """The records with another root in the reshuffle of this version."""
    found = list(stored)
    place = next(place for place, one in enumerate(stored) if one.version == version)
    data = stored[place].data
    found[place] = replace(stored[place], data=data.replace(root[::-1], root))
    return found


def wild_spreads(table: UUID) -> list[events.SpreadLaid]:
    """Spreads in which some card stands for another."""
    laid = [one.event for one in of_type(table, "SpreadLaid")]
    return [
        fact
        for fact in laid
        if isinstance(fact, events.SpreadLaid) and fact.cards != fact.stands_for
    ]


def test_hands_with_jokers_wild_deuces_and_everything_replay() -> None:
    options = {"jokers": 2, "deuces_wild": True, "ace_runs": "high_or_low", "must_spread": True}
    table = table_of(3, **options, slap=True)
    for _ in range(HANDS_MAX):
        play(table, turn_at(table))
        play_out(table)
        if wild_spreads(table):
            break
    assert wild_spreads(table)
    dealt = of_type(table, "HandDealt")[0].event
    assert isinstance(dealt, events.HandDealt)
    assert dealt.deck_spec == "std52j2/1"
