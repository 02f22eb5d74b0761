"""`manage.py verify` with what somebody outside has kept. What it finds: `prove chain`."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from eventstore import store, tree
from eventstore.core.notes import VerifierKey, checkpoint_text, signature_line
from eventstore.exports import log_export, verifier_keys
from eventstore.readers import STAFF
from eventstore.tree_verification import KEPT, UNTRUSTED, Outside, verify_tree
from eventstore.verification import verify_log
from tests.integration.eventstore.log_world import as_owner
from tests.sealing import seal_log
from tonk_site.proving.acting.factories import a_player

pytestmark = pytest.mark.usefixtures("committed")
STRANGER = VerifierKey("else.where", bytes(range(32)))


@pytest.fixture
def key(committed: None) -> str:
    """The key of a log with two signed sizes."""
    for name in ("ona", "petras"):
        a_player(name)
        seal_log()
    return verifier_keys(tree.size())[0]


def told(outside: Outside) -> list[str]:
    return [str(fault) for fault in verify_tree(outside).faults]


def notes() -> list[str]:
    return [one.note for one in tree.checkpoints(tree.size() + 1)]


def verify(*arguments: str) -> None:
    call_command("verify", *arguments)


def counts(lines: Iterable[str]) -> Any:
    return json.loads(list(lines)[-1])


def test_a_whole_log(key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(Outside([VerifierKey.read(key)], notes())) == []
    export, note = tmp_path / "log.ndjson", tmp_path / "note"
    export.write_bytes(b"".join(log_export(reader=STAFF)))
    note.write_text(notes()[0], encoding="utf-8")
    verify("--key", key, "--notes", str(export), "--notes", str(note))
    found = counts(capsys.readouterr().out.splitlines())
    assert (found["leaves"], found["checkpoints"], found["faults"]) == (tree.size(), 2, 0)


def test_signatures_of_a_key_that_nobody_trusts(key: str) -> None:
    first = tree.checkpoints(tree.size())[-1]
    assert told(Outside([STRANGER])) == [f"log_checkpoint {first.size}: {UNTRUSTED}"]
    assert told(Outside([STRANGER, VerifierKey.read(key)])) == []


@pytest.mark.parametrize("data", ["{}", "[]", "null", '{"key":1}', '{"key":["a"],"size":"b"}'])
def test_a_changed_announcement_is_named_not_tripped_over(key: str, data: str) -> None:
    change = "UPDATE eventstore_event SET data = %s::json WHERE type = 'LogOpened'"
    (stream,) = store.streams("log/")
    opened = store.load(stream).events[0]
    as_owner(change, data)
    found = verify_log()
    as_owner(change, opened.data)
    assert [(fault.stream.partition("/")[0], fault.version) for fault in found.faults] == [
        ("log", 1)
    ]
    assert f"log_key {key}: not_announced" in [str(fault) for fault in found.tree.faults]


def test_notes_that_are_not_of_this_log(key: str) -> None:
    newest = tree.newest()
    assert newest is not None
    text = checkpoint_text(tree.origin(), newest.size, bytes(32))
    forged = f"{text}\n{signature_line(tree.origin(), VerifierKey.read(key).id, bytes(64))}"
    assert told(Outside(notes=[forged])) == [f"{KEPT} {newest.size}: bad_signature"]
    beyond = forged.replace(f"\n{newest.size}\n", f"\n{newest.size + 1}\n")
    assert told(Outside(notes=[beyond])) == [f"{KEPT} {newest.size + 1}: log_shorter"]
    assert told(Outside([VerifierKey.read(key)], [forged])) == [
        f"{KEPT} {newest.size}: bad_signature"
    ]
    assert told(Outside(notes=["hello"])) == [f"{KEPT} hello: bad_note"]


def test_a_note_that_does_not_fit_ends_with_1(
    key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    note = tmp_path / "note"
    note.write_text("hello", encoding="utf-8")
    with pytest.raises(SystemExit, match="1"):
        verify("--notes", str(note))
    lines = capsys.readouterr().out.splitlines()
    assert (lines[0], counts(lines)["faults"]) == (f"{KEPT} hello: bad_note", 1)


def test_wrong_use(key: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no verifier key"):
        verify("--key", "x")
    with pytest.raises(CommandError, match="No such file"):
        verify("--notes", str(tmp_path / "nowhere"))
