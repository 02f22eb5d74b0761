"""The verifier on receipts and exports: valid ones hold, each damage is found by its own check."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from clients.verify import tonk_verify
from clients.verify.tonk_verify import CHECKS, CODE_OF, Failed, verify, verify_export
from tests.verify import receipts
from tests.verify.exports import EXPORTS
from tests.verify.log import (
    OTHER_SEED,
    VKEY,
    WITNESS,
    cosignature,
    signed_note,
    verifier_key,
)

PROGRAM = Path(tonk_verify.__file__)
KEYS = [VKEY]


@pytest.mark.parametrize("name", receipts.STORIES)
def test_a_valid_receipt_holds(name: str) -> None:
    told: list[tuple[str, str]] = []
    found = verify(receipts.valid()[name], KEYS, lambda *check: told.append(check))
    claim = json.loads(receipts.valid()[name])["claim"]
    assert [code for code, _ in told] == list(CHECKS)
    assert all(told_name in ("", CHECKS[code][0]) for code, told_name in told)
    assert found.claim == claim
    assert found.words == "{kind} {amount} {currency} to {player}".format(**claim)
    assert found.warnings == ()


def test_every_damaged_receipt_fails_by_its_own_check() -> None:
    for damage in receipts.damaged():
        with pytest.raises(Failed) as failed:
            verify(damage.file, KEYS)
        found = (failed.value.code, failed.value.error)
        assert found == (damage.check, damage.error), f"{damage.name}: {failed.value}"


@pytest.mark.parametrize("name", EXPORTS)
def test_a_valid_export_holds(name: str) -> None:
    data = receipts.exports()[name]
    found = verify_export(data.splitlines(keepends=True), KEYS)
    assert found.records == data.count(b'{"i": ')
    assert found.size > 0


def test_every_damaged_export_fails_by_its_own_check() -> None:
    for damage in receipts.damaged_exports():
        with pytest.raises(Failed) as failed:
            verify_export(damage.file.splitlines(keepends=True), KEYS)
        found = (failed.value.code, failed.value.error)
        assert found == (damage.check, damage.error), f"{damage.name}: {failed.value}"


def test_every_error_has_its_damage() -> None:
    reached = {damage.error for damage in (*receipts.damaged(), *receipts.damaged_exports())}
    assert reached == set(CODE_OF)
    of_receipts = {damage.error for damage in receipts.damaged()}
    assert set(CODE_OF) - of_receipts == {"checkpoint_mismatch", "short_export"}


def test_a_wrong_record_of_an_export_is_named() -> None:
    named = {damage.name: damage.file for damage in receipts.damaged_exports()}
    with pytest.raises(Failed, match=r"record \d+, table/0199c2b2\S+ v\d+"):
        verify_export(named["log: broken_chain, link"].splitlines(), KEYS)


def test_an_older_note_by_another_key_counts_by_its_root() -> None:
    lines = [json.loads(line) for line in receipts.exports()["log"].splitlines()]
    note = next(line for line in lines if "c" in line)
    text = note["c"].partition("\n\n")[0] + "\n"
    note["c"] = signed_note(text, OTHER_SEED)
    found = verify_export([json.dumps(line).encode() for line in lines], KEYS)
    assert found.warnings == ("1 older notes are signed by other keys; their roots are right",)


# --- the command ----------------------------------------------------------------------------------


def run(*arguments: str | Path, stdin: bytes = b"") -> tuple[int, list[str]]:
    """The program in an empty environment, out of any folder: exit status and lines."""
    command = [sys.executable, "-I", PROGRAM, *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, env={}, cwd="/", check=False)
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stdout.decode().splitlines()


@pytest.fixture
def receipt(tmp_path: Path) -> Path:
    file = tmp_path / "receipt.json"
    file.write_bytes(receipts.valid()["hand-silent"])
    return file


def test_the_program_tells_each_check(receipt: Path) -> None:
    status, lines = run(receipt, "--key", VKEY)
    assert status == 0
    assert lines[0] == "ok V01 file"
    assert [line.split()[1] for line in lines[:23]] == list(CHECKS)
    assert lines[20:23] == [
        "ok V21 cash-out: nothing of the kind in this file",
        "ok V22 prizes: nothing of the kind in this file",
        "ok V23 people and sequence: nothing of the kind in this file",
    ]
    assert lines[12] == "ok V13 money of hands"
    assert lines[19] == "ok V20 aborted deals: nothing of the kind in this file"
    assert lines[23] == "not checked: legality of moves"
    assert lines[24].startswith("verified: hand ")
    assert len(lines) == 25


def test_a_key_from_the_file_is_warned_of(receipt: Path) -> None:
    status, lines = run(receipt)
    assert status == 0
    assert lines[-4] == "warning: key taken from the file"
    assert lines[-2] == ("agrees with itself only: the key came from this file (give --key)")
    assert lines[-1].startswith("verified: ")


def cosigned_receipt(receipt: Path) -> None:
    """The receipt's note with the line of a witness."""
    whole = json.loads(receipt.read_bytes())
    note = whole["log"]["checkpoint"]
    whole["log"]["checkpoint"] = note + cosignature(note)
    receipt.write_text(json.dumps(whole))


