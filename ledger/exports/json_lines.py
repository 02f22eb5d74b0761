"""The books as lines of JSON: one line an entry, in the form that the API gives an entry.

What took an entry back is left out: it may come after the export, whose bytes stay.
"""

from collections.abc import Iterable, Iterator

import msgspec

from eventstore.core.record import time_text
from ledger.exports.records import Head, Record


def lines(head: Head, records: Iterable[Record]) -> Iterator[str]:
    """The file, in pieces."""
    del head  # every line says all of itself
    for record in records:
        yield msgspec.json.encode(_document(record)).decode() + "\n"


def _document(record: Record) -> dict[str, object]:
    source = record.source
    if source is None:
        postings = [
            {"line": leg.line, "account": leg.account, "currency": leg.currency,
             "amount": leg.amount}
            for leg in record.legs
        ]  # fmt: skip
        return {"kind": record.kind, "day": str(record.day), "postings": postings}
    document: dict[str, object] = {
        "entry_id": source.entry_id,
        "key": source.key,
        "kind": record.kind,
        "currency": record.legs[0].currency,
        "recorded_at": time_text(source.recorded_at),
        "effective_at": time_text(source.effective_at),
        "hash": source.hash,
        "source": {
            "stream": source.stream,
            "version": source.version,
            "hash": source.event_hash,
            "log_index": source.log_index,
            "type": source.event_type,
        },
        "postings": [
            {"line": leg.line, "account": leg.account, "amount": leg.amount} for leg in record.legs
        ],
    }
    if source.reverses is not None:
        document["reverses"] = {"entry_id": source.reverses_id, "key": source.reverses}
    return document
