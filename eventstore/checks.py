"""What the database must guard, and how it is read whether it does (`eventstore.md` section 1.5).

Migrations put triggers and grants there; somebody with the rights of the owner can take them away.
An app lists what its relations need; here the lists are compared with the database's own catalogue.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

OWNER, APP, SEQUENCER, AUDITOR = "tonk_owner", "tonk_app", "tonk_sequencer", "tonk_auditor"
PUBLIC = "public"
ALWAYS = "A"
READ = frozenset({"SELECT"})
WORKING_ROLES = (APP, SEQUENCER, AUDITOR, PUBLIC)


class Cursor(Protocol):
    """What is needed of a cursor of the driver."""

    def execute(self, query: Any, params: Any = None, /) -> Any:
        """Run a statement."""

    def fetchall(self) -> list[Any]:
        """All rows of its answer."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger that refuses, and the statements that wake it."""

    name: str
    wakes: str  # as the catalogue tells it, e.g. `BEFORE DELETE OR UPDATE`
    function: str
    level: str = "STATEMENT"
    when: str = ""  # as the catalogue tells it; empty: always


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation, what each role may do with it, and the triggers that nothing may walk past.

    A right on single columns is written `INSERT(data)`.
    """

    name: str
    grants: Mapping[str, frozenset[str]]
    triggers: Sequence[Trigger] = ()

    @property
    def qualified(self) -> str:
        """The name with its schema."""
        return self.name if "." in self.name else f"public.{self.name}"


@dataclass(frozen=True, slots=True)
class Routine:
    """A function that acts with the owner's rights, and who may call it."""

    name: str
    callers: frozenset[str]


@dataclass(frozen=True, slots=True)
class Guards:
    """What the relations of an app need."""

    relations: Sequence[Relation] = ()
    routines: Sequence[Routine] = field(default=())


def on_columns(right: str, columns: str) -> frozenset[str]:
    """The right on each of these columns.

    >>> sorted(on_columns("UPDATE", "a b"))
    ['UPDATE(a)', 'UPDATE(b)']
    """
    return frozenset(f"{right}({column})" for column in columns.split())


def _unchanging(relation: str, function: str = "eventstore_refuse_change") -> tuple[Trigger, ...]:
    short = relation.removeprefix("eventstore_")
    return (
        Trigger(f"{short}_no_change", "BEFORE DELETE OR UPDATE", function, "ROW"),
        Trigger(f"{short}_no_truncate", "BEFORE TRUNCATE", "eventstore_refuse_change"),
    )


def _of_the_tree(relation: str, *, change: frozenset[str] = frozenset()) -> Relation:
    keeper = "eventstore_refuse_key_change" if change else "eventstore_refuse_change"
    rights = {APP: READ, SEQUENCER: READ | {"INSERT"} | change, AUDITOR: READ}
    return Relation(relation, rights, _unchanging(relation, keeper))


GUARDS = Guards(
    relations=(
        Relation(
            "eventstore_event",
            {
                APP: READ
                | on_columns(
                    "INSERT",
                    "event_id stream version type schema data meta at prev_hash hash",
                ),
                SEQUENCER: READ,
                AUDITOR: READ,
            },
            _unchanging("eventstore_event"),
        ),
        Relation(
            "eventstore_command_receipt",
            {
                APP: READ
                | {"INSERT"}
                | on_columns("UPDATE", "status result stream first_version last_version")
            },
        ),
        _of_the_tree("eventstore_log_leaf"),
        _of_the_tree("eventstore_log_tile"),
        _of_the_tree("eventstore_log_checkpoint"),
        _of_the_tree("eventstore_log_cosignature"),
        _of_the_tree("eventstore_log_key", change=on_columns("UPDATE", "to_size")),
        Relation("eventstore_log_state", {APP: READ, SEQUENCER: READ | {"UPDATE"}, AUDITOR: READ}),
        Relation("eventstore_follower", {APP: READ | {"INSERT", "UPDATE"}, AUDITOR: READ}),
    ),
    routines=(Routine("eventstore_forget_receipts", frozenset({APP})),),
)


def faults(cursor: Cursor, every: Iterable[Guards]) -> Iterator[str]:
    """What is not guarded as it must be, each as one sentence; nothing where all is well."""
    lists = tuple(every)
    relations = [relation for guards in lists for relation in guards.relations]
    yield from _of_role(cursor)
    for relation in relations:
        yield from _of_relation(cursor, relation)
    for guards in lists:
        for routine in guards.routines:
            yield from _of_routine(cursor, routine)


ROLE = """
SELECT r.rolname, r.rolsuper, pg_has_role(r.oid, o.oid, 'MEMBER'),
    has_parameter_privilege(r.oid, 'session_replication_role', 'SET')
FROM pg_roles r, pg_roles o WHERE r.rolname = current_user AND o.rolname = %s"""


