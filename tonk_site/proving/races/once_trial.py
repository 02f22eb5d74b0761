"""The process of the check `once`: copies of commands, deliveries of tasks and of notices.

Everything is done in two scenes that are alike: in one of them once, in the other by many at the
same time. What is appended, posted and kept in rows must be the same in both, and to the unit.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import get_type_hints

from celery import current_app

from eventstore.core.refusal import Refused
from eventstore.ports import new_id
from eventstore.services import Receipt
from eventstore.tasking import reasons
from games import selectors
from games.services.bots import add_bot, bot_turn
from ledger.services.payouts import take_notice
from tonk_site import celery
from tonk_site.proving.acting import drive, factories
from tonk_site.proving.checks import Breach, Found
from tonk_site.proving.races import races_state
from tonk_site.proving.races.races_commands import DECISION, PLACES, WITHDRAWAL, Command, Place
from tonk_site.proving.races.races_meeting import DONE, End, Point, Racers, Work
from tonk_site.proving.races.races_scenes import (
    LITTLE,
    DecisionScene,
    EventScene,
    OrderScene,
    PlayerScene,
    TableScene,
    World,
    excluded_at_rest,
    paid_notice,
)
from tonk_site.proving.races.races_state import Mark, Wrong, rows
from tonk_site.proving.races.races_trial import surroundings
from tournaments import selectors as tournaments
from tournaments.core.lifecycle import Status
from tournaments.services.conduct import conduct

COPIES, DELIVERIES, THREADS, NOTICES = 16, 40, 8, 5
_ROWS = """
    SELECT 'accounts', count(*) FROM players_user
    UNION ALL SELECT 'proposals', count(*) FROM players_proposal
    UNION ALL SELECT 'tables', count(*) FROM games_table
    UNION ALL SELECT 'seats', count(*) FROM games_seat
    UNION ALL SELECT 'sittings', count(*) FROM games_sitting
    UNION ALL SELECT 'tournaments', count(*) FROM tournaments_tournament
    UNION ALL SELECT 'entrants', count(*) FROM tournaments_entrant
    UNION ALL SELECT 'payment orders', count(*) FROM ledger.payment_order
    UNION ALL SELECT 'adjustments', count(*) FROM ledger.adjustment
    UNION ALL SELECT 'comments', count(*) FROM ledger.adjustment_comment
    UNION ALL SELECT 'payments', count(*) FROM ledger.external_payment"""
"""Where something done twice would show that the log does not tell."""
DOCUMENTED = frozenset({DONE, "idempotency_in_progress"})
"""What one of many copies may be answered: the first result, or to come again."""


@dataclass(frozen=True, slots=True)
class Doing:
    """Something that may come twice, ready to be done."""

    once: Work
    subject: str = ""
    """Stream of what it is about, where its effect can not be compared with another's."""
    varies: bool = False
    """Whether the amounts can not: a bot brings what it has."""


Prepare = Callable[[World], Doing]


# --- commands -------------------------------------------------------------------------------------


def keyed() -> dict[str, tuple[Place, Command]]:
    """The commands that take a receipt, by place and name."""
    return {
        f"{place_name}: {name}": (place, command)
        for place_name, place in PLACES.items()
        for name, command in place.commands.items()
        if Receipt in get_type_hints(command.service).values()
    }


def of_command(place: Place, command: Command) -> Prepare:
    """The command with one receipt."""

    def prepare(world: World) -> Doing:
        scene = place.scene(world, command.stage)
        act = command.prepare(scene)
        scene.look()
        return Doing(partial(act, factories.receipt()), varies=command.service is add_bot)

    return prepare


# --- tasks ----------------------------------------------------------------------------------------


def _task(name: str, *arguments: str | int, subject: str = "") -> Doing:
    return Doing(partial(current_app.tasks[name], *arguments), subject)


def _bot_turn(world: World) -> Doing:
    scene = TableScene(world, "bot")
    return _task("games.bot_turn", str(scene.id), scene.version, subject=scene.stream)


def _deal(world: World) -> Doing:
    scene = TableScene(world, "rest")
    scene.hurry()
    return _task("games.deal", str(scene.id), scene.version)


def _attend(world: World) -> Doing:
    scene = TableScene(world, "hand")
    scene.hurry()
    return _task("games.attend", str(scene.id))


def _stop(world: World) -> Doing:
    return _task("games.stop", str(TableScene(world, "rest").guest().id), 1)


def _stop_sitters(world: World) -> Doing:
    excluded_at_rest(world)
    return _task("games.stop_sitters")


def _settle(world: World) -> Doing:
    return _task("ledger.settle", PlayerScene(world).left_table())


def _settle_due(world: World) -> Doing:
    races_state.settle_everything()  # what others have left
    PlayerScene(world).left_table()
    return _task("ledger.sweep")


