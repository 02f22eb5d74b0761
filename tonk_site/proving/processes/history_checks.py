"""What histories of clients must agree on with the log, as pure functions (`trust.md` section 5).

`durable`: each write that was acknowledged is in the log once, at the version that was named; each
that was refused is not; nothing is there that nobody was told of. `order`: what a seat was shown
never goes back. `bank`: every snapshot of the books sums to nothing.
"""

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tonk_site.proving.processes.history import Call

_PATH = re.compile(r"/(table|tournament)s/([0-9a-f-]{36})/([a-z-]+)\Z")
_STATE = re.compile(r"/tables/([0-9a-f-]{36})/state\Z")
# Writes by the end of their path. What they do has the type at the right among its events; a move
# has none of them.
KINDS = {
    ("POST", "seat"): "sit",
    ("DELETE", "seat"): "leave",
    ("POST", "anchor"): "anchor",
    ("POST", "seeds"): "seed",
    ("POST", "entries"): "enter",
    ("POST", "moves"): "move",
}
KIND_OF_TYPE = {
    "SeatTaken": "sit",
    "SeatLeft": "leave",
    "SeedAnchored": "anchor",
    "SeedRevealed": "seed",
    "EntryPaid": "enter",
}
# These say nothing of a version, but what they say is theirs alone.
MARKS = {"anchor": "anchor", "seed": "seed"}


@dataclass(frozen=True, slots=True)
class Record:
    """An event of the log, as far as it is compared."""

    stream: str
    version: int
    type: str
    actor: str
    command: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The books at an instant, by currency: sum of balances, sum of postings."""

    sums: Mapping[str, tuple[int, int]]
    differing: int  # accounts whose balance is not the sum of their postings


class Wrong(NamedTuple):
    """What does not hold, as a breach tells it."""

    what: str
    where: str
    expected: str
    got: str


@dataclass
class Judged:
    """What became of the writes."""

    counts: Counter[str] = field(default_factory=Counter)
    wrongs: list[Wrong] = field(default_factory=list)


class _Effect(NamedTuple):
    """What one command of a player did: its versions, and what marks it."""

    player: str
    stream: str
    kind: str
    first: int
    last: int
    mark: str | None


def durable(calls: Iterable[Call], log: Sequence[Record]) -> Judged:
    """Count and judge the keyed writes of players whose every write is in `calls`."""
    calls, effects = list(calls), _effects(log)
    found, told = Judged(), Counter[_Effect]()
    index: defaultdict[tuple[str, str, str], list[_Effect]] = defaultdict(list)
    for one in effects:
        index[one.player, one.stream, one.kind].append(one)
    known = {(one.stream, one.version): one for one in log}
    for key, attempts in _by_key(calls).items():
        first = attempts[0]
        where = f"{first.method} {first.path} by {first.player}, key {key}"
        answers = [one for one in attempts if one.outcome == "ok"]
        found.wrongs += _answered_once(answers, attempts, where)
        if not answers:
            continue
        found.counts["acknowledged"] += 1
        kind = KINDS.get((first.method, first.path.rpartition("/")[2]))
        if kind is None:
            continue
        effect = _effect_of(index[first.player, _stream(first), kind], answers[0])
        if effect is None:
            found.counts["lost"] += 1
            found.wrongs.append(Wrong("acknowledged, not in the log", where, "an event", "none"))
            continue
        told[effect] += 1
        found.wrongs += _shown(answers[0], known, where)
    players = {call.player for call in calls}
    _count_told(found, told, [one for one in effects if one.player in players])
    return found


def _count_told(found: Judged, told: Counter[_Effect], effects: Iterable[_Effect]) -> None:
    """Each effect was told of by the answer to one write."""
    for effect, times in told.items():
        if times > 1 and effect.kind not in MARKS:  # the same seed again changes nothing
            found.counts["lost"] += times - 1
            where = f"{effect.stream} version {effect.last}"
            found.wrongs.append(Wrong("one effect for several writes", where, "1", str(times)))
    for effect in effects:
        if effect not in told:
            found.counts["twice"] += 1
            where = f"{effect.stream} versions {effect.first} to {effect.last}"
            found.wrongs.append(
                Wrong("in the log, acknowledged to nobody", where, "no event", effect.kind)
            )


def _by_key(calls: Iterable[Call]) -> dict[str, list[Call]]:
    found: defaultdict[str, list[Call]] = defaultdict(list)
    for call in calls:
        if call.key:
            found[call.key].append(call)
    return found


def _answered_once(
    answers: Sequence[Call], attempts: Sequence[Call], where: str
) -> Iterator[Wrong]:
    """A write comes to one end, and says the same at each attempt."""
    if all(one.outcome == "unknown" for one in attempts):
        yield Wrong("no answer at all", where, "an answer", str(attempts[-1].status))
    said = {(one.status, str(_said(one))) for one in answers}
    if len(said) > 1:
        yield Wrong("answered in two ways", where, "one answer", str(sorted(said)))
    refused = [one for one in attempts if one.outcome == "refused"]
    if answers and refused:
        code = str(refused[0].answer.get("code"))
        yield Wrong("answered in two ways", where, "one answer", f"ok and {code}")


def _said(call: Call) -> object:
    return call.answer.get("version", call.answer.get("index"))


def _effects(log: Sequence[Record]) -> list[_Effect]:
    """What players did themselves, as the log has it."""
    commands: defaultdict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in log:
        commands[record.stream, record.command].append(record)
    found = []
    for (stream, _), records in commands.items():
        own = [one for one in records if one.actor.startswith("player:")]
        player = own[0].actor.removeprefix("player:") if own else ""
        kind = _kind_of(stream, own, player)
        if kind is None:
            continue
        marks = [str(one.data[MARKS[kind]]) for one in own if kind in MARKS]
        versions = [one.version for one in records]
        mark = marks[0] if marks else None
        found.append(_Effect(player, stream, kind, min(versions), max(versions), mark))
    return found


def _kind_of(stream: str, own: Sequence[Record], player: str) -> str | None:
    """Which write had this effect; None for what is not judged: acts of hosts and directors."""
    if not own or own[0].type in {"TableOpened", "TableClosed"}:
        return None
    kinds = {KIND_OF_TYPE[one.type] for one in own if one.type in KIND_OF_TYPE}
    if not kinds:
        return "move" if stream.startswith("table/") else None
    named = {one.data.get("player") for one in own if one.type in KIND_OF_TYPE}
    return kinds.pop() if named <= {player, None} else None  # else he has seated or entered bots


def _stream(call: Call) -> str:
    place = _PATH.match(call.path)
    return f"{place[1]}/{place[2]}" if place else ""


def _effect_of(own: Sequence[_Effect], call: Call) -> _Effect | None:
    """Which of a player's effects of the kind, in the stream, an answer speaks of."""
    marked = [name for name in MARKS.values() if name in call.body]
    if marked:
        return next((one for one in own if one.mark == call.body[marked[0]]), None)
    version = call.answer.get("version", 0)
    exact = (one for one in own if one.first <= version <= one.last)
    # The last entry starts the tournament too, by further commands of the same transaction.
    before = (one for one in own if one.kind == "enter" and one.first <= version)
    return next(exact, None) or max(before, default=None)


