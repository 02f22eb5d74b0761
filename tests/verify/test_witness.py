"""The witness: honest, lagging and forked logs, the 409 path, the line to the byte."""

from __future__ import annotations

import http.client
import json
import stat
import subprocess
import sys
import threading
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clients.verify import tonk_witness
from clients.verify.tonk_verify import read_note
from clients.verify.tonk_witness import Answer, Signer, Witness, server
from eventstore.core import merkle
from tests.verify.log import OTHER_SEED, VKEY, checkpoint_text, note_of, signed_note, verifier_key
from tests.verify.test_vectors import LOG
from tests.verify.test_watch import FORKED, LEAVES, consistency

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "witness.example/w1"
VECTOR = LOG["checkpoint"]["witness"]
SIGNER = Signer(bytes.fromhex(VECTOR["private_seed"]))


def body(old: int, size: int, leaves: list[bytes] = LEAVES) -> bytes:
    steps = consistency(leaves[:size], old) if 0 < old < size else []
    lines = "".join(f"{b64encode(step).decode()}\n" for step in steps)
    return f"old {old}\n{lines}\n{note_of(leaves[:size])}".encode()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state.json"


@pytest.fixture
def witness(state: Path) -> Witness:
    return Witness(NAME, SIGNER, [VKEY], state, lambda: VECTOR["time"])


def test_the_line_is_that_of_the_vector(witness: Witness) -> None:
    checkpoint = LOG["checkpoint"]
    answer = witness.add_checkpoint(f"old 0\n\n{checkpoint['note']}".encode())
    assert answer == Answer(200, VECTOR["line"])
    assert checkpoint["note"] + answer.body == checkpoint["note_with_witness"]
    assert SIGNER.public.hex() == VECTOR["public_key"]
    assert witness.verifier_key == verifier_key(
        bytes.fromhex(VECTOR["private_seed"]), VECTOR["name"], 4
    )


def test_an_honest_log_is_signed_at_every_size(witness: Witness, state: Path) -> None:
    for old, new in ((0, 1), (1, 2), (2, 3), (3, 8), (8, 13), (13, 20), (20, 20)):
        assert witness.add_checkpoint(body(old, new)).status == 200
        kept = json.loads(state.read_text())["tonk.example/log/7"]
        assert kept == {"size": new, "root": merkle.root(LEAVES[:new]).hex()}


def test_a_lagging_log_learns_the_size(witness: Witness) -> None:
    witness.add_checkpoint(body(0, 9))
    answer = witness.add_checkpoint(body(5, 12))
    assert answer == Answer(409, "9\n", "text/x.tlog.size")
    assert witness.add_checkpoint(body(0, 12)).status == 409
    assert witness.add_checkpoint(body(9, 12)).status == 200


def test_a_fork_is_refused_and_not_kept(witness: Witness, state: Path) -> None:
    witness.add_checkpoint(body(0, 9))
    before = state.read_bytes()
    assert witness.add_checkpoint(body(9, 9, FORKED)).status == 409
    assert witness.add_checkpoint(body(9, 12, FORKED)).status == 422
    assert witness.add_checkpoint(b"old 12\n\n" + note_of(LEAVES[:5]).encode()).status == 400
    proof = f"{b64encode(bytes(32)).decode()}\n"
    first = f"old 0\n{proof}\n{note_of(LEAVES[:3])}".encode()
    assert Witness(NAME, SIGNER, [VKEY], state.with_name("new"), lambda: 1.0).add_checkpoint(
        first
    ) == Answer(422, "size 3 does not go on from size 0\n")
    assert state.read_bytes() == before


def test_unknown_logs_and_keys(witness: Witness) -> None:
    text = checkpoint_text(3, merkle.root(LEAVES[:3]))
    foreign = "old 0\n\n" + signed_note(text, OTHER_SEED)
    assert witness.add_checkpoint(foreign.encode()).status == 403
    other = checkpoint_text(3, merkle.root(LEAVES[:3]), "other.example/log")
    assert witness.add_checkpoint(("old 0\n\n" + signed_note(other)).encode()).status == 404


@pytest.mark.parametrize(
    "asked",
    [
        b"",
        b"old 0\n",
        b"old\n\n" + note_of(LEAVES[:3]).encode(),
        b"old 00\n\n" + note_of(LEAVES[:3]).encode(),
        b"old -1\n\n" + note_of(LEAVES[:3]).encode(),
        b"new 0\n\n" + note_of(LEAVES[:3]).encode(),
        b"old 0\nAAAA\n\n" + note_of(LEAVES[:3]).encode(),
        b"old 0\n" + (b64encode(bytes(32)) + b"\n") * 64 + b"\n" + note_of(LEAVES[:3]).encode(),
        b"old 0\n\n\xff",
        b"old 0\n\nnothing",
    ],
)
def test_what_is_no_request(witness: Witness, asked: bytes) -> None:
    assert witness.add_checkpoint(asked).status == 400