def test_a_witness_must_have_signed_where_one_is_named(receipt: Path) -> None:
    given: list[str | Path] = [receipt, "--key", VKEY, "--witness", WITNESS]
    failed = "FAILED V04 bad_signature: witness w.example, size "
    status, lines = run(*given)
    assert status == 1
    assert lines[-1].startswith(failed)
    assert lines[-1].endswith(": no line of it")
    cosigned_receipt(receipt)
    assert run(*given)[0] == 0
    other = verifier_key(OTHER_SEED, "w.example", 4)
    assert run(*given, "--witness", other)[0] == 1
    whole = json.loads(receipt.read_bytes())
    whole["log"]["checkpoint"] = _turned(whole["log"]["checkpoint"])
    receipt.write_text(json.dumps(whole))
    assert run(*given)[1][-1].endswith(": the line is not signed by its key")


def _turned(note: str) -> str:
    """Another signature in the last line."""
    at = len(note) - 12
    return note[:at] + ("A" if note[at] != "A" else "B") + note[at + 1 :]


def test_an_export_is_held_to_a_witness_too(tmp_path: Path) -> None:
    file = tmp_path / "stream"
    lines = receipts.exports()["stream-table"].splitlines(keepends=True)
    file.write_bytes(b"".join(lines))
    assert run(file, "--key", VKEY, "--witness", WITNESS)[0] == 1
    header = json.loads(lines[0])
    header["checkpoint"] += cosignature(header["checkpoint"])
    file.write_bytes(json.dumps(header).encode() + b"\n" + b"".join(lines[1:]))
    assert run(file, "--key", VKEY, "--witness", WITNESS)[0] == 0


@pytest.mark.parametrize(
    ("option", "key", "why"),
    [
        ("--key", WITNESS, "this is a witness's key: give it as --witness"),
        ("--witness", VKEY, "this is a log's key: give it as --key"),
        ("--key", VKEY.replace("+e4", "+e5"), "does not belong to this name and key: copied wrong"),
        ("--witness", VKEY[:-2], "no verifier key: <name>+<8 hex>+<base64>"),
        ("--key", "", "no verifier key"),
    ],
)
def test_a_wrong_key_is_explained(
    receipt: Path, option: str, key: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        tonk_verify.main([str(receipt), option, key])
    assert left.value.code == 2
    assert why in capsys.readouterr().err


def test_help_knows_all_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        tonk_verify.main(["--help"])
    said = capsys.readouterr().out
    assert "watch" in said
    assert "key of the log" in said


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("deposit: bad_record, member", ": extra: unknown"),
        ("deposit: bad_record, time", ": at: not what belongs there"),
        ("deposit: bad_record, no actor", ": meta: not what belongs there"),
        ("deposit: not_canonical, key", "an unknown member, Reference"),
    ],
)
def test_the_member_that_is_wrong_is_named(name: str, place: str) -> None:
    file = next(one.file for one in receipts.damaged() if one.name == name)
    with pytest.raises(Failed) as failed:
        verify(file, KEYS)
    assert failed.value.place.endswith(place)


