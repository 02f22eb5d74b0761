#!/usr/bin/env python3
"""A witness of Tonk logs: it signs that a log only ever grew, and says so to whoever asks.

    tonk_witness.py --key FILE --state FILE --log VKEY... --listen HOST:PORT [--name NAME]

It answers `POST /add-checkpoint` of C2SP tlog-witness: a note that is signed by a log it knows and
that goes on from the last note it saw of that log gets a cosignature/v1 line. A log that shows two
different pasts is found here, because a witness keeps one. It needs the standard library and
`tonk_verify.py` beside it.

The private key is made at the first start (mode 0600); the verifier key is printed at each. The
state holds size and root per origin and is on the disk before a line is handed out.

| answer | when |
|---|---|
| 200 and a line | the note was signed |
| 400 | no request of the protocol |
| 403 | no known key of this log signed the note |
| 404 | the log is unknown here |
| 409 and the size | `old` is not the size that is kept, or another root of that size is |
| 422 | the note does not go on from the one that is kept |
| 500 | the state could not be written: nothing is signed |
"""

from __future__ import annotations

import argparse
import errno
import fcntl
import os
import secrets
import sys
import threading
import time
from base64 import b64encode
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha512
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

try:
    from clients.verify import tonk_verify as verify
except ImportError:  # taken out of its repository, with the verifier beside it
    verify = import_module("tonk_verify")

REQUEST_BYTES_MAX = 1 << 16
LENGTH_DIGITS_MAX = 6
PROOF_LINES_MAX = 63  # of C2SP tlog-witness
SECONDS_MAX = 20  # that one request may take to arrive
SIZE_TYPE = "text/x.tlog.size"
ORDER = 2**252 + 27742317777372353535851937790883648493


class Signer:
    """A private key of Ed25519 (RFC 8032 5.1.5, 5.1.6).

    Python's integers take time that depends on their values: a witness runs on a machine of its
    own, and signs at most one note a request.
    """

    def __init__(self, seed: bytes) -> None:
        hashed = sha512(seed).digest()
        scalar = int.from_bytes(hashed[:32], "little")
        self._scalar = scalar & ((1 << 254) - 8) | 1 << 254
        self._prefix = hashed[32:]
        self.public = verify.ed25519_encoded(verify.ed25519_multiple(self._scalar))

    def sign(self, message: bytes) -> bytes:
        """Signature of a message."""
        nonce = _number(self._prefix + message)
        point = verify.ed25519_encoded(verify.ed25519_multiple(nonce))
        scalar = (nonce + _number(point + self.public + message) * self._scalar) % ORDER
        return point + scalar.to_bytes(32, "little")


def _number(data: bytes) -> int:
    return int.from_bytes(sha512(data).digest(), "little") % ORDER


@dataclass(frozen=True)
class Answer:
    """What a request gets."""

    status: int
    body: str = ""
    media_type: str = "text/plain; charset=utf-8"


@dataclass(frozen=True)
class Request:
    """An add-checkpoint request: the size that the log believes to be kept, proof, note."""

    old: int
    path: tuple[bytes, ...]
    note: verify.Note


