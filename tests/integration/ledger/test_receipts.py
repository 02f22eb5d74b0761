"""Receipts of what the product really paid, judged by the stand-alone verifier."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from eventstore import store, tree
from eventstore.core.chain import Fact
from eventstore.core.ids import HOUSE, HOUSE_STREAM, table_stream, tournament_stream, wallet_stream
from eventstore.core.notes import parse_note, signature_line
from eventstore.core.refusal import Refused
from eventstore.exports import verifier_keys
from eventstore.ports import new_id
from eventstore.services import in_transaction
from games import selectors
from games.services import bots
from games.services.deals import deal_next
from games.services.seats import leave_seat, sit_out
from games.services.tables import close_table
from ledger import receipts
from ledger.core import events
from ledger.core.receipts import claims
from ledger.models import Entry
from ledger.receipts import booked, payouts, receipt
from ledger.reconciliation import reconcile
from ledger.services import settle_due
from ledger.services.wallets import record
from ledger.store.books import LIVE
from players.selectors import Person
from tests.api.callers import Caller, caller, refused
from tests.databases import connected
from tests.integration.ledger.commands import command as append
from tests.integration.ledger.commands import deposit, hand_ended, sit
from tests.sealing import seal_log
from tonk_site.proving.acting.drive import hurry, until_rest
from tonk_site.proving.acting.factories import (
    PLAYED,
    a_player,
    a_table,
    a_tournament,
    sits_down,
    with_bots,
)
from tonk_site.proving.acting.factories import receipt as command_receipt
from tonk_site.proving.acting.fair_seats import Links, anchors, gives, time_is_up
from tonk_site.proving.acting.play import play, play_out, turn_at
from tonk_site.verifier import Verdict, verify

pytestmark = pytest.mark.usefixtures("committed")
ANNA, BRONE = str(new_id()), str(new_id())  # two of the staff


def judged(document: dict[str, Any], folder: Path) -> Verdict:
    """What the verifier says of a receipt, trusting the log's own key."""
    file = folder / "receipt.json"
    file.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return verify(file, *verifier_keys(tree.size()))


def proved(entry: int, folder: Path, player: UUID | None = None) -> dict[str, Any]:
    """A receipt that holds, and says what the entry paid."""
    document: Any = receipt(booked(entry), player)
    verdict = judged(document, folder)
    claim = document["claim"]
    said = f"verified: {claim['kind']} {claim['amount']} {claim['currency']} to {claim['player']}"
    assert verdict.holds, verdict.lines
    assert verdict.last == said
    return dict(document)


def facts(player: UUID, *made: events.WalletEvent) -> None:
    """Facts of a wallet, one append each."""
    for fact in made:
        in_transaction(partial(record, player=player, facts=[Fact(fact, f"staff:{ANNA}")]))


def of_kind(stream: str, kind: str) -> int:
    """The one entry of a kind of a stream."""
    (found,) = [entry for entry in payouts(stream) if booked(entry).kind.word == kind]
    return found


def play_hands(table: UUID, count: int) -> None:
    """Deal and play hands to their ends, everybody by the first legal move."""
    for _ in range(count):
        hurry(table)
        deal_next(table, selectors.live_row(table).version)
        while (row := selectors.live_row(table)).status == "playing":
            if row.due == "bot":
                bots.bot_turn(table, row.version)
            else:
                play(table, turn_at(table))


@pytest.fixture
def ona(committed: None) -> Person:
    return a_player()


def a_played_table(ona: Person, hands: int = 4) -> UUID:
    """A cash table of a person and two bots, settled."""
    table = a_table(ona)
    sits_down(table, ona)
    for level in ("random-0", "greedy-1"):
        bots.add_bot(table, level, seat=None, creator=ona, receipt=command_receipt())
    play_hands(table, hands)
    settle_due()
    return table


# --- every kind -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_hands_and_cash_outs_of_a_table(ona: Person, tmp_path: Path) -> None:
    table = a_played_table(ona)
    close_table(table, ona, command_receipt())
    settle_due()
    seal_log()
    kinds = set()
    for entry in payouts(table_stream(table)):
        for claim in claims(booked(entry)):
            document = proved(entry, tmp_path, UUID(claim.player))
            kinds.add(document["claim"]["kind"])
            (only,) = document["streams"]
            assert only["stream"] == table_stream(table)
            first, last = (json.loads(only["records"][at])["type"] for at in (0, -1))
            assert (first, last) == {
                "hand": ("ShuffleCommitted", "HandRevealed"),
                "cash_out": ("SeatTaken", "SeatCashedOut"),
            }[document["claim"]["kind"]]
    assert kinds == {"hand", "cash_out"}


