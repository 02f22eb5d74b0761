"""The start: the field is fixed, seats are drawn, prizes are published."""

from collections.abc import Sequence

from eventstore.core.refusal import Refusal
from tournaments.core import events
from tournaments.core.closing import pool_of_entries, vector_hash
from tournaments.core.drafting import Decision
from tournaments.core.events.entry import Trigger
from tournaments.core.lifecycle import refusal
from tournaments.core.parts import in_parts
from tournaments.core.prizes import vector
from tournaments.core.seating import draw_seats, table_count
from tournaments.core.state import Tournament


def tables_needed(state: Tournament) -> int:
    """Tables that the present entries need."""
    return table_count(state.entered, state.settings.seats)


def start(
    state: Tournament, *, by: Trigger, table_ids: Sequence[str], seed: bytes, at: str
) -> Decision:
    """Everything from the close of registration to the first deals, which are due afterwards.

    `table_ids` are as many new ids as `tables_needed`, table 1 first; `at` is the instant in the
    text form of the log. Nobody enters late, so the prizes are fixed here too. Refuses with
    `wrong_state`, `too_few_players`. The list grows with the field: it may need several appends.
    """
    settings = state.settings
    if refused := refusal(state.status, "start"):
        return refused
    if state.entered < settings.entries_min:
        facts = {"entries": state.entered, "entries_min": settings.entries_min}
        return Refusal("too_few_players", facts=facts)
    if len(table_ids) != tables_needed(state):
        raise ValueError(f"{len(table_ids)} ids for {tables_needed(state)} tables")
    return (
        events.RegistrationClosed(by=by),
        events.SeatingStarted(entries=state.entered),
        *_tables(table_ids, settings.seats),
        *_seats(state, table_ids, seed),
        events.Started(at=at),
        *_prizes(state),
    )


def _tables(table_ids: Sequence[str], seats: int) -> list[events.Event]:
    return [
        events.TableAdded(table=table, number=number, seats=seats)
        for number, table in enumerate(table_ids, start=1)
    ]


def _seats(state: Tournament, table_ids: Sequence[str], seed: bytes) -> list[events.Event]:
    settings = state.settings
    entries = {entry.player: entry for entry in state.living_entries()}
    return [
        events.SeatAssigned(
            player=placing.player,
            entry_no=entries[placing.player].entry_no,
            table=table_ids[placing.table_number - 1],
            seat=placing.seat,
            chips=settings.starting_chips,
            from_lot=True,
        )
        for placing in draw_seats(seed, list(entries), seats=settings.seats, act=1)
    ]


def _prizes(state: Tournament) -> list[events.Event]:
    settings = state.settings
    prizes = vector(
        pool_of_entries(state).amount,
        settings.division,
        entries=state.entered,
        players=state.entered,
        price=settings.price,
    )
    return [
        events.PrizesPublished(
            part=part,
            parts=parts,
            places=len(prizes) if part == 1 else 0,
            vector=piece,
            currency=settings.currency,
            hash=vector_hash(prizes) if part == 1 else None,
        )
        for part, parts, piece in in_parts(prizes)
    ]
