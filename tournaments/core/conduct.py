"""The one decision at the end of a hand: busts, tables, levels, the next deal (`tournaments.md` 6).

A tournament's table never deals by itself. Whenever a hand ends there, or it is marked due, one
run of `conduct` decides on the whole state, and one transaction carries its plan out. It deals
the table it was called for and no other; another table that may deal now is marked due.
"""

from eventstore.core.refusal import InvariantBroken
from games.rules.payment import Paid, capturers, places_of_busts
from tournaments.core import events, lot
from tournaments.core.arrivals import closed
from tournaments.core.balancing import (
    Candidate,
    Move,
    Ring,
    Standing,
    is_balanced,
    mover,
    rebalance,
    waiting_reason,
)
from tournaments.core.bounties import Bust, at_completion, busts_of_hand
from tournaments.core.busts import bubble, worst_first
from tournaments.core.closing import completed
from tournaments.core.events.play import WaitReason
from tournaments.core.folding import fold
from tournaments.core.levels import level_by_clock, level_by_hands, stake
from tournaments.core.lifecycle import Status
from tournaments.core.match_desk import conduct_match
from tournaments.core.options import Matches
from tournaments.core.plan import (
    Action,
    Close,
    Deal,
    EndedHand,
    Hold,
    MarkDue,
    Plan,
    Room,
    Seat,
    Unseat,
)
from tournaments.core.seating import table_count
from tournaments.core.state import Table, Tournament

FINAL_TABLE_BREAK_SECONDS = 60
FINAL_TABLE_BREAK_TURBO_SECONDS = 10  # all pauses of a turbo are about a fifth


def conduct(state: Tournament, room: Room, *, seed: bytes) -> Plan:
    """What must happen now that `room.table` is between hands; `seed` is that of the lot.

    A run for a table that is no longer in play, or of a tournament that does not run, plans
    nothing. Raises: InvariantBroken where the tables do not hold the chips or the players that
    the tournament knows of.
    """
    if state.status is not Status.RUNNING or room.table not in state.tables:
        return Plan()
    if isinstance(state.settings, Matches):
        return conduct_match(state, room, seed=seed)
    desk = _Desk(state, room, seed)
    desk.check()
    desk.bust_players()
    desk.emit(*closed(desk.state))
    if desk.state.left == 1:
        desk.complete()
    elif desk.may_go_on():
        desk.balance()
        if not desk.final_table_formed():
            desk.raise_level()
            desk.deal_or_wait()
    return desk.plan()


