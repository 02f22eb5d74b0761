"""Facts are only added (`trust.md` section 1).

The role of the application tries everything that would change a fact, switch a guard off or take
the owner's rights; then the owner tries, whom the triggers hold, and again under the replication
role `replica`, where plain triggers sleep. All of it must be refused, and every row must be as
before. The trial has a database of its own.
"""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import psycopg
from psycopg import errors
from psycopg.conninfo import make_conninfo
from typing_extensions import override

from eventstore import checks
from tonk_site.guarding import GUARDS
from tonk_site.proving.checks import Breach, Check, Found, Order
from tonk_site.proving.scratch import database

APP, OWNER = checks.APP, checks.OWNER
# Statements are forms: {r} is a relation, {c} its column, {t} its trigger; the others stand here.
PARTS = {
    "app": APP,
    "owner": OWNER,
    "columns": "event_id, stream, version, type, schema, data, meta, at, prev_hash, hash",
    "event": """gen_random_uuid(), 'player/00000000-0000-7000-8000-000000000000', 1,
        'NameConsentSet', 1, '{}', '{}', now(), decode(repeat('00', 32), 'hex'), sha256('x')""",
    "tile": "decode(repeat('00', 8192), 'hex')",
    "refuse": "public.eventstore_refuse_change()",
}
# Relation: a column of it, and how a row gets there, so that triggers for rows wake.
FACTS = {
    "eventstore_event": ("data", "INSERT INTO {r} ({columns}) VALUES ({event})"),
    "eventstore_log_leaf": ("hash", "INSERT INTO {r} VALUES (0, 1, sha256('x'))"),
    "eventstore_log_tile": ("hashes", "INSERT INTO {r} VALUES (0, 0, {tile})"),
    "eventstore_log_checkpoint": (
        "root",
        "INSERT INTO {r} VALUES (1, sha256('x'), 'note', now())",
    ),
    "eventstore_log_cosignature": ("line", "INSERT INTO {r} VALUES (1, 'a', 'line')"),
    "eventstore_log_key": (
        "public_key",
        "INSERT INTO {r} VALUES (substr(sha256('k'), 1, 4), 'a', sha256('x'), 0)",
    ),
    "eventstore_command_receipt": (
        "fingerprint",
        """INSERT INTO {r} (actor, key, fingerprint)
        VALUES ('worker:clock', 'a-key-of-this-trial', sha256('x'))""",
    ),
    "ledger.entry": (
        "hash",
        """SELECT ledger.post(1::smallint, 'XTK', 'table/x', 1, 0, now(), now(), NULL, sha256('x'),
            array_agg(id ORDER BY id), ARRAY[5, -5]) FROM ledger.account
        WHERE currency = 'XTK' AND role IN ('issue', 'promotion') AND stripe = 0""",
    ),
    "ledger.posting": ("amount", "SELECT count(*) FROM {r}"),  # there already
}
# Fields that nobody but the database, or nobody at all, may set.
FIELDS = """
INSERT INTO eventstore_event (position, {columns}) OVERRIDING SYSTEM VALUE VALUES (9, {event});
INSERT INTO eventstore_event (tx, {columns}) VALUES ('1', {event});
UPDATE eventstore_command_receipt SET key = 'another-key-than-before';
UPDATE eventstore_command_receipt SET actor = 'worker:dealer';
UPDATE eventstore_command_receipt SET created_at = now();
INSERT INTO eventstore_log_leaf VALUES (1, 2, sha256('y'));
INSERT INTO eventstore_log_checkpoint VALUES (2, sha256('y'), 'note', now());
UPDATE eventstore_log_key SET to_size = 1;
UPDATE eventstore_log_state SET size = 0;
INSERT INTO ledger.entry (kind, hash) SELECT kind, hash FROM ledger.entry;
INSERT INTO ledger.posting VALUES (1, 1, 1, 5, 9, 5);
UPDATE ledger.account_balance SET balance = balance + 1
"""
# Ways round: a guard off, the rights of the owner or of a superuser.
WAYS = """
SET session_replication_role = 'replica';
SET ROLE {owner};
SET SESSION AUTHORIZATION {owner};
GRANT {owner} TO {app};
ALTER ROLE {app} SUPERUSER;
CREATE OR REPLACE FUNCTION {refuse} RETURNS trigger LANGUAGE sql AS 'SELECT 1';
ALTER FUNCTION {refuse} RENAME TO harmless;
DROP FUNCTION {refuse} CASCADE;
DROP SCHEMA ledger CASCADE;
DROP OWNED BY {owner};
COPY eventstore_event TO PROGRAM 'true'
"""
CHANGES = ("UPDATE {r} SET {c} = {c}", "DELETE FROM {r}", "TRUNCATE {r} CASCADE")
SHAPES = (
    "ALTER TABLE {r} ADD COLUMN more integer",
    "ALTER TABLE {r} DROP COLUMN {c}",
    "ALTER TABLE {r} OWNER TO {app}",
    "ALTER TABLE {r} DISABLE TRIGGER ALL",
    "CREATE RULE gone AS ON INSERT TO {r} DO INSTEAD NOTHING",
    "CREATE TRIGGER mine BEFORE INSERT ON {r} EXECUTE FUNCTION {refuse}",
    "DROP TABLE {r} CASCADE",
)
SWITCHES = (
    "DROP TRIGGER {t} ON {r}",
    "ALTER TABLE {r} DISABLE TRIGGER {t}",
    "ALTER TABLE {r} ENABLE REPLICA TRIGGER {t}",
)


