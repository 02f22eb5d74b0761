"""Opening and closing tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal
from uuid import UUID

from eventstore.core.chain import START, Fact, head_of
from eventstore.core.ids import table_stream
from eventstore.core.refusal import Refusal, Refused, refuse
from eventstore.ports import new_id
from eventstore.services import Outcome, Receipt, Row, Transaction, run_command, update_live
from games.beacon import beacon
from games.folds import Folded
from games.models import RuleSet, Table
from games.rules import events
from games.rules.hosting import CLOCKS, buy_in_bounds
from games.rules.liability import liability, most_moved
from games.rules.options import (
    PRESETS,
    RULES_VERSION,
    Options,
    as_dict,
    complete,
    rules_hash,
    slap_conflict,
)
from games.rules.table import CHIPS, fold
from games.services import loading
from games.services.loading import append
from games.services.seats import SitDown, sit_in, stand_up
from ledger.core.currencies import AMOUNT_MAX
from ledger.selectors import available, currency_kinds
from players.selectors import Person
from players.services import account_row

OPEN_TABLES_MAX = 20  # of one creator; an open table costs nothing, a thousand hide the lobby
SPECTATOR_DELAY_S = 30  # where money is played for, unless the table says otherwise
STAKE_MAX = 10**9  # less where many options multiply it, see `_check_stake`


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """What a table is opened with. Without bounds the buy-in is 20 to 100 stakes."""

    stake: int
    currency: str
    seats: int
    preset: str = "gamerules"
    options: Mapping[str, object] = field(default_factory=dict)
    buy_in_min: int | None = None
    buy_in_max: int | None = None
    clock: str = "normal"
    visibility: Literal["public", "unlisted", "invite"] = "public"
    api_bots: bool = False
    fairness: events.Fairness = "commit"
    spectator_delay_s: int | None = None
    rake_bp: int = 0
    rake_cap: int | None = None


def open_cash_table(
    settings: TableSettings,
    creator: Person,
    receipt: Receipt,
    bots: Sequence[tuple[Person, int | None]] = (),
) -> Outcome:
    """A new cash table of a player or organiser, with house bots at their seats.

    Appends TableOpened, and SeatTaken for each bot; the live row is inserted. Raises: Refused
    with `staff_may_not_play`, `not_permitted` (a bot, rake by a player), `unknown_currency`,
    `bad_options`, `buy_in_out_of_range`, `limit_reached`.
    """
    check_creator(settings, creator)
    known = currency_kinds()
    opened = table_opened(
        settings, creator.id, delay_s=30 if known[settings.currency] == "cash" else 0
    )

    def work(tx: Transaction, row: Row) -> Outcome:
        del row  # it is locked so that two tables at once are both counted
        open_now = Table.objects.filter(opened_by=creator.id).exclude(status="closed")
        if open_now.count() >= OPEN_TABLES_MAX:
            raise refuse("limit_reached", limit=OPEN_TABLES_MAX)
        actor = f"player:{creator.id}"
        loaded = open_in(tx, new_id(), opened, actor=actor)
        for bot, seat in bots:
            wish = SitDown(
                table=loaded.id,
                person=bot,
                buy_in=min(opened.buy_in_max, available(bot.id, opened.currency)),
                seat=seat,
                version=None,
                actor=actor,
            )
            _, loaded = sit_in(tx, loaded, wish)
        update_live(loading.live(loaded.id), loading.changes(loaded.table))
        result = {"table_id": str(loaded.id)}
        return Outcome(201, result, loaded.stream, 1, loaded.table.version)

    return run_command(receipt, account_row(creator.id), work)


def check_creator(settings: TableSettings, creator: Person) -> None:
    """Whether somebody may open such a table at all. Raises: Refused, see `open_cash_table`."""
    if creator.roles & {"auditor", "admin"}:
        raise refuse("staff_may_not_play")
    if creator.kind == "bot":
        raise refuse("not_permitted")
    if (settings.rake_bp or settings.rake_cap is not None) and "organiser" not in creator.roles:
        raise refuse("not_permitted", field="rake")
    known = currency_kinds()
    if settings.currency not in known:
        raise refuse("unknown_currency", known=sorted(known))


def open_in(tx: Transaction, table_id: UUID, opened: events.TableOpened, *, actor: str) -> Folded:
    """Open a table inside the caller's transaction: stream, live row, its rules if they are new."""
    (stored,) = tx.append(table_stream(table_id), START, [Fact(opened, actor)])
    Table.objects.create(
        id=table_id,
        version=stored.version,
        status="open",
        tournament=opened.tournament,
        opened_by=opened.opened_by,
        opened_at=stored.at,
        preset=opened.rules.preset or "",
        currency=opened.currency,
        stake=opened.stake,
        seats=opened.seats,
        visibility=opened.visibility,
    )
    _keep_rules(opened.rules)
    return Folded(table_id, fold([stored]), head_of([stored]), (stored,))


def _keep_rules(rules: events.RuleSet) -> None:
    """Have the rules found by their hash for ever, whatever presets will be called or say."""
    row = RuleSet(hash=rules.hash, version=rules.version, options=as_dict(rules.options))
    RuleSet.objects.bulk_create([row], ignore_conflicts=True)


