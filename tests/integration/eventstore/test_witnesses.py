"""Witnesses asked over HTTP: one that is honest, lags, knows better, lies or is silent."""

from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from typing_extensions import override

from clients.verify import tonk_verify, tonk_witness
from eventstore import store, tree, witnesses
from eventstore.core import merkle, notes
from eventstore.core.chain import START
from eventstore.core.ids import player_stream
from eventstore.core.notes import COSIGNATURE, Line, Note, VerifierKey, parse_note, read_line
from eventstore.ports import new_id
from eventstore.witnesses import Witness, Witnesses
from tests.sealing import seal_log
from tests.unit.eventstore.log_contract import sealed

pytestmark = pytest.mark.usefixtures("committed")
SEED, NAME, NOW = bytes([7]) * 32, "w.example", 1_796_112_000


@dataclass
class FakeWitness:
    """What a witness of C2SP does, as far as we ask it."""

    seed: bytes = SEED
    log: VerifierKey | None = None  # the key that it trusts, where it looks
    seen: Note | None = None
    asked: list[int] = field(default_factory=list)  # the old sizes
    answers: list[tuple[int, str]] = field(default_factory=list)  # before its own

    @property
    def key(self) -> VerifierKey:
        private = Ed25519PrivateKey.from_private_bytes(self.seed)
        return VerifierKey(NAME, private.public_key().public_bytes_raw(), COSIGNATURE)

    def judge(self, body: str) -> tuple[int, str]:
        head, _, text = body.partition("\n\n")
        old, *proof = head.split("\n")
        size = int(old.removeprefix("old "))
        self.asked.append(size)
        if self.answers:
            return self.answers.pop(0)
        note = parse_note(text)
        if self.log is not None and not note.is_signed_by(self.log):
            return 403, ""
        known = self.seen.size if self.seen else 0
        if size != known:
            return 409, f"{known}\n"
        path = [b64decode(line) for line in proof]
        old_root = self.seen.root if self.seen else merkle.EMPTY_ROOT
        if not merkle.is_consistent(known, old_root, note.size, note.root, path):
            return 422, ""
        self.seen = note
        return 200, self.line(note)

    def line(self, note: Note, name: str = NAME) -> str:
        private = Ed25519PrivateKey.from_private_bytes(self.seed)
        payload = notes.cosignature_payload(
            NOW, private.sign(notes.cosignature_message(note.text, NOW))
        )
        return notes.signature_line(name, self.key.id, payload)


@pytest.fixture
def fake() -> FakeWitness:
    return FakeWitness()


@pytest.fixture
def witness(fake: FakeWitness) -> Iterator[Witness]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            status, text = fake.judge(body) if self.path == "/log/add-checkpoint" else (404, "")
            self.send_response(status)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        @override
        def log_message(self, *_: object) -> None:
            """Nothing on the screen."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield Witness(f"http://127.0.0.1:{server.server_port}/log/add-checkpoint", fake.key)
    server.shutdown()
    thread.join()
    server.server_close()


def grow(events: int = 3) -> Note:
    """One more checkpoint."""
    store.append(sealed(player_stream(new_id()), events), START)
    found = seal_log()
    assert found is not None
    return parse_note(found.note)


def served() -> Note:
    newest = tree.newest()
    assert newest is not None
    return parse_note(newest.note)


def test_its_line_is_under_the_note_that_is_served(fake: FakeWitness, witness: Witness) -> None:
    asking = Witnesses([witness])
    asking.ask_all()  # nothing is signed yet
    first = grow()
    fake.log = VerifierKey.read(tree.keys()[0].key)
    asking.ask_all()
    assert served().cosigned_at(fake.key) == NOW
    grow(64)
    assert served().cosigned_at(fake.key) is None
    asking.ask_all()
    asking.ask_all()  # it has this one already
    assert fake.asked == [0, first.size]
    assert served().cosigned_at(fake.key) == NOW
    assert served().is_signed_by(VerifierKey.read(tree.keys()[0].key))
    earlier = tree.checkpoint(first.size)
    assert earlier is not None
    assert parse_note(earlier.note).cosigned_at(fake.key) == NOW
    assert [parse_note(one.note).cosigned_at(fake.key) for one in tree.checkpoints(10**6)] == [
        NOW,
        NOW,
    ]


def test_the_newest_note_with_a_line_is_found(fake: FakeWitness, witness: Witness) -> None:
    assert tree.newest_witnessed() is None
    first = grow()
    assert tree.newest_witnessed() is None
    Witnesses([witness]).ask_all()
    grow(64)
    found = tree.newest_witnessed()
    assert found is not None
    assert found.size == first.size
    assert parse_note(found.note).cosigned_at(fake.key) == NOW


def test_the_lines_of_all_are_kept_at_once(
    fake: FakeWitness, witness: Witness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads between two witnesses finds no note that only the first has signed."""
    note, seen = grow(), list[tree.Checkpoint | None]()
    line = fake.line(note, "second.example")

    def second(self: Witnesses, one: Witness, newest: tree.Checkpoint) -> list[Line]:
        if one.url != "second":
            return real(self, one, newest)
        seen.append(tree.newest_witnessed())
        return [found for found in [read_line(line)] if found]

    real = Witnesses.ask
    monkeypatch.setattr(Witnesses, "ask", second)
    Witnesses([witness, Witness("second", None)]).ask_all()
    assert seen == [None]
    assert [one.name for one in served().lines[1:]] == ["second.example", NAME]