def _of_role(cursor: Cursor) -> Iterator[str]:
    """The connecting role is no superuser, is not the owner and can not become it."""
    cursor.execute(ROLE, [OWNER])
    rows = cursor.fetchall()
    if not rows:
        yield f"there is no role {OWNER}"
    for name, is_super, is_owner, may_replicate in rows:
        if is_super:
            yield f"the connecting role {name} is a superuser"
        elif is_owner:
            yield f"the connecting role {name} is, or can become, the owner {OWNER}"
        elif may_replicate:
            yield f"the connecting role {name} may set session_replication_role"


# By name, not by `to_regclass`: that asks for the use of the schema, which not every role has.
RELATION = """
SELECT c.oid, pg_get_userbyid(c.relowner)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND n.nspname || '.' || c.relname = %s::text"""
GRANTS = """
SELECT CASE WHEN a.grantee = 0 THEN 'public' ELSE pg_get_userbyid(a.grantee) END, a.privilege_type
FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = %(oid)s AND a.grantee <> c.relowner
UNION ALL
SELECT CASE WHEN a.grantee = 0 THEN 'public' ELSE pg_get_userbyid(a.grantee) END,
    format('%%s(%%s)', a.privilege_type, t.attname)
FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid, aclexplode(t.attacl) a
WHERE c.oid = %(oid)s AND a.grantee <> c.relowner"""


def _of_relation(cursor: Cursor, relation: Relation) -> Iterator[str]:
    name = relation.name
    cursor.execute(RELATION, [relation.qualified])
    stands = cursor.fetchall()
    if not stands:
        yield f"{name}: there is no such relation"
        return
    ((oid, owner),) = stands
    if owner != OWNER:
        yield f"{name}: its owner is {owner}, not {OWNER}"
    cursor.execute(GRANTS, {"oid": oid})
    found: dict[str, set[str]] = {role: set() for role in WORKING_ROLES}
    for role, right in cursor.fetchall():
        found.setdefault(role, set()).add(right)
    for role, rights in sorted(found.items()):
        # What somebody else of this server may read is the administrator's affair.
        allowed = relation.grants.get(role, frozenset() if role in WORKING_ROLES else READ)
        wanted = relation.grants.get(role, frozenset())
        yield from (f"{name}: {role} lacks {right}" for right in sorted(wanted - rights))
        yield from (f"{name}: {role} has {right}" for right in sorted(rights - allowed))
    yield from _of_triggers(cursor, relation, oid)


TRIGGERS = """
SELECT tgname, tgenabled::text, pg_get_triggerdef(oid) FROM pg_trigger
WHERE tgrelid = %s AND NOT tgisinternal"""


def _of_triggers(cursor: Cursor, relation: Relation, oid: int) -> Iterator[str]:
    cursor.execute(TRIGGERS, [oid])
    found = {name: (enabled, told) for name, enabled, told in cursor.fetchall()}
    for trigger in relation.triggers:
        where = f"{relation.name}: trigger {trigger.name}"
        enabled, told = found.get(trigger.name, (None, ""))
        if enabled is None:
            yield f"{where} is missing"
        elif enabled != ALWAYS:
            yield f"{where} is not ENABLE ALWAYS (tgenabled is {enabled})"
        elif not _does(trigger, told):
            yield f"{where} is another one: {told}"


def _does(trigger: Trigger, told: str) -> bool:
    """Whether a definition wakes the right function for every row or statement concerned."""
    when = f" WHEN ({trigger.when})" if trigger.when else ""
    does = f"FOR EACH {trigger.level}{when} EXECUTE FUNCTION {trigger.function}("
    return f" {trigger.wakes} ON " in told and does in told


ROUTINES = """
SELECT pg_get_userbyid(p.proowner), p.prosecdef,
    ARRAY(SELECT CASE WHEN a.grantee = 0 THEN 'public' ELSE pg_get_userbyid(a.grantee) END
          FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
          WHERE a.privilege_type = 'EXECUTE' AND a.grantee <> p.proowner)::text[]
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE %s::text IN (p.proname, n.nspname || '.' || p.proname)"""


def _of_routine(cursor: Cursor, routine: Routine) -> Iterator[str]:
    cursor.execute(ROUTINES, [routine.name])
    rows = cursor.fetchall()
    if not rows:
        yield f"{routine.name}(): there is no such function"
    for owner, is_definer, callers in rows:
        if owner != OWNER or not is_definer:
            yield f"{routine.name}(): it does not act for {OWNER}"
        missing, foreign = routine.callers - set(callers), set(callers) - routine.callers
        yield from (f"{routine.name}(): {role} may not call it" for role in sorted(missing))
        yield from (f"{routine.name}(): {role} may call it" for role in sorted(foreign))
