"""Every prize of the demo proved by the stand-alone verifier, and the whole log with them."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from clients.python.tonk_client import Tonk
from eventstore.core.ids import tournament_stream
from eventstore.ports import random_bytes
from ledger.receipts import payouts
from players.services import Registration, register
from tonk_site.demo import Failed, say
from tonk_site.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Sequence

USERNAME = "rasa"


@dataclass(frozen=True, slots=True)
class Auditor:
    """Somebody who may have every receipt and the whole log, over REST as anybody would."""

    url: str
    tonk: Tonk
    token: str


def prove_receipts(url: str, tournament: str) -> int:
    """How many prizes were proved, by the key that the log shows to everybody. Raises: Failed."""
    password = random_bytes(16).hex()
    who = Registration(username=USERNAME, password=password, display_name="Rasa")
    register(who, extra_roles=("auditor",))
    with Tonk(url) as tonk, tempfile.TemporaryDirectory(prefix="tonk-receipts-") as folder:
        auditor = Auditor(url, tonk, str(tonk.login(USERNAME, password)["token"]))
        keys = [str(key["key"]) for key in tonk.log_key()["keys"]]
        entries = payouts(tournament_stream(tournament))
        for entry in entries:
            _prove(_receipt(auditor, entry, Path(folder)), keys)
        _prove(_log(auditor, Path(folder)), keys)
    return len(entries)


def _receipt(auditor: Auditor, entry: int, folder: Path) -> Path:
    """The receipt of an entry; the client asks again until a checkpoint covers it."""
    file = folder / f"receipt-{entry}.json"
    file.write_text(json.dumps(auditor.tonk.receipt(entry), ensure_ascii=False), encoding="utf-8")
    return file


def _log(auditor: Auditor, folder: Path) -> Path:
    """The export of the whole log."""
    file = folder / "log.ndjson"
    address = f"{auditor.url}/api/v1/log/export"
    headers = {"Authorization": f"Token {auditor.token}"}
    with httpx.stream("GET", address, headers=headers) as answer, file.open("wb") as written:
        if answer.is_error:
            raise Failed(f"no export of the log: status {answer.status_code}")
        for part in answer.iter_bytes():
            written.write(part)
    return file


def _prove(file: Path, keys: Sequence[str]) -> None:
    verdict = verify(file, *keys)
    if not verdict.holds:
        raise Failed(f"{file.name}: {verdict.last}")
    say(f"{file.name}: {verdict.last}")
