"""The newest signed checkpoint of the log that a client has seen: what the next must agree with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import keeping
from .problem import DealNotFair
from .tonk_verify import Failed, Note, check_note, is_consistent, root_from_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .client import Tonk

Document = dict[str, Any]
Head = tuple[int, str]  # size of the log, and its root


class Checkpoints:
    """Keeps keys and newest checkpoint in a file. What does not agree with it raises `DealNotFair`.

    The keys of the log are those it is given, else those that the server shows at the first time. A
    key that comes later is trusted once a note has its signature beside that of a trusted one.
    """

    def __init__(self, tonk: Tonk, path: Path, keys: Sequence[str] = ()) -> None:
        self._tonk, self._path = tonk, path
        kept = keeping.read(path) or {}
        self._keys: list[str] = list(keys) or kept.get("keys", [])
        self._origin: str | None = kept.get("origin")
        self._note: str | None = kept.get("note")
        self._head: Head | None = _head(kept.get("head"))
        self._told: Head | None = _head(kept.get("told"))

    @property
    def head(self) -> Head | None:
        """Size and root of the newest signed checkpoint, None before the first."""
        return self._head

    def told(self, checkpoint: Document) -> None:
        """Keep what an answer to a move says of the log, until the next note must agree with it."""
        self._told = (checkpoint["size"], checkpoint["root"])

    def check(self, note: str) -> Note:
        """The note, signed and a continuation of what was seen before. Raises: DealNotFair."""
        signed = self._signed(note)
        head = (signed.size, signed.root.hex())
        for before in filter(None, (self._head, self._told)):
            self._agree(before, head)
        if self._told and self._told[0] <= head[0]:
            self._told = None
        if self._head is None or head[0] > self._head[0]:
            self._head, self._note, self._origin = head, note, signed.origin
        self._trust_more(note)
        self._keep()
        return signed

    def included(self, leaf: str, inclusion: Document, note: str) -> None:
        """Check that a note covers the record of this hash. Raises: DealNotFair."""
        signed = self.check(note)
        path = [bytes.fromhex(one) for one in inclusion["path"]]
        root = root_from_path(bytes.fromhex(leaf), inclusion["index"], inclusion["size"], path)
        if inclusion["size"] != signed.size or root != signed.root:
            raise DealNotFair("inclusion", f"record {leaf} is not in the log of {signed.size}")

    def _signed(self, note: str) -> Note:
        if not self._keys:
            self._keys = self._served_keys()
        try:
            return check_note(note, self._keys, self._origin)
        except Failed as failed:
            raise DealNotFair("log_key", f"the checkpoint does not hold: {failed}") from failed

    def _agree(self, one: Head, other: Head) -> None:
        (size, root), (later, new_root) = sorted((one, other))
        if size in {0, later}:
            agree = size < later or root == new_root
        else:
            path = [bytes.fromhex(step) for step in self._tonk.consistency(size, later)["path"]]
            ends = bytes.fromhex(root), bytes.fromhex(new_root)
            agree = is_consistent(size, ends[0], later, ends[1], path)
        if not agree:
            what = f"the log of {later} events does not continue the one of {size} that I have seen"
            raise DealNotFair("log_fork", what)

    def _trust_more(self, note: str) -> None:
        """Trust keys that sign beside a trusted one: so a key is followed by the next."""
        for key in set(self._served_keys()).difference(self._keys):
            try:
                check_note(note, [key], self._origin)
            except Failed:
                continue
            self._keys.append(key)

    def _served_keys(self) -> list[str]:
        return [str(one["key"]) for one in self._tonk.log_key()["keys"]]

    def _keep(self) -> None:
        keeping.write(
            self._path,
            {
                "origin": self._origin,
                "keys": self._keys,
                "note": self._note,
                "head": self._head,
                "told": self._told,
            },
        )


def _head(kept: Sequence[Any] | None) -> Head | None:
    return None if kept is None else (int(kept[0]), str(kept[1]))
