"""A tournament played without a database: tables in memory, hands with random results.

The world does what the services do: it keeps the tables' facts, calls `conduct` once per ended
hand or due table, and carries the plan out, checking that each action is possible.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random

from eventstore.core.refusal import Refusal
from games.rules.payment import Transfer, pay
from tournaments.core import events, plan
from tournaments.core.arrivals import arrive
from tournaments.core.closing import compute_prizes, settle
from tournaments.core.conduct import conduct
from tournaments.core.drafting import Decision, draft, open_registration, publish
from tournaments.core.entering import enter
from tournaments.core.folding import fold
from tournaments.core.lifecycle import Status
from tournaments.core.options import Site
from tournaments.core.rounds import pair
from tournaments.core.starting import Start, start
from tournaments.core.state import NOTHING, Tournament

SITE = Site(("XTK", "EUR"), "XTK")
SEED = bytes(range(32))
RUNS_MAX = 20_000


def name(number: int) -> str:
    """Id of a player or a table."""
    return f"01890000-0000-7000-8000-{number:012d}"


@dataclass
class TableWorld:
    seats: dict[int, tuple[str, int]]
    next_dealer: int = 1
    counted: int = 0
    hand: list[plan.Sitting] | None = None  # who was dealt in, while a hand runs
    ended: plan.EndedHand | None = None  # not conducted yet
    closed: bool = False

    def sittings(self) -> tuple[plan.Sitting, ...]:
        return tuple(plan.Sitting(seat, *one) for seat, one in sorted(self.seats.items()))


@dataclass
class World:
    random: Random
    state: Tournament = NOTHING
    log: list[events.Event] = field(default_factory=list)
    tables: dict[str, TableWorld] = field(default_factory=dict)
    due: list[str] = field(default_factory=list)
    deals: list[plan.Deal] = field(default_factory=list)
    plans: list[plan.Plan] = field(default_factory=list)
    no_show_odds: float = 0.0
    ids: Iterator[str] = field(default_factory=lambda: map(name, count(900)))

    def take(self, decision: Decision) -> None:
        assert not isinstance(decision, Refusal), decision
        self.log += decision
        self.state = fold(decision, self.state)

    def open(self, players: int, **overrides: object) -> None:
        options = {"entries_max": 40, "dispute_minutes": 0, "start": None, **overrides}
        drafted = draft(options, organiser=name(1), name_ref=name(2), template=None, site=SITE)
        self.take(drafted)
        self.take(publish(self.state, seed=SEED, site=SITE))
        self.take(open_registration(self.state, by="organiser"))
        for number in range(players):
            self.take(enter(self.state, player=name(100 + number)))

    def begin(self) -> None:
        at = "2026-12-01T08:00:00.000000Z"
        self.take(start(self.state, Start(by="organiser", ids=self.ids, seed=SEED, at=at)))
        self.open_tables()

    def open_tables(self) -> None:
        """Tables that the log knows of and nobody sits at yet."""
        seated = [one for one in self.log if isinstance(one, events.SeatAssigned)]
        new = {one.table: one for one in seated if one.table not in self.tables}
        for one in seated:
            now = self.state.tables.get(one.table)
            if one.table in new and now and one.player in now.players:
                table = self.tables.setdefault(one.table, TableWorld({}))
                table.seats[one.seat] = one.player, one.chips
        self.due += [table for table in new if table in self.state.tables]

    def come_late(self, player: str) -> Refusal | None:
        """Somebody enters, or enters again, while play goes on."""
        decision = enter(self.state, player=player)
        if isinstance(decision, Refusal):
            return decision
        self.take(decision)
        if self.state.matches:  # he plays from the next round on
            return None
        answer = arrive(self.state, self.ids, SEED)
        self.take(answer.events)
        for action in answer.actions:
            self.carry_out(action, "")
        self.open_tables()
        return None

    def play(self, *, swift: bool = False) -> None:
        """To the end; swiftly, one player of each hand busts all others."""
        for _ in range(RUNS_MAX):
            if self.state.status is not Status.RUNNING:
                return
            self.step(swift=swift)
        raise AssertionError("no end")

    def step(self, *, swift: bool = False) -> None:
        running = [table for table, one in self.tables.items() if one.hand]
        waiting = [table for table, one in self.tables.items() if one.ended] + self.due
        if not running and not waiting and self.state.matches:
            self.take(pair(self.state, ids=self.ids, seed=SEED))
            self.open_tables()
            return
        assert running or waiting, "nothing is due and nobody plays"
        if running and (not waiting or self.random.random() < 0.5):
            table = self.random.choice(sorted(running))
            seats = [one.seat for one in self.tables[table].hand or ()]
            all_in = [Transfer(seat, seats[-1], 10**9) for seat in seats[:-1]]
            self.end_hand(table, owed=all_in if swift else None)
        else:
            self.run(self.random.choice(sorted(waiting)))

    def end_hand(self, table: str, *, owed: list[Transfer] | None = None) -> None:
        one = self.tables[table]
        assert one.hand
        stacks = {sitting.seat: sitting.chips for sitting in one.hand}
        due = self.random_dues(sorted(stacks)) if owed is None else owed
        rule = self.deals[-1].payment  # one for all hands of a tournament
        outcome = pay(due, stacks=stacks, payment=rule)
        players = {sitting.seat: sitting.player for sitting in one.hand}
        for seat, chips in outcome.stacks.items():
            one.seats[seat] = players[seat], chips
        absent = self.who_is_away(table) if not one.counted else frozenset()
        hand = f"hand-{len(self.deals)}"
        one.ended = plan.EndedHand(hand, tuple(one.hand), outcome.paid, absent)
        if outcome.paid:
            one.counted += 1
            one.next_dealer = next(
                (seat for seat in sorted(stacks) if seat > one.next_dealer), min(stacks)
            )
        one.hand = None

    def who_is_away(self, table: str) -> frozenset[str]:
        """Whoever lets the first hand of a table pass without a move."""
        players = [player for player, _ in self.tables[table].seats.values()]
        return frozenset(one for one in players if self.random.random() < self.no_show_odds)

    def random_dues(self, seats: list[int]) -> list[Transfer]:
        kind = self.random.random()
        stake = self.deals[-1].stake
        if kind < 0.1:
            return []
        order = self.random.sample(seats, len(seats))
        if kind < 0.2:
            return [Transfer(order[0], other, stake * 2) for other in order[1:]]
        winners = order[: 1 if kind < 0.9 else max(1, len(order) - 1)]
        times = self.random.choice([1, 1, 2, 4])
        losers = [seat for seat in order if seat not in winners]
        return [Transfer(seat, one, stake * times) for seat in losers for one in winners]

    def room(self, table: str, ended: plan.EndedHand | None) -> plan.Room:
        views = tuple(
            plan.TableView(
                key,
                tuple(
                    # While a hand runs the chips are those of its start: nothing moves inside it.
                    replace(sitting, sitting_out=sitting.seat % 5 == 0)
                    for sitting in one.sittings()
                ),
                one.counted,
                one.next_dealer,
            )
            for key, one in self.tables.items()
            if not one.closed and (key == table or not self.state.matches)
        )
        return plan.Room(views, table, ended, running_seconds=len(self.deals) * 7)

    def run(self, table: str) -> plan.Plan:
        one = self.tables[table]
        ended, one.ended = one.ended, None
        if ended is None:
            self.due.remove(table)
        before = self.state
        answer = conduct(before, self.room(table, ended), seed=SEED)
        again = conduct(before, self.room(table, ended), seed=SEED)
        assert answer == again
        self.take(answer.events)
        self.plans.append(answer)
        for action in answer.actions:
            self.carry_out(action, table)
        return answer

    def carry_out(self, action: plan.Action, conducted: str) -> None:
        one = self.tables[action.table]
        match action:
            case plan.Unseat():
                assert not one.hand
                assert one.seats.pop(action.seat)[0] == action.player
            case plan.Seat():
                assert not one.closed
                assert action.seat not in one.seats
                assert 1 <= action.seat <= self.state.settings.seats
                assert action.chips > 0
                one.seats[action.seat] = action.player, action.chips
            case plan.Deal():
                assert action.table == conducted
                assert not one.hand
                assert len(one.seats) >= 2
                assert not self.deals or action.payment == self.deals[-1].payment
                assert one.ended is None
                assert action.table not in self.due
                one.hand = list(one.sittings())
                self.deals.append(action)
            case plan.MarkDue():
                assert not one.hand
                if action.table not in self.due:  # a late entrant may have marked it before
                    self.due.append(action.table)
            case plan.Close():
                assert not one.seats
                one.closed = True
                self.due = [other for other in self.due if other != action.table]
            case plan.Hold():
                assert action.table == conducted
                assert not one.hand

    def finish(self) -> None:
        self.take(compute_prizes(self.state))
        escrow = {"tournament": 0, "fees": 0, "bounty": 0}
        self.take(settle(self.state, checked_version=self.state.version, escrow=escrow))


def chips_in_play(world: World) -> int:
    return sum(chips for one in world.tables.values() for _, chips in one.seats.values())
