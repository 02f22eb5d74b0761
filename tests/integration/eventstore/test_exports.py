"""Exports of real play: what they hold, who may have them, that a stranger can check them."""

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from eventstore import exports, readers, tree
from eventstore.core.ids import HOUSE_STREAM, player_stream, table_stream, wallet_stream
from eventstore.core.refusal import Refused
from eventstore.exports import log_export, stream_export, verifier_keys
from eventstore.ports import new_id
from eventstore.readers import PUBLIC, STAFF, Reader
from games import selectors
from tests.api.callers import Caller, caller, refused
from tests.sealing import seal_log
from tonk_site.proving.acting.factories import a_table, sits_down
from tonk_site.proving.acting.play import play_out, turn_at
from tonk_site.verifier import Verdict, verify

pytestmark = pytest.mark.usefixtures("committed")

Line = dict[str, Any]


def read(lines: Iterable[bytes]) -> list[Line]:
    return [json.loads(line) for line in lines]


def judged(lines: Iterable[bytes], folder: Path) -> Verdict:
    """What the verifier says of an export, trusting the log's own key."""
    file = folder / "export.ndjson"
    file.write_bytes(b"".join(lines))
    return verify(file, *verifier_keys(tree.size()))


class Game:
    """Two people, a table with an ended hand and a running one, all of it sealed."""

    def __init__(self) -> None:
        self.ona, self.petras = caller("ona"), caller("petras")
        self.table = a_table(self.ona.who, seats=2)
        self.stream = table_stream(self.table)
        for one in (self.ona, self.petras):
            sits_down(self.table, one.who)
        turn_at(self.table)
        play_out(self.table)
        seal_log()
        turn_at(self.table)
        seal_log()

    @property
    def running_from(self) -> int:
        """Version of the running hand's commitment."""
        with connection.cursor() as cursor:
            cursor.execute(
                """SELECT max(version) FROM eventstore_event
                WHERE stream = %s AND type = 'ShuffleCommitted'""",
                [self.stream],
            )
            return int(cursor.fetchone()[0])


@pytest.fixture
def game(committed: None) -> Game:
    return Game()


# --- a stream -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_stream_ends_before_its_running_hand(game: Game, tmp_path: Path) -> None:
    head, *lines, end = read(stream_export(game.stream))
    newest = tree.newest()
    assert newest is not None
    assert list(head) == ["format", "kind", "stream", "origin", "keys", "checkpoint"]
    assert (head["format"], head["kind"], head["stream"]) == (
        "tonk/export/1",
        "stream",
        game.stream,
    )
    versions = [json.loads(line["r"])["v"] for line in lines]
    assert versions == list(range(1, game.running_from))
    assert [line["i"] for line in lines] == tree.indexes_of(game.stream, 1, versions[-1])
    assert end["count"] == versions[-1]
    assert (end["inclusion"]["index"], end["inclusion"]["size"]) == (lines[-1]["i"], newest.size)
    assert judged(stream_export(game.stream), tmp_path).holds
    # Once the hand is over its records are there as well.
    play_out(game.table)
    seal_log()
    *_, whole = read(stream_export(game.stream))
    assert whole["count"] == selectors.live_row(game.table).version
    assert judged(stream_export(game.stream), tmp_path).holds


