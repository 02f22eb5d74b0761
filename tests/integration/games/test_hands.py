"""The follower `hands` and the look-up of a hand: index, newest deals, the stream itself."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from django.db import IntegrityError, connection
from django.db.models import Sum

from eventstore import store
from eventstore.core.chain import Fact
from eventstore.core.ids import table_stream
from eventstore.core.refusal import InvariantBroken
from eventstore.following import rebuild
from eventstore.ports import new_id
from eventstore.services import in_transaction
from games import selectors
from games.followers import HANDS, TYPES, handle
from games.hands import HandPlace, find
from games.models import Hand, HandRow, Table
from games.rules import events
from tests.following import follow_all
from tonk_site.proving.acting.drive import once
from tonk_site.proving.acting.factories import a_player, a_table, a_tournament, sits_down, with_bots
from tonk_site.proving.acting.play import play, play_out, turn_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eventstore.core.record import Stored
    from eventstore.services import Transaction

pytestmark = pytest.mark.usefixtures("committed")
ABORTED = events.ShuffleAborted(missing=(2,), reason="silent_seat", hand="", server_seed="00" * 32)


@pytest.fixture
def table() -> UUID:
    """Where two people have sat down."""
    ona, petras = a_player(), a_player("petras")
    found = a_table(ona, seats=2)
    for person in (ona, petras):
        sits_down(found, person)
    return found


def a_running_hand(table: UUID) -> UUID:
    """The hand that runs now."""
    play(table, turn_at(table))
    dealt = selectors.see_now(table).table.dealt
    assert dealt is not None
    return UUID(dealt.hand)


def an_ended_hand(table: UUID) -> UUID:
    hand = a_running_hand(table)
    play_out(table)
    return hand


def version_of(table: UUID, kind: str, hand: UUID) -> int | None:
    """Where the log has such an event of a hand."""
    for one in store.events_after(table_stream(table), 0, types=[kind]):
        if one.payload["hand"] == str(hand):
            return one.version
    return None


def place_of(table: UUID, hand: UUID) -> HandPlace:
    """The place of a hand that was dealt, from the stream read from its beginning."""
    first = version_of(table, "ShuffleCommitted", hand)
    assert first is not None
    dealt, last = (version_of(table, kind, hand) for kind in ("HandDealt", "HandRevealed"))
    return HandPlace(hand, table_stream(table), table, first, dealt, last)


def commits(table: UUID, like: UUID, *, aborts: bool) -> UUID:
    """Append the commitment of a further hand to a table, and where asked that it was given up."""
    stream, hand = table_stream(table), new_id()
    before = place_of(table, like)
    old = store.events_after(stream, before.first_version - 1, limit=1)[0].event
    assert isinstance(old, events.ShuffleCommitted)
    facts = [Fact(_of(old, hand), "worker:dealer")]
    if aborts:
        facts.append(Fact(_of(ABORTED, hand), "worker:dealer"))

    def work(tx: Transaction) -> None:
        tx.append(stream, tx.load(stream).head, facts)

    in_transaction(work)
    return hand


def _of(event: events.ShuffleCommitted | events.ShuffleAborted, hand: UUID) -> events.Event:
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    return type(event)(**fields | {"hand": str(hand)})


def test_a_hand_is_found_while_it_runs_and_after_it_with_and_without_the_index(
    table: UUID,
) -> None:
    hand = a_running_hand(table)
    running = place_of(table, hand)
    assert running.last_version is None
    assert find(hand) == running  # nothing has followed yet
    follow_all()
    assert Hand.objects.get(hand=hand).last_version is None
    assert find(hand) == running
    play_out(table)
    ended = place_of(table, hand)
    assert ended.last_version is not None
    assert find(hand) == ended  # the index is behind
    follow_all()
    assert Hand.objects.get(hand=hand).last_version == ended.last_version
    assert find(hand) == ended
    newer = an_ended_hand(table)
    assert find(hand) == ended
    assert find(newer) == place_of(table, newer)


@pytest.mark.slow
def test_an_older_hand_is_found_once_it_was_followed(table: UUID) -> None:
    first, second = an_ended_hand(table), an_ended_hand(table)
    assert find(first) is None
    assert find(second) == place_of(table, second)
    follow_all()
    assert find(first) == place_of(table, first)


def test_no_stranger_is_found(table: UUID) -> None:
    an_ended_hand(table)
    for hand in (new_id(), UUID(int=0), table):
        assert find(hand) is None
    follow_all()
    assert find(new_id()) is None


@pytest.mark.no_replay("a commitment without a deal, which no service makes here")
@pytest.mark.parametrize("aborts", [False, True])
def test_a_commitment_without_a_deal_is_found(table: UUID, aborts: bool) -> None:
    before = an_ended_hand(table)
    hand = commits(table, before, aborts=aborts)
    first = place_of(table, hand).first_version
    with connection.cursor() as cursor:
        cursor.execute("UPDATE games_table SET version = version + 2 WHERE id = %s", [table])
    last = first + 1 if aborts else None
    expected = HandPlace(hand, table_stream(table), table, first, None, last)
    assert find(hand) == expected
    follow_all()
    row = Hand.objects.get(hand=hand)
    assert (row.first_version, row.dealt_version, row.last_version) == (first, None, last)
    assert (row.end, row.started, row.stake, row.finished is not None) == (None, None, None, aborts)
    assert find(hand) == expected
    assert find(before) == place_of(table, before)


def test_the_index_tells_what_the_log_tells(table: UUID) -> None:
    hands = [an_ended_hand(table) for _ in range(3)]
    organiser = a_player("organiser", "organiser")
    tournament = a_tournament(organiser)
    with_bots(tournament, organiser, 9, "random-0")
    while Table.objects.aggregate(hands=Sum("hands_counted"))["hands"] < 8:
        assert once(tournament)
    follow_all()
    told = {row.hand: row for row in Hand.objects.all()}
    of_tournament = selectors.tables_of_tournament(tournament)
    streams = [table_stream(table), *(table_stream(row.id) for row in of_tournament)]
    logged = [one for stream in streams for one in store.events_after(stream, 0, types=[*TYPES])]
    assert set(told) >= set(hands)
    assert {str(hand) for hand in told} == {one.payload["hand"] for one in logged}
    assert len(told) >= 8
    for hand, row in told.items():
        own = [one for one in logged if one.payload["hand"] == str(hand)]
        tells(row, own, tournament if row.table_id != table else None)


def tells(row: Hand, own: Sequence[Stored], tournament: UUID | None) -> None:
    """The row of a hand says what its events say."""
    found = {one.type: one for one in own}
    committed, dealt = found["ShuffleCommitted"], found["HandDealt"]
    deal = dealt.event
    assert isinstance(deal, events.HandDealt)
    assert (row.hand_no, row.tournament) == (deal.hand_no, tournament)
    assert (row.first_version, row.dealt_version) == (committed.version, dealt.version)
    assert (row.preset, row.currency, row.stake) == (deal.rules.preset, deal.currency, deal.stake)
    assert row.started == dealt.at
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT log_index FROM eventstore_log_leaf JOIN eventstore_event USING (position)
            WHERE event_id = %s""",
            [committed.event_id],
        )
        assert cursor.fetchone() == (row.log_index,)
    if "HandEnded" not in found:
        assert (row.last_version, row.finished, row.end, row.by) == (None, None, None, None)
        return
    ended = found["HandEnded"].event
    assert isinstance(ended, events.HandEnded)
    assert (row.end, row.by, row.finished) == (ended.end, ended.by, found["HandEnded"].at)
    assert row.last_version == found["HandRevealed"].version


