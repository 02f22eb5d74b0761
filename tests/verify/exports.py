"""Exports for tests of verifiers: valid ones, and what can be wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from tests.verify import stories
from tests.verify.damage import became, edited, member, nth, put, turned
from tests.verify.log import (
    OTHER_SEED,
    Case,
    Change,
    Exported,
    Receipt,
    Rows,
    Sealed,
    log_lines,
    ndjson,
    note_of,
    rows_of,
    signed_note,
    stream_lines,
)

Lines = list[Receipt]
EditLines = Callable[[Lines], object]
TABLE = f"table/{stories.TABLE}"


@dataclass(frozen=True)
class Export:
    """Which story is exported, and how: one stream, or the log."""

    story: str
    how: Exported | str

    def lines(self, case: Case, change: Change | None = None) -> Lines:
        """The lines, after a change to the records."""
        rows = rows_of(case.records)
        if change:
            change(rows)
        sealed = Sealed.of(rows)
        if isinstance(self.how, str):
            return stream_lines(sealed, self.how)
        return log_lines(sealed, self.how)


EXPORTS: Mapping[str, Export] = MappingProxyType(
    {
        "stream-table": Export("hand-silent", TABLE),
        "stream-short": Export("hand-short", TABLE),
        "stream-wallet": Export("withdrawal_paid", stories.WALLET),
        "log": Export("hand-silent", Exported(notes=(1, 2, 100))),
        "log-cash": Export("cash_out", Exported(notes=(256,))),
        "log-hidden": Export("hand-strict-abort", Exported(hidden="wallet/", notes=(7,))),
        "log-from": Export("hand-revealed", Exported(first=77, notes=(80,))),
        "log-tournament": Export("prize-parts", Exported()),
    }
)


@dataclass(frozen=True)
class ExportPlan:
    """One kind of damage to an export, and what a verifier says."""

    export: str
    check: str
    error: str
    about: str
    change: Change | None = None
    edit: EditLines | None = None
    rewrite: Callable[[bytes], bytes] | None = None

    def file(self, case: Case) -> bytes:
        """The damaged file."""
        lines = EXPORTS[self.export].lines(case, self.change)
        if self.edit:
            self.edit(lines)
        made = ndjson(lines)
        return self.rewrite(made) if self.rewrite else made


def whole(export: Export, case: Case) -> bytes:
    """The export as it should be."""
    return ndjson(export.lines(case))


def record_line(lines: Lines, number: int = 5) -> Receipt:
    """A line with a record."""
    return [line for line in lines if "r" in line][number]


def note_line(lines: Lines, number: int = 0) -> Receipt:
    """A line with a note."""
    return [line for line in lines if "c" in line][number]


def plans() -> Iterator[ExportPlan]:
    """All damage to exports."""
    for export in ("stream-table", "log"):
        yield from _of_any(partial(ExportPlan, export))
    yield from _of_streams(partial(ExportPlan, "stream-table"))
    yield from _of_logs(partial(ExportPlan, "log"))


def _of_any(plan: Callable[..., ExportPlan]) -> Iterator[ExportPlan]:
    yield plan("V01", "bad_file", "cut line", rewrite=lambda data: data[:-3])
    yield plan(
        "V01",
        "bad_file",
        "twice",
        rewrite=lambda data: data.replace(b'{"i": ', b'{"i": 0, "i": ', 1),
    )
    yield plan("V02", "bad_field", "member", edit=lambda lines: lines[0].update(more=1))
    yield plan("V02", "bad_field", "after the end", edit=lambda lines: lines.append(lines[1]))
    yield plan("V03", "bad_note", "header", edit=lambda lines: lines[0].update(checkpoint="x"))
    yield plan("V04", "unknown_key", "header", edit=_sign_header)
    yield plan("V04", "bad_signature", "header", edit=_other_size)
    yield plan("V05", "not_canonical", "space", edit=_space)
    yield plan("V06", "bad_record", "data", change=put("SeatTaken", seat=9))
    yield plan("V06", "bad_record", "member", change=member(extra=1))
    yield plan("V06", "gap", "version", change=member(v=9999))
    yield plan("V07", "broken_chain", "link", change=_other_link)
    yield plan("V08", "time_runs_back", "time", change=member(at="2026-11-30T08:00:00.000000Z"))
    yield plan("V09", "short_export", "tail", edit=lambda lines: lines.pop())
    yield plan("V09", "short_export", "count", edit=lambda lines: lines[-1].update(count=1))
    yield plan("V13", "hand_not_balanced", "net", change=edited("HandEnded", _more_net))
    yield plan("V14", "deal_out_of_order", "no reveal", change=became("HandRevealed"))
    yield plan("V14", "commit_mismatch", "seed", change=put("HandRevealed", server_seed="ab" * 32))
    yield plan("V15", "bad_seed", "seed", change=put("SeedRevealed", seed="ab" * 32))
    yield plan("V16", "deck_mismatch", "root", change=put("HandDealt", deck_root="ab" * 32))
    yield plan(
        "V16", "transcript_mismatch", "transcript", change=put("HandDealt", transcript="ab" * 32)
    )
    yield plan("V17", "wrong_place", "upcard", change=put("HandDealt", upcard=None))
    yield plan("V18", "not_held", "discard", change=put("CardDiscarded", place=53))
    yield plan("V19", "count_mismatch", "count", change=edited("HandEnded", _more_count))


def _of_streams(plan: Callable[..., ExportPlan]) -> Iterator[ExportPlan]:
    yield plan("V06", "gap", "order", edit=_swap)
    yield plan("V07", "broken_chain", "record", edit=_other_text)
    yield plan(
        "V06", "bad_record", "stream", edit=lambda lines: lines[0].update(stream=stories.WALLET)
    )
    yield plan("V08", "duplicate_id", "id", change=_same_id)
    yield plan("V09", "not_included", "path", edit=_other_path)
    yield plan(
        "V09",
        "not_included",
        "last",
        edit=lambda lines: lines.pop(-2) and lines[-1].update(count=len(lines) - 2),
    )
    yield plan("V06", "gap", "missing", edit=lambda lines: lines.pop(4))


def _of_logs(plan: Callable[..., ExportPlan]) -> Iterator[ExportPlan]:
    yield plan("V03", "bad_note", "on the way", edit=lambda lines: note_line(lines).update(c="x"))
    yield plan("V04", "bad_signature", "on the way", edit=_flip)
    yield plan("V09", "checkpoint_mismatch", "root", edit=_other_root)
    yield plan("V09", "checkpoint_mismatch", "place", edit=_moved_note)
    yield plan("V09", "short_export", "last note", edit=_without_last_note)
    yield plan("V02", "bad_field", "missing", edit=lambda lines: lines.pop(20))
    yield plan("V02", "bad_field", "order", edit=lambda lines: lines.insert(30, lines.pop(31)))
    yield plan(
        "V02", "bad_field", "minus zero",
        rewrite=lambda data: data.replace(b'{"i": 0,', b'{"i": -0,', 1),
    )  # fmt: skip
    yield plan("V02", "bad_field", "frontier", edit=lambda lines: lines[0].update(frontier=[]))
    hidden = partial(ExportPlan, "log-hidden")
    yield hidden("V09", "checkpoint_mismatch", "hidden", edit=_other_leaf)
    yield hidden("V02", "bad_field", "hash", edit=lambda lines: _hidden(lines).update(h="00"))
    later = partial(ExportPlan, "log-from")
    yield later(
        "V09",
        "checkpoint_mismatch",
        "frontier",
        edit=lambda lines: lines[0].update(frontier=_turned_first(lines)),
    )
    yield later("V02", "bad_field", "frontier", edit=lambda lines: lines[0]["frontier"].pop())
    yield later("V02", "bad_field", "from", edit=lambda lines: lines[0].update({"from": 78}))
    abort = ExportPlan(
        "log-hidden", "V20", "abort_mismatch", "blamed", put("ShuffleAborted", missing=[1])
    )
    yield abort


def _swap(lines: Lines) -> None:
    lines[3], lines[4] = lines[4], lines[3]


def _sign_header(lines: Lines) -> None:
    text = lines[0]["checkpoint"].partition("\n\n")[0] + "\n"
    lines[0]["checkpoint"] = signed_note(text, OTHER_SEED)


def _other_size(lines: Lines) -> None:
    origin, size, rest = lines[0]["checkpoint"].split("\n", 2)
    lines[0]["checkpoint"] = f"{origin}\n{int(size) + 1}\n{rest}"


def _space(lines: Lines) -> None:
    line = record_line(lines)
    line["r"] = line["r"].replace('"v":', '"v": ')


def _other_text(lines: Lines) -> None:
    """A record changed so that it is a record still: the next one of its stream tells."""
    line = next(line for line in lines if "SeatTaken" in line.get("r", ""))
    line["r"] = line["r"].replace('"seat":1', '"seat":4').replace('"seat":3', '"seat":5')


def _other_link(rows: Rows) -> None:
    nth(rows, "CardDrawn").prev = "01" * 32


def _same_id(rows: Rows) -> None:
    nth(rows, "CardDrawn").record["id"] = nth(rows, "CardDrawn", -2).record["id"]


def _more_net(data: Receipt) -> None:
    data["net"][0]["amount"] += 1


def _more_count(data: Receipt) -> None:
    data["held"][0]["count"] += 1


def _other_path(lines: Lines) -> None:
    path = lines[-1]["inclusion"]["path"]
    path[0] = turned(path[0])


def _flip(lines: Lines) -> None:
    line = note_line(lines, 2)
    text, _, signature = line["c"].partition("\n\n")
    middle = len(signature) // 2 + 10
    other = "A" if signature[middle] != "A" else "B"
    line["c"] = f"{text}\n\n{signature[:middle]}{other}{signature[middle + 1 :]}"


def _other_root(lines: Lines) -> None:
    note_line(lines, 1)["c"] = note_of([bytes(32), bytes(32)])


def _moved_note(lines: Lines) -> None:
    line = note_line(lines, 2)
    at = lines.index(line)
    lines[at], lines[at - 1] = lines[at - 1], lines[at]


def _without_last_note(lines: Lines) -> None:
    lines.remove(note_line(lines, -1))


def _hidden(lines: Lines) -> Receipt:
    return next(line for line in lines if "h" in line)


def _other_leaf(lines: Lines) -> None:
    line = _hidden(lines)
    line["h"] = turned(line["h"])


def _turned_first(lines: Lines) -> list[str]:
    first, *rest = lines[0]["frontier"]
    return [turned(first), *rest]
