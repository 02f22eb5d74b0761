"""Chains of seeds and the window for them, folded from facts."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules import anchors, events, window
from games.rules.anchors import ABORTS_WITHIN_HANDS, Anchors
from games.rules.table import Table, fold
from tests.unit.games.test_table import DEALT, OPENED, document, seat_taken, table_of
from tonk_site.proving.acting.fair_seats import Links
from tonk_site.proving.cards.streams import AT, HAND, PLAYERS, recorded

ONA, NEWER = Links("ona", 4), Links("newer", 4)


def anchored(links: Links = ONA, seat: int = 1) -> events.SeedAnchored:
    return events.SeedAnchored(
        seat=seat, player=PLAYERS[seat - 1], anchor=links.anchor, length=links.length
    )


def commitment(hand_no: int = 1, seats: Sequence[int] = (1,)) -> events.ShuffleCommitted:
    return events.ShuffleCommitted(
        hand=HAND,
        hand_no=hand_no,
        commit="ab" * 32,
        deck_spec="std52/1",
        fairness="commit",
        seats=tuple(
            events.CommittedSeat(
                seat=seat, player=PLAYERS[seat - 1], bot=None, anchored=seat in seats
            )
            for seat in (1, 2)
        ),
        dealer=2,
        reveal_by="2026-12-01T08:00:05.000000Z" if seats else None,
        beacon=None,
    )


def revealed(links: Links = ONA, index: int = 1, seat: int = 1) -> events.SeedRevealed:
    return events.SeedRevealed(
        hand=HAND, seat=seat, player=PLAYERS[seat - 1], index=index, seed=links.seed(index)
    )


def aborted(*missing: int, reason: str = "silent_seat") -> events.ShuffleAborted:
    return events.ShuffleAborted(hand=HAND, missing=missing, reason=reason, server_seed="cd" * 32)


def after(*facts: msgspec.Struct) -> Anchors:
    return anchors.fold(facts)


def test_each_link_is_shown_once_and_in_order() -> None:
    known = after(anchored())
    for index in range(1, 5):
        chain = known.of(1, PLAYERS[0])
        assert chain is not None
        wrong = [ONA.seed(other) for other in range(5) if other != index]
        assert [chain.is_next(seed) for seed in wrong] == [False] * 4
        assert chain.is_next(ONA.seed(index))
        known = anchors.evolve(known, revealed(index=index))
    assert known.of(1, PLAYERS[0]) is None  # all are shown
    assert not known.chains[1].is_next("00" * 32)


def test_a_chain_is_its_seats_and_its_players() -> None:
    known = after(anchored())
    assert known.of(2, PLAYERS[0]) is None
    assert known.of(1, PLAYERS[1]) is None
    assert anchors.evolve(known, revealed(seat=2)) == known


@pytest.mark.parametrize(
    "fact",
    [
        seat_taken(1),
        events.SeatLeft(seat=1, player=PLAYERS[0], reason="asked"),
        events.SeatCashedOut(seat=1, player=PLAYERS[0], amount=5, currency="XTK"),
    ],
)
def test_who_comes_or_goes_has_no_chain(fact: msgspec.Struct) -> None:
    assert after(anchored(), fact) == Anchors()


def test_the_cut_keeps_the_chains_of_who_stays() -> None:
    def cut(*seating: tuple[int, int]) -> events.DealerCut:
        return events.DealerCut(
            deck_spec="std52/1",
            server_seed="00" * 32,
            draws=(),
            dealer=1,
            seating=tuple(events.Seated(seat=seat, player=PLAYERS[who]) for seat, who in seating),
        )

    both = (anchored(), anchored(NEWER, 2))
    assert set(after(*both, cut((1, 0), (2, 1))).chains) == {1, 2}
    assert after(*both, cut((1, 1), (2, 0))).chains == {}


def test_an_anchor_registered_in_the_window_waits_for_its_end() -> None:
    known = after(anchored(), commitment(), anchored(NEWER))
    chain = known.of(1, PLAYERS[0])
    assert chain is not None
    assert (chain.anchor, chain.following) == (ONA.anchor, (NEWER.anchor, 4))
    known = anchors.fold([revealed(), DEALT], known)
    chain = known.of(1, PLAYERS[0])
    assert chain is not None
    assert (chain.anchor, chain.used, chain.following) == (NEWER.anchor, 0, None)
    # Nobody is asked for a seed by a commitment that was made without his anchor.
    at_once = after(commitment(seats=(2,)), anchored(NEWER)).of(1, PLAYERS[0])
    assert at_once is not None
    assert at_once.following is None


@pytest.mark.parametrize(("apart", "kept"), [(0, False), (19, False), (20, True)])
def test_a_second_silence_soon_costs_the_anchor(apart: int, kept: bool) -> None:
    assert ABORTS_WITHIN_HANDS == 20
    first = after(anchored(), commitment(7), aborted(1))
    assert first.of(1, PLAYERS[0]) is not None
    second = anchors.fold([commitment(7 + apart), aborted(1)], first)
    assert (second.of(1, PLAYERS[0]) is not None) is kept
    blameless = anchors.fold([commitment(8), aborted(1, reason="seat_lost")], first)
    assert blameless.of(1, PLAYERS[0]) is not None
    anew = anchors.fold([anchored(NEWER), commitment(8), aborted(1)], first)
    assert anew.of(1, PLAYERS[0]) is not None
    waited = anchors.fold([commitment(8), anchored(NEWER), aborted(1)], first)
    chain = waited.of(1, PLAYERS[0])
    assert chain is not None
    assert chain.anchor == NEWER.anchor


def test_a_table_is_sealing_between_commitment_and_deal() -> None:
    seats = [seat_taken(1), seat_taken(2)]
    table = table_of(*seats, commitment())
    committed = table.commitment
    assert committed is not None
    assert (table.status, window.missing(committed, table.seeds)) == ("sealing", (1,))
    assert window.seal_at(committed) == AT + timedelta(seconds=5)
    assert document(table)["fair"]["anchored"] == [1]
    table = table_of(*seats, commitment(), revealed())
    assert (window.missing(committed, table.seeds), table.status) == ((), "sealing")
    assert window.seed_states(committed, table.seeds) == {1: "revealed", 2: "none"}
    assert window.seed_states(committed, ()) == {1: "missing", 2: "none"}
    given_up = table_of(*seats, commitment(), revealed(), aborted())
    assert (given_up.status, given_up.commitment, given_up.seeds) == ("open", None, ())
    assert given_up.idle_since == AT + timedelta(seconds=5)
    dealt = table_of(*seats, commitment(), revealed(), DEALT)
    assert (dealt.sealing, dealt.commitment, dealt.status) == (False, None, "playing")
    assert table_of(*seats, commitment(seats=())).status == "open"


def test_a_beacons_round_is_waited_for_behind_the_window() -> None:
    mixed = msgspec.structs.replace(
        commitment(), beacon=events.BeaconRound(chain="ab" * 32, round=5)
    )
    assert window.seal_at(mixed) == AT + timedelta(seconds=8)
    assert window.seal_at(commitment(seats=())) is None
    assert (window.reveal_ms("turbo"), window.reveal_ms("correspondence")) == (5_000, 60_000)


def test_the_state_of_a_coming_hand_holds_nothing_of_the_one_before() -> None:
    played = [OPENED, DEALT, commitment(hand_no=2)]
    found = document(fold(recorded(played)))
    assert (found["status"], found["hand_no"], found["dealer"]) == ("sealing", 2, 2)
    gone = {"result", "discard_top", "melds", "phase", "cards", "legal", "to_act", "deadline"}
    assert gone.isdisjoint(found)
    assert {seat["cards_held"] for seat in found["seats"]} == {0}


def test_a_committed_seat_must_still_be_there() -> None:
    seats = [seat_taken(1), seat_taken(2)]
    left = events.SeatLeft(seat=2, player=PLAYERS[1], reason="asked")

    def is_there(*facts: msgspec.Struct) -> bool:
        found: Table = table_of(*seats, *facts)
        return window.still_there(found)

    assert is_there(commitment())
    assert not is_there(commitment(), left)
    assert not is_there()


FACTS: list[Any] = [
    anchored(),
    anchored(NEWER),
    anchored(NEWER, 2),
    commitment(),
    commitment(seats=(1, 2)),
    commitment(25),
    revealed(),
    revealed(NEWER),
    aborted(1),
    aborted(1, 2),
    aborted(reason="seat_lost"),
    DEALT,
    seat_taken(2),
]


@given(st.lists(st.sampled_from(FACTS), max_size=12), st.integers(0, 12))
def test_chains_are_a_fold_and_never_overdrawn(facts: list[msgspec.Struct], cut: int) -> None:
    whole = anchors.fold(facts)
    assert anchors.fold(facts[cut:], anchors.fold(facts[:cut])) == whole
    for chain in whole.chains.values():
        assert 0 <= chain.used <= chain.length
        assert whole.committed is not None or chain.following is None