def _shown(call: Call, known: Mapping[tuple[str, int], Record], where: str) -> Iterator[Wrong]:
    """The events that an answer to a move shows are those of the log."""
    for event in call.answer.get("events", ()):
        record = known.get((_stream(call), event["version"]))
        kept = record.type if record else "nothing"
        if kept != event["type"]:
            yield Wrong("shown, and otherwise in the log", where, event["type"], kept)


def excused(calls: Iterable[Call]) -> list[Wrong]:
    """A server that is in trouble says so; an `internal` fault is one that nobody thought of."""
    return [
        Wrong("an internal fault", f"{call.method} {call.path}", "unavailable",
              str(call.answer.get("request_id")))
        for call in calls
        if call.answer.get("code") == "internal"
    ]  # fmt: skip


def order_of_reads(calls: Iterable[Call]) -> list[Wrong]:
    """Whoever asks after a version was shown to a seat is shown that one or a newer one."""
    found = []
    ended: defaultdict[str, list[tuple[float, int]]] = defaultdict(list)
    newest: Counter[str] = Counter()
    for call in sorted(calls, key=lambda one: one.began):
        seen = _version_shown(call)
        if seen is None:
            continue
        table, version = seen
        waiting = ended[table]
        while waiting and waiting[0][0] <= call.began:
            newest[table] = max(newest[table], heapq.heappop(waiting)[1])
        if version < newest[table]:
            where = f"{call.path} for {call.player}"
            expected = f"version {newest[table]} or newer"
            found.append(Wrong("shown an older state", where, expected, f"version {version}"))
        heapq.heappush(waiting, (call.ended, version))
    return found


def _version_shown(call: Call) -> tuple[str, int] | None:
    """Table and version of the state that came with an answer to a seat."""
    if call.outcome != "ok":
        return None
    read, written = _STATE.match(call.path), _PATH.match(call.path)
    state = call.answer if read else call.answer.get("state", {})
    if not isinstance(state, Mapping) or state.get("viewer", {}).get("kind") != "seat":
        return None
    table = read[1] if read else written[2] if written else ""
    return table, state["version"]


def bank(snapshots: Iterable[Snapshot]) -> list[Wrong]:
    """Every snapshot sums to nothing, balances and postings alike."""
    found = []
    for number, snapshot in enumerate(snapshots, start=1):
        for currency, sums in snapshot.sums.items():
            if any(sums):
                where = f"snapshot {number}, {currency}"
                found.append(Wrong("the books do not sum to 0", where, "0 and 0", str(sums)))
        if snapshot.differing:
            got = f"{snapshot.differing} accounts differ"
            found.append(Wrong("a balance is not its postings", f"snapshot {number}", "none", got))
    return found
