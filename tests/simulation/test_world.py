"""Every command of the product is in the world, or is left out with a reason."""

from celery import current_app

from eventstore.tasking import reasons
from tests.api.routes import ROUTES
from tonk_site.celery import MOVES, SWEEPS
from tonk_site.proving.simulator.making import STAFF
from tonk_site.proving.simulator.processes import HOURLY
from tonk_site.proving.world import ACTS, LEFT_OUT, WITHIN

WRITES = {name for name, route in ROUTES.items() if route.method not in {"GET", "HEAD"}}
SENT = {  # by commands, after their commit
    "ledger.settle", "ledger.attend_order", "tournaments.conduct", "tournaments.step",
    "tournaments.attend", *MOVES,
}  # fmt: skip
NIGHTLY = {
    "eventstore.forget_receipts": "removes what is older than 30 days",
    "ledger.reconcile_fully": "reads, once a night",
}


def test_every_operation_that_writes_is_in_the_world() -> None:
    listed = {act.operation for act in ACTS}
    assert listed | set(WITHIN) | set(LEFT_OUT) == WRITES
    assert not listed & set(WITHIN)
    assert not (listed | set(WITHIN)) & set(LEFT_OUT)


def test_every_task_runs_in_the_world() -> None:
    current_app.loader.import_default_modules()
    assert {*SWEEPS, *HOURLY, *SENT, *NIGHTLY} == set(reasons())


def test_every_act_is_somebodys() -> None:
    roles = {"player", *(role for role, _ in STAFF.values())}
    assert {act.role for act in ACTS} == roles
