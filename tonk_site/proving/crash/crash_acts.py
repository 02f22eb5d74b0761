"""What is struck: every command, task, follower's step, and what the sequencer does.

Commands come from `races_commands`. Whatever has a receipt, every task and every follower must be
here: `missing` names what is not.
"""

import contextlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.conf import settings

from eventstore import followers, sequencing
from eventstore.core.refusal import Refused
from eventstore.followers import VERSIONS_OF_A_CODE, Follower
from eventstore.following import Runner
from eventstore.sequencer import Sequencer
from eventstore.services import Receipt, in_transaction
from eventstore.tasking import reasons
from games import selectors
from games.rules.decide import decide
from games.rules.moves import parse
from games.rules.state import Hand
from games.rules.table import BOT_TURN_MS
from games.services.bots import bot_turn
from games.services.deals import deal_next
from games.services.moves import play_for
from games.services.sealing import seal_next
from games.services.stopping import leave_tables
from games.services.sweep import attend
from games.services.voiding import void_lost
from ledger.core.periods import month_of
from ledger.reconciliation import reconcile
from ledger.services import periods, settle, settle_due
from ledger.services.payouts import attend_order
from players.core.proposals import LIFE
from players.services import Registration, exclude, proposals, register, register_bot
from players.services.proposals import expire_proposals
from tonk_site.celery import app
from tonk_site.proving.acting import drive, factories, play
from tonk_site.proving.acting.sealing import URGENT, seal_log
from tonk_site.proving.crash.crash_life import Act
from tonk_site.proving.races.races_commands import EXCLUDED, PLACES, Command, Place, overdue
from tonk_site.proving.races.races_scenes import (
    DecisionScene,
    EventScene,
    OrderScene,
    PlayerScene,
    TableScene,
    World,
    changed,
    excluded_at_rest,
)
from tournaments import selectors as tournaments
from tournaments.core.lifecycle import Status
from tournaments.services import entries, steps
from tournaments.services.conduct import conduct

APPS = ("players", "ledger", "games", "tournaments")
RECEIPT = Receipt("player:test", "a-key-of-this-trial", bytes(32))
"""The client's, for his request and for the same request again."""
ASKED_AGAIN = timedelta(hours=1)
"""After it a provider that gave no answer is asked again."""
OF_TASKS = frozenset(
    {
        attend,
        attend_order,
        bot_turn,
        conduct,
        deal_next,
        expire_proposals,
        leave_tables,
        play_for,
        seal_next,
        settle,
    }
)
"""What only tasks call is struck as a task."""
BOT_LATE = timedelta(milliseconds=BOT_TURN_MS)
"""After it the sweep sees to a bot that has not moved; people have more time."""
A_MONTH = timedelta(days=31)
PEOPLE = 3  # of a tournament in which nobody moves by himself
QUICK = ("table: the last move", "player: enter", "task: ledger.settle")


@dataclass(frozen=True, slots=True)
class Deed:
    """Something to be done, made ready in a world that is empty but for its staff."""

    prepare: Callable[[World], Act]
    later: timedelta = timedelta(0)
    """How much time passes before the sweeps of its recovery."""
    is_first: bool = False
    """Whether no key is there yet: neither of the log nor of the dealer."""


LATER: Mapping[str, timedelta] = MappingProxyType(
    {
        "games.attend": BOT_LATE,
        "games.bot_turn": BOT_LATE,
        "ledger.attend_order": ASKED_AGAIN,
    }
)
"""By task: how long what a death has left lies there before a sweep finds it."""


# --- commands -------------------------------------------------------------------------------------


def _of_command(place: Place, command: Command) -> Deed:
    def prepare(world: World) -> Act:
        scene: Any = place.scene(world, command.stage)
        act = command.prepare(scene)
        scene.look()
        return lambda: act(RECEIPT)

    return Deed(prepare)


def _last_move(world: World) -> Act:
    """A move that ends the hand."""
    scene = TableScene(world, "hand")
    while not (ending := _ending_moves(scene)):
        play.play(scene.id, play.turn_at(scene.id))
        scene.look()
    command = PLACES["table"].commands["move"]
    scene.moves = (ending[0],)
    act = command.prepare(scene)
    return lambda: act(RECEIPT)


def _ending_moves(scene: TableScene) -> list[str]:
    hand, seat = scene.table.hand, scene.table.to_act
    if hand is None or seat is None:
        raise RuntimeError(f"nobody is to act at {scene.id}")
    return [move for move in scene.moves if _ends(hand, seat, move)]


def _ends(hand: Hand, seat: int, move: str) -> bool:
    parsed: Any = parse(move)
    decision: Any = decide(hand, seat, parsed)
    return decision.result is not None


def _register(world: World) -> Act:
    """A person's account. It has no key: who asks again hears that his name is taken."""
    del world
    who = Registration(username="vaiva", password=factories.WORDS, display_name="Vaiva")

    def act() -> None:
        with contextlib.suppress(Refused):
            register(who)

    return act