def leaves_of(table: UUID) -> tuple[store.Leaf, ...]:
    return tuple(one for one in store.leaves(0, 10_000) if one.event.stream == table_stream(table))


@pytest.mark.slow
def test_any_cut_into_parts_gives_the_same_rows(table: UUID) -> None:
    for _ in range(2):
        an_ended_hand(table)
    follow_all()
    leaves = leaves_of(table)
    for version, size in enumerate((1, 2, 3, 7, len(leaves)), start=101):
        for start in range(0, len(leaves), size):
            handle(leaves[start : start + size], version)
        assert HANDS.checksum(version) == HANDS.checksum(1)
    HANDS.drop(102)
    assert not HandRow.objects.filter(follower_version=102).exists()
    assert HandRow.objects.filter(follower_version=103).count() == 2
    assert HANDS.checksum(102) != HANDS.checksum(1)


def test_a_hand_out_of_order_is_refused(table: UUID) -> None:
    an_ended_hand(table)
    follow_all()
    leaves = [one for one in leaves_of(table) if one.event.type in TYPES]
    handle(leaves[:1], 101)
    for again in (leaves[:1], [leaves[0], leaves[0]]):
        with pytest.raises(InvariantBroken, match="out of order"):
            handle(again, 101)
    with pytest.raises(InvariantBroken, match="out of order"):
        handle(leaves[1:2], 102)


def test_a_rebuild_changes_nothing_that_is_read(table: UUID) -> None:
    hand = an_ended_hand(table)
    follow_all()
    before = list(Hand.objects.values())
    assert rebuild(HANDS).equal
    assert list(Hand.objects.values()) == before
    assert HandRow.objects.count() == 2 * len(before)
    HandRow.objects.filter(follower_version=2, hand=hand).update(by=6)
    assert rebuild(HANDS).equal is False
    assert list(Hand.objects.values()) == before


# What may never be said of a hand that was dealt and has ended, and the constraint that refuses it.
FALSE = [
    ("first_version = 0", "hand_has_a_place"),
    ("dealt_version = first_version", "hand_is_dealt_after_its_commitment"),
    ("last_version = dealt_version", "hand_ends_last"),
    ("finished = NULL", "hand_ends_last"),
    ("stake = NULL", "hand_is_dealt_wholly"),
    ("dealt_version = NULL", "hand_is_dealt_wholly"),
    (
        "dealt_version = NULL, started = NULL, preset = NULL, currency = NULL, stake = NULL",
        "hand_that_was_dealt_ends",
    ),
    ('"end" = NULL, by = 1', "hand_that_was_dealt_ends"),
]


def test_what_must_never_be_false_is_a_constraint(table: UUID) -> None:
    an_ended_hand(table)
    follow_all()
    for change, constraint in FALSE:
        with pytest.raises(IntegrityError, match=constraint), connection.cursor() as cursor:
            cursor.execute(f"UPDATE games_handrow SET {change}")


def test_two_hands_never_begin_at_one_version(table: UUID) -> None:
    an_ended_hand(table)
    follow_all()
    row = HandRow.objects.get()
    row.hand = new_id()
    with pytest.raises(IntegrityError, match="hand_begins_once"):
        HandRow.objects.bulk_create([row])
