"""The people of a world, its actors, and what must hold when it is over."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from uuid import UUID

from django.core.wsgi import get_wsgi_application

from eventstore import ports
from ledger import rebuild
from ledger.selectors import balance_sums, escrow, seats, sums
from ledger.services import settle_due
from players.selectors import person
from players.services import Registration, issue_token, register
from tonk_site.proof import prove_log
from tonk_site.proving.acting.factories import pays_in
from tonk_site.proving.simulator.broker import Broker
from tonk_site.proving.simulator.faults import Menu
from tonk_site.proving.simulator.order import Order
from tonk_site.proving.simulator.people import Person, World
from tonk_site.proving.simulator.processes import Processes
from tonk_site.proving.simulator.scheduler import Scheduler
from tonk_site.proving.simulator.watch import Broken, Watch
from tonk_site.proving.world import ACTS

PLAYERS = ("ona", "petras", "birute")
STAFF = {"jonas": ("organiser", "organiser"), "algis": ("admin", "admin"),
         "rasa": ("admin", "admin"), "daiva": ("host", ""), "vida": ("saver", "")}  # fmt: skip
SAVINGS = 10_000


def make(order: Order, scheduler: Scheduler, menu: Menu, watch: Watch, folder: Path) -> World:
    """The world before anything strikes: accounts with wallets and tokens."""
    world = World(
        scheduler, menu, watch, get_wsgi_application(), order.seed, folder, order.kind,
        order.players, order.first,
    )  # fmt: skip
    for name in PLAYERS[: order.players]:
        world.people.append(_person(world, name, "player", ""))
    for name, (role, right) in STAFF.items():
        world.people.append(_person(world, name, role, right))
    world.people[0].takes_part = True
    saver = next(one for one in world.people if one.role == "saver")
    found = person(UUID(saver.player))
    if found is not None:
        pays_in(found, SAVINGS)
    watch.look()
    return world


def start(world: World, broker: Broker) -> Processes:
    """Give everybody a life: people, and the product's processes."""
    acts = [act for act in ACTS if world.kind in act.worlds]
    for one in world.people:
        world.scheduler.add(one.name, partial(one.live, acts), process="web")
    processes = Processes(world.scheduler, broker, world.watch)
    processes.start()
    return processes


def judge(world: World, order: Order) -> None:
    """What must hold of the log and the books at rest. Raises: Broken."""
    if order.mode == "unlimited":
        while any(settled.events for settled in settle_due()):
            pass
    proof = prove_log()
    wrong = [*map(str, proof.faults), *map(str, proof.differences)]
    if wrong:
        raise Broken(f"live is not as replayed: {wrong[:3]}")
    books = rebuild.compare()
    if books.difference is not None:
        raise Broken(f"the books are not as rebuilt: {books.difference}")
    totals = {name: amount for name, amount in {**sums(), **balance_sums()}.items() if amount}
    if totals:
        raise Broken(f"the books do not sum to zero: {totals}")
    for one in world.people:
        one.require_same()
    left = left_in_escrow(world)
    if left:
        raise Broken(f"escrow is left: {left}")


def is_ended(world: World) -> bool:
    """Whether the tournament is settled, the cash table closed."""
    end = "Settled" if world.kind == "tournament" else "TableClosed"
    return world.watch.types.get(end, 0) > 0


def left_in_escrow(world: World) -> dict[str, int]:
    """What a tournament or a cash table holds in the books after its end."""
    if not is_ended(world):
        return {}
    if world.kind == "tournament":
        held = escrow(world.known["tournament_id"])
    else:
        held = seats(world.known["table_id"])
    return {name: amount for name, amount in held.items() if amount}


def trial_balance() -> Iterable[object]:
    """Sums of the books, for the digest of a run."""
    return sorted(balance_sums().items())


def _person(world: World, name: str, role: str, right: str) -> Person:
    who = Registration(
        username=name, password=ports.random_bytes(12).hex(), display_name=name.title()
    )
    account = register(who, extra_roles=(right,) if right else ())
    token = issue_token(account, device="simulator").secret
    return Person(world, name, role, str(account.id), token)
