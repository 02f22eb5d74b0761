"""Watching a log: what is kept, and each way in which a log can break its word."""

from __future__ import annotations

import json
import socket
import threading
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlparse

import pytest
from typing_extensions import override

from clients.verify.tonk_verify import Broken, Unchecked, main, watch
from eventstore.core import merkle
from tests.verify.log import (
    OTHER_SEED,
    VKEY,
    WITNESS,
    checkpoint_text,
    cosignature,
    note_of,
    signed_note,
    verifier_key,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

URL = "https://tonk.example/api/v1/log"
LEAVES = [bytes((number,)) * 32 for number in range(20)]


def consistency(leaves: list[bytes], old: int) -> list[bytes]:
    """The proof by the recursive words of RFC 9162 2.1.4.1."""

    def below(size: int, part: list[bytes], *, whole: bool) -> list[bytes]:
        if size == len(part):
            return [] if whole else [merkle.root(part)]
        split = 1 << (len(part) - 1).bit_length() - 1
        if size <= split:
            return [*below(size, part[:split], whole=whole), merkle.root(part[split:])]
        return [*below(size - split, part[split:], whole=False), merkle.root(part[:split])]

    return below(old, leaves, whole=True)


class Served:
    """A log of so many leaves, as `fetch` sees it."""

    def __init__(self, size: int, leaves: list[bytes] | None = None) -> None:
        self.leaves = (leaves or LEAVES)[:size]
        self.note = note_of(self.leaves)
        self.witnessed = ""
        self.keys: Any = {"keys": [{"key": VKEY, "from_size": 0, "to_size": None}], "witnesses": []}

    def __call__(self, url: str) -> bytes:
        path, query = urlparse(url).path, parse_qs(urlparse(url).query)
        if path.endswith("/key"):
            return json.dumps(self.keys).encode()
        if path.endswith("/checkpoint") and query.get("witnessed") == ["1"]:
            if not self.witnessed:
                raise HTTPError(url, 404, "Not Found", Message(), None)
            return self.witnessed.encode()
        if path.endswith("/checkpoint"):
            return self.note.encode()
        assert path.endswith("/proofs/consistency")
        old, new = int(query["from"][0]), int(query["to"][0])
        steps = consistency(self.leaves[:new], old)
        return json.dumps({"path": [step.hex() for step in steps]}).encode()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state.json"


def test_a_log_that_grows_is_followed(state: Path) -> None:
    assert watch(URL, state, fetch=Served(3)).endswith("first note kept, size 3")
    assert watch(URL, state, fetch=Served(3)).endswith("unchanged, size 3")
    for size in range(4, 21):
        said = watch(URL + "/", state, fetch=Served(size))
        assert said.endswith(f"size {size - 1} to {size}, consistent")
    kept = json.loads(state.read_text())
    assert kept == {"url": URL, "keys": [VKEY], "note": Served(20).note}
    assert [file.name for file in state.parent.iterdir()] == [state.name]


FORKED = [b"\xff" * 32, *LEAVES[1:]]


@pytest.mark.parametrize(
    ("served", "why"),
    [
        (Served(4), "the log shrank: size 4, 5 was signed and kept"),
        (Served(5, FORKED), "a fork: two roots of size 5"),
        (Served(6, FORKED), "a fork: size 6 does not go on from the signed size 5"),
    ],
)
def test_each_break_has_its_own_words(state: Path, served: Served, why: str) -> None:
    watch(URL, state, fetch=Served(5))
    before = state.read_bytes()
    with pytest.raises(Broken, match=why):
        watch(URL, state, fetch=served)
    assert state.read_bytes() == before


def test_notes_that_are_not_signed_are_not_kept(state: Path) -> None:
    served = Served(5)
    served.note = signed_note(checkpoint_text(5, merkle.root(LEAVES[:5])), OTHER_SEED)
    with pytest.raises(Broken, match="unknown_key"):
        watch(URL, state, fetch=served)
    served.note = "nothing"
    with pytest.raises(Broken, match="bad_note"):
        watch(URL, state, [VKEY], fetch=served)
    assert not state.exists()


def test_the_first_keys_are_kept(state: Path) -> None:
    watch(URL, state, fetch=Served(5))
    served = Served(6)
    served.note = signed_note(checkpoint_text(6, merkle.root(LEAVES[:6])), OTHER_SEED)
    served.keys = {"keys": [verifier_key(OTHER_SEED)]}
    with pytest.raises(Broken, match="unknown_key"):
        watch(URL, state, fetch=served)
    both = [VKEY, verifier_key(OTHER_SEED)]
    assert watch(URL, state, both, fetch=served).endswith("size 5 to 6, consistent")


def test_a_log_without_a_key_or_with_another_name_is_refused(state: Path) -> None:
    served = Served(5)
    served.keys = {"keys": []}
    with pytest.raises(Broken, match="serves no key"):
        watch(URL, state, fetch=served)
    watch(URL, state, fetch=Served(5))
    other = verifier_key(OTHER_SEED, "other.example/log")
    text = checkpoint_text(6, merkle.root(LEAVES[:6]), "other.example/log")
    served.note = signed_note(text, OTHER_SEED)
    with pytest.raises(Broken, match="another log"):
        watch(URL, state, [VKEY, other], fetch=served)


def test_a_state_that_is_none_is_not_overwritten(state: Path) -> None:
    for text in ("", "{}", '{"url": 1}', "[]"):
        state.write_text(text)
        with pytest.raises(Unchecked, match=r"is damaged .* says nothing about the log"):
            watch(URL, state, fetch=Served(5))
        assert state.read_text() == text


def test_a_damaged_note_is_no_fork(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watch(URL, state, fetch=Served(5))
    kept = json.loads(state.read_text())
    state.write_text(json.dumps(kept | {"note": kept["note"].replace("\n5\n", "\n4\n")}))
    assert main(["watch", "http://127.0.0.1:1", "--state", str(state)]) == 2  # nobody was asked
    assert "is damaged (FAILED V04 bad_signature" in capsys.readouterr().err


def test_witnesses_are_held_to(state: Path) -> None:
    served = Served(9)
    with pytest.raises(Broken, match="no note with a witness's line"):
        watch(URL, state, [VKEY], served, [WITNESS])
    served.witnessed = note_of(LEAVES[:4]) + cosignature(note_of(LEAVES[:4]))
    said = watch(URL, state, [VKEY], served, [WITNESS])
    assert said.endswith("kept, size 9; w.example saw size 4 at 2026-12-01T08:00:00+00:00")
    other = verifier_key(OTHER_SEED, "w.example", 4)
    before = state.read_bytes()
    with pytest.raises(Broken, match="bad_signature: witness w"):
        watch(URL, state, [VKEY], served, [WITNESS, other])
    forked = note_of(FORKED[:4])
    served.witnessed = forked + cosignature(forked)
    with pytest.raises(Broken, match="a fork: size 9 does not go on from the signed size 4"):
        watch(URL, state, [VKEY], served, [WITNESS])
    served.witnessed = note_of(LEAVES[:12]) + cosignature(note_of(LEAVES[:12]))
    with pytest.raises(Broken, match="shrank"):
        watch(URL, state, [VKEY], served, [WITNESS])
    assert state.read_bytes() == before


@pytest.fixture
def address() -> Iterator[str]:
    served = Served(7)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(served(self.path))

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/api/v1/log"
        server.shutdown()
        thread.join()


def test_the_command_watches(address: str, state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", address, "--state", str(state)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "warning: agrees with itself only: the key came from this log (give --key)",
        "ok tonk.example/log/7: first note kept, size 7",
    ]
    assert main(["watch", address, "--state", str(state)]) == 0
    assert capsys.readouterr().out == "ok tonk.example/log/7: unchanged, size 7\n"
    kept = json.loads(state.read_text())
    state.write_text(json.dumps(kept | {"note": Served(9).note}))
    assert main(["watch", address, "--state", str(state)]) == 1
    assert "FAILED watch: the log shrank" in capsys.readouterr().out
    assert main(["watch", "file:///etc/hosts", "--state", str(state)]) == 2
    assert "no address of the web" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answer", "status"),
    [(b"no HTTP at all\r\n\r\n", 2), (b"HTTP/1.1 200 OK\r\n" + b"x" * 99, 1)],
)
def test_an_answer_that_is_no_http(answer: bytes, status: int, state: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=_answer_once, args=(listening, answer))
        thread.start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        assert main(["watch", address, "--state", str(state)]) == status
        thread.join()


def _answer_once(listening: socket.socket, answer: bytes) -> None:
    connection, _ = listening.accept()
    with connection:
        connection.recv(65_536)
        connection.sendall(answer)


@pytest.mark.parametrize("address", ["nowhere", "http://[", "http://a b/", "http://127.0.0.1:x"])
def test_what_is_no_address_is_said(
    address: str, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["watch", address, "--state", str(state)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"no answer from {address}")
    assert said.endswith("; nothing was checked\n")