def _attend_order(world: World) -> Doing:
    scene = OrderScene(world, "sandbox")
    WITHDRAWAL.commands["pay out"].prepare(scene)
    return _task("ledger.attend_order", str(scene.withdrawal))


def _expire(world: World) -> Doing:
    DECISION.commands["expire proposals"].prepare(DecisionScene(world))
    return _task("players.expire")


def _conduct(world: World) -> Doing:
    return _task("tournaments.conduct", str(EventScene(world, "running").table()))


def _completed(task: str, world: World) -> Doing:
    """A tournament that was played to its end, whose prizes are due."""
    scene = EventScene(world, "of two")
    while tournaments.see(scene.id, scene.host.id).state.status is Status.RUNNING:
        for row in selectors.tables_of_tournament(scene.id):
            if row.due == "bot":
                bot_turn(row.id, row.version)
            elif row.due == "held":
                drive.hurry(row.id)
                with contextlib.suppress(Refused):
                    conduct(row.id)
    return _task(task, str(scene.id))


def _without(task: str) -> Prepare:
    """A task that is about nothing of its own: it looks, sends messages, or removes what is old."""
    return lambda _: _task(task)


# Those that read the whole log come first, while it is short.
TASKS: Mapping[str, Prepare] = MappingProxyType(
    {
        "ledger.reconcile": _without("ledger.reconcile"),
        "ledger.reconcile_fully": _without("ledger.reconcile_fully"),
        "ledger.watch": _without("ledger.watch"),
        "ledger.expire": _without("ledger.expire"),
        "ledger.sweep_orders": _without("ledger.sweep_orders"),
        "ledger.settle": _settle,
        "ledger.sweep": _settle_due,
        "ledger.attend_order": _attend_order,
        "eventstore.forget_receipts": _without("eventstore.forget_receipts"),
        "eventstore.watch": _without("eventstore.watch"),
        "games.attend": _attend,
        "games.bot_turn": _bot_turn,
        "games.deal": _deal,
        "games.stop": _stop,
        "games.stop_sitters": _stop_sitters,
        "games.sweep": _without("games.sweep"),
        "players.expire": _expire,
        "tournaments.attend": partial(_completed, "tournaments.attend"),
        "tournaments.conduct": _conduct,
        "tournaments.step": partial(_completed, "tournaments.step"),
        "tournaments.sweep": _without("tournaments.sweep"),
    }
)


# --- notices --------------------------------------------------------------------------------------


def _of_order(world: World) -> Doing:
    scene = OrderScene(world, "sandbox")
    return Doing(partial(take_notice, paid_notice(scene.deposit, LITTLE, scene.reference)))


def _of_player(world: World) -> Doing:
    return Doing(partial(take_notice, paid_notice(world.person().id, LITTLE, new_id().hex)))


def _of_nobody(_: World) -> Doing:
    return Doing(partial(take_notice, paid_notice("rent", LITTLE, new_id().hex)))


def _of_payout(world: World) -> Doing:
    scene = OrderScene(world, "sandbox")
    act = WITHDRAWAL.commands["take a notice"].prepare(scene)
    return Doing(partial(act, factories.receipt()))


NOTICE_KINDS: Mapping[str, Prepare] = MappingProxyType(
    {
        "of an order": _of_order,
        "of a player": _of_player,
        "of nobody": _of_nobody,
        "of a payout": _of_payout,
    }
)


# --- the trial ------------------------------------------------------------------------------------


