"""The fixture `replay` itself: each thing that it looks at, with a difference planted in it."""

import json
import os
import sys
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from django.core.management import CommandError, call_command

from eventstore import store
from eventstore.core.chain import START, Fact
from eventstore.core.ids import player_stream, table_stream, tournament_stream, wallet_stream
from eventstore.core.record import Stored, leaf_hash, record_bytes
from eventstore.core.refusal import InvariantBroken
from eventstore.ports import new_id
from eventstore.services import Transaction, in_transaction, update_live
from games import folds
from games.models import Seat, Sitting, Table
from games.replay import deal_differences
from games.rules.events import SatOut, SeatLeft
from games.services import loading
from games.services.bots import add_bot
from ledger.core.events import ChipsGranted
from ledger.services import mark_due
from players.core.events import NameConsentSet
from players.selectors import Person
from tests.integration.games.test_cash_table import play_a_hand
from tests.replay import check, settle_everything
from tonk_site.proof import prove_log, state_at
from tonk_site.proving.acting.drive import once
from tonk_site.proving.acting.factories import (
    PLAYED,
    a_player,
    a_table,
    a_tournament,
    receipt,
    sits_down,
    with_bots,
)
from tournaments.models import Entrant, Tournament

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.no_replay("differences are planted; the fixture is called by hand"),
]

ROUNDS = 12


@pytest.fixture
def table() -> UUID:
    """A cash table after hands of a person and a bot, until a card was discarded."""
    ona = a_player()
    table = a_table(ona, options=PLAYED)
    sits_down(table, ona)
    add_bot(table, "random-0", seat=None, creator=ona, receipt=receipt())
    for _ in range(ROUNDS):
        play_a_hand(table, ona)
        if any(one.type == "CardDiscarded" for one in store.load(table_stream(table)).events):
            return table
    raise AssertionError("nobody discards")


@pytest.fixture
def tournament() -> UUID:
    """A tournament with three entries."""
    organiser = a_player("jonas", "organiser")
    tournament = a_tournament(organiser)
    with_bots(tournament, organiser, 3)
    return tournament


def replayed() -> None:
    settle_everything()
    check(prove_log())


def newest(stream: str) -> str:
    return f"{stream}@{store.load(stream).head.version}"


def append(stream: str, *facts: Fact) -> tuple[Stored, ...]:
    return in_transaction(lambda tx: tx.append(stream, store.load(stream).head, facts))


def test_without_a_difference_nothing_is_said(table: UUID, tournament: UUID) -> None:
    replayed()
    found = prove_log()
    assert found.chain_ok
    assert found.replay_identical
    assert found.events == sum(len(store.load(name).events) for name in store.streams())


def test_who_is_away_looks_the_same_in_a_fold_from_the_deal_on() -> None:
    """What the deal says of him is all that is known of him."""
    ona, jonas = a_player("ona"), a_player("jonas")
    table = a_table(ona, options=PLAYED)
    sits_down(table, ona)
    seat = sits_down(table, jonas)
    add_bot(table, "random-0", seat=None, creator=ona, receipt=receipt())
    play_a_hand(table, ona, jonas)
    sits_out(table, seat, jonas)
    play_a_hand(table, ona)
    dealt = folds.current(table, None).table.dealt
    assert dealt is not None
    assert [one.seat for one in dealt.away] == [seat]
    replayed()


def sits_out(table: UUID, seat: int, who: Person) -> None:
    def work(tx: Transaction) -> None:
        (row,) = tx.lock([loading.live(table)])
        out = Fact(SatOut(seat=seat, player=str(who.id), reason="asked"), f"player:{who.id}")
        after, _ = loading.append(tx, loading.load(tx, row), [out])
        update_live(loading.live(table), loading.changes(after.table))

    in_transaction(work)


@pytest.mark.slow
def test_a_running_tournament_is_what_its_streams_say() -> None:
    organiser = a_player("jonas", "organiser")
    tournament = a_tournament(organiser)
    with_bots(tournament, organiser, 9)
    for _ in range(ROUNDS):
        once(tournament)
        replayed()
    table = Table.objects.filter(tournament=tournament).exclude(status="closed")[0]
    leaving = table.places.all()[0]
    stream, head = table_stream(table.id), store.load(table_stream(table.id)).head
    left = SeatLeft(seat=leaving.seat, player=str(leaving.player_id), reason="director")
    in_transaction(lambda tx: tx.append(stream, head, [Fact(left, "player:x")]))
    with pytest.raises(AssertionError) as failure:
        replayed()
    named = newest(tournament_stream(tournament))
    assert f"{named} seats of {table.id}: is" in str(failure.value)
    assert f"{named} chips: is" in str(failure.value)