class Witness:
    """Signs notes that go on from the last one of their log; one request at a time."""

    def __init__(
        self,
        name: str,
        signer: Signer,
        logs: Sequence[str],
        state: Path,
        clock: Callable[[], float],
    ) -> None:
        self.name, self._signer, self._state, self._clock = name, signer, state, clock
        self._keys: dict[str, list[str]] = {}
        for key in logs:
            self._keys.setdefault(verify.read_key(key).name, []).append(key)
        self._kept = read_kept(state)
        self._lock = threading.Lock()

    def store(self) -> None:
        """Write the state, so that what can not be kept is known before the first request."""
        verify.write_state(self._state, _as_state(self._kept))

    @property
    def verifier_key(self) -> str:
        """The key by which others check this witness's lines."""
        public = self._signer.public
        number = verify.key_id(self.name, public, verify.COSIGNATURE).hex()
        return f"{self.name}+{number}+{b64encode(bytes((verify.COSIGNATURE,)) + public).decode()}"

    def add_checkpoint(self, body: bytes) -> Answer:
        """The answer to a request; the state is on the disk before a line is given."""
        try:
            asked = read_request(body)
        except (ValueError, verify.Failed) as fault:
            return Answer(400, f"{fault}\n")
        note = asked.note
        if note.origin not in self._keys:
            return Answer(404, "unknown log\n")
        try:
            verify.check_signature(note, self._keys[note.origin])
        except verify.Failed as fault:
            return Answer(403, f"{fault}\n")
        with self._lock:
            return self._judge(asked)

    def _judge(self, asked: Request) -> Answer:
        note = asked.note
        size, root = self._kept.get(note.origin, (0, b""))
        if asked.old > note.size:
            return Answer(400, "old is above the size of the note\n")
        if asked.old != size or (note.size == size and note.root != root != b""):
            return Answer(409, f"{size}\n", SIZE_TYPE)
        if not _goes_on(asked, root):
            return Answer(422, f"size {note.size} does not go on from size {size}\n")
        if (note.size, note.root) != (size, root):
            kept = {**self._kept, note.origin: (note.size, note.root)}
            verify.write_state(self._state, _as_state(kept))
            self._kept = kept
        return Answer(200, self.cosigned(note, int(self._clock())))

    def cosigned(self, note: verify.Note, seconds: int) -> str:
        """The line that says that the note was seen at an instant."""
        message = f"cosignature/v1\ntime {seconds}\n{note.text}".encode()
        number = verify.key_id(self.name, self._signer.public, verify.COSIGNATURE)
        payload = number + seconds.to_bytes(8, "big") + self._signer.sign(message)
        return f"— {self.name} {b64encode(payload).decode()}\n"


def _goes_on(asked: Request, root: bytes) -> bool:
    if asked.old == 0:
        return not asked.path
    note = asked.note
    return verify.is_consistent(asked.old, root, note.size, note.root, asked.path)


def read_request(body: bytes) -> Request:
    """`old <size>`, proof lines, an empty line, the note. Raises: ValueError, verify.Failed."""
    head, found, note = body.decode("utf-8").partition("\n\n")
    first, *proof = head.split("\n")
    word, _, size = first.partition(" ")
    if not found or word != "old" or not size.isascii() or not size.isdecimal():
        raise ValueError("old <size>, proof, an empty line, a note")
    if len(size) > 16 or size != str(int(size)) or len(proof) > PROOF_LINES_MAX:
        raise ValueError("size or proof")
    path = tuple(map(verify.strict_base64, proof))
    if any(len(step) != 32 for step in path):
        raise ValueError("a step of the proof has 32 bytes")
    return Request(int(size), path, verify.read_note(note))


# --- key and state --------------------------------------------------------------------------------


def read_kept(state: Path) -> dict[str, tuple[int, bytes]]:
    """Size and root per origin. Raises: OSError for a file that is no state of a witness."""
    if not state.exists():
        return {}
    try:
        value = verify.read_json(state.read_bytes())
    except ValueError as fault:
        raise OSError(f"{state}: {fault}") from fault
    shape = {"size": verify.is_count, "root": verify.is_hash}
    if type(value) is not dict or not all(verify.fits(one, shape) for one in value.values()):
        raise OSError(f"{state} is not the state of a witness")
    return {origin: (one["size"], bytes.fromhex(one["root"])) for origin, one in value.items()}


