"""Commands as the apps above make them: post, append, mark what the settler owes."""

import json
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from uuid import UUID, uuid4

from msgspec.structs import replace

from eventstore import store
from eventstore.core.canonical import encode
from eventstore.core.chain import Head
from eventstore.core.ids import table_stream, tournament_stream, wallet_stream
from eventstore.core.record import NO_HASH, Stored, leaf_hash, record_bytes
from eventstore.services import Transaction, in_transaction
from ledger.core.entries import SETTLED
from ledger.services import mark_due, post_inline

Facts = Mapping[str, object]


def sealed(stream: str, head: Head, at: datetime, *facts: tuple[str, Facts]) -> list[Stored]:
    """Records on `head`, of any type: the books read events as they were stored."""
    made: list[Stored] = []
    for version, (name, fields) in enumerate(facts, head.version + 1):
        draft = Stored(
            stream=stream,
            version=version,
            event_id=uuid4(),
            type=name,
            schema=1,
            data=encode(dict(fields)).decode(),
            meta='{"actor":"worker:test"}',
            at=at,
            prev_hash=made[-1].hash if made else head.hash,
            hash=NO_HASH,
        )
        made.append(replace(draft, hash=leaf_hash(record_bytes(draft))))
    return made


def command(stream: str, *facts: tuple[str, Facts]) -> list[Stored]:
    """Append facts in a transaction of its own, with all that belongs to it."""

    def work(tx: Transaction) -> list[Stored]:
        return append(tx, stream, *facts)

    return in_transaction(work)


def append(tx: Transaction, stream: str, *facts: tuple[str, Facts]) -> list[Stored]:
    head = tx.load(stream).head
    events = sealed(stream, head, tx.now, *facts)
    post_inline(events, tx.now)
    store.append(events, head)
    owed = [event for event in events if (event.type, event.schema) in SETTLED]
    if owed:
        mark_due(stream, version=owed[-1].version, at=owed[0].at)
    return events


def unsealed(stream: str, version: int, name: str, fields: Facts) -> Stored:
    """An event that was never appended."""
    at = datetime.fromisoformat("2026-12-01T00:00:00+00:00")
    digest = sha256(json.dumps(dict(fields)).encode()).digest()
    event = sealed(stream, Head(version - 1, NO_HASH, None), at, (name, fields))[0]
    return replace(event, hash=digest)


def deposit(player: UUID, amount: int, currency: str = "EUR") -> list[Stored]:
    if currency == "XTK":
        granted = {"amount": amount, "currency": currency, "reason_code": "test"}
        return command(wallet_stream(player), ("ChipsGranted", granted))
    return command(
        wallet_stream(player),
        (
            "DepositRecorded",
            {
                "amount": amount,
                "currency": currency,
                "method": "manual",
                "reference": f"r-{uuid4()}",
                "approved_by": ["s1", "s2"],
            },
        ),
    )


def seat_taken(player: UUID, buy_in: int) -> tuple[str, Facts]:
    fields = {"seat": 1, "player": str(player), "bot": None, "buy_in": buy_in, "currency": "EUR"}
    return "SeatTaken", fields


def sit(table: UUID, player: UUID, buy_in: int) -> list[Stored]:
    return command(table_stream(table), seat_taken(player, buy_in))


def hand_ended(nets: dict[UUID, int], rakes: dict[UUID, int] | None = None) -> tuple[str, Facts]:
    seats = {player: seat for seat, player in enumerate(nets, 1)}

    def listed(amounts: dict[UUID, int]) -> list[Facts]:
        return [
            {"seat": seats[player], "player": str(player), "amount": amount}
            for player, amount in amounts.items()
        ]

    return "HandEnded", {"net": listed(nets), "rake": listed(rakes or {}), "currency": "EUR"}


def cashed_out(player: UUID, amount: int) -> tuple[str, Facts]:
    return "SeatCashedOut", {
        "seat": 1,
        "player": str(player),
        "amount": amount,
        "currency": "EUR",
    }


def entered(tournament: UUID, player: UUID, buy_in: int, fee: int = 0) -> list[Stored]:
    fields: Facts = {
        "player": str(player),
        "entry_no": 1,
        "buy_in": buy_in,
        "fee": fee,
        "bounty": 0,
        "currency": "EUR",
    }
    return command(tournament_stream(tournament), ("EntryPaid", fields))


def prizes(*amounts: tuple[UUID, int], rake: int = 0, fees: int = 0) -> tuple[str, Facts]:
    return "PrizesComputed", {
        "part": 1,
        "parts": 1,
        "currency": "EUR",
        "overlay": 0,
        "rake": rake,
        "fees": fees,
        "heads_to_pool": 0,
        "prizes": [
            {"place": place, "player": str(player), "amount": amount, "ticket_for": None}
            for place, (player, amount) in enumerate(amounts, 1)
        ],
        "vector_hash": "00" * 32,
    }