# --- (1) what is due ------------------------------------------------------------------------------


def test_what_is_due_is_settled_first(table: UUID) -> None:
    replayed()
    assert not [one for one in prove_log().differences if "balance" in one.field]


def test_what_can_not_be_settled_is_named(table: UUID) -> None:
    stream = table_stream(table)
    last = store.load(stream).events[-1]
    mark_due(stream, version=last.version + 5, at=last.at)
    with pytest.raises(InvariantBroken, match=f"{stream} is due to {last.version + 5}"):
        replayed()


# --- (2) chains -----------------------------------------------------------------------------------


def test_a_broken_chain_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    stream = player_stream(new_id())
    fact = Fact(NameConsentSet(consent=True), "player:x")
    (sealed,) = in_transaction(lambda tx: tx.seal(stream, START, [fact]))
    store.append([msgspec.structs.replace(sealed, hash=bytes(32))], START)
    with pytest.raises(AssertionError, match=f"{stream}@1: bad_hash"):
        replayed()
    with pytest.raises(SystemExit, match="1"):
        call_command("verify")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{stream} version 1: bad_hash"
    counts = {"streams": 1, "events": 1, "leaves": 0, "checkpoints": 0, "faults": 1}
    assert json.loads(lines[-1]) == counts


def test_whole_chains_are_counted(table: UUID, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("verify")
    proof = prove_log()
    assert json.loads(capsys.readouterr().out) == {
        "streams": proof.streams,
        "events": proof.events,
        "leaves": 0,
        "checkpoints": 0,
        "faults": 0,
    }


# --- (3) live rows, served states, deals ----------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("version", 1),
        ("status", "playing"),
        ("to_act", 1),
        ("hand_version", 2),
        ("hands_counted", 7),
        ("seats_taken", 3),
        ("stake", 11),
        ("visibility", "unlisted"),
    ],
)
def test_a_false_live_row_is_named(table: UUID, name: str, value: object) -> None:
    Table.objects.filter(id=table).update(**{name: value})
    with pytest.raises(AssertionError, match=f"{newest(table_stream(table))} {name}: is"):
        replayed()


def test_a_false_deadline_is_named(table: UUID) -> None:
    row = Table.objects.get(id=table)
    row.due_at = (row.due_at or row.opened_at) + timedelta(seconds=1)
    row.save()
    with pytest.raises(AssertionError, match=f"{newest(table_stream(table))} due_at: is"):
        replayed()


def test_a_missing_seat_or_row_is_named(table: UUID) -> None:
    Seat.objects.filter(table=table, seat=1).delete()
    with pytest.raises(
        AssertionError, match=f"{newest(table_stream(table))} games_seat 1: is None"
    ):
        replayed()
    other = table_stream(new_id())
    append(other, Fact(store.load(table_stream(table)).events[0].event, "player:x"))
    with pytest.raises(AssertionError, match=f"{other}@1 live row: is None"):
        replayed()


def test_false_time_at_a_table_is_named(table: UUID) -> None:
    (sits,) = Sitting.objects.filter(table=table)
    name = f"{newest(table_stream(table))} games_sitting {sits.player} "
    Sitting.objects.filter(id=sits.id).update(left_at=sits.taken_at)
    with pytest.raises(AssertionError, match=name):
        replayed()
    Sitting.objects.filter(id=sits.id).update(left_at=None)
    replayed()
    early = sits.taken_at - timedelta(hours=1)
    Sitting.objects.create(table_id=table, player=sits.player, taken_at=early, left_at=early)
    with pytest.raises(AssertionError, match=name):
        replayed()


def test_a_false_kept_fold_is_named(table: UUID) -> None:
    kept = folds.current(table, None)
    folds.keep(replace(kept, table=msgspec.structs.replace(kept.table, stake=3)))
    with pytest.raises(AssertionError, match=f"{newest(table_stream(table))} stake for p: is 3"):
        replayed()
    folds.forget_all()


