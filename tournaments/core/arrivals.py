"""Who comes while play goes on: his seat, and the close of late entry (`tournaments.md` 8)."""

from collections.abc import Iterator

from tournaments.core import events, late_entry, lot
from tournaments.core.closing import published_prizes
from tournaments.core.folding import fold
from tournaments.core.late_entry import Buyer, Window
from tournaments.core.options import Matches
from tournaments.core.plan import Action, MarkDue, Plan, Seat
from tournaments.core.state import Table, Tournament


def window_of(state: Tournament) -> Window:
    """How long one may still enter."""
    settings, said = state.settings, state.rulings
    if isinstance(settings, Matches):
        return Window(
            stage=len(state.rounds) + 1,
            until=late_rounds(settings, state.rounds_planned, said.extra_rounds),
            closed=state.registration_closed,
        )
    until = state.freezeout.late_until_level or 0
    return Window(
        stage=state.level,
        until=until and until + said.extra_levels,
        closed=state.registration_closed,
    )


def late_rounds(settings: Matches, planned: int | None, extra: int = 0) -> int:
    """The round before whose pairing late entry ends; whoever enters plays two rounds at least."""
    until, rounds = settings.late_until_round or 0, planned or settings.rounds or 0
    return max(0, min(until + extra, rounds - 2)) if until else 0


def buyer_of(state: Tournament, player: str) -> Buyer:
    """A player as the tournament knows him; chips are the business of his table."""
    entry = state.entry_of(player)
    if entry is None or entry.status == "refunded":
        return Buyer(player, entry_no=entry.entry_no if entry else 0)
    paid = [one for one in state.living_entries() if one.player == player]
    return Buyer(
        player,
        entry_no=entry.entry_no,
        stands="alive" if entry.is_alive else "bust",
        reentries=len(paid) - 1,
        rebuys=entry.rebuys,
        addon=entry.add_on,
    )


def seated(state: Tournament, ids: Iterator[str], seed: bytes) -> list[events.Event]:
    """A seat for everybody who has paid and has none, in the order of payment.

    By lot at the smallest table; where no seat is free a new table opens, and balancing fills it.
    `ids` are new ones, for such tables.
    """
    facts: list[events.Event] = []
    for entry in state.contenders():
        if entry.status != "registered":
            continue
        now = fold(facts, state)
        free = [table for table in now.tables.values() if table.free_seats()]
        if free:
            table = min(free, key=lambda one: (len(one.players), one.number))
        else:
            number = now.tables_added + 1
            table = Table(next(ids), number, state.settings.seats)
            facts.append(events.TableAdded(table=table.table, number=number, seats=table.seats))
        context = f"seat/{now.seat_draws + 1}"
        facts.append(
            events.SeatAssigned(
                player=entry.player,
                entry_no=entry.entry_no,
                table=table.table,
                seat=lot.first_seat(seed, context, table.table, table.free_seats()),
                chips=state.settings.starting_chips,
                from_lot=True,
            )
        )
    return facts


def arrive(state: Tournament, ids: Iterator[str], seed: bytes) -> Plan:
    """The seats of those who came between two hands of other tables, with what happens there.

    A table that waits looks anew at whether it may go on.
    """
    facts = seated(state, ids, seed)
    actions: list[Action] = []
    for one in facts:
        known = state.tables.get(one.table) if isinstance(one, events.SeatAssigned) else None
        if known is not None and isinstance(one, events.SeatAssigned):
            actions.append(Seat(one.table, one.seat, one.player, one.chips))
            if known.waiting not in (None, "break"):
                actions.append(MarkDue(one.table, 0))
    return Plan(tuple(facts), tuple(actions))


def closed(state: Tournament, *, is_over: bool = False) -> list[events.Event]:
    """The close of late entry where it is due, with the prizes as they stay.

    With the end of play it is due in any case.
    """
    if not state.is_late_entry_open:
        return []
    prizes = published_prizes(state)
    paid = sum(len(one.vector) for one in prizes if isinstance(one, events.PrizesPublished))
    paid_places = 0 if isinstance(state.settings, Matches) else paid
    window = window_of(state)
    if not (is_over or late_entry.closes(window, left=state.left, paid_places=paid_places)):
        return []
    return [events.RegistrationClosed(by="level"), *prizes]