class _Desk:
    """One run under way: the state as it becomes, and the facts and actions so far."""

    def __init__(self, state: Tournament, room: Room, seed: bytes) -> None:
        self.before, self.state = state, state
        self.room, self.seed, self.settings = room, seed, state.freezeout
        self.views = {view.table: view for view in room.tables}
        self.chips: dict[str, int] = {}
        self.events: list[events.Event] = []
        self.actions: list[Action] = []

    def emit(self, *facts: events.Event) -> None:
        """Take the facts into the plan and the state."""
        self.events += facts
        self.state = fold(facts, self.state)

    def check(self) -> None:
        """Tables and tournament must agree before anything is decided; chips are read here."""
        for view in self.room.tables:
            sitting = {}
            for one in view.sittings:
                self.chips[one.player], sitting[one.player] = one.chips, one.seat
            table = self.state.tables.get(view.table)
            if table is None or sitting != table.players:
                raise InvariantBroken(f"table {view.table}: {sitting} is not {table}")
        if sum(self.chips.values()) != self.state.chips_total:
            raise InvariantBroken(f"chips {sum(self.chips.values())} of {self.state.chips_total}")

    # 1. Busts

    def bust_players(self) -> None:
        """Who has no chips left is out, the worst place first."""
        table, ended = self.state.tables[self.room.table], self.room.ended
        out = [player for player in table.players if not self.chips[player]]
        if not out:
            return
        if ended is None:
            raise InvariantBroken(f"{out} have no chips and no hand ended")
        dealt = sorted(ended.dealt, key=lambda one: one.seat)
        chips = {one.player: one.chips for one in dealt if one.player in out}
        places = {} if self._places_wait() else places_of_busts(self.state.left, chips)
        before = self.state
        for player in worst_first(chips):
            best, worst = places.get(player, (None, None))
            entry = self.state.entry_of(player)
            self.emit(
                events.PlayerBusted(
                    player=player,
                    entry_no=entry.entry_no if entry else 0,
                    table=table.table,
                    hand=ended.hand,
                    chips_at_start=chips[player],
                    place_best=best,
                    place_worst=worst,
                    capturers=_capturers(player, ended),
                )
            )
        busts: list[Bust] = [(player, _capturers(player, ended)) for player in worst_first(chips)]
        self.emit(*self._heads_taken(before, busts))

    def _places_wait(self) -> bool:
        """Whether a place is known only later: when a round is over, or nobody enters any more."""
        return self.state.synchronised or self.state.is_late_entry_open

    def _heads_taken(self, before: Tournament, busts: list[Bust]) -> tuple[events.Event, ...]:
        kind, currency = self.settings.bounty_kind or "plain", self.settings.currency
        return busts_of_hand(before.standing_heads(), busts, kind=kind, currency=currency)

    # 2. Completion and bubble

    def complete(self) -> None:
        """One player is left: places and the seed."""
        (last,) = self.state.tables.values()
        (winner,) = last.players
        places = {one.player: one.place or (1, 1) for one in self.state.contenders()}
        if places[winner] != (1, 1):
            raise InvariantBroken(f"{winner} is left and has place {places[winner]}")
        heads = at_completion(self.state.standing_heads(), [winner], self.settings.currency)
        self.emit(*heads.facts)
        self.emit(*completed(self.state, places=places, seed=self.seed))

    def may_go_on(self) -> bool:
        """Whether the table goes through the other steps, or waits for a round to be over."""
        state, table = self.state, self.state.tables[self.room.table]
        over = state.hand_for_hand and state.left <= state.paid_places
        if over and not (state.synchronised and self._others_play()):
            self._set_hand_for_hand(on=False)
        elif not state.hand_for_hand and self._bubble_begins():
            self._set_hand_for_hand(on=True)
        if not self.state.hand_for_hand:
            return True
        if self.room.ended is None and table.released == "hand_for_hand":
            self._deal()
            return False
        if self._others_play():
            self._wait(table, "hand_for_hand")
            return False
        return True

    def _bubble_begins(self) -> bool:
        """The last one without a prize is next, and more than one table will go on playing."""
        state, wanted = self.state, self.settings.hand_for_hand
        apart = table_count(state.left, self.settings.seats) > 1
        return wanted and apart and bubble(state.left, state.paid_places)

    def _others_play(self) -> bool:
        return any(
            table.waiting is None
            for table in self.state.tables.values()
            if table.table != self.room.table
        )

    def _set_hand_for_hand(self, *, on: bool) -> None:
        state = self.state
        self.emit(events.HandForHandSet(on=on, remaining=state.left, paid_places=state.paid_places))

    # 3. Table count and balance

    def balance(self) -> None:
        """Break tables and move players until nothing more can be done now."""
        sizes = [len(table.players) for table in self.state.tables.values()]
        if is_balanced(sizes, self.settings.seats):
            return
        ids = {table.number: table.table for table in self.state.tables.values()}
        standings = {
            table.number: Standing(len(table.players), self._between_hands(table))
            for table in self.state.tables.values()
        }
        answer = rebalance(standings, self.settings.seats)
        for number in answer.broken:
            targets = [move.target for move in answer.moves if move.source == number]
            self._break(ids[number], [ids[target] for target in targets])
        for move in answer.moves:
            if not move.breaking:
                self._move(move, ids)

    def _between_hands(self, table: Table) -> bool:
        return table.table == self.room.table or table.waiting is not None

    def _break(self, table: str, targets: list[str]) -> None:
        broken = self.state.tables[table]
        context = f"seat/{self.state.seat_draws + 1}"
        drawn = lot.order(self.seed, context, broken.players)
        for player, target in zip(drawn, targets, strict=True):
            free = self.state.tables[target].free_seats()
            seat = lot.first_seat(self.seed, context, target, free)
            self.emit(
                events.PlayerMoved(player=player, from_=table, to=target, seat=seat, reason="break")
            )
        self.emit(events.TableBroken(table=table, number=broken.number))

    def _move(self, move: Move, ids: dict[int, str]) -> None:
        source = self.state.tables[ids[move.source]]
        target = self.state.tables[ids[move.target]]
        sitting_out = {one.player for one in self.views[source.table].sittings if one.sitting_out}
        chosen, seat = mover(
            [
                Candidate(player, at, self._moves_of(player), player in sitting_out)
                for player, at in source.players.items()
            ],
            source=self._ring(source),
            target=self._ring(target),
            seed=self.seed,
            draw=self.state.mover_draws + 1,
        )
        self.emit(
            events.PlayerMoved(
                player=chosen.player,
                from_=source.table,
                to=target.table,
                seat=seat,
                reason="balance",
            )
        )

    def _moves_of(self, player: str) -> int:
        entry = self.state.entry_of(player)
        return entry.moves if entry else 0

    def _ring(self, table: Table) -> Ring:
        taken = frozenset(table.players.values())
        return Ring(table.seats, taken, self.views[table.table].next_dealer)

    def final_table_formed(self) -> bool:
        """Whether the last table is left since now: seats by lot anew, and a break before play."""
        state = self.state
        if len(state.tables) > 1 or state.tables_added == 1 or state.final_table:
            return False
        (table,) = state.tables.values()
        if not self._between_hands(table):
            return False
        if self.settings.redraw_final:
            self._redraw(table)
        self._wait(self.state.tables[table.table], "break")
        turbo = self.settings.clock == "turbo"
        seconds = FINAL_TABLE_BREAK_TURBO_SECONDS if turbo else FINAL_TABLE_BREAK_SECONDS
        self.actions.append(MarkDue(table.table, seconds))
        return True

    def _redraw(self, table: Table) -> None:
        drawn = lot.order(self.seed, f"seat/{self.state.seat_draws + 1}", table.players)
        entries = {player: self.state.entry_of(player) for player in drawn}
        self.emit(
            *(
                events.SeatAssigned(
                    player=player,
                    entry_no=entry.entry_no,
                    table=table.table,
                    seat=seat,
                    chips=self.chips[player],
                    from_lot=True,
                )
                for seat, (player, entry) in enumerate(entries.items(), start=1)
                if entry
            )
        )

    # 4. Level

    def raise_level(self) -> None:
        """The stake of the hands dealt from now on; it never falls."""
        if self.settings.level_by == "hands":
            hands = max(view.hands_counted for view in self.room.tables)
            level = level_by_hands(hands, self.settings.level_hands)
        else:
            level = level_by_clock(self.room.running_seconds, self.settings.level_seconds)
        if level > self.state.level:
            new_stake, by = stake(level, self.settings.stakes), self.settings.level_by
            self.emit(events.LevelRaised(level=level, stake=new_stake, by=by))
            self.emit(*closed(self.state))

    # 5. Deal, wait, or leave to its own run

    def deal_or_wait(self) -> None:
        """Every table between hands waits or is let go; only the one conducted is dealt."""
        largest = max(len(table.players) for table in self.state.tables.values())
        idle = [table for table in self.state.tables.values() if self._between_hands(table)]
        for table in sorted(idle, key=lambda one: one.number):
            reason = waiting_reason(len(table.players), largest)
            conducted = table.table == self.room.table
            if reason:
                self._wait(table, reason)
            elif conducted:
                self._release(table)
                self._deal(refill_bank=table.waiting == "break")
            else:
                self._release(table)
                self.actions.append(MarkDue(table.table, 0))

    def _wait(self, table: Table, reason: WaitReason) -> None:
        if table.waiting != reason:
            self.emit(events.TableWaiting(table=table.table, reason=reason))
        if table.table == self.room.table and reason != "break":
            self.actions.append(Hold(table.table, reason))

    def _release(self, table: Table) -> None:
        if table.waiting is not None:
            # A round of hand-for-hand begins for whoever is let go in it, whatever he waited for.
            reason = "hand_for_hand" if self.state.hand_for_hand else table.waiting
            self.emit(events.TableReleased(table=table.table, reason=reason))

    def _deal(self, *, refill_bank: bool = False) -> None:
        profile = "turbo" if self.state.hand_for_hand else self.settings.clock
        new_stake = stake(self.state.level, self.settings.stakes)
        self.actions.append(
            Deal(self.room.table, self.state.level, new_stake, profile, refill_bank)
        )

    # The plan

    def plan(self) -> Plan:
        """Facts and actions; seats change before tables close, deal or wait."""
        unseated: list[Action] = []
        seated: list[Action] = []
        closing: list[Action] = []
        for table in self.before.tables.values():
            now = self.state.tables.get(table.table)
            if now is table:
                continue
            new = now.players if now else {}
            for player, seat in table.players.items():
                if new.get(player) != seat:
                    unseated.append(self._unseat(table.table, seat, player))
            seated += [
                Seat(table.table, seat, player, self.chips[player])
                for player, seat in new.items()
                if table.players.get(player) != seat
            ]
            if now is None:
                over = self.state.status is Status.COMPLETED
                closing.append(Close(table.table, "completed" if over else "broken"))
        return Plan(tuple(self.events), (*unseated, *seated, *closing, *self.actions))

    def _unseat(self, table: str, seat: int, player: str) -> Unseat:
        if not self.chips[player]:
            return Unseat(table, seat, player, "bust")
        over = self.state.status is Status.COMPLETED
        return Unseat(table, seat, player, "table_closed" if over else "moved")


def _capturers(player: str, ended: EndedHand) -> tuple[str, ...]:
    """Players who got chips from a busted one, in seat order from his left."""
    players = {one.seat: one.player for one in ended.dealt}
    seat = next(one.seat for one in ended.dealt if one.player == player)
    hand = Paid(ended.paid, {one.seat: one.chips for one in ended.dealt})
    return tuple(players[taker] for taker in capturers(seat, hand))
