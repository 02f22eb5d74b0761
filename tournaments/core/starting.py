"""The start: the field is fixed, seats are drawn, prizes are published."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from eventstore.core.refusal import Refusal
from tournaments.core import events, lot
from tournaments.core.arrivals import late_rounds
from tournaments.core.closing import published_prizes
from tournaments.core.drafting import Decision
from tournaments.core.events.entry import SeedSource, Trigger
from tournaments.core.folding import fold
from tournaments.core.lifecycle import refusal
from tournaments.core.options import Matches
from tournaments.core.parts import in_parts
from tournaments.core.rounds import facts_of, next_round
from tournaments.core.seating import draw_seats, table_count
from tournaments.core.state import Tournament
from tournaments.core.swiss.rounds import rounds_cap


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Who starts, and what only the world outside can give.

    `ids` are new ones, for the tables; `seed` is that of the lot; `at` is the instant in the text
    form of the log; `ratings` are those of the players who have one.
    """

    by: Trigger
    ids: Iterator[str]
    seed: bytes
    at: str
    ratings: Mapping[str, int] = field(default_factory=dict)


def start(state: Tournament, given: Start) -> Decision:
    """Everything from the close of registration to the first deals, which are due afterwards.

    Refuses with `wrong_state`, `too_few_players`. The list grows with the field: it may need
    several appends.
    """
    if refused := refusal(state.status, "start"):
        return refused
    dropped = [] if state.check_in_closes_at is None else _no_shows(state)
    there = fold(dropped, state)
    settings = state.settings
    if there.entered < settings.entries_min:
        short = {"entries": there.entered, "entries_min": settings.entries_min}
        return Refusal("too_few_players", facts=short)
    closed: list[events.Event] = (
        [] if _is_open_late(there) else [events.RegistrationClosed(by=given.by)]
    )
    begun = [*dropped, *closed, events.SeatingStarted(entries=there.entered)]
    if isinstance(settings, Matches):
        begun += _seeded(fold(begun, state), settings, given)
        seating = _first_round(fold(begun, state), given)
    else:
        seating = _seats(fold(begun, state), given)
    facts = [*begun, *seating, events.Started(at=given.at)]
    return (*facts, *published_prizes(fold(facts, state)))


def _is_open_late(state: Tournament) -> bool:
    """Whether somebody may enter while play goes on."""
    settings = state.settings
    if isinstance(settings, Matches):
        return late_rounds(settings, _fewer_rounds(state, settings)) > 0
    return bool(state.freezeout.late_until_level)


def _fewer_rounds(state: Tournament, settings: Matches) -> int | None:
    """Rounds of a Swiss whose field allows no more; None where it does."""
    if settings.format != "swiss" or settings.allow_rematches:
        return None
    most = rounds_cap(len(state.contenders()), settings.seats)
    return most if most < (settings.rounds or 0) else None


def _no_shows(state: Tournament) -> list[events.Event]:
    """Who has not checked in: the fee stays, all else goes back."""
    facts: list[events.Event] = []
    for entry in state.contenders():
        if not entry.checked_in:
            facts += (
                events.NoShowDropped(player=entry.player, entry_no=entry.entry_no),
                events.EntryRefunded(
                    player=entry.player,
                    entry_no=entry.entry_no,
                    pool=entry.buy_in,
                    fee=0,
                    bounty=entry.bounty,
                    currency=state.settings.currency,
                    reason="no_check_in",
                ),
            )
    return facts


def _seats(state: Tournament, given: Start) -> list[events.Event]:
    """The tables of a freezeout, and everybody at his seat."""
    settings = state.settings
    entries = {entry.player: entry for entry in state.contenders()}
    tables = [next(given.ids) for _ in range(table_count(len(entries), settings.seats))]
    return [
        *(
            events.TableAdded(table=table, number=number, seats=settings.seats)
            for number, table in enumerate(tables, start=1)
        ),
        *(
            events.SeatAssigned(
                player=placing.player,
                entry_no=entries[placing.player].entry_no,
                table=tables[placing.table_number - 1],
                seat=placing.seat,
                chips=settings.starting_chips,
                from_lot=True,
            )
            for placing in draw_seats(given.seed, list(entries), seats=settings.seats, act=1)
        ),
    ]


def _seeded(state: Tournament, settings: Matches, given: Start) -> list[events.Event]:
    """Fewer rounds where the field allows no more, and who is which seed."""
    facts: list[events.Event] = []
    players = [entry.player for entry in state.contenders()]
    most = _fewer_rounds(state, settings)
    if most is not None:
        facts.append(events.RoundsReduced(from_=settings.rounds or 0, to=most))
    order, by = _order(state, players, given)
    seeds = [
        events.SeedOfPlayer(player=player, seed=number)
        for number, player in enumerate(order, start=1)
    ]
    return facts + [
        events.Seeded(part=part, parts=parts, seeds=piece, by=by)
        for part, parts, piece in in_parts(seeds)
    ]


def _order(state: Tournament, players: Sequence[str], given: Start) -> tuple[list[str], SeedSource]:
    """The best seed first: as the director has said, by rating, by lot; equals by lot."""
    drawn = lot.order(given.seed, "rank", players)
    settings = state.of_matches
    if settings.seed_by == "director" and state.seeds:
        last = len(players) + 1
        return sorted(drawn, key=lambda one: state.seeds.get(one, last)), "director"
    # The numbers of a round robin say who meets whom first, so nobody is favoured by a rating.
    if settings.seed_by == "rating" and settings.format != "round_robin":
        return sorted(drawn, key=lambda one: -given.ratings.get(one, 0)), "rating"
    return drawn, "lot"


def _first_round(state: Tournament, given: Start) -> list[events.Event]:
    """The first matches; there are some, because at least two have entered."""
    return facts_of(state, next_round(state, given.seed), given.ids, given.seed)
