"""Conducting a match: the next hand, more hands where it is tied, the result (2 and 7.6)."""

from collections.abc import Iterable

from eventstore.core.refusal import InvariantBroken
from tournaments.core import events
from tournaments.core.arrivals import closed
from tournaments.core.closing import completed
from tournaments.core.duels import tie_hands
from tournaments.core.folding import fold
from tournaments.core.matches import match_points
from tournaments.core.option_table import ELIMINATIONS
from tournaments.core.plan import Action, Close, Deal, Plan, Room, Unseat
from tournaments.core.rounds import places_when_over
from tournaments.core.state import Match, Tournament

STAKE = 1


def conduct_match(state: Tournament, room: Room, *, seed: bytes) -> Plan:
    """What must happen now that the table of a match is between hands.

    A run for a table without a running match plans nothing. Raises: InvariantBroken where the
    table does not hold the players that the tournament knows of.
    """
    match = next((one for one in state.matches.values() if one.table == room.table), None)
    if match is None or match.is_over or room.table not in state.tables:
        return Plan()
    return _Desk(state, room, match, seed).plan()


class _Desk:
    """One run under way: the state as it becomes, and the facts and actions so far."""

    def __init__(self, state: Tournament, room: Room, match: Match, seed: bytes) -> None:
        self.state, self.room, self.seed = state, room, seed
        self.key = match.match
        self.settings = state.of_matches
        self.before = dict(state.tables[room.table].players)
        (view,) = room.tables
        self.hands = view.hands_counted
        self.chips = {one.player: one.chips for one in view.sittings}
        self.events: list[events.Event] = []
        self.actions: list[Action] = []
        if set(self.chips) != set(self.before):
            raise InvariantBroken(f"match {self.key}: {self.chips} are not {self.before}")

    @property
    def match(self) -> Match:
        """As it stands now."""
        return self.state.matches[self.key]

    def plan(self) -> Plan:
        """Facts and actions of this run."""
        self._note_the_absent()
        if not self.match.is_over and not self._goes_on():
            self._report()
        if self.match.is_over:
            self._leave()
        else:
            self._deal()
        return Plan(tuple(self.events), tuple(self.actions))

    def _emit(self, *facts: events.Event) -> None:
        self.events += facts
        self.state = fold(facts, self.state)

    def _note_the_absent(self) -> None:
        """Whoever let his first hand pass without a move has not come."""
        ended = self.room.ended
        absent = [one for one in self.before if ended is not None and one in ended.absent]
        if not absent or self.match.absent:
            return
        there = [one for one in self.before if one not in absent]
        winner = there[0] if len(there) == 1 else None
        self._emit(events.WalkoverAwarded(match=self.key, winner=winner, absent=tuple(absent)))
        if not there and self.settings.format in ELIMINATIONS:
            self._emit(
                *(
                    events.PlayerWithdrawn(player=one, reason_code="double_no_show")
                    for one in absent
                )
            )
        if not self.match.is_over:
            self._unseat(absent)
            self.chips = {one: self.chips[one] for one in there}

    def _goes_on(self) -> bool:
        """Whether there is another hand; a tie may ask for more of them."""
        if self.hands < self.match.hands:
            return True
        more = 0
        if self.settings.format in ELIMINATIONS or self._is_final():
            more = tie_hands(self.chips, self.match.repeats)
        if more:
            repeat = self.match.repeats + 1
            self._emit(events.TieHandsAdded(match=self.key, hands=more, repeat=repeat))
        return bool(more)

    def _is_final(self) -> bool:
        """Whether it is of the finals after groups, where every match has one winner."""
        return self.settings.format == "groups_finals" and bool(self.state.frozen)

    def _report(self) -> None:
        points = dict.fromkeys(self.match.absent, 0) | match_points(self.chips)
        self._emit(
            events.MatchReported(
                match=self.key,
                chips=tuple(
                    events.NetOfPlayer(player=player, net=net) for player, net in self.chips.items()
                ),
                points=tuple(
                    events.PointsOfPlayer(player=player, points=count)
                    for player, count in points.items()
                ),
                hands=self.hands,
            )
        )

    def _leave(self) -> None:
        """Everybody stands up, the table closes; the last match of all ends the tournament."""
        self._unseat(one for one in self.before if one not in self._gone())
        self.actions.append(Close(self.room.table, "completed"))
        places = places_when_over(self.state, self.seed)
        if places is not None:
            self._emit(*closed(self.state, is_over=True))
            self._emit(*completed(self.state, places=places, seed=self.seed))

    def _gone(self) -> set[str]:
        return {one.player for one in self.actions if isinstance(one, Unseat)}

    def _unseat(self, players: Iterable[str]) -> None:
        self.actions += [
            Unseat(self.room.table, self.before[player], player, "table_closed")
            for player in players
        ]

    def _deal(self) -> None:
        clock = self.state.rulings.clock or self.settings.clock
        self.actions.append(
            Deal(
                table=self.room.table,
                level=1,
                stake=STAKE,
                clock=clock,
                refill_bank=False,
                payment="full",
                of_match=True,
            )
        )