def test_the_state_outlives_the_process(witness: Witness, state: Path) -> None:
    witness.add_checkpoint(body(0, 9))
    again = Witness(NAME, SIGNER, [VKEY], state, lambda: 1.0)
    assert again.add_checkpoint(body(0, 9)).body == "9\n"
    state.write_text("[]")
    with pytest.raises(OSError, match="state"):
        Witness(NAME, SIGNER, [VKEY], state, lambda: 1.0)


def test_nothing_is_signed_that_could_not_be_kept(tmp_path: Path) -> None:
    lost = Witness(NAME, SIGNER, [VKEY], tmp_path / "absent" / "state", lambda: 1.0)
    with pytest.raises(OSError, match="absent"):
        lost.add_checkpoint(body(0, 3))
    with pytest.raises(OSError, match="absent"):  # it is not held for kept
        lost.add_checkpoint(body(0, 3))


def test_the_key_is_made_once_and_for_the_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "key"
    seed = tonk_witness.read_seed(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert tonk_witness.read_seed(file) == seed
    file.chmod(0o644)
    with pytest.raises(OSError, match="others"):
        tonk_witness.read_seed(file)
    file.chmod(0o600)
    file.write_text("short\n")
    with pytest.raises(OSError, match="key"):
        tonk_witness.read_seed(file)


@pytest.fixture
def port(witness: Witness) -> Iterator[int]:
    with server(witness, "127.0.0.1", 0) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield int(running.server_address[1])
        running.shutdown()
        thread.join()


def post(port: int, path: str, data: bytes, **headers: str) -> tuple[int, str, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("POST", path, data, headers)
    answer = connection.getresponse()
    found = answer.status, answer.getheader("Content-Type", ""), answer.read().decode()
    connection.close()
    return found


def get(port: int) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", "/")
    found = connection.getresponse().read().decode()
    connection.close()
    return found


def test_the_server_answers(port: int) -> None:
    status, _, line = post(port, "/add-checkpoint", body(0, 4))
    assert status == 200
    assert read_note(note_of(LEAVES[:4]) + line).lines[1][0] == NAME
    assert post(port, "/add-checkpoint", body(1, 5)) == (409, "text/x.tlog.size", "4\n")
    assert post(port, "/other", b"")[0] == 404
    assert "POST /add-checkpoint" in get(port)
    assert post(port, "/add-checkpoint", b"x" * 70_000)[0] == 400
    for length in ("9" * 5000, "-1", "x", "²"):
        assert post(port, "/add-checkpoint", b"", **{"Content-Length": length})[0] == 400


def test_a_state_has_one_witness(state: Path, tmp_path: Path) -> None:
    given = ["--key", str(tmp_path / "key"), "--state", str(state), "--log", VKEY]
    with tonk_witness.locked(state):
        assert tonk_witness.main([*given, "--listen", "127.0.0.1:0"]) == 2
    with tonk_witness.locked(state):
        pass


def test_a_place_that_is_taken_is_said(
    port: int, state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--key", str(tmp_path / "key"), "--state", str(tmp_path / "own"), "--log", VKEY]
    assert tonk_witness.main([*given, "--listen", f"127.0.0.1:{port}"]) == 2
    assert capsys.readouterr().err == f"127.0.0.1:{port} is taken\n"
    assert tonk_witness.read_kept(tmp_path / "own") == {}
    assert (tmp_path / "own").read_text() == "{}\n"  # made at the start
    assert not state.exists()


def test_a_name_that_no_line_could_carry_is_refused(state: Path, tmp_path: Path) -> None:
    given = ["--key", str(tmp_path / "key"), "--state", str(state), "--log", VKEY]
    with pytest.raises(SystemExit):
        tonk_witness.main([*given, "--name", "two words"])
    assert not state.exists()


def test_the_program_says_its_key(tmp_path: Path) -> None:
    command: list[str | Path] = [
        sys.executable, Path(tonk_witness.__file__), "--key", tmp_path / "key", "--state",
        tmp_path / "state", "--log", VKEY, "--listen", "127.0.0.1:0", "--name", NAME,
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={}, cwd="/") as process:
        assert process.stdout is not None
        key, listening = (process.stdout.readline().decode() for _ in range(2))
        process.terminate()
    assert key.startswith(f"{NAME}+")
    assert listening.startswith("listening on 127.0.0.1:")
