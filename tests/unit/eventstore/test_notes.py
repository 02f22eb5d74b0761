"""Notes: signed by one library and checked by another, damaged, rotated, cosigned."""

from base64 import b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey, VerifyKey

from eventstore.core import notes
from eventstore.core.notes import COSIGNATURE, BadNote, Note, VerifierKey, parse_note

ORIGIN, ROOT = "tonk.example/log/7", bytes(range(32))
TEXT = notes.checkpoint_text(ORIGIN, 8, ROOT)


def key_of(seed: bytes, name: str = ORIGIN, kind: int = notes.SIGNATURE) -> VerifierKey:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    return VerifierKey(name, private.public_key().public_bytes_raw(), kind)


def line(seed: bytes, text: str = TEXT, name: str = ORIGIN) -> str:
    signature = Ed25519PrivateKey.from_private_bytes(seed).sign(text.encode())
    return notes.signature_line(name, key_of(seed, name).id, signature)


OLD, NEW, FOREIGN, WITNESS = (bytes([number]) * 32 for number in range(1, 5))


@given(st.binary(min_size=32, max_size=32), st.integers(0, 2**63 - 1))
def test_two_libraries_sign_alike(seed: bytes, size: int) -> None:
    text = notes.checkpoint_text(ORIGIN, size, seed)
    other = SigningKey(seed)
    key = key_of(seed)
    assert other.verify_key.encode() == key.public_key
    signature = other.sign(text.encode()).signature
    assert notes.signature_line(ORIGIN, key.id, signature) == line(seed, text)
    note = parse_note(f"{text}\n{line(seed, text)}")
    assert (note.origin, note.size, note.root) == (ORIGIN, size, seed)
    assert note.is_signed_by(key)
    VerifyKey(key.public_key).verify(note.text.encode(), note.lines[0].payload)


def test_any_line_of_a_known_key_is_enough() -> None:
    note = parse_note(f"{TEXT}\n{line(FOREIGN, name='else.example')}{line(OLD)}{line(NEW)}")
    assert [note.is_signed_by(key_of(seed)) for seed in (OLD, NEW, FOREIGN)] == [True, True, False]
    assert note.is_signed_by(key_of(FOREIGN, "else.example"))


@pytest.mark.parametrize(
    "damaged",
    [
        line(OLD).replace("— ", "- "),
        line(OLD).replace("— ", "—"),
        line(OLD)[:-5] + "\n",
        line(OLD).replace(ORIGIN, ORIGIN + " x"),
        "— \n",
        "—  AAAA\n",
        "\n",
        f"— {ORIGIN} {b64encode(key_of(OLD).id).decode()}\n",
        f"— {ORIGIN} not base64!\n",
        notes.signature_line(ORIGIN, key_of(OLD).id, bytes(64)),
        notes.signature_line(ORIGIN, key_of(OLD).id, b"short"),
        notes.signature_line(ORIGIN, key_of(NEW).id, bytes(64)),
    ],
)
def test_a_damaged_line_counts_for_nothing(damaged: str) -> None:
    alone = parse_note(f"{TEXT}\n{damaged}")
    assert not alone.is_signed_by(key_of(OLD))
    beside = parse_note(f"{TEXT}\n{damaged}{line(NEW)}")
    assert beside.is_signed_by(key_of(NEW))
    assert not beside.is_signed_by(key_of(OLD))


@pytest.mark.parametrize(
    "change",
    [
        {"\n8\n": "\n9\n"},
        {ORIGIN: "tonk.example/log/8"},
        {b64encode(ROOT).decode(): b64encode(bytes(32)).decode()},
    ],
)
def test_another_text_is_not_signed(change: dict[str, str]) -> None:
    note = f"{TEXT}\n{line(OLD)}"
    ((before, after),) = change.items()
    changed = parse_note(note.replace(before, after, 1))
    assert not changed.is_signed_by(key_of(OLD))


@pytest.mark.parametrize(
    "text",
    [
        "",
        TEXT,
        f"{TEXT}\n",
        f"{TEXT}\n{line(OLD)}"[:-1],
        f"{TEXT}extension\n\n{line(OLD)}",
        TEXT.replace("8", "08") + f"\n{line(OLD)}",
        TEXT.replace("8", "-8") + f"\n{line(OLD)}",
        TEXT.replace("8", "\u0668") + f"\n{line(OLD)}",
        TEXT.replace("8", "9" * 20) + f"\n{line(OLD)}",
        TEXT.replace("=", "") + f"\n{line(OLD)}",
        TEXT.replace("8=", "9=") + f"\n{line(OLD)}",
        f"\n{TEXT}\n{line(OLD)}",
    ],
)
def test_what_is_no_note(text: str) -> None:
    with pytest.raises(BadNote):
        parse_note(text)


def test_a_line_ends_at_a_line_feed_alone() -> None:
    note = parse_note(f"{TEXT}\n{line(OLD)}— x\x0b\u2028y AAAAAAAA\n")
    assert len(note.lines) == 1


# --- keys -----------------------------------------------------------------------------------------


def test_a_verifier_key_is_read_back() -> None:
    for kind in (notes.SIGNATURE, COSIGNATURE):
        key = key_of(OLD, kind=kind)
        assert VerifierKey.read(key.text) == key
    assert key_of(OLD).id != key_of(OLD, kind=COSIGNATURE).id
    assert notes.verifier_key(ORIGIN, key_of(OLD).public_key) == key_of(OLD).text


@pytest.mark.parametrize(
    "text",
    [
        "",
        ORIGIN,
        key_of(OLD).text[:-4],
        key_of(OLD).text.replace("tonk", "tonq", 1),
        "+" + key_of(OLD).text.partition("+")[2],
        key_of(OLD, "two words").text,
        VerifierKey(ORIGIN, bytes(32), 2).text,
        key_of(OLD).text + "\n",
    ],
)
def test_what_is_no_verifier_key(text: str) -> None:
    with pytest.raises(BadNote):
        VerifierKey.read(text)


# --- witnesses ------------------------------------------------------------------------------------


def cosigned(seed: bytes = WITNESS, time: int = 1_796_112_000, text: str = TEXT) -> Note:
    key = key_of(seed, "w.example", COSIGNATURE)
    signature = SigningKey(seed).sign(notes.cosignature_message(text, time)).signature
    payload = notes.cosignature_payload(time, signature)
    return parse_note(f"{TEXT}\n{line(OLD)}{notes.signature_line('w.example', key.id, payload)}")


def test_a_witness_says_when() -> None:
    key = key_of(WITNESS, "w.example", COSIGNATURE)
    assert cosigned().cosigned_at(key) == 1_796_112_000
    assert cosigned(seed=FOREIGN).cosigned_at(key) is None
    assert cosigned(text=notes.checkpoint_text(ORIGIN, 9, ROOT)).cosigned_at(key) is None
    assert parse_note(f"{TEXT}\n{line(OLD)}").cosigned_at(key) is None


def test_each_key_serves_its_own_use() -> None:
    note = cosigned()
    assert note.cosigned_at(key_of(OLD)) is None
    assert not note.is_signed_by(key_of(OLD, kind=COSIGNATURE))
    assert note.is_signed_by(key_of(OLD))
