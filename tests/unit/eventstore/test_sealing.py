"""Secrets that wait: opened by whoever sealed them, for the same subject, and by nobody else."""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Barrier

import pytest
from django.test import override_settings

from eventstore import keyfiles, sealing
from eventstore.core.refusal import InvariantBroken
from eventstore.sealing import KEPT_SECONDS, KeyLost, Sealed

THREADS, ROUNDS = 8, 40


@pytest.fixture(autouse=True)
def key_file(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "keys" / "dealer"
    with override_settings(DEALER_KEY_FILE=str(path)):
        yield path


def sealed() -> Sealed:
    return sealing.seal(b"seed", b"hand")


def grown_old(path: Path) -> None:
    """Let a key have been rotated out long enough ago."""
    then = path.stat().st_mtime - KEPT_SECONDS
    os.utime(path, (then, then))


def beside(key_file: Path, key_id: str) -> Path:
    return key_file.with_name(f"{key_file.name}.{key_id}")


def test_a_secret_is_opened_for_its_subject_alone(key_file: Path) -> None:
    first = sealed()
    assert b"seed" not in first.ciphertext
    assert sealing.unseal(first, b"hand") == b"seed"
    assert key_file.stat().st_mode & 0o777 == 0o600
    for wrong, subject in (
        (first, b"other"),
        (replace(first, ciphertext=first.ciphertext[:-1] + b"x"), b"hand"),
        (replace(first, nonce=bytes(12)), b"hand"),
    ):
        with pytest.raises(InvariantBroken, match="changed"):
            sealing.unseal(wrong, subject)


def test_two_seals_of_one_secret_differ() -> None:
    assert sealed() != sealed()


def test_a_key_that_was_rotated_out_opens_what_it_sealed(key_file: Path) -> None:
    generations = [sealed()]
    for number in range(1, 4):
        fresh = sealing.rotate()
        generations.append(sealed())
        assert (sealing.newest(), generations[-1].key_id) == (fresh, fresh)
        assert sorted(sealing.older()) == sorted(one.key_id for one in generations[:-1])
        assert [sealing.unseal(one, b"hand") for one in generations] == [b"seed"] * (number + 1)
    assert len({one.key_id for one in generations}) == 4
    modes = {path.stat().st_mode & 0o777 for path in key_file.parent.iterdir()}
    assert modes == {0o600}


def test_before_the_first_key_a_rotation_makes_it(key_file: Path) -> None:
    assert (sealing.newest(), sealing.older()) == (None, ())
    fresh = sealing.rotate()
    assert (sealing.newest(), sealing.older()) == (fresh, ())
    assert sealed().key_id == fresh


def test_a_lost_key_is_named_with_what_to_do(key_file: Path) -> None:
    first = sealed()
    assert not sealing.is_lost(first.key_id)
    key_file.unlink()
    assert sealing.is_lost(first.key_id)
    assert sealed().key_id != first.key_id  # a new one is made, and the old secret stays shut
    with pytest.raises(KeyLost, match=rf"{first.key_id}.*dealer_key void-lost"):
        sealing.unseal(first, b"hand")


def test_a_key_that_comes_back_opens_again(key_file: Path) -> None:
    first, key = sealed(), key_file.read_text()
    key_file.unlink()
    sealing.rotate()
    beside(key_file, first.key_id).write_text(key)
    assert sealing.unseal(first, b"hand") == b"seed"


@pytest.mark.parametrize("name", ["", "../dealer", "0" * 15, "g" * 16, "0" * 16 + "\n"])
def test_a_name_that_is_none_opens_no_file(key_file: Path, name: str) -> None:
    first = sealed()
    if "/" not in name:
        beside(key_file, name).write_text(key_file.read_text())
    with pytest.raises(KeyLost):
        sealing.unseal(replace(first, key_id=name), b"hand")


def test_a_file_with_another_key_is_not_the_key(key_file: Path) -> None:
    first = sealed()
    sealing.rotate()
    keyfiles.replace(beside(key_file, first.key_id), keyfiles.encoded(bytes(32)))
    assert sealing.is_lost(first.key_id)
    beside(key_file, first.key_id).write_text("c2hvcnQ=")
    with pytest.raises(ValueError, match="no key of 32 bytes"):
        sealing.unseal(first, b"hand")


def test_keys_that_nothing_needs_are_removed_after_an_hour(key_file: Path) -> None:
    used = sealed().key_id
    unused = sealing.rotate()
    newest = sealing.rotate()
    assert sealing.prune({used}) == ()  # a transaction may be open that has sealed under it
    for key_id in (used, unused):
        grown_old(beside(key_file, key_id))
    assert sealing.prune({used}) == (unused,)
    assert (sealing.newest(), sealing.older()) == (newest, (used,))
    assert sealing.prune(()) == (used,)
    assert sealing.newest() == newest


def test_other_files_beside_the_keys_are_no_keys(key_file: Path) -> None:
    sealing.rotate()
    for name in ("dealer.1234", "dealer.bak", "dealer.0123456789abcdef.77", "log.key"):
        (key_file.parent / name).write_text("something")
        grown_old(key_file.parent / name)
    assert sealing.older() == ()
    assert sealing.prune(()) == ()
    assert len(list(key_file.parent.iterdir())) == 5


def test_a_rotation_that_is_cut_off_loses_no_key(
    key_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Died(Exception):
        """The process ends here."""

    first = sealed()
    replace_file, steps = keyfiles.replace, [0]

    def dies_at(step: int) -> None:
        steps[0] = 0

        def run(path: Path, text: str) -> None:
            steps[0] += 1
            if steps[0] == step:
                raise Died
            replace_file(path, text)

        monkeypatch.setattr(keyfiles, "replace", run)

    for step in (1, 2):
        dies_at(step)
        with pytest.raises(Died):
            sealing.rotate()
        assert sealing.unseal(first, b"hand") == b"seed"
        assert sealing.newest() == first.key_id
    dies_at(0)
    assert sealing.rotate() != first.key_id
    assert sealing.unseal(first, b"hand") == b"seed"


def test_rotations_at_once_lose_no_key() -> None:
    first = sealed()
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: (sealing.rotate(), sealed()), range(12)))
    for _, one in made:
        assert sealing.unseal(one, b"hand") == b"seed"
    there = {sealing.newest(), *sealing.older()}
    assert there == {first.key_id, *(key_id for key_id, _ in made)}


def test_threads_that_make_the_first_key_at_once_get_one_key(tmp_path: Path) -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads take turns between any two steps
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            for number in range(ROUNDS):
                path, start = tmp_path / str(number) / "key", Barrier(THREADS)
                assert len(set(pool.map(partial(_made, path), [start] * THREADS))) == 1
                assert [one.name for one in path.parent.iterdir()] == ["key"]
    finally:
        sys.setswitchinterval(before)


def _made(path: Path, start: Barrier) -> bytes:
    start.wait()
    return keyfiles.read_or_make(path)
