"""The whole log proved against what lives beside it: chains, replays, books."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from eventstore import store
from eventstore.core.chain import Fault, verify_chain
from eventstore.core.ids import table_stream, tournament_stream
from eventstore.core.record import Stored
from eventstore.core.refusal import InvariantBroken
from eventstore.verification import Difference, undecodable
from games import replay as tables
from ledger import replay as books
from tournaments import replay as tournaments

TABLES, TOURNAMENTS = table_stream(""), tournament_stream("")


@dataclass(frozen=True, slots=True)
class Proof:
    """How much was read, the faults of chains, and what is otherwise than a replay gives."""

    streams: int
    events: int
    faults: tuple[Fault, ...]
    differences: tuple[Difference, ...]

    @property
    def chain_ok(self) -> bool:
        """Whether every chain is whole."""
        return not self.faults

    @property
    def replay_identical(self) -> bool:
        """Whether everything live is what the log says; false where a chain could not be read."""
        return not self.faults and not self.differences


def prove_log(*, by_auditor: bool = False) -> Proof:
    """Chains, event classes, live rows, served states, deals and books, from the log alone.

    For a log at rest: a command that commits meanwhile looks like a difference. The auditor reads
    one snapshot of a site at work, where a tournament follows its tables a moment later, and opens
    no sealed seed: what needs either is left out.
    """
    proof = prove_streams(store.streams(), by_auditor=by_auditor)
    if proof.faults:
        return proof
    found = (*proof.differences, *books.differences(), *books.parked())
    return replace(proof, differences=found)


def prove_streams(names: Collection[str], *, by_auditor: bool = False) -> Proof:
    """The same of some streams, without the books."""
    events, faults, found = 0, [], []
    for name in names:
        stored = store.load(name).events
        events += len(stored)
        fault = verify_chain(stored)
        if fault is None:
            found += _stream_differences(stored, by_auditor=by_auditor)
        else:
            faults.append(fault)
    return Proof(len(names), events, tuple(faults), tuple(found))


def state_at(stream: str, version: int | None = None) -> dict[str, Any]:
    """State of a table, as everybody may see it, or of a tournament, after one of its versions.

    Without a version: after the newest. Raises: ValueError for a stream without such a version, or
    of another kind.
    """
    stored = store.load(stream).events
    if not stored:
        raise ValueError(f"there is no {stream}: streams are table/<id> and tournament/<id>")
    if not 1 <= (len(stored) if version is None else version) <= len(stored):
        raise ValueError(f"{stream} has {len(stored)} versions")
    if stream.startswith(TABLES):
        return tables.public_document(stored[:version])
    if stream.startswith(TOURNAMENTS):
        return tournaments.state_document(stored[:version])
    raise ValueError(f"{stream} is no table and no tournament")


def _stream_differences(stored: Sequence[Stored], *, by_auditor: bool) -> list[Difference]:
    """Of a stream whose chain is whole; what can not be read is not folded."""
    found = list(undecodable(stored))
    if found:
        return found
    try:
        return list(_fold_differences(stored, by_auditor=by_auditor))
    except (InvariantBroken, KeyError, ValueError) as fault:
        return [Difference(stored[-1].stream, stored[-1].version, "fold", None, repr(fault))]


def _fold_differences(stored: Sequence[Stored], *, by_auditor: bool) -> Iterator[Difference]:
    if stored[0].stream.startswith(TABLES):
        yield from tables.differences(stored, sealed=by_auditor)
    elif stored[0].stream.startswith(TOURNAMENTS):
        yield from tournaments.differences(stored, with_tables=not by_auditor)
