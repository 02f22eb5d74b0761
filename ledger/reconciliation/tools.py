"""R11: the exports, read by programs that others wrote and trust."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from eventstore.core.refusal import Refused
from ledger import exports
from ledger.reconciliation.found import Finding, Found, Scope, finding

SECONDS_MAX = 1_800
WORDS_MAX = 500  # of what a program says

# The last lines of an export are the trial balance, as assertions that these programs check.
COMMANDS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "beancount": ("bean-check",),
        "hledger": ("hledger", "check", "--strict", "ordereddates", "-f"),
    }
)


def tools(scope: Scope) -> Found:
    """R11: Beancount and hledger accept the exports; nightly, those that are installed."""
    if not scope.is_full:
        return Found(skipped="with --full alone")
    installed = {form: _installed(command) for form, command in COMMANDS.items()}
    programs = {form: command for form, command in installed.items() if command}
    if not programs:
        return Found(skipped="neither bean-check nor hledger is installed")
    try:
        asked = exports.wanted(None, None, None, None)
    except Refused as refused:
        return Found(skipped=refused.refusal.code)
    with tempfile.TemporaryDirectory(prefix="tonk-books-") as folder:
        findings = [
            one
            for form, command in programs.items()
            for one in _judged(form, command, asked, Path(folder))
        ]
    return Found({"size": asked.size, "programs": " ".join(sorted(programs))}, findings)


def _installed(command: Sequence[str]) -> list[str] | None:
    """The command with the place of its program: beside this Python, or on the path."""
    places = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    found = shutil.which(command[0], path=places)
    return [found, *command[1:]] if found else None


def _judged(
    form: str, command: Sequence[str], asked: exports.Wanted, folder: Path
) -> list[Finding]:
    path = folder.joinpath(form)
    with path.open("wb") as file:
        exports.write(form, asked, file)
    done = subprocess.run(
        [*command, str(path)], capture_output=True, text=True, check=False, timeout=SECONDS_MAX
    )
    if done.returncode == 0:
        return []
    return [finding(f"export {form}", (done.stderr or done.stdout)[:WORDS_MAX], "accepted")]