def test_hands_with_seeds_are_proved_from_their_anchors(ona: Person, tmp_path: Path) -> None:
    petras = a_player("petras")
    table = a_table(ona, seats=2)
    stream = table_stream(table)
    first, second, third = Links("ona's"), Links("petras's"), Links("petras's second")
    for person in (ona, petras):
        sits_down(table, person)
    anchors(table, ona, first)
    anchors(table, petras, second)
    seeds = {
        1: (first.seed(1), second.seed(1)),
        2: (first.seed(2), second.seed(2)),
        3: (first.seed(3), third.seed(1)),
        4: (None, third.seed(2)),  # ona says nothing: the hand hangs on the anchor of petras alone
    }
    starts: dict[int, int] = {}  # by version of the hand's end: where its proof must begin
    for number, (of_ona, of_petras) in seeds.items():
        if number == 3:
            anchors(table, petras, third)
        hurry(table)
        deal_next(table, selectors.live_row(table).version)
        if of_ona:
            gives(table, ona, of_ona)
        gives(table, petras, of_petras)
        if not of_ona:
            time_is_up(table)
        play_out(table)
        (ended,) = store.events_after(stream, 0, types=["HandEnded"])[-1:]
        starts[ended.version] = newest_anchor(stream, ona if of_ona else petras)
    settle_due()
    seal_log()
    entries = payouts(stream)
    assert entries  # a hand in a dozen is drawn
    for entry in entries:
        (only,) = proved(entry, tmp_path)["streams"]
        assert only["from"] == starts[booked(entry).version]
        assert json.loads(only["records"][0])["type"] == "SeedAnchored"


def newest_anchor(stream: str, who: Person) -> int:
    found = store.events_after(stream, 0, types=["SeedAnchored"])
    return [one.version for one in found if one.payload["player"] == str(who.id)][-1]


def test_the_prizes_of_a_tournament(tmp_path: Path) -> None:
    organiser = a_player("jonas", "organiser")
    tournament = a_tournament(organiser, entries_min=4, entries_max=4, stack_stakes=5)
    with_bots(tournament, organiser, 4, "random-0")
    until_rest(tournament)
    seal_log()
    assert [check.findings for check in reconcile(is_full=True).checks if check.count] == []
    entries = payouts(tournament_stream(tournament))
    assert entries
    for entry in entries:
        document = proved(entry, tmp_path)
        assert document["claim"]["kind"] == "prize"
        assert sorted(one["stream"] for one in document["streams"]) == [
            one["stream"] for one in document["streams"]
        ]
        table, of_tournament = document["streams"]
        assert of_tournament["from"] == 1
        dealt = [json.loads(one) for one in table["records"]]
        hands = [one["data"]["players"] for one in dealt if one["type"] == "HandDealt"]
        assert any(seat["player"] == document["claim"]["player"] for seat in hands[-1])


def test_a_note_that_a_witness_signed_is_preferred(ona: Person, tmp_path: Path) -> None:
    paid: dict[str, Any] = {"currency": "EUR", "method": "manual", "approved_by": (ANNA, BRONE)}
    facts(ona.id, events.DepositRecorded(amount=500, reference="bank-1", **paid))
    witnessed = seal_log()
    assert witnessed is not None
    line = signature_line("witness.example/1", b"wit1", bytes(72))
    with connected("tonk_sequencer") as sequencer:
        sequencer.execute(
            "INSERT INTO eventstore_log_cosignature (size, name, line) VALUES (%s, %s, %s)",
            [witnessed.size, "witness.example/1", line],
        )
        sequencer.commit()
    facts(ona.id, events.DepositRecorded(amount=600, reference="bank-2", **paid))
    newest = seal_log()
    assert newest is not None
    first, second = payouts(wallet_stream(ona.id))[-2:]
    for entry, size in ((first, witnessed.size), (second, newest.size)):
        document = proved(entry, tmp_path)
        note = document["log"]["checkpoint"]
        assert parse_note(note).text.splitlines()[1] == str(size)
        assert (line in note) == (size == witnessed.size)


