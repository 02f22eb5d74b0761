"""Faults of what comes twice, and of what happens at once."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from eventstore import services, wake
from eventstore.core.ids import tournament_stream
from eventstore.store import load
from games.services import sweep
from ledger.services import settlement
from ledger.store import due
from ledger.store.books import LIVE
from ledger.store.due import Due
from tests.planted.money import redefined
from tests.planted.planting import Plant
from tests.planted.putting import instead
from tonk_site.proving.races import once_trial
from tonk_site.proving.races.races import SETTINGS
from tonk_site.proving.scratch import database, fresh_processes
from tonk_site.proving.simulator import progress
from tournaments.core import entering
from tournaments.selectors import folded
from tournaments.services import entries, steps

if TYPE_CHECKING:
    from tonk_site.proving.checks import Found, Order

# --- twice ----------------------------------------------------------------------------------------


def receipt_checked_first() -> None:
    """The key is looked for, then inserted; whoever looks at the same time finds nothing."""

    def make(_: Any) -> Any:
        def enter(receipt: services.Receipt, live: services.LiveRow | None) -> Any:
            key = [receipt.actor, receipt.key]
            receipts = "FROM eventstore_command_receipt WHERE actor = %s AND key = %s"
            if services._rows(f"SELECT 1 AS there {receipts} AND status IS NOT NULL", key):
                return None
            services._rows(
                """INSERT INTO eventstore_command_receipt (actor, key, fingerprint)
                VALUES (%s, %s, %s) ON CONFLICT DO NOTHING RETURNING key""",
                [*key, receipt.fingerprint],
            )
            if live is None:
                return {}
            sql = f"SELECT live.* FROM {live.relation} live WHERE live.id = %s FOR UPDATE"
            return next(iter(services._rows(sql, [live.id])), None)

        return enter

    instead(services, "_enter", make)


FEW = 3


def few_commands(order: Order) -> Found:
    """Copies of some commands, without tasks and notices."""
    with (
        database() as place,
        fresh_processes(1, {**place.variables, **SETTINGS}) as pool,
    ):
        return pool.submit(_few, order.seed).result()


def _few(seed: str) -> Found:
    def try_some(trial: once_trial.Trial) -> None:
        for name, command in list(once_trial.keyed().items())[:FEW]:
            trial.command(name, once_trial.of_command(*command))

    return once_trial._run(seed, 1, try_some)


def settlement_without_its_key() -> None:
    """Whoever is told to settle reads the cursor and posts; nothing is locked."""

    def lock_due(stream: str) -> Due | None:
        rows = LIVE.rows(
            """SELECT c.version, d.version FROM ledger.settlement_cursor c
            JOIN ledger.settlement_due d USING (stream)
            WHERE c.stream = %s AND d.version > c.version""",
            [stream],
        )
        return Due(stream, *rows[0]) if rows else None

    instead(due, "lock_due", lambda _: lock_due)


WITHOUT_KEY = ";".join(
    [
        *(
            redefined(
                name,
                (
                    "ON CONFLICT (stream, version, part) DO NOTHING",
                    "ON CONFLICT DO NOTHING",
                ),
            )
            for name in ("post", "post_batch")
        ),
        "ALTER TABLE ledger.entry DROP CONSTRAINT entry_key",
    ]
)

# --- messages -------------------------------------------------------------------------------------


def told_before_the_commit() -> None:
    """The message leaves while the transaction is open."""
    instead(wake, "after_commit", lambda _: wake.send)


def one_world() -> None:
    """A world that never ends takes its time: one of them is enough."""
    instead(progress, "WAVE", lambda _: 1)


def nothing_is_swept() -> None:
    """A message is taken to be done once it was fetched: nobody looks for what is left."""
    one_world()
    instead(sweep, "sweep", lambda _: lambda: 0)
    instead(steps, "sweep", lambda _: lambda: 0)


def deadlines_in_memory() -> None:
    """The deadline of a person is known to the worker that set it, and to nobody else."""

    def make(true: Any) -> Any:
        def overdue(relation: str, limit: int) -> Any:
            due = {row["id"] for row in services._rows(_OF_PEOPLE, [])}
            return [one for one in true(relation, limit) if one not in due]

        return overdue

    instead(services, "overdue", make)


_OF_PEOPLE = "SELECT id FROM games_table WHERE due = 'move'"


def due_by_messages_alone() -> None:
    """What is due is known to the broker alone: payouts too."""
    nothing_is_swept()
    instead(settlement, "settle_due", lambda _: list)


# --- at once --------------------------------------------------------------------------------------

# Whether there is enough is asked before the row is locked; then it is taken without a condition.
CHECKED_FIRST = ";".join(
    [
        redefined(
            "post",
            (
                "UPDATE ledger.account_balance b\n",
                """PERFORM FROM ledger.account_balance b WHERE b.account_id = account_ids[i]
            AND b.balance + b.sign * amounts[i] < b.min_balance;
        IF FOUND THEN
            RAISE EXCEPTION 'too little' USING ERRCODE = '23514', TABLE = 'posting',
                CONSTRAINT = 'floor', DETAIL = (
                    SELECT format('Failing row contains (%s, %s, %s, %s, %s).', b.account_id,
                        b.sign, b.currency, b.state, b.balance + b.sign * amounts[i])
                    FROM ledger.account_balance b WHERE b.account_id = account_ids[i]);
        END IF;
        UPDATE ledger.account_balance b