def test_a_false_tournament_is_named(tournament: UUID) -> None:
    stream = tournament_stream(tournament)
    Tournament.objects.filter(id=tournament).update(entries=8, status="running")
    entrant = Entrant.objects.filter(tournament=tournament).first()
    assert entrant is not None
    entrant.delete()
    with pytest.raises(AssertionError) as failure:
        replayed()
    lines = str(failure.value).splitlines()[1:]
    wanted = ("entries: is 8", "status: is 'running'", f"tournaments_entrant {entrant.player_id}")
    assert len(lines) == len(wanted)
    for line, named in zip(lines, wanted, strict=True):
        assert line.startswith(f"{newest(stream)} {named}")


def changed(one: Stored, **fields: object) -> Stored:
    return msgspec.structs.replace(one, data=json.dumps(one.payload | fields))


@pytest.mark.parametrize("kind", ["HandRevealed", "CardDiscarded"])
def test_a_false_deal_is_named(table: UUID, kind: str) -> None:
    stored = list(store.load(table_stream(table)).events)
    assert not list(deal_differences(stored))
    at = next(index for index, one in enumerate(stored) if one.type == kind)
    if kind == "HandRevealed":
        stored[at] = changed(stored[at], server_seed="00" * 32)
        dealt = next(one.version for one in stored if one.type == "HandDealt")
        found = [(one.version, one.field) for one in deal_differences(stored)]
        expected = [(dealt, name) for name in ("commit", "deck_root", "transcript")]
        assert found[:3] == expected
    else:
        shown = stored[at].payload
        card = "AS" if shown["card"] != "AS" else "2S"
        stored[at] = changed(stored[at], card=card)
        (found_one,) = deal_differences(stored)
        assert (found_one.version, found_one.field) == (at + 1, f"place {shown['place']}")
        assert (found_one.live, found_one.log) == (card, shown["card"])


# --- (4) the books --------------------------------------------------------------------------------


def test_an_event_that_was_not_posted_is_named() -> None:
    stream = wallet_stream(new_id())
    granted = ChipsGranted(amount=5, currency="XTK", reason_code="test")
    append(stream, Fact(granted, "worker:test"))
    with pytest.raises(AssertionError, match=f"{stream}@1 entry #0: is None") as failure:
        replayed()
    assert f"balance {stream.replace('/', ':')}:XTK: is None" in str(failure.value)


# --- (5) classes of events ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"type": "NeverHeardOf"}, "type: is 'NeverHeardOf schema 1'"),
        ({"schema": 9}, "type: is 'NameConsentSet schema 9'"),
        ({"data": '{"consent":1}'}, "data: is"),
        ({"data": '{"consent":true,"more":1}'}, "data: is"),
    ],
)
def test_an_event_without_its_class_is_named(change: dict[str, Any], named: str) -> None:
    stream = player_stream(new_id())
    append(stream, Fact(NameConsentSet(consent=True), "player:x"))
    head = store.load(stream).head
    fact = Fact(NameConsentSet(consent=True), "player:x")
    (draft,) = in_transaction(lambda tx: tx.seal(stream, head, [fact]))
    draft = msgspec.structs.replace(draft, **change)
    digest = leaf_hash(record_bytes(draft))
    store.append([msgspec.structs.replace(draft, hash=digest)], head)
    with pytest.raises(AssertionError, match=f"{stream}@2 {named}"):
        replayed()


# --- manage.py replay -----------------------------------------------------------------------------


def test_the_state_at_a_version(table: UUID, tournament: UUID) -> None:
    opened = state_at(table_stream(table), 1)
    assert (opened["version"], opened["status"], opened["seats"]) == (1, "open", [])
    dealt = next(
        one.version for one in store.load(table_stream(table)).events if one.type == "HandDealt"
    )
    running = state_at(table_stream(table), dealt)
    assert running["status"] == "playing"
    assert "cards" not in running
    assert "deck" not in running["fair"]
    assert state_at(tournament_stream(tournament))["entered"] == 3


def test_the_command_prints_it(tournament: UUID, capsys: pytest.CaptureFixture[str]) -> None:
    stream = tournament_stream(tournament)
    call_command("replay", stream, at=2)
    found = json.loads(capsys.readouterr().out)
    assert (found["version"], found["status"]) == (2, "announced")
    for wrong, version in ((stream, 99), (table_stream(new_id()), None), (store.streams()[0], 1)):
        with pytest.raises(CommandError, match=r"version|is no table"):
            call_command("replay", wrong, at=version)


def test_a_reader_that_has_enough_is_no_fault(
    tournament: UUID, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        call_command("replay", tournament_stream(tournament))
    assert capsys.readouterr().err == ""