def test_what_happens_to_a_wallet(ona: Person, tmp_path: Path) -> None:
    stream, gone, back, gift = (wallet_stream(ona.id), *(str(new_id()) for _ in range(3)))
    euros: dict[str, Any] = {"currency": "EUR"}
    paid: dict[str, Any] = euros | {"method": "manual", "approved_by": (ANNA, BRONE)}
    lines = (
        events.Line(account="promotion:EUR", amount=250),
        events.Line(account=f"wallet:{ona.id}:EUR", amount=-250),
    )
    proposal: dict[str, Any] = euros | {
        "adjustment": gift,
        "lines": lines,
        "reason_code": "goodwill",
        "proposer": ANNA,
        "reverses": None,
        "effective": None,
    }
    facts(
        ona.id,
        events.DepositRecorded(amount=9_000, reference="bank-1", **paid),
        events.WithdrawalRequested(withdrawal=gone, amount=2_000, **euros),
        events.WithdrawalRequested(withdrawal=back, amount=1_000, **euros),
        events.AdjustmentProposed(**proposal),
        events.WithdrawalApproved(withdrawal=gone, approved_by=(ANNA, BRONE)),
        events.WithdrawalPaid(withdrawal=gone, amount=2_000, reference="bank-2", **paid),
        events.WithdrawalReturned(withdrawal=back, amount=1_000, reason_code="cancelled", **euros),
        events.AdjustmentApproved(approver=BRONE, **proposal),
    )
    mirror = tuple(events.Line(account=one.account, amount=-one.amount) for one in lines)
    undone = proposal | {"lines": mirror, "adjustment": str(new_id()), "reason_code": "duplicate"}
    undone["reverses"] = booked_key(of_kind(stream, "adjustment"))
    facts(HOUSE, events.AdjustmentProposed(**undone))
    facts(HOUSE, events.AdjustmentApproved(approver=BRONE, **undone))
    seal_log()
    lengths = {}
    for kind in (
        "grant",
        "deposit",
        "withdrawal_paid",
        "withdrawal_returned",
        "adjustment",
    ):
        (only,) = proved(of_kind(stream, kind), tmp_path)["streams"]
        lengths[kind] = len(only["records"])
    # Each from the first event of its own matter on.
    assert lengths == {
        "grant": 1,
        "deposit": 1,
        "withdrawal_paid": 5,
        "withdrawal_returned": 5,
        "adjustment": 5,
    }


def booked_key(entry: int) -> str:
    found = booked(entry)
    return f"{found.stream}@{found.version}#{found.part}"


def test_a_reversal_that_pays_a_player_back(ona: Person, tmp_path: Path) -> None:
    """Money that was taken by mistake: the records lie in the house's stream."""
    taken: dict[str, Any] = {
        "currency": "XTK",
        "lines": (
            events.Line(account=f"wallet:{ona.id}:XTK", amount=70),
            events.Line(account="issue:XTK", amount=-70),
        ),
        "reason_code": "correction",
        "proposer": ANNA,
        "effective": None,
    }
    first = taken | {"adjustment": str(new_id()), "reverses": None}
    facts(ona.id, events.AdjustmentProposed(**first))
    facts(ona.id, events.AdjustmentApproved(approver=BRONE, **first))
    lines = tuple(events.Line(account=one.account, amount=-one.amount) for one in taken["lines"])
    back = taken | {"adjustment": str(new_id()), "lines": lines, "reason_code": "wrong_player"}
    back["reverses"] = f"{wallet_stream(ona.id)}@3#0"
    facts(HOUSE, events.AdjustmentProposed(**back))
    facts(HOUSE, events.AdjustmentApproved(approver=BRONE, **back))
    seal_log()
    document = proved(of_kind(HOUSE_STREAM, "reversal"), tmp_path)
    assert document["entry"]["reverses"] == back["reverses"]
    assert [one["stream"] for one in document["streams"]] == [HOUSE_STREAM]


# --- who gets one, and when -----------------------------------------------------------------------


@pytest.fixture
def auditor(committed: None) -> Caller:
    return caller("auste", "auditor")


def address(entry: int) -> str:
    return f"/ledger/entries/{entry}/receipt"


