"""Random histories of money: after each step the books are what a model by hand says."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from eventstore.core.ids import HOUSE, table_stream, tournament_stream, wallet_stream
from eventstore.core.refusal import Refused
from ledger.core.accounts import unstriped
from ledger.rebuild import compare
from ledger.services import settle, settle_due
from ledger.store.books import LIVE
from tests.integration.ledger.commands import command

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.integration.ledger.commands import Facts

pytestmark = pytest.mark.usefixtures("committed")
PLAYERS = st.integers(0, 4)
AMOUNTS = st.integers(1, 3_000)
STAFF = {"proposer": "s1", "approver": "s2", "reason_code": "correction"}
Legs = dict[str, int]  # account without stripe -> debit above 0, credit below


@dataclass
class Owed:
    """What a settler event will move once it is settled; `closes` empties an escrow."""

    legs: Legs
    closes: str | None = None


@dataclass
class Model:
    """Sums of legs by account, worked out apart from the product; what each stream still owes."""

    sums: Counter[str] = field(default_factory=Counter)
    owed: dict[str, list[Owed]] = field(default_factory=dict)
    entries: int = 0

    def has(self, account: str) -> int:
        """Balance of an account of a player or an escrow, which are liabilities."""
        return -self.sums[account]

    def move(self, legs: Legs) -> None:
        legs = {account: amount for account, amount in legs.items() if amount}
        self.sums.update(legs)
        self.entries += bool(legs)


class Books(RuleBasedStateMachine):
    """Five players, two tables, a tournament, and the house."""

    def __init__(self) -> None:
        super().__init__()
        self.players = [uuid4() for _ in range(5)]
        self.tables = [uuid4() for _ in range(2)]
        self.tournament = uuid4()
        self.model = Model()
        self.frozen: set[UUID] = set()
        self.held: dict[str, tuple[UUID, int]] = {}  # withdrawals under way
        self.entered: list[UUID] = []
        self.ended = False
        self.reversible: list[tuple[str, Legs]] = []
        self.before = entries_made()

    # --- names of accounts

    def wallet(self, player: UUID) -> str:
        return f"wallet:{player}:EUR"

    def seat(self, table: UUID, player: UUID) -> str:
        return f"seat:{table}:{player}:EUR"

    @property
    def pool(self) -> str:
        return f"tournament:{self.tournament}:EUR"

    @property
    def fees(self) -> str:
        return f"fees:{self.tournament}:EUR"

    # --- what is posted by the command itself

    def inline(self, stream: str, name: str, facts: Facts, legs: Legs) -> bool:
        """Whether the command was taken; it must be refused where a wallet can not pay."""
        payers = [one for one, amount in legs.items() if amount > 0 and one[:6] == "wallet"]
        short = any(legs[one] > self.model.has(one) for one in payers)
        stopped = any(f"wallet:{player}:EUR" in payers for player in self.frozen)
        code = None
        try:
            command(stream, (name, {**facts, "currency": "EUR"}))
        except Refused as refused:
            code = refused.refusal.code
        expected = {"insufficient_funds": short, "account_frozen": stopped}
        assert expected[code] if code else not any(expected.values())
        if code:
            return False
        self.model.move(legs)
        return True

    @rule(who=PLAYERS, amount=AMOUNTS)
    def deposit(self, who: int, amount: int) -> None:
        player, reference = self.players[who], uuid4().hex
        facts = {"amount": amount, "method": "manual", "reference": reference,
                 "approved_by": ["s1", "s2"]}  # fmt: skip
        legs = {"cash:manual:EUR": amount, self.wallet(player): -amount}
        assert self.inline(wallet_stream(player), "DepositRecorded", facts, legs)
        with pytest.raises(Refused, match="duplicate_reference"):
            command(wallet_stream(player), ("DepositRecorded", facts | {"currency": "EUR"}))
        self.reversible.append((self.newest_key(wallet_stream(player)), legs))

    @rule(who=PLAYERS, table=st.integers(0, 1), amount=AMOUNTS)
    def sit_down(self, who: int, table: int, amount: int) -> None:
        player, place = self.players[who], self.tables[table]
        facts = {"seat": who + 1, "player": str(player), "bot": None, "buy_in": amount}
        legs = {self.wallet(player): amount, self.seat(place, player): -amount}
        self.inline(table_stream(place), "SeatTaken", facts, legs)

    @rule(who=PLAYERS, buy_in=st.integers(0, 900), fee=st.integers(0, 90))
    @precondition(lambda self: not self.ended)
    def enter(self, who: int, buy_in: int, fee: int) -> None:
        player = self.players[who]
        facts = {"player": str(player), "entry_no": 1, "buy_in": buy_in, "fee": fee, "bounty": 0}
        legs = {self.wallet(player): buy_in + fee, self.pool: -buy_in, self.fees: -fee}
        if self.inline(tournament_stream(self.tournament), "EntryPaid", facts, legs):
            self.entered.append(player)

    @rule(who=PLAYERS, amount=AMOUNTS)
    def ask_for_money(self, who: int, amount: int) -> None:
        player, name = self.players[who], str(uuid4())
        legs = {self.wallet(player): amount, f"withdrawal:{player}:EUR": -amount}
        facts = {"withdrawal": name, "amount": amount}
        if self.inline(wallet_stream(player), "WithdrawalRequested", facts, legs):
            self.held[name] = (player, amount)

    @rule(paid=st.booleans())
    @precondition(lambda self: self.held)
    def decide_withdrawal(self, paid: bool) -> None:
        name, (player, amount) = self.held.popitem()
        out = {f"withdrawal:{player}:EUR": amount}
        facts: dict[str, object] = {"withdrawal": name, "amount": amount}
        if paid:
            facts |= {"method": "manual", "reference": name, "approved_by": ["s1", "s2"]}
            legs = out | {"cash:manual:EUR": -amount}
            assert self.inline(wallet_stream(player), "WithdrawalPaid", facts, legs)
            return
        legs = out | {self.wallet(player): -amount}
        facts["reason_code"] = "refused"
        assert self.inline(wallet_stream(player), "WithdrawalReturned", facts, legs)

    @rule(who=PLAYERS, amount=AMOUNTS, gift=st.booleans())
    def adjust(self, who: int, amount: int, gift: bool) -> None:
        player, sign = self.players[who], 1 if gift else -1
        legs = {"promotion:EUR": sign * amount, self.wallet(player): -sign * amount}
        if self.inline(wallet_stream(player), "AdjustmentApproved", adjustment(legs), legs):
            self.reversible.append((self.newest_key(wallet_stream(player)), legs))

    @rule()
    @precondition(lambda self: self.reversible)
    def reverse(self) -> None:
        key, legs = self.reversible.pop()
        mirror = {account: -amount for account, amount in legs.items()}
        facts = adjustment(mirror) | {"reverses": key}
        if self.inline(wallet_stream(HOUSE), "AdjustmentApproved", facts, mirror):
            with pytest.raises(Refused, match=r"already_reversed|insufficient_funds"):
                command(wallet_stream(HOUSE), ("AdjustmentApproved", facts | {"currency": "EUR"}))

    @rule(who=PLAYERS)
    def freeze_or_release(self, who: int) -> None:
        player = self.players[who]
        name = "WalletReleased" if player in self.frozen else "WalletFrozen"
        command(wallet_stream(player), (name, STAFF))
        self.frozen ^= {player}

    # --- what the settler posts

    def later(self, stream: str, name: str, facts: Facts, owed: Owed) -> None:
        command(stream, (name, {**facts, "currency": "EUR"}))
        self.model.owed.setdefault(stream, []).append(owed)

    def stack(self, table: UUID, player: UUID) -> int:
        """What lies before a seat once all that happened there is settled."""
        account = self.seat(table, player)
        coming = sum(
            one.legs.get(account, 0) for one in self.model.owed.get(table_stream(table), [])
        )
        return self.model.has(account) - coming

    def seated(self, table: UUID) -> list[UUID]:
        return [player for player in self.players if self.stack(table, player)]

    @rule(table=st.integers(0, 1), part=st.integers(1, 100), rake=st.integers(0, 10))
    def play(self, table: int, part: int, rake: int) -> None:
        place = self.tables[table]
        seated = self.seated(place)
        if len(seated) < 2:
            return
        winner, *losers = seated
        nets = {loser: -(self.stack(place, loser) * part // 100) for loser in losers}
        won = -sum(nets.values())
        taken = won * rake // 100
        amounts = [
            {"seat": number, "player": str(player), "amount": amount}
            for number, (player, amount) in enumerate({winner: won, **nets}.items(), 1)
        ]
        rakes = [{"seat": 1, "player": str(winner), "amount": taken}] if taken else []
        legs = {self.seat(place, loser): -net for loser, net in nets.items()}
        legs |= {self.seat(place, winner): taken - won, "rake:EUR": -taken}
        facts = {"net": amounts, "rake": rakes}
        self.later(table_stream(place), "HandEnded", facts, Owed(legs))

    @rule(table=st.integers(0, 1))
    def leave(self, table: int) -> None:
        place = self.tables[table]
        for player in self.seated(place)[:1]:
            stack = self.stack(place, player)
            facts = {"seat": 1, "player": str(player), "amount": stack}
            legs = {self.seat(place, player): stack, self.wallet(player): -stack}
            self.later(table_stream(place), "SeatCashedOut", facts, Owed(legs))

    @rule(cancelled=st.booleans(), rake=st.integers(0, 10))
    @precondition(lambda self: self.entered and not self.ended)
    def end_tournament(self, cancelled: bool, rake: int) -> None:
        """Everything to the first who entered, as a prize or as a refund."""
        stream, winner = tournament_stream(self.tournament), self.entered[0]
        pool, fees = self.model.has(self.pool), self.model.has(self.fees)
        kept = pool * rake // 100
        parts: list[Legs] = [{self.pool: kept, "rake:EUR": -kept}]
        if cancelled:
            refund = {"player": str(winner), "pool": pool - kept, "fee": fees, "bounty": 0}
            facts: Mapping[str, object] = {"rake": kept, "fees_kept": 0, "refunds": [refund]}
            back = {self.pool: pool - kept, self.fees: fees}
            parts.append(back | {self.wallet(winner): kept - pool - fees})
        else:
            prize = {"place": 1, "player": str(winner), "amount": pool - kept}
            facts = {
                "overlay": 0,
                "rake": kept,
                "fees": fees,
                "heads_to_pool": 0,
                "prizes": [prize],
            }
            parts.append({self.fees: fees, "fee_income:EUR": -fees})
            parts.append({self.pool: pool - kept, self.wallet(winner): kept - pool})
        self.later(stream, "Cancelled" if cancelled else "PrizesComputed", facts, Owed(parts[0]))
        self.model.owed[stream] += [Owed(part) for part in parts[1:]]
        command(stream, ("Settled", {"checked_version": 1}))
        self.ended = True

    @rule(twice=st.booleans())
    def settle_all(self, twice: bool) -> None:
        for stream, owed in self.model.owed.items():
            assert settle(stream).parked_code is None
            if twice:
                assert settle(stream).events == 0
            for one in owed:
                self.model.move(one.legs)
        self.model.owed.clear()

    # --- what must hold after each step

    @invariant()
    def balances_are_those_of_the_model(self) -> None:
        assert balances_of([*self.players, *self.tables, self.tournament]) == {
            account: amount for account, amount in self.model.sums.items()
            if amount and account.count(":") > 1 and not account.startswith("cash")
        }  # fmt: skip

    @invariant()
    def every_entry_is_there_once(self) -> None:
        assert entries_made() - self.before == self.model.entries

    @invariant()
    def money_in_is_money_out(self) -> None:
        assert LIVE.rows("SELECT coalesce(sum(amount), 0) FROM ledger.posting") == [(0,)]
        below = "SELECT count(*) FROM ledger.account_balance WHERE balance < min_balance"
        assert LIVE.rows(below) == [(0,)]

    def newest_key(self, stream: str) -> str:
        rows = LIVE.rows("SELECT max(version) FROM ledger.entry WHERE stream = %s", [stream])
        return f"{stream}@{rows[0][0]}#0"


def adjustment(legs: Legs) -> dict[str, object]:
    lines = [{"account": account, "amount": amount} for account, amount in legs.items()]
    return {
        "adjustment": str(uuid4()),
        "lines": lines,
        "reverses": None,
        "effective": None,
        **STAFF,
    }


def entries_made() -> int:
    return int(LIVE.rows("SELECT count(*) FROM ledger.entry")[0][0])


def balances_of(subjects: list[UUID]) -> dict[str, int]:
    """Sums of legs of the accounts of these players, tables and tournaments; no zeros."""
    rows = LIVE.rows(
        """SELECT a.code, b.balance * b.sign FROM ledger.account a
        JOIN ledger.account_balance b ON b.account_id = a.id
        WHERE (a.owner = ANY(%(ids)s::uuid[]) OR a.scope = ANY(%(ids)s::uuid[]))
            AND b.balance <> 0""",
        {"ids": subjects},
    )
    return {unstriped(code): int(balance) for code, balance in rows}


def test_random_histories_keep_every_invariant() -> None:
    few = settings(
        max_examples=12,
        stateful_step_count=25,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Books, settings=few)
    settle_due()
    assert compare().difference is None
