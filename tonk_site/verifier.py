"""The stand-alone verifier, run as a stranger runs it: nothing of the product within its reach."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tonk_site.embedded_services import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = CHECKOUT / "clients" / "verify" / "tonk_verify.py"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the verifier said of a file; `code` is its exit code."""

    code: int
    lines: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every check passed."""
        return self.code == 0

    @property
    def last(self) -> str:
        """What it found in the end."""
        return self.lines[-1] if self.lines else ""


def verify(file: Path, *keys: str) -> Verdict:
    """What the verifier says of a receipt or an export, trusting these verifier keys alone.

    It runs in an empty environment and isolated mode: no variable, no package, no import of ours.
    """
    trusted = [word for key in keys for word in ("--key", key)]
    done = subprocess.run(
        [sys.executable, "-I", PROGRAM, file, *trusted], cwd=file.parent, env={}, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    return Verdict(done.returncode, tuple(done.stdout.splitlines()))
