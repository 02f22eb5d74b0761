"""Record a golden history (`tools/histories.py`), on servers of its own.

    python -m tools.record_history NAME

A name is written once. What it led to then is what it must lead to in every later build.
"""

from __future__ import annotations

import sys
from importlib import import_module

import django

from tonk_site.proving.scratch import fresh_processes, servers
from tools import golden_digests


def _record(name: str) -> int:
    """Play and write; the number of records. In a process that finds the servers."""
    django.setup()
    records: list[bytes] = import_module("tools.evening").play()
    import_module("tools.histories").write(name, records)
    return len(records)


def main() -> None:
    """Write the history of the name given."""
    if len(sys.argv) != 2:
        sys.exit("one name, please")
    with servers() as (_, environment), fresh_processes(1, environment) as pool:
        count = pool.submit(_record, sys.argv[1]).result()
    golden_digests.add_missing()
    sys.stdout.write(f"{sys.argv[1]}: {count} records\n")


if __name__ == "__main__":
    main()
