"""R11: the exports, read by programs that others wrote and trust."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from eventstore.core.refusal import Refused
from ledger import exports
from ledger.exports.walk import records
from ledger.reconciliation.found import Finding, Found, Scope, finding
from ledger.store.closing import Cut, trial_of

SECONDS_MAX = 1_800
WORDS_MAX = 500  # of what a program says

# The last lines of an export are the sums of its accounts, as assertions that these programs check.
COMMANDS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "beancount": ("bean-check",),
        "hledger": ("hledger", "check", "--strict", "ordereddates", "-f"),
    }
)


def tools(scope: Scope) -> Found:
    """R11: Beancount and hledger accept the exports; nightly, those that are installed.

    What an export's lines come to is what the trial balance says of every account.
    """
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
    findings = _totals(asked)
    with tempfile.TemporaryDirectory(prefix="tonk-books-") as folder:
        findings += [
            one
            for form, command in programs.items()
            for one in _judged(form, command, asked, Path(folder))
        ]
    return Found({"size": asked.size, "programs": " ".join(sorted(programs))}, findings)


def _totals(asked: exports.Wanted) -> list[Finding]:
    """Accounts whose lines in an export come to something else than the trial balance says."""
    sums: Counter[str] = Counter()
    for record in records(asked):
        for leg in record.legs:
            sums[leg.account] += leg.amount
    held = Counter({one.account: one.amount for one in trial_of(Cut(size=asked.size))})
    return [
        finding(f"export {account}", sums[account], held[account])
        for account in sorted(sums.keys() | held.keys())
        if sums[account] != held[account]
    ]


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
