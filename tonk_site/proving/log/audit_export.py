"""What an auditor takes away is checked again by programs that share nothing with us
(`trust.md` section 1).

Exports of the log and receipts go before the stand-alone verifier, in an empty environment; the
books before Beancount and hledger, where these are installed.
"""

import io
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace as changed
from pathlib import Path
from uuid import UUID

from django.db import connections
from django.utils import timezone

from eventstore import store, tree
from eventstore.exports import log_export, stream_export
from eventstore.readers import PUBLIC, STAFF
from games.rules.selfplay import SeededNumbers, pick, shuffled
from ledger import exports
from ledger.core.receipts import claims
from ledger.exports.walk import records
from ledger.receipts import booked, payouts, receipt
from ledger.reconciliation.found import Scope
from ledger.reconciliation.tools import tools
from tonk_site.proving import live
from tonk_site.proving.acting import played
from tonk_site.proving.cards.random_hands import below
from tonk_site.proving.checks import Breach, Check, Found, Order
from tonk_site.proving.scratch import fresh_processes
from tonk_site.verifier import verify

NAME = "audit-export"


@dataclass(frozen=True, slots=True)
class File:
    """What is taken away: its name, what it is of, its bytes."""

    name: str
    of: str
    content: bytes


def run(order: Order) -> Found:
    """Takes everything away from a copy of the played world."""
    with played.database() as place, fresh_processes(1, place.variables) as pool:
        found = pool.submit(take, order.seed, dict(order.sizes)).result()
    rerun = f"manage.py prove {NAME} --seed {order.seed}"
    return changed(found, breaches=[changed(one, rerun=rerun) for one in found.breaches])


def take(seed: str, sizes: dict[str, int]) -> Found:
    """What is found in exports and receipts of the configured database, and in its books."""
    found = books()
    key = tree.keys()[0].key  # as whoever has seen it once would have kept it
    with tempfile.TemporaryDirectory(prefix="tonk-audit-") as folder:
        for name, files in (("exports", log_files(seed)), ("receipts", receipts(seed))):
            for file, _ in zip(files, range(sizes[name]), strict=False):
                found.done[name] += 1
                found.breaches += refused(file, Path(folder), key)
    connections.close_all()
    return found


def refused(file: File, folder: Path, key: str) -> Iterator[Breach]:
    """The breach that a verifier who trusts this key alone does not take a file for good."""
    path = folder / file.name
    path.write_bytes(file.content)
    verdict = verify(path, key)
    if not verdict.holds:
        yield live.told("not verified", file.of, expected="verified", got=verdict.last)


def log_files(seed: str) -> Iterator[File]:
    """The whole log; then for ever parts of it, or streams, for readers of both kinds."""
    yield File("log.ndjson", "the log", b"".join(log_export(reader=STAFF)))
    rng, size = SeededNumbers(f"{seed}/exports"), tree.size()
    streams = store.streams()
    while True:
        if below(rng, 3) == 0:
            stream = pick(rng, streams)
            yield File("stream.ndjson", stream, b"".join(stream_export(stream)))
            continue
        start = below(rng, size)
        end, reader = start + 1 + below(rng, size - start), pick(rng, (PUBLIC, STAFF))
        lines = b"".join(log_export(start, end, reader))
        yield File("part.ndjson", f"the log from {start} to {end}", lines)


def receipts(seed: str) -> Iterator[File]:
    """The receipt of everything that anybody was paid, in an order that the seed gives."""
    entries = [entry for stream in store.streams() for entry in payouts(stream)]
    for number in shuffled(SeededNumbers(f"{seed}/receipts"), entries):
        entry = booked(number)
        for player in dict.fromkeys(claim.player for claim in claims(entry)):
            made = receipt(entry, UUID(player))
            content = json.dumps(made, ensure_ascii=False).encode()
            yield File("receipt.json", f"entry {number}, {entry.kind.word}", content)


def books() -> Found:
    """Every entry is in every form of the books; what others' programs say of them."""
    found = Found()
    asked = exports.wanted(None, None, None, None)
    keys = [record.key for record in records(asked)]
    found.done["entries"] = len(keys)
    for form in exports.FORMS:
        file = io.BytesIO()
        exports.write(form, asked, file)
        text = file.getvalue().decode()
        for key in keys:
            if key not in text:
                found.breaches.append(live.told("entry", key, expected=f"in {form}", got="none"))
    whole = Scope(is_full=True, first_entry=1, first_index=0, size=asked.size, now=timezone.now())
    told = tools(whole)
    found.seen["programs"] = Counter(str(told.figures.get("programs", "")).split())
    found.breaches += [
        live.told("books", str(one["where"]), expected=one["expected"], got=one["found"])
        for one in told.findings
    ]
    return found


CHECK = Check(
    name=NAME,
    promise=7,
    quick={"exports": 1, "receipts": 4, "entries": 30},
    full={"exports": 200, "receipts": 30, "entries": 30},
    run=run,
)
