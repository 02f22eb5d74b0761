"""What a receipt says, without a database: who is paid by an entry, and which records prove it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from eventstore.core.canonical import encode
from eventstore.core.record import NO_HASH, Stored
from ledger.core.kinds import Kind
from ledger.core.receipts import (
    CLAIMED,
    Booked,
    Evidence,
    Line,
    Sealed,
    Slice,
    claims,
    directors,
    document,
    first_of_matter,
    is_dealt_in,
    last_part,
    last_table,
)

AT = datetime(2026, 12, 1, 8, 30, tzinfo=UTC)
T = "0199c2b2-6c1f-7001-8000-00000000000a"
A, B, C = (f"0199c2b2-6c1f-7cc6-b5e6-76fcb5034a7{n}" for n in (3, 4, 5))


def stored(version: int, name: str, **fields: object) -> Stored:
    return Stored(
        stream=f"tournament/{T}",
        version=version,
        event_id=UUID(int=version),
        type=name,
        schema=1,
        data=encode(fields).decode(),
        meta="{}",
        at=AT,
        prev_hash=NO_HASH,
        hash=bytes([version]) * 32,
    )


def booked(kind: Kind, *lines: tuple[str, int]) -> Booked:
    return Booked(
        id=7,
        kind=kind,
        currency="EUR",
        stream=f"table/{T}",
        version=9,
        part=0,
        recorded_at=AT,
        reverses=None,
        lines=tuple(Line(number, *line) for number, line in enumerate(lines, 1)),
    )


def paid(entry: Booked) -> list[tuple[str, int, int]]:
    return [(claim.player, claim.line.number, claim.amount) for claim in claims(entry)]


def test_winners_of_a_hand_are_paid() -> None:
    hand = booked(
        Kind.HAND,
        ("rake:EUR:07", -10),
        (f"seat:{T}:{A}:EUR", -190),
        (f"seat:{T}:{B}:EUR", 250),
        (f"seat:{T}:{C}:EUR", -50),
    )
    assert paid(hand) == [(A, 2, 190), (C, 4, 50)]
    assert hand.parties == {A, B, C}


def test_a_withdrawal_is_claimed_by_what_waited() -> None:
    legs = (("cash:manual:EUR:11", -60), (f"withdrawal:{A}:EUR", 60))
    assert paid(booked(Kind.WITHDRAWAL_PAID, *legs)) == [(A, 2, 60)]
    back = ((f"wallet:{A}:EUR", -60), (f"withdrawal:{A}:EUR", 60))
    assert paid(booked(Kind.WITHDRAWAL_RETURNED, *back)) == [(A, 1, 60)]


def test_what_a_player_owes_is_not_paid_to_him() -> None:
    legs = ((f"receivable:{A}:EUR", -40), ("bad_debt:EUR:03", 40))
    assert paid(booked(Kind.ADJUSTMENT, *legs)) == []


@pytest.mark.parametrize("kind", sorted(set(Kind) - CLAIMED))
def test_kinds_that_pay_nobody(kind: Kind) -> None:
    assert paid(booked(kind, (f"wallet:{A}:EUR", -5), (f"seat:{T}:{A}:EUR", 5))) == []


def test_every_kind_that_can_be_claimed_is_in_the_format() -> None:
    assert {kind.word for kind in CLAIMED} == {
        "hand", "cash_out", "prize", "bounty", "refund", "compensation", "deposit", "grant",
        "withdrawal_paid", "withdrawal_returned", "adjustment", "reversal",
    }  # fmt: skip


def test_the_document_has_exactly_its_members() -> None:
    entry = booked(Kind.GRANT, (f"wallet:{A}:EUR", -5), ("issue:EUR:04", 5))
    source = stored(9, "ChipsGranted", amount=5)
    sealed = Sealed(origin="log.example", keys=("k",), size=12, note="note")
    evidence = Evidence(source, [Slice([source], 3, [NO_HASH])], sealed)
    found: Any = document(entry, claims(entry)[0], evidence, made_at=AT, names={A: "Ona"})
    assert list(found) == ["format", "made_at", "log", "claim", "entry", "streams", "names"]
    assert found["log"] == {"origin": "log.example", "keys": ["k"], "checkpoint": "note"}
    assert found["claim"] == {
        "kind": "grant",
        "entry": 7,
        "line": 1,
        "account": f"wallet:{A}:EUR",
        "player": A,
        "amount": 5,
        "currency": "EUR",
        "source": {"stream": f"table/{T}", "version": 9},
    }
    assert found["entry"]["key"] == f"table/{T}@9#0"
    assert found["entry"]["source_hash"] == "09" * 32
    # An account without its stripe: which of sixteen rows it was is nobody's business.
    accounts = [one["account"] for one in found["entry"]["postings"]]
    assert accounts == [f"wallet:{A}:EUR", "issue:EUR"]
    (only,) = found["streams"]
    assert (only["from"], only["to"], len(only["records"])) == (9, 9, 1)
    assert only["inclusion"] == {"index": 3, "size": 12, "path": ["00" * 32]}


# --- which records --------------------------------------------------------------------------------


def test_where_a_matter_begins() -> None:
    asked = [
        stored(2, "WithdrawalRequested", withdrawal=A),
        stored(3, "WithdrawalRequested", withdrawal=B),
        stored(4, "AdjustmentProposed", adjustment=A),
    ]
    assert first_of_matter(stored(8, "WithdrawalPaid", withdrawal=B), asked) == 3
    assert first_of_matter(stored(8, "AdjustmentApproved", adjustment=A), asked) == 4
    assert first_of_matter(stored(8, "DepositRecorded", amount=5), asked) == 8


@pytest.mark.parametrize(
    ("fields", "last"), [({"part": 1, "parts": 3}, 7), ({"part": 3, "parts": 3}, 5), ({}, 5)]
)
def test_the_last_part(fields: dict[str, object], last: int) -> None:
    assert last_part(stored(5, "PrizesComputed", **fields)) == last


def moves(*facts: tuple[str, dict[str, object]]) -> Sequence[Stored]:
    return [stored(version, name, **fields) for version, (name, fields) in enumerate(facts, 1)]


def test_the_table_of_the_last_match() -> None:
    records = moves(
        ("EntryPaid", {"player": A}),
        ("SeatAssigned", {"player": A, "table": "t1"}),
        ("SeatAssigned", {"player": B, "table": "t2"}),
        ("PlayerMoved", {"player": A, "from": "t1", "to": "t3"}),
        ("MatchStarted", {"players": [B, C], "table": "t4"}),
    )
    assert last_table(records, A) == "t3"
    assert last_table(records, B) == last_table(records, C) == "t4"
    assert last_table(records[:1], A) is None


def test_who_directs() -> None:
    records = moves(("TournamentDrafted", {"organiser": A}), ("DirectorAdded", {"player": B}))
    assert directors(records) == {A, B}


def test_who_was_dealt_in() -> None:
    dealt = stored(1, "HandDealt", players=[{"seat": 1, "player": A}], away=[{"player": B}])
    assert is_dealt_in(dealt, A)
    assert not is_dealt_in(dealt, B)
