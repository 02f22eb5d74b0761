"""What a run of mutmut found: how many changes the tests notice, and whether the rest is explained.

    python -m tools.mutants      after `mutmut run`

Exit code 1 where fewer than 90 % are noticed, or one that is not is missing in `tests/mutants.md`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "tests" / "mutants.md"
MUTMUT = Path(sys.executable).with_name("mutmut")
NOTICED_MIN = 0.9


def _mutmut(*arguments: str) -> str:
    done = subprocess.run(
        [str(MUTMUT), *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout


def counts() -> tuple[int, int]:
    """Mutants that some test notices, a time-out being one, and all of them."""
    _mutmut("export-cicd-stats")
    found = json.loads((ROOT / "mutants" / "mutmut-cicd-stats.json").read_text(encoding="utf-8"))
    return found["killed"] + found["timeout"], found["total"]


def survivors() -> dict[str, str]:
    """Changed line of each mutant that no test notices, by the mutant's name."""
    names = [
        line.split(":")[0].strip()
        for line in _mutmut("results").splitlines()
        if line.endswith(": survived")
    ]
    return {name: _changed_line(_mutmut("show", name)) for name in names}


def _changed_line(diff: str) -> str:
    added = [line for line in diff.splitlines() if line.startswith("+") and line[:3] != "+++"]
    return added[0][1:].strip() if added else ""


def main() -> None:
    """Print the share and what is not explained."""
    noticed, total = counts()
    explained = PAGE.read_text(encoding="utf-8")
    missing = {name: line for name, line in survivors().items() if line not in explained}
    for name, line in missing.items():
        print(f"not explained: {name}: {line}")
    print(f"{noticed} of {total} mutants are noticed, {noticed / total:.1%}")
    if missing or noticed < NOTICED_MIN * total:
        sys.exit(1)


if __name__ == "__main__":
    main()
