"""A table folded from its stream: seats, stacks, clocks, and the documents made of it."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace as changed

from eventstore.core.record import Stored, time_text
from eventstore.core.refusal import InvariantBroken
from games.rules import events
from games.rules.cards import TEXTS
from games.rules.decide import Decision, decide
from games.rules.hosting import away_reason, buy_in_bounds, dealer_among
from games.rules.moves import DRAW, KNOCK
from games.rules.result import hand_ended, settle
from games.rules.selfplay import SeededNumbers
from games.rules.shuffles import Deck
from games.rules.state import Hand
from games.rules.state import fold as fold_hand
from games.rules.table import Place, Table, fold
from games.rules.views import PUBLIC, Viewer, state_document
from tests.unit.games.rules_tables import options_of
from tonk_site.proving.cards.random_hands import dealt
from tonk_site.proving.cards.streams import AT, HAND, PLAYERS, TABLE, opening, recorded

MOVE_MS, BANK_MS, FIRST_MOVE_MS = 20_000, 40_000, 60_000


def a_hand() -> Hand:
    """A hand dealt to three, the third seat being the dealer."""
    options = options_of(3)
    rng = SeededNumbers("table")
    hand = dealt(rng, options, 3)
    while hand.setup.dealer != 3:
        hand = dealt(rng, options, 3)
    return hand


HAND_DEALT = a_hand()
OPENED, DEALT = opening(HAND_DEALT, HAND_DEALT.setup.rules.options)
DECK = Deck(HAND_DEALT.setup.deck or ())


def seat_taken(seat: int, bot: str | None = None) -> events.SeatTaken:
    return events.SeatTaken(
        seat=seat, player=PLAYERS[seat - 1], bot=bot, buy_in=900, currency="XTK"
    )


def table_of(*facts: msgspec.Struct, deck: Deck | None = None) -> Table:
    return fold(recorded([OPENED, *facts]), {HAND: deck} if deck else {})


def with_bank(bank_ms: int) -> events.HandDealt:
    """The deal with so much bank for everybody."""
    assert isinstance(DEALT, events.HandDealt)
    players = tuple(msgspec.structs.replace(one, bank_ms=bank_ms) for one in DEALT.players)
    return msgspec.structs.replace(DEALT, players=players)


def document(table: Table, viewer: Viewer = PUBLIC) -> dict[str, Any]:
    found: dict[str, Any] = state_document(
        table, viewer, table_id=str(TABLE), names={PLAYERS[0]: "Ona"}, time_text=time_text
    )
    return found


def test_seats_come_and_go_between_hands() -> None:
    table = table_of(seat_taken(2), seat_taken(1, bot="greedy-1@1"))
    assert [place.seat for place in table.places] == [1, 2]
    assert (table.status, table.idle_since, table.to_act, table.deadline) == (
        "open",
        AT + timedelta(seconds=2),
        None,
        None,
    )
    player = PLAYERS[1]
    more = [
        events.StackToppedUp(seat=2, player=player, amount=100, currency="XTK"),
        events.SatOut(seat=2, player=player, reason="asked"),
    ]
    table = table_of(seat_taken(2), *more)
    assert (table.place(2).stack, table.place(2).sat_out) == (1_000, "asked")
    assert away_reason(table.place(2)) == "asked"
    back = events.SatIn(seat=2, player=player)
    left = events.SeatLeft(seat=2, player=player, reason="idle")
    assert table_of(seat_taken(2), *more, back).place(2).sat_out is None
    table = table_of(seat_taken(2), left)
    assert (table.place(2).leaving, away_reason(table.place(2))) == ("idle", "asked")
    gone = events.SeatCashedOut(seat=2, player=player, amount=900, currency="XTK")
    assert table_of(seat_taken(2), left, gone).seat_of(player) is None
    with pytest.raises(KeyError):
        table.place(5)


def test_chips_of_a_tournament_go_with_the_seat() -> None:
    assert isinstance(OPENED, events.TableOpened)
    chips = msgspec.structs.replace(OPENED, currency="CHIPS")
    left = events.SeatLeft(seat=1, player=PLAYERS[0], reason="moved")
    set_to = events.ChipsSet(seat=1, player=PLAYERS[0], chips=1_500)
    table = fold(recorded([chips, seat_taken(1), set_to]))
    assert (table.of_tournament, table.place(1).stack) == (True, 1_500)
    assert fold(recorded([chips, seat_taken(1), left])).places == ()
    assert document(table)["seats"][0]["chips"] == 1_500


def test_the_cut_names_the_dealer_and_may_move_people() -> None:
    cut = events.DealerCut(
        deck_spec="std52/1",
        server_seed="00" * 32,
        draws=(),
        dealer=2,
        seating=(
            events.Seated(seat=2, player=PLAYERS[0]),
            events.Seated(seat=1, player=PLAYERS[1]),
        ),
    )
    table = table_of(seat_taken(1), seat_taken(2), cut)
    assert [place.player for place in table.places] == [PLAYERS[1], PLAYERS[0]]
    assert table.dealer == 2
    assert (dealer_among(table, [1, 2]), dealer_among(table, [1, 3])) == (2, 3)
    assert dealer_among(table, []) is None
    assert dealer_among(table_of(), [1, 2]) is None


def test_a_turn_has_its_time_and_what_is_over_is_taken_from_the_bank() -> None:
    deal = with_bank(BANK_MS)
    table = table_of(deal, deck=DECK)
    assert table.deadline == AT + timedelta(seconds=1, milliseconds=FIRST_MOVE_MS + BANK_MS)
    assert (table.status, table.to_act, table.hand_no) == ("playing", 1, 1)
    later = msgspec.structs.replace(deal, hand_no=2)
    table = table_of(later, deck=DECK)
    assert table.deadline == AT + timedelta(seconds=1, milliseconds=MOVE_MS + BANK_MS)
    extended = events.ClockExtended(
        seat=1, until=time_text(AT + timedelta(hours=1)), reason="pause"
    )
    assert table_of(later, extended, deck=DECK).deadline == AT + timedelta(hours=1)


def turn(stored: Sequence[Stored], seconds: int) -> tuple[Stored, ...]:
    """The records with the last one so many seconds after the one before."""
    *before, last = stored
    return (*before, changed(last, at=before[-1].at + timedelta(seconds=seconds)))


def test_a_long_turn_is_charged_to_the_bank_and_a_time_out_counts() -> None:
    later = msgspec.structs.replace(with_bank(BANK_MS), hand_no=2)
    hand = HAND_DEALT
    drawn = decide(hand, 1, DRAW)
    assert isinstance(drawn, Decision)
    after = fold_hand(hand, drawn.events)
    card = after.held_cards(1)[0]
    thrown = events.CardDiscarded(seat=1, card=TEXTS[card], place=after.setup.place_of[card])
    stored = turn(recorded([OPENED, later, *drawn.events, thrown]), 30)
    table = fold(stored, {HAND: DECK})
    assert table.place(1).bank_ms == BANK_MS - (31_000 - MOVE_MS)
    assert (table.to_act, table.turn_at) == (2, stored[-1].at)
    out = events.TurnTimedOut(seat=1, in_row=2, bank_ms=0)
    table = fold(recorded([OPENED, later, out, *drawn.events, thrown]), {HAND: DECK})
    assert (table.place(1).timeouts, table.place(1).bank_ms) == (2, 0)


def test_autopilot_has_two_seconds() -> None:
    on = events.AutopilotSet(seat=1, player=PLAYERS[0], on=True, reason="timeouts")
    table = table_of(DEALT, on, deck=DECK)
    assert table.deadline == AT + timedelta(seconds=3)
    off = events.AutopilotSet(seat=1, player=PLAYERS[0], on=False, reason="returned")
    assert not table_of(DEALT, on, off, deck=DECK).place(1).autopilot


def test_a_turn_on_autopilot_costs_no_bank() -> None:
    on = events.AutopilotSet(seat=1, player=PLAYERS[0], on=True, reason="timeouts")
    forced = decide(HAND_DEALT, 1, DRAW)
    assert isinstance(forced, Decision)
    held = fold_hand(HAND_DEALT, forced.events)
    card = held.held_cards(1)[0]
    thrown = events.CardDiscarded(seat=1, card=TEXTS[card], place=held.setup.place_of[card])
    stored = turn(recorded([OPENED, with_bank(BANK_MS), on, *forced.events, thrown]), 300)
    assert fold(stored, {HAND: DECK}).place(1).bank_ms == BANK_MS


def ending() -> list[msgspec.Struct]:
    """A knock, the end that it makes, and the reveal."""
    knocked = decide(HAND_DEALT, 1, KNOCK)
    assert isinstance(knocked, Decision)
    over = fold_hand(HAND_DEALT, knocked.events)
    ended = hand_ended(over, settle(over), next_dealer=1)
    reveal = events.HandRevealed(hand=HAND, server_seed="00" * 32)
    return [*knocked.events, ended, reveal]


def test_an_ended_hand_shows_its_result_and_its_deck() -> None:
    table = table_of(DEALT, *ending(), deck=DECK)
    assert (table.status, table.dealer, table.ended_version) == ("between_hands", 1, 4)
    shown = document(table, Viewer(1))
    assert {"end", "by", "held", "net", "rake", "transfers", "next_dealer"} == set(shown["result"])
    assert shown["phase"] == "ended"
    assert "legal" not in shown
    assert "cards" not in shown
    assert len(shown["fair"]["deck"].split()) == 52
    nets = [one["amount"] for one in shown["result"]["net"]]
    assert sum(nets) == 0
    assert shown["seats"][0]["name"] == "Ona"
    assert shown["seats"][1]["name"].startswith("player-")


def test_short_payments_of_a_tournament_are_shown_and_odd_amounts_are_no_stakes() -> None:
    *before, ended, reveal = ending()
    assert isinstance(ended, events.HandEnded)
    paid = (events.Payment(from_seat=1, to_seat=2, amount=3),)
    net = tuple(
        msgspec.structs.replace(one, amount={1: -3, 2: 3}.get(one.seat, 0)) for one in ended.net
    )
    rake = (events.SeatAmount(seat=2, player=PLAYERS[1], amount=1),)
    short = msgspec.structs.replace(ended, paid=paid, net=net, rake=rake, next_dealer=None)
    result = document(table_of(DEALT, *before, short, reveal, deck=DECK))["result"]
    assert result["paid"] == [{"from_seat": 1, "to_seat": 2, "amount": 3}]
    assert [one.get("stakes") for one in result["net"]] == [None, None, 0]
    assert [one["amount"] for one in result["rake"]] == [1]
    assert "next_dealer" not in result
    by_the_deal = msgspec.structs.replace(ended, end="initial_draw", by=None)
    assert "by" not in document(table_of(DEALT, *before, by_the_deal, reveal, deck=DECK))["result"]


def test_V15_the_pot_is_shown_and_ends_at_nothing() -> None:
    assert isinstance(DEALT, events.HandDealt)
    options = msgspec.structs.replace(DEALT.rules.options, stake_mode="pot")
    deal = msgspec.structs.replace(
        DEALT, rules=msgspec.structs.replace(DEALT.rules, options=options)
    )
    stake = DEALT.stake
    assert document(table_of(deal, deck=DECK))["pot"] == 3 * stake
    shown = document(table_of(deal, *ending(), deck=DECK))
    out = [one["amount"] for one in shown["result"]["pot"]]
    assert shown["pot"] == 0
    assert out == [one["amount"] + stake for one in shown["result"]["net"]]
    assert sum(out) == 3 * stake
    assert "pot" not in document(table_of(DEALT, deck=DECK))


def test_a_voided_hand_gives_the_stacks_back() -> None:
    voided = events.HandVoided(
        hand=HAND,
        reason="outage",
        server_seed="00" * 32,
        stacks=tuple(
            events.SeatAmount(seat=seat, player=PLAYERS[seat - 1], amount=900) for seat in (1, 2, 3)
        ),
        next_dealer=1,
    )
    table = table_of(DEALT, voided, deck=DECK)
    assert (table.status, table.dealer, table.server_seed) == ("between_hands", 1, "00" * 32)
    assert [place.stack for place in table.places] == [900] * 3


def test_a_seat_that_is_away_and_one_that_leaves_are_told() -> None:
    assert isinstance(DEALT, events.HandDealt)
    away = (
        events.AwayPlayer(seat=5, player=PLAYERS[4], bot=None, stack=5, reason="asked"),
        events.AwayPlayer(seat=6, player=PLAYERS[5], bot="random-0@1", stack=5, reason="stack"),
    )
    deal = msgspec.structs.replace(DEALT, away=away)
    leaving = events.SeatLeft(seat=1, player=PLAYERS[0], reason="asked")
    shown = document(table_of(deal, leaving, deck=DECK))
    seats = {one["seat"]: one for one in shown["seats"]}
    assert (seats[5]["sitting_out"], seats[5]["cards_held"]) == ("asked", 0)
    assert "sitting_out" not in seats[6]  # a short stack is judged anew at each deal
    assert seats[6]["level"] == "random-0@1"
    assert seats[1]["leaving"]


def test_a_closed_table_leads_to_its_events_alone() -> None:
    table = table_of(events.TableClosed(reason="asked"))
    assert table.status == "closed"
    assert set(document(table)["links"]) == {"events", "rules"}
    assert (PUBLIC.tag, Viewer(3).tag) == ("p", "s3")


def test_a_table_without_a_beginning_is_none() -> None:
    with pytest.raises(ValueError, match="no events"):
        fold(())
    with pytest.raises(ValueError, match="does not begin with SeatTaken"):
        fold(recorded([seat_taken(1)]))


def test_a_deal_to_more_players_than_the_rules_allow_does_not_fold() -> None:
    assert isinstance(DEALT, events.HandDealt)
    options = msgspec.structs.replace(DEALT.rules.options, max_players=2)
    deal = msgspec.structs.replace(
        DEALT, rules=msgspec.structs.replace(DEALT.rules, options=options)
    )
    with pytest.raises(InvariantBroken, match="3 players"):
        table_of(deal)


def test_buy_ins_cover_the_worst_case() -> None:
    assert buy_in_bounds(60, 10) == (200, 1_000)
    assert buy_in_bounds(5_000, 10) == (5_000, 5_000)


def test_a_place_that_stays_has_a_short_stack() -> None:
    assert away_reason(Place(1, PLAYERS[0], None, 5, 0)) == "stack"
