"""What happened, told as logs: one story for each kind of receipt, with a receipt to be made."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from eventstore.core.ids import HOUSE_STREAM, tournament_stream, wallet_stream
from games.rules import events as table_events
from ledger.core import events as wallet_events
from ledger.core.entries import key_of
from tests.verify.hands import PLAYERS, Seating, options_of
from tests.verify.log import Case, Claimed, Log, Slice, case
from tournaments.core import events as tournament_events

TABLE = UUID("0199c2b2-6c1f-7033-818c-ef2df94c3850")
TOURNAMENT = "0199c2b2-6c1f-7444-8000-00000000000a"
WITHDRAWAL, ADJUSTMENT = (
    "0199c2b2-6c1f-7555-8000-00000000000a",
    "0199c2b2-6c1f-7666-8000-000000000001",
)
STAFF = ("0199c2b2-6c1f-72d2-9a11-c843f130d61e", "0199c2b2-6c1f-72d2-9a11-c843f130d61f")
ONA, JONAS, RUTA = PLAYERS
WALLET = wallet_stream(ONA)


def seating(log: Log, count: int = 3, **settings: Any) -> Seating:
    """An open cash table with so many players."""
    options = settings.pop("options", None) or options_of()
    table = Seating(log=log, table=TABLE, options=options, **settings)
    table.open()
    for seat, player in enumerate(PLAYERS[:count], 1):
        table.sit(seat, player, 5000)
    return table


def noise(log: Log) -> None:
    """Records of other streams, so that places in the log and versions differ."""
    log.append(
        wallet_stream(JONAS),
        wallet_events.ChipsGranted(amount=10_000, currency="XTK", reason_code="registration"),
        actor="worker:payments",
    )


def of_hand(table: Seating, first: int, ended: int) -> Case:
    """The receipt of who won most in a hand."""
    source = next(
        one for one in table.log.order if one.stream == table.stream and one.version == ended
    )
    assert isinstance(source.event, table_events.HandEnded)
    won = max(source.event.net, key=lambda one: one.amount)
    account = f"seat:{table.table}:{won.player}:{table.currency}"
    noise(table.log)
    claimed = Claimed(source, 0, account, won.player)
    return case(table.log, claimed, Slice(table.stream, first, ended + 1))


def played(table: Seating, seed: str, **more: Any) -> int:
    """A hand in which money moves: seeds are tried until one does."""
    version = table.play(seed, **more)
    while not any(one.amount for one in _ended(table, version).net):
        seed += "'"
        version = table.play(seed, **more)
    return version


def _ended(table: Seating, version: int) -> table_events.HandEnded:
    found = next(
        one.event
        for one in table.log.order
        if one.stream == table.stream and one.version == version
    )
    assert isinstance(found, table_events.HandEnded)
    return found


def hand_revealed() -> Case:
    """All seats gave a seed, in two hands, the second one claimed."""
    table = seating(Log())
    first = min(table.anchor(seat, f"chain {seat}") for seat in table.sitters)
    noise(table.log)
    played(table, "first")
    return of_hand(table, first, played(table, "second", policy="greedy-1"))


def hand_silent() -> Case:
    """One seat gave a seed, one stayed silent, one has no anchor; the claim is by knock."""
    table = seating(Log())
    first = table.anchor(1, "chain a")
    table.anchor(2, "chain b")
    return of_hand(table, first, played(table, "silent", silent=[2]))


def hand_bots() -> Case:
    """Nobody gave a seed: the slice begins with the commitment."""
    log = Log()
    table = Seating(log=log, table=TABLE, options=options_of())
    table.open()
    for seat, player in enumerate(PLAYERS[:2], 1):
        table.sit(seat, player, 5000, bot="greedy-1@1")
    played(table, "earlier")
    ended = played(table, "bots")
    return of_hand(table, table.committed[-1], ended)


def hand_strict_abort() -> Case:
    """A strict hand after a commitment that a silent seat let come to nothing."""
    table = seating(Log(), 2, fairness="strict")
    first = min(table.anchor(seat, f"strict {seat}") for seat in table.sitters)
    table.abort("aborted", [2])
    return of_hand(table, first, played(table, "strict"))


def strict_silent() -> Case:
    """A strict hand that was dealt although a seat stayed silent: no server may."""
    table = seating(Log(), 2, fairness="strict")
    first = min(table.anchor(seat, f"strict {seat}") for seat in table.sitters)
    return of_hand(table, first, played(table, "strict", silent=[2]))


def strict_unanchored() -> Case:
    """A strict hand that was dealt to a person without an anchor: no server may."""
    table = seating(Log(), 2, fairness="strict")
    first = table.anchor(1, "strict")
    return of_hand(table, first, played(table, "strict"))


def hand_beacon() -> Case:
    """A hand whose deck depends on public randomness."""
    table = seating(Log(), 2, fairness="beacon")
    first = min(table.anchor(seat, f"beacon {seat}") for seat in table.sitters)
    return of_hand(table, first, played(table, "beacon"))


def hand_reshuffle() -> Case:
    """The stock ran out and the pile was shuffled; a new anchor came in between."""
    options = options_of(on_empty_stock="reshuffle", hand_size=9, knock_from_round=10, jokers=1)
    number = 0
    while True:
        number += 1
        table = seating(Log(), options=options)
        first = min(table.anchor(seat, f"again {seat}") for seat in table.sitters)
        ended = played(table, f"reshuffle {number}")
        if any(one.type == "PileReshuffled" for one in table.log.order):
            return of_hand(table, first, ended)


def hand_jokers() -> Case:
    """Jokers, wild deuces, faces of 11 to 13, deadwood, slaps; spreads with wild cards."""
    options = options_of(
        jokers=2,
        joker_value=15,
        deuces_wild=True,
        face_values=[11, 12, 13],
        count_method="deadwood",
        ace_runs="high_or_low",
        hand_size=7,
        slap=True,
    )
    number = 0
    while True:
        number += 1
        table = seating(Log(), options=options)
        first = table.anchor(1, "jokers")
        ended = played(table, f"jokers {number}")
        types = {one.type for one in table.log.order}
        if {"SpreadLaid", "CardHit", "CardSlapped"} <= types:
            return of_hand(table, first, ended)


def hand_short() -> Case:
    """The short pack, no upcard, two hands of which one was voided."""
    options = options_of(deck=40, hand_size=5, initial_upcard=False, count_method="deadwood")
    table = seating(Log(), options=options)
    first = table.anchor(1, "short")
    table.void("void")
    return of_hand(table, first, played(table, "short"))


def old_anchor(*, cut: bool = False) -> Case:
    """Who sat down again goes on with the seeds of the earlier stay, which is over (5.2).

    `cut`: the records of the receipt begin when he sits down again.
    """
    table = seating(Log(), 3)
    first = table.anchor(3, "stay")
    played(table, "stay")
    chain = table.sitters[3].anchor
    table.cash_out(3)
    again = table.sit(3, RUTA, 3000)
    table.sitters[3].anchor = chain
    played(table, "again")
    version = table.cash_out(3)
    noise(table.log)
    source = next(one for one in reversed(table.log.order) if one.type == "SeatCashedOut")
    claimed = Claimed(source, 0, f"wallet:{RUTA}:EUR", RUTA)
    return case(table.log, claimed, Slice(table.stream, again if cut else first, version))


def cash_out() -> Case:
    """A stay of several hands with a top-up, from the seat taken to the cash-out."""
    table = seating(Log(), 2)
    table.anchor(1, "before")
    played(table, "not mine")
    first = table.sit(3, RUTA, 3000)
    table.anchor(3, "ruta")
    played(table, "one")
    table.top_up(3, 700)
    table.void("two")
    played(table, "three")
    version = table.cash_out(3)
    noise(table.log)
    source = next(one for one in table.log.order if one.type == "SeatCashedOut")
    claimed = Claimed(source, 0, f"wallet:{RUTA}:EUR", RUTA)
    return case(table.log, claimed, Slice(table.stream, first, version))


def lost_seeds() -> Case:
    """A stay with two hands whose seeds were lost: one that ran, one that waited for seeds."""
    table = seating(Log(), 2)
    table.anchor(1, "ona")
    first = table.sit(3, RUTA, 3000)
    table.anchor(3, "ruta")
    played(table, "one")
    table.void("two", is_lost=True)
    table.void_undealt("three")
    played(table, "four")
    version = table.cash_out(3)
    noise(table.log)
    source = next(one for one in table.log.order if one.type == "SeatCashedOut")
    claimed = Claimed(source, 0, f"wallet:{RUTA}:EUR", RUTA)
    return case(table.log, claimed, Slice(table.stream, first, version))


def _entered(log: Log, count: int = 3) -> str:
    stream = tournament_stream(TOURNAMENT)
    log.append(
        stream, tournament_events.RegistrationOpened(by="organiser"), actor=f"staff:{STAFF[0]}"
    )
    for player in PLAYERS[:count]:
        log.append(
            stream,
            tournament_events.EntryPaid(
                player=player, entry_no=1, buy_in=1000, fee=100, bounty=200, currency="EUR"
            ),
            actor=f"player:{player}",
        )
    return stream


def _computed(part: int, *prizes: tuple[int, str, int]) -> tournament_events.PrizesComputed:
    return tournament_events.PrizesComputed(
        part=part,
        parts=2,
        currency="EUR",
        overlay=300 if part == 1 else 0,
        rake=150 if part == 1 else 0,
        fees=300 if part == 1 else 0,
        heads_to_pool=0,
        prizes=tuple(
            tournament_events.Prize(place=place, player=player, amount=amount, ticket_for=None)
            for place, player, amount in prizes
        ),
        vector_hash="ab" * 32 if part == 1 else None,
    )


def _match(log: Log) -> tuple[Seating, int]:
    """A hand of the last match, with short stacks, and where its slice begins."""
    table = Seating(
        log=log,
        table=TABLE,
        options=options_of(),
        currency="CHIPS",
        stake=50,
        payment="table_stakes",
        rake=table_events.Rake(bp=0, cap=None),
    )
    table.open(TOURNAMENT)
    for seat, (player, chips) in enumerate(zip(PLAYERS, (500, 40, 400), strict=True), 1):
        table.sit(seat, player, chips)
    first = table.anchor(1, "match")
    played(table, "match one")
    played(table, "match two")
    return table, first


def prize_parts() -> Case:
    """A prize in the second of two parts, with the hands of the last match."""
    log = Log()
    stream = _entered(log)
    table, first = _match(log)
    made = log.append(
        stream,
        _computed(1, (1, ONA, 2000)),
        _computed(2, (2, JONAS, 900), (3, RUTA, 250)),
        actor="worker:director",
    )
    claimed = Claimed(made[1], 10, f"wallet:{JONAS}:EUR", JONAS)
    return case(
        log,
        claimed,
        Slice(stream, 1, made[1].version),
        Slice(table.stream, first, table.ended[-1] + 1),
    )


def bounty() -> Case:
    """A head that two players share."""
    log = Log()
    stream = _entered(log)
    (made,) = log.append(
        stream,
        tournament_events.BountyPaid(
            head=RUTA,
            paid=tuple(
                tournament_events.AmountOfPlayer(player=player, amount=100)
                for player in (ONA, JONAS)
            ),
            added_to_head=(),
            currency="EUR",
        ),
        actor="worker:director",
    )
    claimed = Claimed(made, 11, f"wallet:{JONAS}:EUR", JONAS)
    return case(log, claimed, Slice(stream, 1, made.version))


def refund() -> Case:
    """An entry that was withdrawn."""
    log = Log()
    stream = _entered(log)
    (made,) = log.append(
        stream,
        tournament_events.EntryRefunded(
            player=ONA,
            entry_no=1,
            pool=1000,
            fee=100,
            bounty=200,
            currency="EUR",
            reason="withdrawn",
        ),
        actor=f"player:{ONA}",
    )
    claimed = Claimed(made, 0, f"wallet:{ONA}:EUR", ONA)
    return case(log, claimed, Slice(stream, 1, made.version))


def refund_cancelled() -> Case:
    """Everything back because the tournament was cancelled, in two parts."""
    log = Log()
    stream = _entered(log)
    refunds = [
        tournament_events.Refund(player=player, entry_no=1, pool=1000, fee=100, bounty=200)
        for player in PLAYERS
    ]
    made = log.append(
        stream,
        *(
            tournament_events.Cancelled(
                part=part,
                parts=2,
                policy="before_start",
                reason_code="asked",
                currency="EUR",
                rake=0,
                fees_kept=0,
                refunds=tuple(refunds[:2] if part == 1 else refunds[2:]),
            )
            for part in (1, 2)
        ),
        actor=f"staff:{STAFF[0]}",
    )
    claimed = Claimed(made[0], 11, f"wallet:{JONAS}:EUR", JONAS)
    return case(log, claimed, Slice(stream, 1, made[1].version))


def compensation() -> Case:
    """What one player got too much goes to another; a part of it is owed."""
    log = Log()
    stream = _entered(log)
    (made,) = log.append(
        stream,
        tournament_events.CompensationPosted(
            part=1,
            parts=1,
            currency="EUR",
            reason_code="disqualified",
            debits=(tournament_events.Debit(player=ONA, wallet=700, receivable=300),),
            credits=(tournament_events.AmountOfPlayer(player=JONAS, amount=1000),),
        ),
        actor=f"staff:{STAFF[0]}",
    )
    claimed = Claimed(made, 0, f"wallet:{JONAS}:EUR", JONAS)
    return case(log, claimed, Slice(stream, 1, made.version))


def deposit() -> Case:
    """Money that two people saw come in."""
    log = Log()
    noise(log)
    (made,) = log.append(
        WALLET,
        wallet_events.DepositRecorded(
            amount=5000,
            currency="EUR",
            method="manual",
            reference="bank-2026-000017",
            approved_by=STAFF,
        ),
        actor=f"staff:{STAFF[1]}",
    )
    return _of_wallet(log, 1, made.version, f"wallet:{ONA}:EUR")


def grant() -> Case:
    """Play chips."""
    log = Log()
    noise(log)
    granted = wallet_events.ChipsGranted(amount=10_000, currency="XTK", reason_code="registration")
    (made,) = log.append(WALLET, granted, actor="worker:payments")
    return _of_wallet(log, 1, made.version, f"wallet:{ONA}:XTK")


def _requested(log: Log) -> int:
    granted = wallet_events.ChipsGranted(amount=10_000, currency="XTK", reason_code="registration")
    log.append(WALLET, granted, actor="worker:payments")
    (made,) = log.append(
        WALLET,
        wallet_events.WithdrawalRequested(withdrawal=WITHDRAWAL, amount=6000, currency="EUR"),
        actor=f"player:{ONA}",
    )
    return made.version


def withdrawal_paid() -> Case:
    """Asked for, approved by two, paid out."""
    log = Log()
    first = _requested(log)
    log.append(
        WALLET,
        wallet_events.WithdrawalApproved(withdrawal=WITHDRAWAL, approved_by=STAFF),
        actor=f"staff:{STAFF[1]}",
    )
    (made,) = log.append(
        WALLET,
        wallet_events.WithdrawalPaid(
            withdrawal=WITHDRAWAL,
            amount=6000,
            currency="EUR",
            method="manual",
            reference="bank-2026-000018",
            approved_by=STAFF,
        ),
        actor=f"staff:{STAFF[1]}",
    )
    return _of_wallet(log, first, made.version, f"withdrawal:{ONA}:EUR")


def withdrawal_returned() -> Case:
    """Asked for, refused, back in the wallet."""
    log = Log()
    first = _requested(log)
    made = log.append(
        WALLET,
        wallet_events.WithdrawalRejected(
            withdrawal=WITHDRAWAL, rejected_by=STAFF[0], reason_code="account_unknown"
        ),
        wallet_events.WithdrawalReturned(
            withdrawal=WITHDRAWAL, amount=6000, currency="EUR", reason_code="rejected"
        ),
        actor=f"staff:{STAFF[0]}",
    )
    return _of_wallet(log, first, made[1].version, f"wallet:{ONA}:EUR")


def _adjusted(log: Log, stream: str, lines: dict[str, int], reverses: str | None) -> int:
    proposed: dict[str, Any] = {
        "adjustment": ADJUSTMENT,
        "lines": tuple(
            wallet_events.Line(account=account, amount=amount) for account, amount in lines.items()
        ),
        "currency": "EUR",
        "reason_code": "wrong_amount" if reverses else "goodwill",
        "proposer": STAFF[0],
        "reverses": reverses,
        "effective": None,
    }
    (first,) = log.append(
        stream,
        wallet_events.AdjustmentProposed(**proposed),
        actor=f"staff:{STAFF[0]}",
    )
    log.append(
        stream,
        wallet_events.AdjustmentApproved(approver=STAFF[1], **proposed),
        actor=f"staff:{STAFF[1]}",
    )
    return first.version


def adjustment() -> Case:
    """Goodwill by two people."""
    log = Log()
    noise(log)
    first = _adjusted(log, WALLET, {"promotion:EUR": 250, f"wallet:{ONA}:EUR": -250}, None)
    return _of_wallet(log, first, first + 1, f"wallet:{ONA}:EUR")


def reversal() -> Case:
    """A wrong withdrawal of money taken back by its mirror, in the house's stream."""
    log = Log()
    noise(log)
    mirror = {"adjustment:EUR": 700, f"wallet:{ONA}:EUR": -700}
    first = _adjusted(log, HOUSE_STREAM, mirror, key_of(WALLET, 9, 0))
    return _of_wallet(log, first, first + 1, f"wallet:{ONA}:EUR")


def _of_wallet(log: Log, first: int, last: int, account: str) -> Case:
    source = log.order[-1]
    noise(log)
    return case(log, Claimed(source, 0, account, ONA), Slice(source.stream, first, last))