def locked(state: Path) -> IO[str]:
    """A file that holds the state for this process while it is open. Raises: OSError.

    Each process knows what it has signed itself: two with one state would sign two pasts.
    """
    lock = state.with_name(f"{state.name}.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as fault:
        lock.close()
        raise OSError(f"{state} is another witness's") from fault
    return lock


def _as_state(kept: Mapping[str, tuple[int, bytes]]) -> dict[str, object]:
    return {origin: {"size": size, "root": root.hex()} for origin, (size, root) in kept.items()}


def read_seed(path: Path) -> bytes:
    """The private key of a file, made where there is none. Raises: OSError."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _stored_seed(path)
    with os.fdopen(descriptor, "wb") as out:
        seed = secrets.token_bytes(32)
        out.write(b64encode(seed) + b"\n")
        out.flush()
        os.fsync(out.fileno())
    return seed


def _stored_seed(path: Path) -> bytes:
    if path.stat().st_mode & 0o077:
        raise OSError(f"{path} can be read by others: chmod 600")
    try:
        seed = verify.strict_base64(path.read_text(encoding="ascii").strip())
    except ValueError as fault:
        raise OSError(f"{path}: {fault}") from fault
    if len(seed) != 32:
        raise OSError(f"{path} holds no key of 32 bytes")
    return seed


# --- the server -----------------------------------------------------------------------------------


def server(witness: Witness, host: str, port: int) -> ThreadingHTTPServer:
    """A server that answers for a witness; `serve_forever` runs it."""

    class Handler(BaseHTTPRequestHandler):
        timeout = SECONDS_MAX

        def do_GET(self) -> None:
            self._answer(
                Answer(200, f"A witness of logs. POST /add-checkpoint\n{witness.verifier_key}\n")
            )

        def do_POST(self) -> None:
            self._answer(self._asked())

        def _asked(self) -> Answer:
            if self.path != "/add-checkpoint":
                return Answer(404, "POST /add-checkpoint\n")
            length = self.headers.get("Content-Length", "")
            is_length = length.isdecimal() and len(length) <= LENGTH_DIGITS_MAX
            if not is_length or int(length) > REQUEST_BYTES_MAX:
                return Answer(400, "Content-Length\n")
            try:
                return witness.add_checkpoint(self.rfile.read(int(length)))
            except OSError as fault:  # what can not be kept is not signed
                sys.stderr.write(f"{fault}\n")
                return Answer(500, "the state can not be kept\n")

        def _answer(self, answer: Answer) -> None:
            body = answer.body.encode()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.media_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return ThreadingHTTPServer((host, port), Handler)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the witness until it is stopped; its exit status."""
    parser = argparse.ArgumentParser(prog="tonk_witness.py", description="A witness of logs.")
    parser.add_argument("--key", type=Path, required=True, help="private key; made if absent")
    parser.add_argument("--state", type=Path, required=True, help="size and root per log")
    parser.add_argument("--log", action="append", required=True, help="verifier key of a log")
    parser.add_argument("--listen", default="127.0.0.1:7380", help="HOST:PORT")
    parser.add_argument("--name", default="tonk.local/witness", help="name that signs")
    asked = parser.parse_args(arguments)
    host, _, port = asked.listen.rpartition(":")
    if not all(map(verify.is_verifier_key, asked.log)) or not port.isdecimal():
        parser.error("--log is a verifier key, --listen HOST:PORT")
    if not verify.is_name(asked.name):
        parser.error("--name has neither blanks nor +")
    try:
        with locked(asked.state):
            signer = Signer(read_seed(asked.key))
            witness = Witness(asked.name, signer, asked.log, asked.state, time.time)
            witness.store()
            running = _listening(witness, host.strip("[]"), int(port))
            _serve(witness, running)
    except OSError as fault:
        sys.stderr.write(f"{fault}\n")
        return 2
    return 0


def _listening(witness: Witness, host: str, port: int) -> ThreadingHTTPServer:
    try:
        return server(witness, host, port)
    except OSError as fault:
        if fault.errno == errno.EADDRINUSE:
            raise OSError(f"{host}:{port} is taken") from fault
        raise


def _serve(witness: Witness, running: ThreadingHTTPServer) -> None:
    address = running.server_address
    sys.stdout.write(f"{witness.verifier_key}\nlistening on {address[0]!s}:{address[1]}\n")
    sys.stdout.flush()
    with running, suppress(KeyboardInterrupt):
        running.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
