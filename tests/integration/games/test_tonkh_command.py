"""`manage.py tonkh`: hands of the log as texts, verified and replayed without it."""

import json
from pathlib import Path
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from eventstore import store
from eventstore.core.ids import table_stream
from eventstore.core.refusal import Refused
from eventstore.ports import new_id
from games import selectors
from games.histories import ended_history, hand_history
from games.rules.tonkh.check import verify
from games.rules.tonkh.text import read, write, write_all
from tests.following import follow_all
from tests.unit.games.tonkh_hands import COMPLETE, SEAT_1, good
from tonk_site.proving.acting.drive import once
from tonk_site.proving.acting.factories import a_player, a_table, a_tournament, sits_down, with_bots
from tonk_site.proving.acting.play import play, play_out, turn_at

REVEALS = ["HandRevealed"]
pytestmark = pytest.mark.usefixtures("committed")


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
    turn = turn_at(table)
    play(table, turn)
    dealt = selectors.see_now(table).table.dealt
    assert dealt is not None
    return UUID(dealt.hand)


@pytest.mark.slow
def test_a_hand_is_exported_verified_and_replayed(
    table: UUID, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hands = []
    for _ in range(2):
        hands.append(a_running_hand(table))
        play_out(table)
    follow_all()
    paths = [tmp_path / f"{hand}.tonkh" for hand in hands]
    for hand, path in zip(hands, paths, strict=True):
        call_command("tonkh", "export", str(hand), "--out", str(path))
    call_command("tonkh", "verify", *map(str, paths))
    verdicts = [f"ok {hand}" for hand in hands]
    assert capsys.readouterr().out.splitlines() == [*verdicts, "2 verified, 0 failed"]
    call_command("tonkh", "export", str(hands[0]))
    assert capsys.readouterr().out == paths[0].read_text()
    call_command("tonkh", "replay", str(paths[0]))
    last = json.loads(capsys.readouterr().out)
    assert (last["hand"], last["phase"]) == (str(hands[0]), "ended")
    call_command("tonkh", "replay", str(paths[0]), "--at", "0")
    first = json.loads(capsys.readouterr().out)
    assert [seat["cards_held"] for seat in first["seats"]] == [5, 5]


def test_the_text_says_what_the_log_says(table: UUID) -> None:
    hand = a_running_hand(table)
    play_out(table)
    history = ended_history(hand, "all", names={})
    stored = {one.version: one for one in store.load(table_stream(table)).events}
    proof = history.proof
    assert stored[proof.first_version].type == "ShuffleCommitted"
    assert stored[proof.last_version].type == "HandRevealed"
    assert stored[proof.last_version].hash.hex() == proof.head_hash
    assert history.table == str(table)
    assert history.names is None


def test_an_ended_hand_can_be_exported_as_it_was_seen(
    table: UUID, capsys: pytest.CaptureFixture[str]
) -> None:
    hand = a_running_hand(table)
    play_out(table)
    for viewer in (["seat", "1"], ["seat 2"], ["public"]):
        call_command("tonkh", "export", str(hand), "--viewer", *viewer)
        text = capsys.readouterr().out
        assert f'viewer = "{" ".join(viewer)}"' in text
        assert "??" in text
        assert "\ndeck = " not in text


def test_a_running_hand_is_told_to_its_seats_and_exported_to_nobody(table: UUID) -> None:
    hand = a_running_hand(table)
    for viewer in ("all", "public", "seat 1"):
        with pytest.raises(CommandError, match="no_reveal_yet"):
            call_command("tonkh", "export", str(hand), "--viewer", viewer)
    own = hand_history(hand, "seat 1")
    state = selectors.state_document(selectors.see(table, UUID(own.players[0])))
    assert verify(own) == ()
    assert own.proof.last_version == state["version"]
    assert "??" not in own.deal[0]
    assert set(own.deal[1].split()) == {"??"}
    assert "??" in hand_history(hand, "public").deal[0]
    with pytest.raises(Refused, match="no_reveal_yet"):
        hand_history(hand, "all")
    play_out(table)


def test_a_tournaments_hands_are_proved_too() -> None:
    organiser = a_player("organiser", "organiser")
    tournament = a_tournament(organiser)
    with_bots(tournament, organiser, 9, "random-0")
    ended: list[UUID] = []
    while len(ended) < 3:
        assert once(tournament)
        streams = [table_stream(row.id) for row in selectors.tables_of_tournament(tournament)]
        reveals = [one for name in streams for one in store.events_after(name, 0, types=REVEALS)]
        ended = [UUID(str(one.payload["hand"])) for one in reveals]
    follow_all()
    for hand in ended[:3]:
        history = ended_history(hand, "all")
        assert history.tournament == str(tournament)
        assert verify(history) == ()
        assert read(write(history)) == history


def test_what_can_not_be_exported(table: UUID) -> None:
    for stranger in (new_id(), UUID(int=0), UUID(int=(1 << 128) - 1)):
        with pytest.raises(CommandError, match=f"there is no hand {stranger}"):
            call_command("tonkh", "export", str(stranger))
    with pytest.raises(CommandError, match="--viewer is one of"):
        call_command("tonkh", "export", str(new_id()), "--viewer", "me")
    hand = a_running_hand(table)
    with pytest.raises(CommandError, match="is it a table's id"):
        call_command("tonkh", "export", str(table))
    play_out(table)
    with pytest.raises(CommandError, match="not_seated"):
        call_command("tonkh", "export", str(hand), "--viewer", "seat 5")
    with pytest.raises(CommandError, match="No such file"):
        call_command("tonkh", "export", str(hand), "--out", "/nowhere/at/all")


def test_files_that_are_not_as_they_should_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lie, broken, empty = (tmp_path / name for name in ("lie", "broken", "empty"))
    lie.write_text(COMPLETE.replace("counts = [8,", "counts = [7,"))
    broken.write_text(f"{COMPLETE}# ----\n{SEAT_1.replace('stake = 100', 'stake =  100')}")
    empty.write_text("")
    hand = good(COMPLETE)
    with pytest.raises(SystemExit):
        call_command("tonkh", "verify", str(lie), str(broken))
    assert capsys.readouterr().out.splitlines() == [
        f"FAIL {hand.hand}: counts: the text says [7, 2, 11], the rules [8, 2, 11]",
        f"ok {hand.hand}",
        f"FAIL {broken}#2: bad_tonkh: line 11: not in canonical form",
        "1 verified, 2 failed",
    ]
    with pytest.raises(SystemExit):
        call_command("tonkh", "verify", str(empty))
    assert capsys.readouterr().out == "0 verified, 0 failed\n"
    for path, why in [
        (broken, "#2: bad_tonkh: line 11"),
        (empty, "no hand"),
        (tmp_path / "missing", "No such file"),
    ]:
        with pytest.raises(CommandError, match=why):
            call_command("tonkh", "replay", str(path))
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff")
    with pytest.raises(CommandError, match="no UTF-8"):
        call_command("tonkh", "verify", str(binary))
    with pytest.raises(CommandError, match="15 actions"):
        call_command("tonkh", "replay", str(lie), "--at", "16")


def test_many_hands_of_a_file_are_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = tmp_path / "both"
    both.write_text(write_all([good(COMPLETE), good(SEAT_1)]))
    call_command("tonkh", "replay", str(both), "--at", "8")
    whole, seen = map(json.loads, capsys.readouterr().out.splitlines())
    assert whole["seats"][0] == seen["seats"][0]
    assert (whole["seats"][1]["cards_held"], seen["seats"][1]["cards"]) == (5, [])