DIGEST = "SELECT count(*), md5(string_agg(r::text, ',' ORDER BY r::text)) FROM {} r"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One statement, and who tries it."""

    role: str
    statement: str
    as_replica: bool = False

    @override
    def __str__(self) -> str:
        return f"{self.role}{' as replica' if self.as_replica else ''}: {self.statement}"


def _relations() -> Iterator[checks.Relation]:
    listed = {one.name: one for guards in GUARDS for one in guards.relations}
    yield from (listed[name] for name in FACTS)


def _of_the_app() -> Iterator[str]:
    for relation in _relations():
        names = {"r": relation.name, "c": FACTS[relation.name][0], **PARTS}
        yield from (form.format(**names) for form in (*CHANGES, *SHAPES))
        for trigger in relation.triggers:
            yield from (form.format(t=trigger.name, **names) for form in SWITCHES)
    yield from (form.strip().format(**PARTS) for form in f"{FIELDS};{WAYS}".split(";"))


def _of_the_owner() -> Iterator[str]:
    for relation in _relations():
        if relation.triggers:
            names = {"r": relation.name, "c": FACTS[relation.name][0]}
            yield from (form.format(**names) for form in CHANGES)


ATTEMPTS: Sequence[Attempt] = (
    *(Attempt(APP, one) for one in _of_the_app()),
    *(Attempt(OWNER, one, replica) for replica in (False, True) for one in _of_the_owner()),
)


def run(order: Order) -> Found:
    """The trial on a database of its own."""
    with database() as place:
        order.say(f"{len(ATTEMPTS)} attempts")
        return attack(place.superuser_url)


def attack(superuser: str) -> Found:
    """All attempts against the database that a superuser reaches so."""
    found = Found()
    with psycopg.connect(superuser, autocommit=True) as onlooker:
        for name, (_, row) in FACTS.items():
            onlooker.execute(row.format(r=name, **PARTS).encode())
        before = _rows(onlooker)
        for attempt in ATTEMPTS:
            found.done["attempts"] += 1
            got = _try(superuser, attempt)
            if got is None:
                found.done["refused"] += 1
            else:
                found.breaches.append(_breach("a fact can be changed", str(attempt), got))
        after = _rows(onlooker)
    changed = [name for name in FACTS if before[name] != after[name]]
    found.breaches += [_breach("rows are not as before", name, "others") for name in changed]
    with psycopg.connect(make_conninfo(superuser, user=APP)) as own, own.cursor() as cursor:
        missing = list(checks.faults(cursor, GUARDS))
    found.breaches += [_breach("a guard is missing", one, "no guard") for one in missing]
    return found


def _try(superuser: str, attempt: Attempt) -> str | None:
    """What became of an attempt; None where it was refused. Nothing of it stays."""
    address = make_conninfo(superuser, user=APP) if attempt.role == APP else superuser
    with contextlib.closing(psycopg.connect(address)) as connection:  # rolls back
        try:
            if attempt.as_replica:
                connection.execute("SET session_replication_role = 'replica'")
            if attempt.role == OWNER:
                connection.execute(f"SET ROLE {OWNER}".encode())
            connection.execute(attempt.statement.encode())
        except errors.InsufficientPrivilege:
            return None
        except psycopg.Error as fault:
            return f"{fault.sqlstate}: {fault}".strip()
    return "it was done"


def _rows(onlooker: psycopg.Connection) -> dict[str, str]:
    """A digest of the rows of each relation."""
    found = {}
    for name in FACTS:
        found[name] = str(onlooker.execute(DIGEST.format(name).encode()).fetchall())
    return found


def _breach(what: str, where: str, got: str) -> Breach:
    return Breach(what, where, "refused", got, f"manage.py prove {CHECK.name}")


SIZES = {"attempts": len(ATTEMPTS), "refused": len(ATTEMPTS)}
CHECK = Check(name="append-only", promise=7, quick=SIZES, full=SIZES, run=run)