def test_who_gets_a_receipt(auditor: Caller, tmp_path: Path) -> None:
    ona, petras = caller("ona"), caller("petras")
    table = a_played_table(ona.who)
    close_table(table, ona.who, command_receipt())
    settle_due()
    seal_log()
    cash_outs = [
        entry for entry in payouts(table_stream(table)) if str(ona.who.id) in booked(entry).parties
    ]
    (mine,) = [entry for entry in cash_outs if booked(entry).kind.word == "cash_out"]
    answer = ona.get(address(mine))
    assert answer.status == 200
    assert judged(answer.document, tmp_path).holds
    seen = auditor.get(address(mine)).document
    assert seen["claim"] == answer.document["claim"]
    assert (answer.document["names"], seen["names"]) == ({str(ona.who.id): "Ona"}, {})
    refused(petras.get(address(mine)), 404, "not_found")
    refused(Caller().get(address(mine)), 401, "not_authenticated")
    refused(ona.get(f"{address(mine)}?player={petras.who.id}"), 404, "not_found")
    refused(auditor.get(f"{address(mine)}?player={petras.who.id}"), 404, "not_found")
    for nothing in (0, 10**9, 2**63, 10**30):
        refused(auditor.get(address(nothing)), 404, "not_found")


def test_the_director_gets_the_receipts_of_his_event() -> None:
    jonas, daiva = caller("jonas", "organiser"), caller("daiva", "organiser")
    tournament = a_tournament(jonas.who, entries_min=3, entries_max=3, stack_stakes=5)
    with_bots(tournament, jonas.who, 3, "random-0")
    until_rest(tournament)
    seal_log()
    for entry in payouts(tournament_stream(tournament)):
        assert jonas.get(address(entry)).status == 200
        refused(daiva.get(address(entry)), 404, "not_found")


def test_a_reversal_is_for_the_staff(auditor: Caller) -> None:
    ona = caller("ona")
    lines = (
        events.Line(account=f"wallet:{ona.who.id}:XTK", amount=10_000),
        events.Line(account="issue:XTK", amount=-10_000),
    )
    welcome: dict[str, Any] = {
        "adjustment": str(new_id()),
        "lines": lines,
        "currency": "XTK",
        "reason_code": "wrong_player",
        "proposer": ANNA,
        "reverses": f"{wallet_stream(ona.who.id)}@1#0",
        "effective": None,
    }
    facts(HOUSE, events.AdjustmentProposed(**welcome))
    facts(HOUSE, events.AdjustmentApproved(approver=BRONE, **welcome))
    seal_log()
    entry = of_kind(HOUSE_STREAM, "reversal")
    refused(ona.get(address(entry)), 403, "not_permitted")
    refused(auditor.get(address(entry)), 404, "not_found")  # it paid nobody


def test_a_hand_that_is_not_over_is_in_no_receipt(ona: Person, tmp_path: Path) -> None:
    petras, chain = a_player("petras"), Links("ona's")
    table = a_table(ona, options=PLAYED)
    sits_down(table, ona)
    anchors(table, ona, chain)
    bots.add_bot(table, "random-0", seat=None, creator=ona, receipt=command_receipt())
    sits_down(table, petras)
    sit_out(table, petras.id, command_receipt())
    hurry(table)
    deal_next(table, selectors.live_row(table).version)  # committed to: ona's seed is waited for
    leave_seat(table, petras.id, command_receipt())
    settle_due()
    seal_log()
    entry = of_kind(table_stream(table), "cash_out")
    with pytest.raises(Refused, match="not_yet_sealed"):
        receipt(booked(entry), petras.id)
    gives(table, ona, chain.seed(1))
    seal_log()
    with pytest.raises(Refused, match="not_yet_sealed"):
        receipt(booked(entry), petras.id)
    while (row := selectors.live_row(table)).status == "playing":
        if row.due == "bot":
            bots.bot_turn(table, row.version)
        else:
            play(table, turn_at(table))
    seal_log()
    proved(entry, tmp_path, petras.id)


def test_whose_is_asked_where_several_are_paid(auditor: Caller) -> None:
    ona, petras, rasa = (a_player(name) for name in ("ona", "petras", "rasa"))
    table = new_id()
    for person in (ona, petras, rasa):
        deposit(person.id, 500)
        sit(table, person.id, 500)
    append(table_stream(table), hand_ended({ona.id: -3, petras.id: 2, rasa.id: 1}))
    settle_due()
    seal_log()
    entry = of_kind(table_stream(table), "hand")
    problem = refused(auditor.get(address(entry)), 400, "invalid_field")
    assert problem["errors"][0]["pointer"] == "/player"
    refused(auditor.get(f"{address(entry)}?player={ona.id}"), 404, "not_found")


