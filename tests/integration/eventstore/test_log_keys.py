"""Keys of the log over time: added, beside the old one for a week, ended, lost."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from eventstore import keys, store, tree
from eventstore.core.chain import START
from eventstore.core.ids import player_stream
from eventstore.core.notes import VerifierKey, parse_note
from eventstore.ports import new_id
from eventstore.sequencer import Sequencer
from eventstore.signing import KeyFolder, KeyMissing
from eventstore.tree import Checkpoint
from players.services import Registration, register
from tests.unit.eventstore.log_contract import sealed
from tonk_site.proving.acting.factories import WORDS as PASSWORD

pytestmark = pytest.mark.usefixtures("committed")
CHANGE = keys.Change("staff:x", "rotated")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeyFolder:
    monkeypatch.setattr(settings, "LOG_KEY_FILE", str(tmp_path / "keys" / "log.key"))
    return KeyFolder()


@pytest.fixture
def at_work(folder: KeyFolder) -> Sequencer:
    found = Sequencer()
    found.start()
    return found


def signed(at_work: Sequencer) -> Checkpoint:
    """The next checkpoint, over one more event."""
    store.append(sealed(player_stream(new_id()), 1), START)
    while at_work.round():
        pass
    found = at_work.sign()
    assert found is not None
    return found


def who_signed(checkpoint: Checkpoint) -> list[str]:
    """Verifier keys with a valid signature on a note and a range that holds its size."""
    note = parse_note(checkpoint.note)
    known = tree.keys()
    return [
        key.key
        for key in known
        if key.from_size <= checkpoint.size
        and (key.to_size is None or checkpoint.size <= key.to_size)
        and note.is_signed_by(VerifierKey.read(key.key))
    ]


def types(at_work: Sequencer) -> list[str]:
    return [event.type for event in store.load(at_work.stream).events]


def rotate(at_work: Sequencer) -> str:
    return keys.rotate(at_work.stream, at_work.origin, at_work.folder, CHANGE, using="sequencer")


def retire_due(at_work: Sequencer) -> None:
    keys.retire_due(at_work.stream, at_work.origin, at_work.folder, using="sequencer")


def test_for_a_week_notes_carry_both_signatures(
    at_work: Sequencer, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = signed(at_work)
    (old,) = who_signed(first)
    new = rotate(at_work)
    assert who_signed(first) == [old]
    both = signed(at_work)
    assert who_signed(both) == [old, new]
    assert len(parse_note(both.note).lines) == 2
    retire_due(at_work)
    assert who_signed(signed(at_work)) == [old, new]
    monkeypatch.setattr(keys, "OVERLAP", timedelta(0))
    retire_due(at_work)
    last = tree.newest()
    ended, current = tree.keys()
    assert last is not None
    assert (ended.to_size, ended.reason) == (last.size, "rotated")
    assert (current.key, current.to_size) == (new, None)
    after = signed(at_work)
    assert who_signed(after) == [new]
    assert len(parse_note(after.note).lines) == 1
    assert who_signed(both) == [old, new]
    assert types(at_work) == ["LogOpened", "KeyAdded", "KeyRetired"]
    retire_due(at_work)
    assert types(at_work) == ["LogOpened", "KeyAdded", "KeyRetired"]
    files = sorted(path.name for path in at_work.folder.newest.parent.iterdir())
    assert files == ["last_checkpoint", "log.key"]
    restarted = Sequencer()
    restarted.start()
    assert who_signed(signed(restarted)) == [new]


def test_a_stolen_key_ends_at_once(at_work: Sequencer) -> None:
    first = signed(at_work)
    (old,) = who_signed(first)
    change = keys.Change("staff:x", "stolen", "second")
    new = keys.revoke(at_work.stream, at_work.origin, at_work.folder, change, using="sequencer")
    ended, _ = tree.keys()
    assert (ended.key, ended.to_size, ended.reason) == (old, first.size, "stolen")
    assert who_signed(signed(at_work)) == [new]
    added, retired = store.load(at_work.stream).events[1:]
    assert added.payload == {"key": new, "size": first.size, "reason": "stolen", "second": "second"}
    assert retired.payload == added.payload | {"key": old}


def test_a_lost_key_is_replaced(at_work: Sequencer) -> None:
    first = signed(at_work)
    at_work.folder.newest.unlink()
    with pytest.raises(KeyMissing):
        signed(at_work)
    change = keys.Change("staff:x", "lost", "second")
    new = keys.revoke(at_work.stream, at_work.origin, at_work.folder, change, using="sequencer")
    found = at_work.sign()
    assert found is not None
    assert found.size > first.size
    assert who_signed(found) == [new]


def test_a_rotation_that_was_cut_off_harms_nothing(
    at_work: Sequencer, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed(at_work)
    for cut in ("_append", "_add_row"):
        with monkeypatch.context() as patched:
            patched.setattr(keys, cut, die)
            with pytest.raises(Died):
                rotate(at_work)
        assert len(tree.keys()) == 1
        assert len(who_signed(signed(at_work))) == 1
    with monkeypatch.context() as patched:
        patched.setattr(KeyFolder, "promote", die)
        with pytest.raises(Died):
            rotate(at_work)
    assert len(who_signed(signed(at_work))) == 2
    retire_due(at_work)  # puts the newest key into its place
    (_, newest) = tree.keys()
    assert at_work.folder.current(at_work.origin).key.text == newest.key
    assert len(who_signed(signed(at_work))) == 2


class Died(Exception):
    """The process ends here, as far as the test is concerned."""


def die(*_: object, **__: object) -> None:
    raise Died


def test_a_key_has_a_file_of_its_own(folder: KeyFolder) -> None:
    first = folder.current("log.example")
    assert folder.current("log.example").key == first.key
    assert folder.newest.stat().st_mode & 0o777 == 0o600
    assert folder.find(first.key) is not None
    assert folder.find(VerifierKey("log.example", bytes(32))) is None
    assert "PrivateKey object" in repr(first)  # and nothing of its bytes
    folder.newest.write_text("c2hvcnQ=")
    with pytest.raises(ValueError, match="no key of 32 bytes"):
        folder.current("log.example")


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def admins(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    for name, roles in (("algis", ["admin"]), ("audra", ["admin"]), ("ona", [])):
        who = Registration(username=name, password=PASSWORD, display_name=name.title())
        register(who, extra_roles=roles)

    def answer(password: str) -> None:
        monkeypatch.setattr("getpass.getpass", lambda _: password)

    answer(PASSWORD)
    return answer


def told(*arguments: str) -> list[str]:
    out = StringIO()
    call_command("log_key", *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_the_command(at_work: Sequencer, admins: Callable[[str], None]) -> None:
    signed(at_work)
    (only,) = told("show")
    assert only.endswith(" from 0, still signing")
    first, second = told("rotate", "algis")
    assert first == only
    assert second.endswith(f" from {tree.size()}, still signing")
    lines = told("revoke", "--two-people", "algis", "audra", "--reason", "lost")
    assert [line.endswith("(lost)") for line in lines] == [True, True, False]
    *_, added, _, retired = store.load(at_work.stream).events
    assert str(added.facts["actor"]).startswith("staff:")
    assert retired.payload["second"] != str(retired.facts["actor"]).removeprefix("staff:")
    assert len(who_signed(signed(at_work))) == 1


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("rotate", "ona"), "ona is no admin"),
        (("rotate", "nobody"), "bad_credentials"),
        (("revoke", "--two-people", "algis", "algis"), "two people are needed"),
        (("revoke", "--two-people", "algis", "ona"), "ona is no admin"),
    ],
)
def test_who_may_not(
    at_work: Sequencer, admins: Callable[[str], None], arguments: Any, why: str
) -> None:
    with pytest.raises(CommandError, match=why):
        told(*arguments)
    assert len(tree.keys()) == 1
    admins("a wrong password")
    with pytest.raises(CommandError, match="bad_credentials"):
        told("rotate", "algis")


def test_a_log_without_a_name_has_no_key(admins: Callable[[str], None]) -> None:
    with pytest.raises(CommandError, match="has not started yet"):
        told("rotate", "algis")
    assert told("show") == []