def _check_stake(settings: TableSettings, options: Options) -> None:
    """What a hand moves at one seat is a leg of the books (`ledger.md` section 7)."""
    stakes = most_moved(options, settings.seats, 1)
    if settings.stake * stakes > AMOUNT_MAX:
        allowed = {"min": 1, "max": AMOUNT_MAX // stakes}
        problem = {"option": "stake", "code": "out_of_range", "value": settings.stake}
        raise refuse("bad_options", problems=[problem | {"allowed": allowed}])


def rule_set(preset: str, overrides: Mapping[str, object], seats: int) -> events.RuleSet:
    """The rules in full of a preset with overrides. Raises: Refused with `bad_options`."""
    if preset not in PRESETS:
        problem = {"option": "preset", "code": "out_of_range", "value": preset}
        raise refuse("bad_options", problems=[problem | {"allowed": sorted(PRESETS)}])
    chosen = dict(PRESETS[preset]) | dict(overrides)
    # A table of more seats than the preset plays is asked for by its number of seats alone.
    chosen.setdefault("max_players", max(seats, 3))
    options = complete(chosen, seats)
    if isinstance(options, Refusal):
        raise Refused(options)
    return events.RuleSet(
        preset=preset, version=RULES_VERSION, hash=rules_hash(options), options=options
    )


def clock_of(profile: str, *, of_match: bool = False) -> events.Clock:
    """Times of a clock profile (`tournaments.md` 7.1); a match waits longer for its first move."""
    times = CLOCKS[profile]
    first_move_ms = times.first_move_of_match_ms if of_match else times.first_move_ms
    return events.Clock(
        profile=profile,
        move_ms=times.move_ms,
        first_move_ms=first_move_ms,
        bank_ms=times.bank_ms,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentTable:
    """What a table of a tournament is opened with."""

    tournament: UUID
    opened_by: UUID
    rules: events.RuleSet
    stake: int  # of the first level; later ones come with each deal
    seats: int
    clock: str
    spectator_delay_s: int


def opened_for(table: TournamentTable) -> events.TableOpened:
    """The first fact of a tournament's table: its stacks are chips."""
    return events.TableOpened(
        rules=table.rules,
        currency=CHIPS,
        stake=table.stake,
        seats=table.seats,
        buy_in_min=0,
        buy_in_max=0,
        rake=events.Rake(bp=0, cap=None),
        fairness="commit",
        clock=clock_of(table.clock),
        visibility="public",
        api_bots=False,
        spectator_delay_s=table.spectator_delay_s,
        tournament=str(table.tournament),
        opened_by=str(table.opened_by),
    )


def close_table(table_id: UUID, closer: Person, receipt: Receipt) -> Outcome:
    """Close a cash table: at once when no hand runs, else after the hand; stacks are cashed out.

    Appends SeatLeft for each seat and, when no hand runs, SeatCashedOut and TableClosed. Raises:
    Refused with `not_permitted`, `wrong_state` (closed already, or closing), `tournament_table`.
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        loaded = loading.load(tx, row)
        table = loaded.table
        if row["opened_by"] != closer.id and "admin" not in closer.roles:
            raise refuse("not_permitted")
        if table.of_tournament:
            raise refuse("tournament_table")
        if table.closed or any(place.leaving == "table_closed" for place in table.places):
            raise refuse("wrong_state", status=table.status)
        actor = f"player:{closer.id}"
        facts = [
            Fact(
                events.SeatLeft(seat=place.seat, player=place.player, reason="table_closed"), actor
            )
            for place in table.places  # whoever is leaving anyhow too: the last one out closes
        ]
        if facts:
            said = {"status": "closing" if table.playing else "closed"}
            left = stand_up(tx, loaded, facts, said, reason="table_paused")
            return replace(left, status=200)
        after, _ = append(tx, loaded, [Fact(events.TableClosed(reason="asked"), actor)])
        return Outcome(
            status=200,
            result={"status": "closed", "version": after.head.version},
            stream=loaded.stream,
            first_version=after.head.version,
            last_version=after.head.version,
            changes=loading.changes(after.table),
        )

    return run_command(receipt, loading.live(table_id), work)


def table_opened(settings: TableSettings, creator: UUID, *, delay_s: int = 0) -> events.TableOpened:
    """The first fact of a cash table with these settings.

    Raises: Refused with `bad_amount`, `bad_options` (also where a hand could move more than one leg
    of the books holds), `buy_in_out_of_range`.
    """
    if not 0 < settings.stake <= STAKE_MAX:
        raise refuse("bad_amount", field="stake", most=STAKE_MAX)
    _check_fairness(settings.fairness)
    rules = rule_set(settings.preset, settings.options, settings.seats)
    refused = slap_conflict(rules.options, move_ms=CLOCKS[settings.clock].move_ms)
    if refused:
        raise Refused(refused)
    _check_stake(settings, rules.options)
    worst = liability(rules.options, settings.seats, settings.stake)
    least, most = buy_in_bounds(worst, settings.stake)
    least = least if settings.buy_in_min is None else settings.buy_in_min
    most = max(most, least) if settings.buy_in_max is None else settings.buy_in_max
    if not worst <= least <= most:
        raise refuse("buy_in_out_of_range", least=worst, most=most)
    return events.TableOpened(
        rules=rules,
        currency=settings.currency,
        stake=settings.stake,
        seats=settings.seats,
        buy_in_min=least,
        buy_in_max=most,
        rake=events.Rake(bp=settings.rake_bp, cap=settings.rake_cap),
        fairness=settings.fairness,
        clock=clock_of(settings.clock),
        visibility=settings.visibility,
        api_bots=settings.api_bots,
        spectator_delay_s=(
            delay_s if settings.spectator_delay_s is None else settings.spectator_delay_s
        ),
        tournament=None,
        opened_by=str(creator),
    )


def _check_fairness(fairness: events.Fairness) -> None:
    """Whether hands can be dealt so: a beacon must be there to be mixed in. Raises: Refused."""
    if fairness == "beacon" and beacon() is None:
        problem = {"option": "fairness", "code": "out_of_range", "value": fairness}
        raise refuse("bad_options", problems=[problem | {"allowed": ["commit", "strict"]}])