def test_nothing_is_proved_before_it_is_sealed(ona: Person, tmp_path: Path) -> None:
    entry = of_kind(wallet_stream(ona.id), "grant")
    audit = caller("auste", "auditor")
    answer = audit.get(address(entry))
    assert refused(answer, 409, "not_yet_sealed")["retryable"]
    assert answer.headers["Retry-After"] == "1"
    seal_log()
    facts(ona.id, events.ChipsGranted(amount=5, currency="XTK", reason_code="test"))
    newer = payouts(wallet_stream(ona.id))[-1]
    refused(audit.get(address(newer)), 409, "not_yet_sealed")
    proved(entry, tmp_path)
    seal_log()
    proved(newer, tmp_path)


def test_a_receipt_that_would_be_too_long(ona: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    table = a_played_table(ona, hands=2)
    seal_log()
    monkeypatch.setattr(receipts, "RECORDS_MAX", 2)
    entry = payouts(table_stream(table))[0]
    answer = caller("auste", "auditor").get(address(entry) + f"?player={booked_winner(entry)}")
    problem = refused(answer, 422, "receipt_too_long")
    assert problem["facts"]["stream"] == table_stream(table)


def booked_winner(entry: int) -> str:
    return claims(booked(entry))[0].player


def test_what_pays_nobody_has_no_receipt(ona: Person) -> None:
    table = a_table(ona)
    sits_down(table, ona)
    seal_log()
    assert payouts(table_stream(table)) == []
    newest = LIVE.rows("SELECT max(id) FROM ledger.entry")[0][0]  # numbers are not used again
    buy_ins = [number for number in range(1, newest + 1) if exists(number, "buy_in")]
    assert buy_ins
    for entry in buy_ins:
        with pytest.raises(Refused, match="not_found"):
            receipt(booked(entry))


def exists(entry: int, kind: str) -> bool:
    try:
        return booked(entry).kind.word == kind
    except Refused:
        return False


# --- a changed receipt is refused -----------------------------------------------------------------


def changes(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The receipt with one thing changed, as a cheat would."""
    for path in (
        ("claim", "amount"),
        ("claim", "player"),
        ("entry", "source_hash"),
        ("log", "checkpoint"),
    ):
        changed = json.loads(json.dumps(document))
        old = changed[path[0]][path[1]]
        changed[path[0]][path[1]] = old + 1 if isinstance(old, int) else _flipped(old)
        yield changed
    for number in (0, len(document["streams"][0]["records"]) // 2, -1):
        changed = json.loads(json.dumps(document))
        records = changed["streams"][0]["records"]
        records[number] = records[number].replace('"fmt":"tonk/event/1"', '"fmt":"tonk/event/2"')
        yield changed


def _flipped(text: str) -> str:
    middle = len(text) // 2
    return text[:middle] + ("1" if text[middle] != "1" else "2") + text[middle + 1 :]


def test_a_changed_receipt_does_not_hold(ona: Person, tmp_path: Path) -> None:
    table = a_played_table(ona, hands=2)
    seal_log()
    entry = payouts(table_stream(table))[0]
    document = proved(entry, tmp_path, UUID(booked_winner(entry)))
    for changed in changes(document):
        assert not judged(changed, tmp_path).holds


# --- the command ----------------------------------------------------------------------------------


def test_the_command_writes_the_same_receipt(ona: Person, tmp_path: Path) -> None:
    seal_log()
    entry, file = of_kind(wallet_stream(ona.id), "grant"), tmp_path / "grant.json"
    call_command("export", "receipt", str(entry), "--player", str(ona.id), "--out", str(file))
    written = json.loads(file.read_text(encoding="utf-8"))
    assert verify(file, *verifier_keys(tree.size())).holds
    expected: Any = receipt(booked(entry))
    assert written | {"made_at": ""} == expected | {"made_at": ""}


def test_the_command_says_why_there_is_no_receipt(ona: Person) -> None:
    table, stranger = a_table(ona), new_id()
    sits_down(table, ona)
    settle_due()
    buy_in = Entry.objects.get(stream=table_stream(table)).id
    grant = of_kind(wallet_stream(ona.id), "grant")
    with pytest.raises(CommandError, match=r"^there is no entry 999999999$"):
        call_command("export", "receipt", "999999999")
    nobody = rf"^entry {buy_in} pays nobody \(buy_in\): there is no receipt$"
    for whose in ((), ("--player", str(ona.id))):
        with pytest.raises(CommandError, match=nobody):
            call_command("export", "receipt", str(buy_in), *whose)
    with pytest.raises(CommandError, match=rf"^entry {grant} pays player {stranger} nothing"):
        call_command("export", "receipt", str(grant), "--player", str(stranger))