def _register_bot(world: World) -> Act:
    del world

    def act() -> None:
        with contextlib.suppress(Refused):
            register_bot("random-0", "Rita")

    return act


def _void(world: World) -> Act:
    """A hand whose key is lost."""
    scene = TableScene(world, "hand")
    hand = UUID(scene.table.dealt.hand) if scene.table.dealt else UUID(int=0)
    Path(settings.DEALER_KEY_FILE).unlink()
    return lambda: void_lost(scene.id, hand)


def _month(world: World) -> str:
    """The month of the first entries, which is over now."""
    scene = PlayerScene(world)
    month = month_of(in_transaction(lambda tx: tx.now).date())
    settle(scene.left_table())
    changed("UPDATE simulated.clock SET now = now + %s", A_MONTH)
    return str(month)


def _propose_closing(world: World) -> Act:
    month = _month(world)
    return lambda: periods.propose(month, "", world.admins[0], RECEIPT)


def _close_month(world: World) -> Act:
    """The second person's word, once log and books are through the month and sound."""
    month = _month(world)
    PlayerScene(world)  # something of the next month: so far the log reaches
    settle_due()
    seal_log()
    found = reconcile(is_full=True)
    if found.findings:
        raise RuntimeError([one for check in found.checks for one in check.findings])
    proposed = periods.propose(month, "", world.admins[0], factories.receipt())
    proposal = UUID(str(proposed.result["proposal_id"]))
    return lambda: proposals.approve(proposal, world.admins[1], "", RECEIPT)


def _commands() -> Iterator[tuple[str, Deed]]:
    for place_name, place in PLACES.items():
        for name, command in place.commands.items():
            if command.service not in OF_TASKS:
                yield f"{place_name}: {name}", _of_command(place, command)
    yield "decision: propose a closing", Deed(_propose_closing)
    yield "decision: close a month", Deed(_close_month)
    yield "table: the last move", Deed(_last_move)
    yield "table: void a lost hand", Deed(_void)
    yield "account: register", Deed(_register)
    yield "account: register a bot", Deed(_register_bot)


# --- tasks ----------------------------------------------------------------------------------------

Arguments = tuple[str | int, ...]


def _table(stage: str, *more: str) -> Callable[[World], Arguments]:
    """A table where something is overdue; the task's arguments are its id and these fields."""

    def prepare(world: World) -> Arguments:
        scene = TableScene(world, stage)
        scene.hurry()
        scene.look()
        return (str(scene.id), *(getattr(scene, name) for name in more))

    return prepare


def _overdue_table(world: World) -> Arguments:
    TableScene(world, "hand").hurry()
    return ()


def _stopped(world: World) -> Arguments:
    scene = TableScene(world, "rest")
    outcome = exclude(scene.petras, None, factories.receipt())
    return (str(scene.petras.id), outcome.last_version or 0)


def _excluded_at_rest(world: World) -> Arguments:
    excluded_at_rest(world)
    return ()


def _left_table(world: World) -> Arguments:
    return (PlayerScene(world).left_table(),)


def _payout(world: World) -> Arguments:
    return (str(PlayerScene(world).withdrawal(*world.admins[:2], method="sandbox")),)


def _late_deposit(world: World) -> Arguments:
    scene = OrderScene(world, "sandbox")
    overdue(scene.deposit)
    return (str(scene.deposit),)


def _old_adjustment(world: World) -> Arguments:
    scene = DecisionScene(world)
    sql = "UPDATE ledger.adjustment SET proposed_at = proposed_at - %s WHERE id = %s"
    changed(sql, LIFE, scene.adjustment)
    return ()


def _old_proposal(world: World) -> Arguments:
    scene = DecisionScene(world)
    sql = "UPDATE players_proposal SET created_at = created_at - %s WHERE id = %s"
    changed(sql, LIFE, scene.freeze)
    return ()


def _sealed(world: World) -> Arguments:
    settle(PlayerScene(world).left_table())
    seal_log()
    return ()


def _held(world: World) -> Arguments:
    """A table of a tournament of people that waits to be dealt its first hand."""
    event = factories.a_tournament(
        world.host(), entries_min=PEOPLE, entries_max=PEOPLE, bots="none"
    )
    for _ in range(PEOPLE):
        entries.register(event, world.person(), factories.receipt())
    (table,) = selectors.tables_of_tournament(event)
    drive.hurry(table.id)
    return (str(table.id),)


def _completed(world: World, *, paid: bool = False) -> UUID:
    """A tournament whose prizes are to be computed, or whose prizes are paid."""
    event = EventScene(world, "running")
    while tournaments.see(event.id, None).state.status is not Status.COMPLETED:
        drive.at_tables(event.id)
    if paid:
        steps.step(event.id)
        settle_due()
    return event.id


def _prizes(world: World) -> Arguments:
    return (str(_completed(world)),)


def _paid(world: World) -> Arguments:
    return (str(_completed(world, paid=True)),)


def _nothing(world: World) -> Arguments:
    PlayerScene(world)
    return ()


def _without(prepare: Callable[[World], Arguments]) -> Callable[[World], Arguments]:
    """The same for a sweep, which finds it by itself."""
    return lambda world: prepare(world)[:0]