def test_it_says_what_it_has_seen(fake: FakeWitness, witness: Witness) -> None:
    first = fake.seen = grow()
    grow(64)
    Witnesses([witness]).ask_all()  # we were started again and know nothing of it
    assert fake.asked == [0, first.size]
    assert served().cosigned_at(fake.key) == NOW


def test_a_fork_is_refused(
    fake: FakeWitness, witness: Witness, caplog: pytest.LogCaptureFixture
) -> None:
    note = grow()
    text = notes.checkpoint_text(note.origin, note.size, bytes(32))
    fake.seen = Note(text, note.origin, 4, bytes(32), ())
    grow()
    Witnesses([witness]).ask_all()
    assert "answered 422" in caplog.text
    assert served().cosigned_at(fake.key) is None


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ([(409, "99\n")], "has seen 99"),
        ([(409, "many\n")], "409 without a size"),
        ([(409, "2\n"), (409, "3\n")], "answered 409"),
        ([(404, "")], "answered 404"),
        ([(500, "")], "answered 500"),
        ([(200, "")], "its key did not sign"),
        ([(200, "x" * 20_000)], "more than 16384 bytes"),
        ([(200, "— w.example AAAAAAAAAAAAAAAA\n")], "its key did not sign"),
    ],
)
def test_whatever_it_answers_is_a_line_in_the_log(
    fake: FakeWitness,
    witness: Witness,
    answers: list[tuple[int, str]],
    why: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    grow()
    fake.answers = answers
    Witnesses([witness]).ask_all()
    assert why in caplog.text
    assert served().cosigned_at(fake.key) is None
    Witnesses([witness]).ask_all()
    assert served().cosigned_at(fake.key) == NOW


def test_a_witness_whose_key_is_not_known(
    fake: FakeWitness, witness: Witness, caplog: pytest.LogCaptureFixture
) -> None:
    note = grow()
    unknown = Witness(witness.url, None)
    fake.answers = [(200, f"no line\n{fake.line(note, note.origin)}")]
    Witnesses([unknown]).ask_all()
    assert "without a cosignature" in caplog.text
    Witnesses([unknown]).ask_all()
    assert served().cosigned_at(fake.key) == NOW


def test_a_witness_can_not_make_the_note_unreadable(fake: FakeWitness, witness: Witness) -> None:
    note = grow()
    names = ["x" * 256, *(f"w{number}.example" for number in range(90))]
    fake.answers = [(200, "".join(fake.line(note, name) for name in names))]
    Witnesses([Witness(witness.url, None)]).ask_all()
    newest = tree.newest()
    assert newest is not None
    assert len(tonk_verify.read_note(newest.note).lines) == 1 + witnesses.LINES_MAX


def test_nobody_is_there(witness: Witness, caplog: pytest.LogCaptureFixture) -> None:
    grow()
    nobody = Witness("http://127.0.0.1:1/add-checkpoint", None)
    nowhere = Witness("http://127.0.0.1:x/add-checkpoint", None)
    Witnesses([nowhere, nobody, witness]).ask_all()
    assert "127.0.0.1:1" in caplog.text
    assert len(served().lines) == 2  # the other one was asked all the same


def test_it_is_asked_until_the_end(fake: FakeWitness, witness: Witness) -> None:
    grow()
    stop = Event()
    thread = Thread(target=Witnesses([witness]).run, args=(stop,))
    thread.start()
    pause = Event()
    for _ in range(600):
        if fake.asked:
            break
        pause.wait(0.05)
    stop.set()
    thread.join(30)
    assert not thread.is_alive()
    assert served().cosigned_at(fake.key) == NOW


def test_without_witnesses_nothing_runs() -> None:
    Witnesses([]).run(Event())


def test_the_witness_that_ships_with_the_product(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    grow()
    log = tree.keys()[0].key
    shipped = tonk_witness.Witness(
        NAME, tonk_witness.Signer(SEED), [log], tmp_path / "state", lambda: NOW
    )
    key = VerifierKey.read(shipped.verifier_key)
    server = tonk_witness.server(shipped, "127.0.0.1", 0)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        witness = Witness(f"http://127.0.0.1:{server.server_port}/add-checkpoint", key)
        asking = Witnesses([witness])
        for _ in range(2):
            asking.ask_all()
            assert served().cosigned_at(key) == NOW
            grow(60)
        Witnesses([witness]).ask_all()  # by its 409
        assert served().cosigned_at(key) == NOW
        assert caplog.text == ""
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_setting(fake: FakeWitness) -> None:
    texts = [f"https://a.example/x#{fake.key.text}", " https://b.example/add-checkpoint "]
    assert witnesses.witnesses_of(texts) == (
        Witness("https://a.example/x/add-checkpoint", fake.key),
        Witness("https://b.example/add-checkpoint", None),
    )
    assert witnesses.published(texts) == [{"name": NAME, "key": fake.key.text}]
    with pytest.raises(notes.BadNote):
        witnesses.witnesses_of(["https://a.example#key"])
