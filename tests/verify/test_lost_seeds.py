"""Hands that were given up since their seeds were lost: what they are is said, and no more."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from clients.verify import tonk_verify
from clients.verify.tonk_verify import Failed, verify, verify_export
from tests.verify import lost_seeds
from tests.verify.log import VKEY

if TYPE_CHECKING:
    from pathlib import Path

    from tests.verify.log import Exported

PLACE = re.compile(r"(?:record \d+, )?table/[0-9a-f-]{36} v\d+")


def place_in(warning: str) -> str:
    found = PLACE.search(warning)
    assert found is not None
    return found[0]


def test_a_receipt_holds_and_warns_of_them() -> None:
    (warning,) = verify(lost_seeds.receipt(), [VKEY]).warnings
    assert warning == lost_seeds.warning(place_in(warning))


@pytest.mark.parametrize("how", lost_seeds.EXPORTS, ids=["table", "log"])
def test_an_export_holds_and_warns_of_them(how: Exported | str) -> None:
    lines = lost_seeds.export(how).splitlines(keepends=True)
    (warning,) = verify_export(lines, [VKEY]).warnings
    assert warning == lost_seeds.warning(place_in(warning))
    assert place_in(warning).startswith("record ")


@pytest.mark.parametrize("name", lost_seeds.DAMAGE)
def test_what_does_not_hold_is_found(name: str) -> None:
    code, error, change = lost_seeds.DAMAGE[name]
    with pytest.raises(Failed) as failed:
        verify(lost_seeds.receipt(change), [VKEY])
    assert (failed.value.code, failed.value.error) == (code, error), failed.value


def test_the_program_says_so(tmp_path: Path) -> None:
    file = tmp_path / "receipt.json"
    file.write_bytes(lost_seeds.receipt())
    command = [sys.executable, "-I", tonk_verify.__file__, str(file), "--key", VKEY]
    told = subprocess.run(command, capture_output=True, env={}, check=True).stdout.decode()
    warning, unchecked, verified = told.splitlines()[-3:]
    assert warning.startswith("warning: 2 voided without a seed (dealer_key_lost)")
    assert unchecked == "not checked: legality of moves"
    assert verified.startswith("verified: cash_out ")