TASKS: Mapping[str, tuple[Callable[[World], Arguments], ...]] = MappingProxyType(
    {
        "eventstore.forget_receipts": (_nothing,),
        "eventstore.watch": (_nothing,),
        "games.attend": (_table("hand"), _table("rest"), _table("sealing"), _table("bot")),
        "games.bot_turn": (_table("bot", "version"),),
        "games.deal": (_table("rest", "version"),),
        "games.stop": (_stopped,),
        "games.stop_sitters": (_excluded_at_rest,),
        "games.sweep": (_overdue_table,),
        "ledger.attend_order": (_payout, _late_deposit),
        "ledger.expire": (_old_adjustment,),
        "ledger.reconcile": (_sealed,),
        "ledger.reconcile_fully": (_sealed,),
        "ledger.settle": (_left_table,),
        "ledger.sweep": (_without(_left_table),),
        "ledger.sweep_orders": (_without(_payout),),
        "ledger.watch": (_nothing,),
        "players.expire": (_old_proposal,),
        "tournaments.attend": (_prizes, _paid),
        "tournaments.conduct": (_held,),
        "tournaments.step": (_prizes, _paid),
        "tournaments.sweep": (_without(_prizes),),
    }
)
"""Each task in the situations in which it has something to do, with the arguments that name it."""


def _of_task(name: str, arguments_in: Callable[[World], Arguments]) -> Deed:
    def prepare(world: World) -> Act:
        arguments = arguments_in(world)

        def act() -> None:
            app.tasks[name](*arguments)

        return act

    return Deed(prepare, LATER.get(name, timedelta(0)))


def _tasks() -> Iterator[tuple[str, Deed]]:
    for name, situations in TASKS.items():
        for number, arguments_in in enumerate(situations, start=1):
            title = f"task: {name}" if len(situations) == 1 else f"task: {name}, case {number}"
            yield title, _of_task(name, arguments_in)


# --- the log's own processes ----------------------------------------------------------------------


def _round(world: World) -> Act:
    """A sequencer's life: it takes the lock, places what is new, and signs it."""
    seal_log()
    PlayerScene(world)

    def act() -> None:
        if not sequencing.hold():
            raise RuntimeError("somebody else is the sequencer")
        at_work = Sequencer(urgent=URGENT)
        at_work.start()
        while at_work.round():
            pass
        at_work.sign()

    return act


def _first_start(world: World) -> Act:
    """The log is opened, with a key that is made for it."""
    PlayerScene(world)

    def act() -> None:
        Sequencer(urgent=URGENT).start()

    return act


def _step_of(follower: Follower) -> Deed:
    def prepare(world: World) -> Act:
        TableScene(world, "hand")
        seal_log()

        return lambda: _follow(follower)

    return Deed(prepare)


def _new_code_of(follower: Follower) -> Deed:
    """What is written otherwise from now on is built beside the old rows, and takes their place."""
    changed_code = replace(follower, version=follower.version + VERSIONS_OF_A_CODE)

    def prepare(world: World) -> Act:
        TableScene(world, "hand")
        seal_log()
        Runner([follower]).poll()

        return lambda: _follow(changed_code)

    return Deed(prepare)


def _follow(follower: Follower) -> None:
    """Two looks: a runner rests after a fault of its connection, the next one goes on."""
    for _ in range(2):
        Runner([follower]).poll()


def _of_the_log() -> Iterator[tuple[str, Deed]]:
    yield "sequencer: the first start", Deed(_first_start, is_first=True)
    yield "sequencer: a round", Deed(_round)
    for follower in followers.registered():
        yield f"follower: {follower.name}", _step_of(follower)
        yield f"follower: {follower.name}, new code", _new_code_of(follower)


# --- all of them ----------------------------------------------------------------------------------


def deeds() -> Mapping[str, Deed]:
    """All of them by name; what is said of one later takes the place of what was said before."""
    app.loader.import_default_modules()
    return dict([*_commands(), *_tasks(), *_of_the_log()])


def missing() -> list[str]:
    """Services with a receipt, and tasks, of which no deed is made."""
    known = {
        f"{command.service.__module__}.{command.service.__name__}"
        for place in PLACES.values()
        for command in place.commands.values()
    }
    services = set(_with_receipt()) - known - EXCLUDED.keys()
    app.loader.import_default_modules()
    return sorted(services | (reasons().keys() ^ TASKS.keys()))


def _with_receipt() -> Iterator[str]:
    for app_name in APPS:
        package = import_module(f"{app_name}.services")
        inside = getattr(package, "__path__", [])
        names = [f"{package.__name__}.{one.name}" for one in pkgutil.iter_modules(inside)]
        for name in [package.__name__, *names]:
            for function_name, function in inspect.getmembers(
                import_module(name), inspect.isfunction
            ):
                is_own = function.__module__ == name and not function_name.startswith("_")
                if is_own and "receipt" in inspect.signature(function).parameters:
                    yield f"{name}.{function_name}"
