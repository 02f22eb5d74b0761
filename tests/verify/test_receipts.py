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
from tests.verify.log import OTHER_SEED, VKEY, signed_note, verifier_key

PROGRAM = Path(tonk_verify.__file__)
KEYS = [VKEY]


@pytest.mark.parametrize("name", receipts.STORIES)
def test_a_valid_receipt_holds(name: str) -> None:
    told: list[tuple[str, str]] = []
    found = verify(receipts.valid()[name], KEYS, lambda *check: told.append(check))
    claim = json.loads(receipts.valid()[name])["claim"]
    assert [code for code, _ in told] == list(CHECKS)
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
        "ok V21 cash-out: not in this file",
        "ok V22 prizes: not in this file",
        "ok V23 people and sequence: not in this file",
    ]
    assert lines[23] == "not checked: legality of moves"
    assert lines[24].startswith("verified: hand ")
    assert len(lines) == 25


def test_a_key_from_the_file_is_warned_of(receipt: Path) -> None:
    status, lines = run(receipt)
    assert status == 0
    assert lines[-3] == "warning: key taken from the file"


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
    assert told["checks"] == list(CHECKS)
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
    assert (status, lines[-3]) == (0, "warning: key taken from the file")
