"""Digests of the golden files, which are kept for ever: a line a file, added and never changed.

    python -m tools.golden_digests      adds the lines of new files

What a golden file holds may stand in somebody's log: one that is not as it was is no golden file.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

GOLDEN = Path(__file__).resolve().parents[1] / "tests" / "golden"
DIGESTS = "digests.txt"
KEPT = ("events", "histories", "rules")  # the other folders hold what may change with the product


def files(folder: Path) -> dict[str, str]:
    """Digest of each golden file that is there, by its path below the folder."""
    paths = (path for kind in KEPT for path in sorted((folder / kind).rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in paths}


def listed(folder: Path) -> dict[str, str]:
    """Digest of each golden file that ever was, as it was written."""
    lines = (folder / DIGESTS).read_text(encoding="utf-8").splitlines()
    return {path: digest for digest, _, path in (line.partition("  ") for line in lines)}


def faults(folder: Path = GOLDEN) -> Iterator[str]:
    """Golden files that were changed or removed, or whose digest nobody wrote down."""
    found, kept = files(folder), listed(folder)
    for path, digest in kept.items():
        if path not in found:
            yield f"{path}: it is gone"
        elif found[path] != digest:
            yield f"{path}: it was changed"
    for path in sorted(found.keys() - kept.keys()):
        yield f"{path}: no digest; `python -m tools.golden_digests` adds it"


def add_missing(folder: Path = GOLDEN) -> list[str]:
    """Write down the digests of new files; their paths."""
    found = files(folder)
    new = sorted(found.keys() - (listed(folder) if (folder / DIGESTS).exists() else {}).keys())
    with (folder / DIGESTS).open("a", encoding="utf-8") as output:
        output.writelines(f"{found[path]}  {path}\n" for path in new)
    return new


def main() -> None:
    """Add what is missing and name it."""
    sys.stdout.writelines(f"{path}\n" for path in add_missing())


if __name__ == "__main__":
    main()
