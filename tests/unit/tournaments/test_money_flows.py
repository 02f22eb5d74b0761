"""Random tournaments of every option: what comes in goes out, to the unit and to the right people.

Each is told twice, to the product, whose facts become entries of the ledger, and to a twin that
computes with nothing of the product.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.core.refusal import InvariantBroken, Refusal
from ledger.case_reading import stored
from ledger.core.accounts import parse, unstriped
from ledger.core.entries import entries_for
from tests.unit.tournaments.money_twin import Groups, Twin, deal
from tournaments.core import (
    bounties,
    cancelling,
    compensation,
    deals,
    events,
    late_entry,
    prizes,
    satellites,
)
from tournaments.core.cancelling import Held, Situation
from tournaments.core.late_entry import Buyer, Terms, Whereabouts, Window
from tournaments.core.prizes import Flow, Payout, Pool

CURRENCY = "XTK"
ENTRIES_MAX = 100
ESCROW = ("tournament", "fees", "bounty")
STREAM = "tournament/01890000-0000-7000-8000-000000000001"


def name(number: int) -> str:
    return f"01890000-0000-7000-8000-{number + 1000:012d}"


@dataclass
class Product:
    """What services would do with the cores, and the books of it."""

    options: dict[str, Any]
    log: list[events.Event] = field(default_factory=list)
    net: Counter[str] = field(default_factory=Counter)
    escrow: Counter[str] = field(default_factory=Counter)
    held: dict[tuple[str, int], Held] = field(default_factory=dict)
    newest: Counter[str] = field(default_factory=Counter)
    heads: dict[str, int] = field(default_factory=dict)

    @property
    def terms(self) -> Terms:
        limits = {"entries_max": ENTRIES_MAX, "reentries_max": 99, "rebuys_max": 99}
        names = ("buy_in", "fee", "bounty", "addon_price", "rebuy_price")
        return late_entry.terms_of(
            {
                **limits,
                **{one: self.options[one] for one in names},
                "currency": CURRENCY,
                "stack_stakes": 30,
                "addon_stakes": 10,
                "stakes": [10],
                "rebuy_until_level": 1,
                "addon_after_level": 1,
                "unknown": None,
            }
        )

    @property
    def payout(self) -> Payout:
        own = self.options
        bp = own["payout_bp"] and tuple(own["payout_bp"])
        return Payout(own["payout"], bp, own["payout_top"], own["round_to"])

    @property
    def entries(self) -> list[Held]:
        """Entries not given back: of a no-show nothing but his fee is held."""
        return [one for key, one in self.held.items() if key not in self._given_back]

    @property
    def _given_back(self) -> set[tuple[str, int]]:
        facts = [one for one in self.log if isinstance(one, events.EntryRefunded)]
        return {(one.player, one.entry_no) for one in facts}

    @property
    def players(self) -> int:
        return len({one.player for one in self.entries})

    @property
    def pool(self) -> Pool:
        rake_bp, guarantee = self.options["rake_bp"], self.options["guarantee"]
        collected = sum(one.pool for one in self.entries)
        return prizes.pool_of(collected, rake_bp=rake_bp, guarantee=guarantee)

    def tickets(self) -> satellites.Tickets:
        pool = self.pool.amount
        return satellites.cut(pool, price=self.options["ticket"], players=self.players)

    def vector(self, *, players: int | None = None) -> list[int]:
        if self.options["ticket"]:
            return self.tickets().vector
        return prizes.vector(
            self.pool.amount,
            self.payout,
            entries=len(self.entries),
            players=players or self.players,
            price=self.options["buy_in"] + self.options["fee"],
        )

    # Steps

    def enter(self, player: str, stands: Whereabouts = "absent") -> None:
        buyer = Buyer(player, self.newest[player], stands)
        self.take(late_entry.enter(self.terms, Window(1, 1), buyer, entries=len(self.entries)))

    def buy(self, kind: Literal["rebuy", "addon"], player: str) -> None:
        buyer = Buyer(player, self.newest[player], "alive", chips=300 if kind == "rebuy" else 900)
        if kind == "rebuy":
            self.take(late_entry.rebuy(self.terms, buyer, level=1))
        else:
            self.take(late_entry.add_on(self.terms, buyer, break_after_level=1))

    def leave(self, player: str, *, fee_back: bool) -> None:
        held = self.held[player, self.newest[player]]
        self.take(
            events.EntryRefunded(
                player=player,
                entry_no=held.entry_no,
                pool=held.pool,
                fee=held.fee if fee_back else 0,
                bounty=self.heads.get(player, 0),
                currency=CURRENCY,
                reason="withdrawn" if fee_back else "no_check_in",
            )
        )

    def hand(self, busts: Iterable[tuple[str, list[str]]]) -> None:
        kind = self.options["bounty_kind"]
        for fact in bounties.busts_of_hand(self.heads, busts, kind=kind, currency=CURRENCY):
            self.take(fact)

    def finish(self, ranks: Groups, sealed: events.DealSealed | None = None) -> None:
        vector, holders = self.vector(), tuple[str, ...]()
        if sealed:
            amounts = deals.final_amounts(vector, ranks, sealed)
        elif self.options["ticket"]:
            awards = satellites.award(self.tickets(), ranks)
            amounts, holders = dict(awards.amounts), awards.ticket_holders
            assert all(amounts[player] >= self.options["ticket"] for player in holders)
        else:
            amounts = prizes.share_places(vector, ranks)
        last = bounties.at_completion(self.heads, ranks[0], CURRENCY)
        self.take(*last.facts)
        amounts = bounties.to_first_place(amounts, ranks[0], last.heads_to_pool)
        pool = replace(self.pool, heads_to_pool=last.heads_to_pool)
        prizes.assert_paid_out(amounts, pool)
        fees = sum(one.fee for one in self.held.values())
        won = prizes.prize_list(amounts, ranks, tickets=holders, ticket_for=STREAM)
        assert [one.player for one in won if one.ticket_for] == [*holders]
        computed = events.PrizesComputed(
            part=1,
            parts=1,
            currency=CURRENCY,
            overlay=pool.overlay,
            rake=pool.rake,
            fees=fees,
            heads_to_pool=pool.heads_to_pool,
            prizes=tuple(won),
            vector_hash=None,
        )
        prizes.assert_balanced(self.flow(computed))
        self.take(computed)

    def flow(self, computed: events.PrizesComputed) -> Flow:
        bought = [one for one in self.log if isinstance(one, events.EntryPaid | events.ReEntered)]
        added = [
            one for one in self.log if isinstance(one, events.RebuyBought | events.AddOnBought)
        ]
        back = [one for one in self.log if isinstance(one, events.EntryRefunded)]
        heads = [one for one in self.log if isinstance(one, events.BountyPaid)]
        return Flow(
            paid_in=sum(one.buy_in + one.fee + one.bounty for one in bought)
            + sum(one.amount for one in added),
            overlay=computed.overlay,
            prizes=sum(one.amount for one in computed.prizes),
            bounties=sum(paid.amount for one in heads for paid in one.paid),
            rake=computed.rake,
            fees=computed.fees,
            refunds=sum(one.pool + one.fee + one.bounty for one in back),
        )

    def cancel(self, status: str, weights: dict[str, int], out: Groups, *, closed: bool) -> str:
        held = [
            replace(one, head=self.heads.get(player, 0) if number == self.newest[player] else 0)
            for (player, number), one in self.held.items()
        ]
        now = Situation(held, weights)
        if closed:
            rake, vector = cancelling.without_overlay(
                held,
                rake_bp=self.options["rake_bp"],
                payout=self.payout,
                places=len(self.vector()),
            )
            now = Situation(held, weights, out, vector, rake)
        answer = cancelling.cancel(status, now)
        assert not isinstance(answer, Refusal)
        self.take(*cancelling.facts(answer, reason_code="test", currency=CURRENCY))
        return answer.policy

    def put_right(self, ranks: Groups, cheat: str, wallet: int) -> None:
        vector = self.vector(players=self.players - 1)
        due = compensation.due_without(vector, ranks, [cheat])
        paid = prizes.share_places(self.vector(), ranks)
        changes = compensation.differences(paid, due)
        self.take(
            *compensation.facts(
                changes, {cheat: wallet}, currency=CURRENCY, reason_code="disqualified"
            )
        )

    # The books

    def take(self, *facts: events.Event | Refusal) -> None:
        for fact in facts:
            assert not isinstance(fact, Refusal), fact
            self.log.append(fact)
            self.heads = bounties.after(self.heads, [fact])
            self._keep(fact)
            plain = msgspec.json.decode(msgspec.json.encode(fact))
            entries = entries_for(stored(STREAM, len(self.log), type(fact).__name__, plain))
            assert not isinstance(entries, Refusal), entries
            for code, amount in (leg for entry in entries for leg in entry.legs):
                account = parse(unstriped(code))
                if account.role.name in ESCROW:
                    self.escrow[account.role.name] -= amount
                else:
                    self.net[account.ids[0] if account.ids else account.role.name] -= amount
            assert min(self.escrow.values(), default=0) >= 0

    def _keep(self, fact: events.Event) -> None:
        match fact:
            case events.EntryPaid() | events.ReEntered():
                key = fact.player, fact.entry_no
                self.held[key] = Held(*key, pool=fact.buy_in, fee=fact.fee)
                self.newest[fact.player] = fact.entry_no
            case events.RebuyBought() | events.AddOnBought():
                key = fact.player, fact.entry_no
                self.held[key] = replace(self.held[key], pool=self.held[key].pool + fact.amount)
            case events.EntryRefunded():
                key = fact.player, fact.entry_no
                left = self.held[key]
                self.held[key] = replace(left, pool=left.pool - fact.pool, fee=left.fee - fact.fee)
            case _:
                pass


@dataclass
class Story:
    """One random tournament, told to both. Who is out stands in `out`, the first to go first."""

    random: Random
    options: dict[str, Any]
    product: Product
    twin: Twin
    living: list[str] = field(default_factory=list)
    out: Groups = field(default_factory=list)
    closed: bool = False
    ended_by: str = ""

    @classmethod
    def of(cls, seed: int) -> "Story":
        random = Random(seed)
        options = _options(random)
        return cls(random, options, Product(options), Twin(options))

    def enter(self, player: str, stands: Whereabouts = "absent") -> None:
        self.product.enter(player, stands)
        self.twin.enter(player)
        self.living.append(player)

    def gather(self) -> None:
        for number in range(self.random.randint(2, 12)):
            self.enter(name(number))
        for player in self.random.sample(
            self.living, self.random.randint(0, min(3, len(self.living)))
        ):
            if len(self.living) > 2:
                fee_back = self.random.random() < 0.5
                self.product.leave(player, fee_back=fee_back)
                self.twin.leave(player, fee_back=fee_back)
                self.living.remove(player)
                if fee_back and self.random.random() < 0.3:
                    self.enter(player)

    def play(self) -> None:
        """To one player, to an early end, or to a deal."""
        early = self.random.choice([0, 0, 2, 3, 4, 6])
        while len(self.living) > max(1, early):
            if not self.closed and self.random.random() < 0.5:
                self.buy()
            else:
                self.hand()
            self.closed = self.closed or self.random.random() < 0.2

    def buy(self) -> None:
        gone = [player for group in self.out for player in group]
        kind = self.random.choice(["rebuy", "addon", "late", "again"])
        if kind == "late":
            self.enter(name(50 + len(self.product.log)))
        elif kind == "again" and gone:
            player = self.random.choice(gone)
            self.enter(player, "bust")
            self.out = [rest for group in self.out if (rest := [p for p in group if p != player])]
        elif kind in ("rebuy", "addon"):
            player = self.random.choice(self.living)
            price = self.options["rebuy_price" if kind == "rebuy" else "addon_price"]
            self.product.buy("rebuy" if kind == "rebuy" else "addon", player)
            self.twin.buy(player, price)

    def hand(self) -> None:
        count = min(len(self.living) - 1, self.random.choice([1, 1, 1, 2, 3]))
        losers = self.random.sample(self.living, count)
        others = [player for player in self.living if player not in losers]
        disqualified = count == 1 and self.random.random() < 0.15
        busts = []
        for player in losers:
            number = self.random.randint(1, min(3, len(others)))
            busts.append((player, [] if disqualified else self.random.sample(others, number)))
        self.product.hand(busts)
        for player, capturers in busts:
            self.twin.bust(player, capturers)
        self.living = others
        if self.closed and self.random.random() < 0.4:
            self.out.append(losers)
        else:
            self.out += [[player] for player in losers]

    def end(self) -> None:
        if len(self.living) == 1:
            self.end_with_a_winner()
        elif not (self.closed and self.random.random() < 0.7 and self.deal()):
            weights = {player: self.random.choice([0, 100, 100, 250]) for player in self.living}
            self.call_off(self.random.choice(["running", "paused"]), weights)

    def ranks(self) -> Groups:
        return [[player] for player in self.living] + self.out[::-1]

    def end_with_a_winner(self) -> None:
        ranks = self.ranks()
        if self.random.random() < 0.2:
            self.call_off("completed", {})
            return
        self.product.finish(ranks)
        self.twin.finish(ranks)
        self.ended_by = "finish"
        if not self.options["ticket"] and len(self.out) and self.random.random() < 0.3:
            cheat = self.random.choice([player for group in ranks for player in group])
            self.product.put_right(ranks, cheat, wallet=self.random.choice([0, 500, 10**9]))
            self.twin.put_right(ranks, cheat)
            self.ended_by = "compensation"

    def call_off(self, status: str, weights: dict[str, int]) -> None:
        out = self.out[::-1]
        if self.options["ticket"]:
            self.closed = False  # a satellite's vector anew is not told to the twin
        self.ended_by = self.product.cancel(status, weights, out, closed=self.closed)
        if weights:
            self.twin.call_off(weights, out, closed=self.closed)
        else:
            self.twin.all_back()

    def deal(self) -> bool:
        chips = {player: self.random.choice([100, 100, 300, 5000]) for player in self.living}
        standing = deals.Standing(True, CURRENCY, chips, self.product.vector())
        method: deals.Method = self.random.choice(["equal", "chip_chop"])
        bp = self.random.choice([0, 0, 200, 1000])
        proposed = deals.propose(standing, deal=name(0), method=method, leave_bp=bp, expires_at="9")
        left_prizes = self.twin.vector()[: len(chips)]
        left = sum(left_prizes) * bp // 10_000
        if isinstance(proposed, Refusal):
            assert len(left_prizes) < len(chips) or left > left_prizes[0] - left_prizes[1]
            return False
        asked: deals.Open | None = deals.Open(proposed)
        for player in chips:
            agreed = deals.accept(asked, player=player, deal_hash=proposed.hash, at="1")
            assert not isinstance(agreed, Refusal)
            asked = deals.after(asked, agreed[0])
        sealed = deals.seal(asked, deal_hash=proposed.hash, at="1")
        assert not isinstance(sealed, Refusal)
        amounts = deal(method, chips, left_prizes, left)
        assert {one.player: one.amount for one in sealed.amounts} == amounts
        if deals.ends_play(sealed):
            places = deals.places_by_chips(chips)
            bests = sorted({best for best, _ in places.values()})
            first = [[p for p in places if places[p][0] == best] for best in bests]
            ranks = first + self.out[::-1]
        else:
            while len(self.living) > 1:
                self.hand()
            ranks = self.ranks()
        self.product.finish(ranks, sealed)
        self.twin.finish(ranks, amounts, left)
        self.ended_by = "deal"
        return True

    def tell(self) -> None:
        self.gather()
        if self.random.random() < 0.1:
            self.call_off(self.random.choice(["registration", "check_in", "seating"]), {})
        else:
            self.play()
            self.end()


def _options(random: Random) -> dict[str, Any]:
    payout = random.choice(["auto", "auto", "bp", "top"])
    return {
        "buy_in": random.choice([0, 1, 999, 1000, 2501]),
        "fee": random.choice([0, 50, 100]),
        "bounty": random.choice([0, 200, 501]),
        "bounty_kind": random.choice(["plain", "progressive"]),
        "rebuy_price": random.choice([0, 1000, 777]),
        "addon_price": random.choice([0, 500]),
        "rake_bp": random.choice([0, 300, 1999]),
        "guarantee": random.choice([0, 0, 8000, 20_001]),
        "payout": payout,
        "payout_bp": [5000, 2500, 1500, 1000] if payout == "bp" else None,
        "payout_top": random.randint(1, 8) if payout == "top" else None,
        "round_to": random.choice([1, 1, 10, 100]),
        "ticket": random.choice([0, 0, 0, 1, 1300, 5000]),
    }


def told(seed: int) -> Story:
    story = Story.of(seed)
    story.tell()
    return story


@given(st.integers(0, 10**9))
def test_what_comes_in_goes_out_to_the_right_people(seed: int) -> None:
    story = told(seed)
    assert not +story.product.escrow
    assert +story.product.net == +story.twin.net
    assert -story.product.net == -story.twin.net
    assert sum(story.product.net.values()) == 0


def test_every_end_is_among_the_stories() -> None:
    ends = {told(seed).ended_by for seed in range(120)}
    assert ends == {
        "finish", "compensation", "deal", "before_start", "running_unpaid", "running_paid",
        "full_refund",
    }  # fmt: skip


def test_a_flow_that_does_not_balance_is_a_bug() -> None:
    flow = Flow(paid_in=10, overlay=1, prizes=5, bounties=2, rake=1, fees=1, refunds=2)
    prizes.assert_balanced(flow)
    with pytest.raises(InvariantBroken, match="11 came in and 12"):
        prizes.assert_balanced(replace(flow, rake=2))
