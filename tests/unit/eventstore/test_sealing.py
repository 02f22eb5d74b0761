"""Secrets that wait: opened by whoever sealed them, for the same subject, and by nobody else."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.test import override_settings

from eventstore import sealing
from eventstore.core.refusal import InvariantBroken


@pytest.fixture(autouse=True)
def key_file(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "keys" / "dealer"
    sealing._key.cache_clear()
    with override_settings(DEALER_KEY_FILE=str(path)):
        yield path
    sealing._key.cache_clear()


def test_a_secret_is_opened_for_its_subject_alone(key_file: Path) -> None:
    sealed = sealing.seal(b"seed", b"hand")
    assert b"seed" not in sealed.ciphertext
    assert sealing.unseal(sealed, b"hand") == b"seed"
    assert key_file.stat().st_mode & 0o777 == 0o600
    for wrong, subject in (
        (sealed, b"other"),
        (replace(sealed, ciphertext=sealed.ciphertext[:-1] + b"x"), b"hand"),
        (replace(sealed, nonce=bytes(12)), b"hand"),
    ):
        with pytest.raises(InvariantBroken, match="changed"):
            sealing.unseal(wrong, subject)


def test_two_seals_of_one_secret_differ() -> None:
    assert sealing.seal(b"seed", b"hand") != sealing.seal(b"seed", b"hand")


def test_another_key_is_named(key_file: Path) -> None:
    sealed = sealing.seal(b"seed", b"hand")
    key_file.unlink()
    sealing._key.cache_clear()
    with pytest.raises(InvariantBroken, match=sealed.key_id):
        sealing.unseal(sealed, b"hand")