def test_a_stream_of_many_pages(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = list(stream_export(game.stream))
    monkeypatch.setattr(exports, "PAGE_ROWS", 3)
    assert list(stream_export(game.stream)) == whole


def test_a_stream_that_is_not_there_or_not_sealed(committed: None) -> None:
    with pytest.raises(Refused, match="not_found"):
        stream_export(table_stream(new_id()))
    ona = caller("ona")
    with pytest.raises(Refused, match="not_yet_sealed"):
        stream_export(wallet_stream(ona.who.id))
    seal_log()
    assert len(read(stream_export(wallet_stream(ona.who.id)))) == 3
    late = caller("petras")
    with pytest.raises(Refused, match="not_yet_sealed"):
        stream_export(wallet_stream(late.who.id))


def test_who_may_have_a_stream(game: Game) -> None:
    auditor = caller("auste", "auditor")
    public = f"/log/streams/{game.stream}?records=1"
    wallet = f"/log/streams/{wallet_stream(game.ona.who.id)}?records=1"
    account = f"/log/streams/{player_stream(game.ona.who.id)}?records=1"
    seal_log()
    for who in (Caller(), game.petras):
        assert who.get(public).status == 200
        for path in (wallet, account):
            refused(who.get(path), 404, "not_found")
    for who in (game.ona, auditor):
        assert {who.get(path).status for path in (public, wallet, account)} == {200}


# --- the log --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_whole_log(game: Game, tmp_path: Path) -> None:
    lines = list(log_export(reader=STAFF))
    head, *rest = read(lines)
    size = tree.size()
    assert list(head) == ["format", "kind", "origin", "keys", "checkpoint", "from", "size"]
    assert (head["kind"], head["from"], head["size"]) == ("log", 0, size)
    leaves = [line for line in rest if "i" in line]
    assert [leaf["i"] for leaf in leaves] == list(range(size))
    assert rest[-1] == {"count": size}
    # Notes stand where their sizes are reached; the last one is that of the header.
    notes = [(number, line["c"]) for number, line in enumerate(rest) if "c" in line]
    assert len(notes) >= 2
    for number, note in notes:
        assert rest[number - 1]["i"] == int(note.split("\n")[1]) - 1
    assert rest[-2] == {"c": head["checkpoint"]}
    # The running hand is there as hashes, and as nothing else.
    hidden = [leaf["i"] for leaf in leaves if "h" in leaf]
    version = selectors.live_row(game.table).version
    assert hidden == tree.indexes_of(game.stream, game.running_from, version)
    assert all(set(leaf) == {"i", "h"} for leaf in leaves if leaf["i"] in set(hidden))
    verdict = judged(lines, tmp_path)
    assert verdict.holds, verdict.lines


@pytest.mark.slow
def test_the_same_range_is_the_same_for_ever(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = tree.size()
    before = list(log_export(0, size, STAFF))
    play_out(game.table)
    turn_at(game.table)
    seal_log()
    assert list(log_export(0, size, STAFF)) == before
    monkeypatch.setattr(exports, "PAGE_ROWS", 7)
    assert list(log_export(0, size, STAFF)) == before
    assert judged(log_export(reader=STAFF), tmp_path).holds


def test_a_part_of_the_log_goes_on_from_a_frontier(game: Game, tmp_path: Path) -> None:
    size = tree.size()
    for start in {1, 2, 3, 5, size // 2, size - 1}:
        lines = list(log_export(start, size, STAFF))
        head, *rest = read(lines)
        assert len(head["frontier"]) == start.bit_count()
        assert rest[-1] == {"count": size - start}
        verdict = judged(lines, tmp_path)
        assert verdict.holds, (start, verdict.lines)


def test_an_export_ends_at_a_signed_size(game: Game) -> None:
    sizes = [
        int(line["c"].split("\n")[1]) for line in read(log_export(reader=STAFF)) if "c" in line
    ]
    first = sizes[0]
    head, *_ = read(log_export(0, first - 1, STAFF))
    assert head["size"] == first
    head, *_ = read(log_export(0, first, STAFF))
    assert head["size"] == first
    for start, end in ((-1, None), (tree.size(), None), (5, 5), (6, 5), (0, tree.size() + 1)):
        with pytest.raises(Refused, match="bad_proof_range"):
            log_export(start, end, STAFF)


def test_others_get_hashes_of_what_is_not_theirs(game: Game, tmp_path: Path) -> None:
    """As the tiles have it: the tree verifies all the same."""
    mine = Reader(player=game.ona.who.id)
    streams = {
        reader: {
            json.loads(line["r"])["stream"]
            for line in read(log_export(reader=reader))
            if "r" in line
        }
        for reader in (PUBLIC, mine, STAFF)
    }
    own = {wallet_stream(game.ona.who.id), player_stream(game.ona.who.id)}
    assert own & streams[PUBLIC] == set()
    assert streams[mine] - streams[PUBLIC] == own
    assert wallet_stream(game.petras.who.id) in streams[STAFF]
    verdict = judged(log_export(reader=PUBLIC), tmp_path)
    assert verdict.holds, verdict.lines


def test_readers() -> None:
    someone = new_id()
    mine = Reader(player=someone)
    assert mine.may_read(wallet_stream(someone))
    assert mine.may_read(player_stream(someone))
    assert not mine.may_read(wallet_stream(new_id()))
    assert not mine.may_read(HOUSE_STREAM)
    assert not PUBLIC.may_read(player_stream(someone))
    assert PUBLIC.may_read(f"log/{someone}")
    assert STAFF.may_read(HOUSE_STREAM)
    assert readers.running_hands([wallet_stream(someone)], 5) == {}


def test_the_log_over_http(game: Game, caplog: pytest.LogCaptureFixture) -> None:
    auditor = caller("auste", "auditor")
    seal_log()
    with caplog.at_level("INFO", logger=exports.LOGGER):
        answer = auditor.get("/log/export?from_index=1")
    assert answer.status == 200
    assert answer.headers["Content-Type"] == exports.MEDIA_TYPE
    assert answer.content == b"".join(log_export(1, None, STAFF))
    assert f"exported records 1 to the end for staff:{auditor.who.id}" in caplog.text
    refused(auditor.get(f"/log/export?from_index={tree.size()}"), 400, "bad_proof_range")
    refused(auditor.get("/log/export?from_index=-1"), 400, "invalid_field")
    refused(game.ona.get("/log/export"), 403, "insufficient_scope")
    refused(Caller().get("/log/export"), 401, "not_authenticated")


# --- the command ----------------------------------------------------------------------------------


def test_the_command(game: Game, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "log.ndjson"
    with caplog.at_level("INFO", logger=exports.LOGGER):
        call_command("export", "events", "--from", "2", "--out", str(file))
    assert file.read_bytes() == b"".join(log_export(2, None, STAFF))
    assert "exported records 2 to the end" in caplog.text
    call_command("export", "events", "--stream", game.stream, "--out", str(file))
    assert file.read_bytes() == b"".join(stream_export(game.stream))
    with pytest.raises(CommandError, match="not in a stream"):
        call_command("export", "events", "--stream", game.stream, "--from", "1")
    with pytest.raises(CommandError, match=r"^there is no stream table/nix$"):
        call_command("export", "events", "--stream", "table/nix")
    with pytest.raises(CommandError, match="bad_proof_range: size"):
        call_command("export", "events", "--to", str(10**9))
    with pytest.raises(CommandError, match="No such file"):
        call_command("export", "events", "--out", str(tmp_path / "nowhere" / "x"))


def test_a_reader_that_has_enough_is_no_fault(
    game: Game, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        call_command("export", "events")
        call_command("export", "events", "--stream", game.stream)
    assert capsys.readouterr().err == ""


# --- a changed export is refused ------------------------------------------------------------------


@pytest.mark.slow
def test_a_changed_export_does_not_hold(game: Game, tmp_path: Path) -> None:
    lines = list(log_export(reader=STAFF))
    middle = len(lines) // 2
    damaged = {
        "a line less": lines[:middle] + lines[middle + 1 :],
        "two lines swapped": [*lines[:3], lines[4], lines[3], *lines[5:]],
        "a tail cut": lines[:middle],
        "a tail cut, and an end": [*lines[:middle], b'{"count":%d}\n' % (middle - 1)],
        "a line twice": [*lines[:middle], lines[middle], *lines[middle:]],
        "a digit": [*lines[:5], lines[5].replace(b"tonk/event/1", b"tonk/event/2"), *lines[6:]],
    }
    for name, changed in damaged.items():
        verdict = judged(changed, tmp_path)
        assert verdict.code == 1, (name, verdict.lines)