""",
            ),
        ),
        redefined("check_legs", ("OR f.balance_after < b.min_balance", "")),
        "ALTER TABLE ledger.account_balance DROP CONSTRAINT floor",
    ]
)


def places_counted_first() -> None:
    """Whether a place is left is looked up before the tournament's row is locked.

    Here a full field does not start by itself: the start would close the registration anyhow.
    """
    mine = threading.local()

    def look(true: Any) -> Any:
        def register(tournament: Any, *rest: Any) -> Any:
            before = folded(load(tournament_stream(tournament)).events)
            mine.was_full = before.is_full
            return true(tournament, *rest)

        return register

    def let_in(true: Any) -> Any:
        def enter(state: Any, **more: Any) -> Any:
            if state.is_full and not getattr(mine, "was_full", True):
                roomy = {"entries_max": state.settings.entries_max + 100}
                state = replace(state, options={**state.options, **roomy})
            return true(state, **more)

        return enter

    instead(entries, "register", look)
    instead(entering, "enter", let_in)
    instead(entries, "_start_if_full", lambda _: lambda tx, loaded: loaded)


ONE_WORLD = {"tournaments": 1, "faults": 1, "kinds": 1, "commands": 1}
PLANTS = (
    Plant(
        2,
        "C2",
        "check, then unconditional debit",
        ("races",),
        sizes={"rounds": 360, "pairs": 0},
        sql=CHECKED_FIRST,
    ),
    Plant(
        11,
        "A1",
        "settlement without its key",
        ("once",),
        put=settlement_without_its_key,
        sql=WITHOUT_KEY,
    ),
    Plant(
        14,
        "A7",
        "receipt checked before it is inserted",
        ("once",),
        put=receipt_checked_first,
        starred=True,
        part=few_commands,
    ),
    Plant(
        16,
        "B1",
        "task acknowledged at start, no sweep",
        ("progress",),
        sizes=ONE_WORLD,
        put=nothing_is_swept,
    ),
    Plant(
        17,
        "B3",
        "deadline only in a worker's memory",
        ("progress",),
        put=deadlines_in_memory,
    ),
    Plant(
        18,
        "B5",
        "wake-up sent before commit",
        ("crash-points",),
        put=told_before_the_commit,
    ),
    Plant(
        19,
        "B6",
        "due work only in Redis",
        ("progress",),
        sizes=ONE_WORLD,
        put=due_by_messages_alone,
    ),
    Plant(
        33,
        "H10",
        "place counted before the lock",
        ("races",),
        sizes={"rounds": 360, "pairs": 0},
        put=places_counted_first,
    ),
)
