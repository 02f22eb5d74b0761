"""The Celery application. A message is only a wake-up: what is due lies in PostgreSQL.

Every value was tried under crashes (`docs/internals`): the broker gives at least once after it has
a message and nothing before, so tasks run late-acknowledged, are safe to run twice, and a sweep
every two seconds finds what a lost message left behind.
"""

import os
from urllib.parse import parse_qs, urlsplit

from celery import Celery
from celery.schedules import crontab
from celery.signals import beat_init, worker_init
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from tonk_site.guarding import require_guards

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tonk_site.settings")

SWEEP_SECONDS = 2
SWEEP_EXPIRES_SECONDS = 300  # sweeps must not pile up; hosts' clocks may differ by a minute
SWEEPS = (
    "games.sweep",
    "ledger.sweep",
    "ledger.sweep_orders",
    "tournaments.sweep",
    "eventstore.watch",
    "ledger.watch",
)
MOVES = ("games.bot_turn", "games.deal", "games.attend", "games.stop")
RECONCILE_SECONDS = 3_600
EXPIRE_SECONDS = 3_600  # what runs out does so after days, and nobody may decide it meanwhile
STOP_SECONDS = 60
NIGHTLY = crontab(hour="3", minute="17")
NIGHTLY_SECONDS_MAX = 3_600
DB_REUSE_TASKS = 1_000  # a new connection for every task would cost more than most tasks
VISIBILITY_SECONDS = 60  # above every time limit: otherwise two workers run one task


def broker_url(redis_url: str) -> str:
    """The same server in Celery's spelling.

    >>> broker_url("unix:///run/valkey.sock?db=3")
    'redis+socket:///run/valkey.sock?virtual_host=3'
    >>> broker_url("redis://cache:6379/0")
    'redis://cache:6379/0'
    """
    parts = urlsplit(redis_url)
    if parts.scheme != "unix":
        return redis_url
    database = parse_qs(parts.query).get("db", ["0"])[0]
    return f"redis+socket://{parts.path}?virtual_host={database}"


app = Celery("tonk")
app.conf.update(
    broker_url=broker_url(settings.REDIS_URL),
    broker_connection_retry_on_startup=True,
    broker_transport_options={
        "visibility_timeout": VISIBILITY_SECONDS,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_timeout": 5,
        "socket_connect_timeout": 1,
        "health_check_interval": 15,
    },
    CELERY_DB_REUSE_MAX=DB_REUSE_TASKS,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_ignore_result=True,
    task_publish_retry=False,
    task_time_limit=30,
    task_soft_time_limit=25,
    task_annotations={
        **{name: {"time_limit": 5, "soft_time_limit": 2} for name in MOVES},
        # Longer than a message stays hidden, so it is acknowledged first: if it is lost, the next
        # night does the same work.
        "ledger.reconcile_fully": {
            "acks_late": False,
            "time_limit": NIGHTLY_SECONDS_MAX,
            "soft_time_limit": NIGHTLY_SECONDS_MAX - 60,
        },
    },
    task_queues={"settle": {}, "bots": {}},
    task_default_queue="settle",
    task_create_missing_queues=False,
    task_routes={name: {"queue": "bots"} for name in MOVES},
    task_serializer="json",
    accept_content=["json"],
    worker_prefetch_multiplier=1,
    worker_cancel_long_running_tasks_on_connection_loss=True,
    worker_soft_shutdown_timeout=10,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    enable_utc=True,
    timezone="UTC",
    beat_schedule={
        name: {"task": name, "schedule": schedule, "options": {"expires": SWEEP_EXPIRES_SECONDS}}
        for name, schedule in {
            **dict.fromkeys(SWEEPS, SWEEP_SECONDS),
            "games.stop_sitters": STOP_SECONDS,
            "ledger.reconcile": RECONCILE_SECONDS,
            "ledger.expire": EXPIRE_SECONDS,
            "players.expire": EXPIRE_SECONDS,
            "ledger.reconcile_fully": NIGHTLY,
        }.items()
    },
)
app.autodiscover_tasks()


def refuse_unguarded(**_: object) -> None:
    """End where a guard is missing: of a signal's receiver Celery hears a SystemExit alone."""
    try:
        require_guards()
    except ImproperlyConfigured as fault:
        raise SystemExit(str(fault)) from fault


worker_init.connect(refuse_unguarded)
beat_init.connect(refuse_unguarded)