@dataclass
class Trial:
    """Everything once alone, and once by many."""

    seed: str
    world: World = field(default_factory=World)
    found: Found = field(default_factory=Found)

    def __post_init__(self) -> None:
        self.racers = Racers(max(COPIES, THREADS))
        self.found.seen = {"ends": Counter(), "without effect": Counter()}

    def command(self, name: str, prepare: Prepare) -> None:
        """16 copies of a command with one key."""
        ends = self._try(f"command {name}", prepare, lambda once: [once] * COPIES)
        self.found.done.update(commands=1, copies=COPIES)
        self._tell(f"command {name}", _unlike_first(ends))

    def task(self, name: str, prepare: Prepare) -> None:
        """40 deliveries of a task to 8 threads."""

        def several(once: Work) -> None:
            for _ in range(DELIVERIES // THREADS):
                once()

        ends = self._try(f"task {name}", prepare, lambda once: [partial(several, once)] * THREADS)
        self.found.done.update(tasks=1, copies=DELIVERIES)
        self._tell(f"task {name}", _refused(ends))

    def notice(self, name: str, prepare: Prepare) -> None:
        """Five deliveries of a provider's notice."""
        ends = self._try(f"notice {name}", prepare, lambda once: [once] * NOTICES)
        self.found.done.update(notices=1, copies=NOTICES)
        self._tell(f"notice {name}", _refused(ends))

    def unknown(self) -> None:
        """A task that nobody has listed here is not proved."""
        celery.app.loader.import_default_modules()
        for name in sorted(reasons().keys() ^ TASKS.keys()):
            self._tell(f"task {name}", [Wrong("an unknown task", "", "it is listed", "it is not")])

    def close(self) -> None:
        """Compare the books with the log, and end the threads."""
        self.racers.close()
        self._tell("at the end", races_state.books_unlike_replay())

    def _try(
        self, where: str, prepare: Prepare, many: Callable[[Work], Sequence[Work]]
    ) -> list[End]:
        alone = prepare(self.world)
        mark, before = Mark.now(), counts()
        alone.once()
        expected = effect(mark, before, varies=alone.varies)
        doing = prepare(self.world)
        mark, before = Mark.now(), counts()
        ends, _ = self.racers.run(many(doing.once), Point.LOCK)
        got = effect(mark, before, varies=doing.varies)
        self.found.seen["ends"].update(end.code for end in ends)
        if doing.subject:
            self._tell(where, _made_twice(doing.subject, mark))
        elif got != expected:
            self._tell(where, [Wrong("not one effect", "", _told(expected), _told(got))])
        self._tell(where, races_state.wrongs_since(mark))
        if expected:
            self.found.done["effects"] += 1
        else:
            self.found.seen["without effect"][where] += 1
        return ends

    def _tell(self, where: str, wrongs: Iterator[Wrong] | Sequence[Wrong]) -> None:
        rerun = f"manage.py prove once --seed {self.seed}"
        self.found.breaches += [
            Breach(one.what, f"{where} {one.where}".strip(), one.expected, one.got, rerun)
            for one in wrongs
        ]


def counts() -> Counter[str]:
    """Rows of each relation that commands add to."""
    return Counter(dict(rows(_ROWS)))


def effect(mark: Mark, before: Counter[str], *, varies: bool) -> Counter[str]:
    """What has been appended, posted and kept since; where amounts vary, without these."""
    found = Counter(f"event {kind}" for _, _, kind in mark.events())
    booked = mark.booked()
    found.update(f"entry {told.partition(':')[0] if varies else told}" for told in booked)
    for relation, count in counts().items():
        found[f"rows: {relation}"] = count - before[relation]
    return Counter({name: count for name, count in found.items() if count})


def _told(found: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(found.items())) or "nothing"


def _unlike_first(ends: Sequence[End]) -> Iterator[Wrong]:
    """All are answered alike, and one of them first."""
    codes = Counter(end.code for end in ends)
    answers = [end.result for end in ends if end.code == DONE]
    faults = [end.fault for end in ends if end.code not in DOCUMENTED]
    if faults or not answers:
        yield Wrong("an answer that is not documented", "", "the first result", f"{codes} {faults}")
        return
    if len({(one.status, str(one.result)) for one in answers}) > 1:
        yield Wrong("different answers", "", "the first result", str(answers))
    first = sum(not one.replayed for one in answers)
    if first != 1:
        yield Wrong("made more than once", "", "1", str(first))


def _refused(ends: Sequence[End]) -> Iterator[Wrong]:
    for end in ends:
        if end.code != DONE:
            yield Wrong("a delivery that failed", "", DONE, end.fault)


def _made_twice(stream: str, mark: Mark) -> Iterator[Wrong]:
    """Every event of the stream comes from one command of its own version."""
    sql = """SELECT coalesce(sum(last_version - first_version + 1), 0)
        FROM eventstore_command_receipt WHERE stream = %s AND created_at >= %s"""
    made, told = len(mark.events()), int(rows(sql, [stream, mark.at])[0][0])
    if not made or made != told:
        yield Wrong("events and receipts differ", stream, f"{told} events", f"{made} events")


def run_commands(seed: str, times: int) -> Found:
    """Copies of every command, so many times."""

    def try_all(trial: Trial) -> None:
        for name, (place, command) in keyed().items():
            trial.command(name, of_command(place, command))

    return _run(seed, times, try_all)


def run_messages(seed: str, times: int) -> Found:
    """Deliveries of every task and of every kind of notice, so many times."""

    def try_all(trial: Trial) -> None:
        trial.unknown()
        for name, prepare in TASKS.items():
            trial.task(name, prepare)
        for name, prepare in NOTICE_KINDS.items():
            trial.notice(name, prepare)

    return _run(seed, times, try_all)


def _run(seed: str, times: int, try_all: Callable[[Trial], None]) -> Found:
    with surroundings():
        trial = Trial(seed)
        for _ in range(times):
            try_all(trial)
        trial.close()
    return trial.found