def test_a_field_that_is_wrong_and_a_record_that_is_missing_are_named() -> None:
    named = {damage.name: damage.file for damage in receipts.damaged_exports()}
    for name, place in (
        ("log: bad_record, data", ": data of SeatTaken, seat: not what belongs there"),
        ("log: bad_field, missing", ": record 17 is missing"),
    ):
        with pytest.raises(Failed) as failed:
            verify_export(named[name].splitlines(), KEYS)
        assert failed.value.place.endswith(place), failed.value.place


def test_a_key_of_somebody_else_is_unknown(receipt: Path) -> None:
    status, lines = run(receipt, "--key", verifier_key(OTHER_SEED))
    assert (status, lines[-1].split(":")[0]) == (1, "FAILED V04 unknown_key")
    assert run(receipt, "--key", verifier_key(OTHER_SEED), "--key", VKEY)[0] == 0


def test_what_can_not_be_read_is_no_failed_check(tmp_path: Path) -> None:
    assert run(tmp_path / "absent")[0] == 2
    assert run(tmp_path)[0] == 2
    (tmp_path / "empty").write_bytes(b"")
    assert run(tmp_path / "empty") == (
        1,
        ["FAILED V01 bad_file: Expecting value: line 1 column 1 (char 0)"],
    )


@pytest.mark.parametrize("name", ["\ud800", "x\nverified: prize 1 EUR", "\x1b[2J", "ž"])
def test_a_file_says_nothing_in_the_name_of_the_program(tmp_path: Path, name: str) -> None:
    receipt = json.loads(receipts.valid()["deposit"])
    (tmp_path / "receipt").write_text(json.dumps({**receipt, name: 1}))
    status, lines = run(tmp_path / "receipt", "--key", VKEY)
    assert (status, len(lines)) == (1, 2)
    assert lines[1].startswith("FAILED V02 bad_field: ")
    assert lines[1].isprintable()


def test_a_file_without_an_end_is_not_read_to_its_end(
    receipt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tonk_verify, "RECEIPT_BYTES_MAX", receipt.stat().st_size)
    assert tonk_verify.verify_file(str(receipt), KEYS).claim
    monkeypatch.setattr(tonk_verify, "RECEIPT_BYTES_MAX", receipt.stat().st_size - 1)
    with pytest.raises(Failed, match="bad_file"):
        tonk_verify.verify_file(str(receipt), KEYS)


def test_a_wrong_key_is_a_wrong_call(receipt: Path) -> None:
    assert run(receipt, "--key", VKEY[:-2])[0] == 2


def test_one_object_instead_of_lines(receipt: Path) -> None:
    status, lines = run(receipt, "--json", "--key", VKEY)
    told = json.loads(lines[0])
    assert (status, len(lines), told["ok"], told["warnings"]) == (0, 1, True, [])
    assert told["not_checked"] == ["legality of moves"]
    assert told["absent"] == ["V20", "V21", "V22", "V23"]
    assert sorted(told["checks"] + told["absent"]) == list(CHECKS)
    receipt.write_bytes(receipts.damaged()[0].file)
    status, lines = run(receipt, "--json")
    told = json.loads(lines[0])
    assert (status, told["ok"], told["check"], told["error"]) == (1, False, "V01", "bad_file")


def test_exports_are_read_by_the_same_command(tmp_path: Path) -> None:
    file = tmp_path / "log.ndjson"
    file.write_bytes(receipts.exports()["log-hidden"])
    status, lines = run(file, "--key", VKEY)
    assert status == 0
    assert lines[-1] == "verified: log from 0 of 207 records, size 207"
    assert "ok V13 money of hands" in lines
    status, lines = run("-", stdin=receipts.exports()["stream-table"])
    assert (status, lines[-4]) == (0, "warning: key taken from the file")
