"""What a database holds, in two forms: exactly, and apart from times, hashes and fresh ids.

Two databases that are exactly equal have the same future. Two that are equal apart from ids and
times hold the same facts. Every relation is read, a new one too.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import psycopg
from psycopg import sql

# Why they say nothing: the clock is the trial's own; a run more of the reconciliation is no harm,
# and its task says so; migrations are the same in all copies. Tries are counted, not promised; a
# password is hashed with chance.
LEFT_OUT = frozenset(
    {
        "simulated.clock",
        "public.django_migrations",
        "ledger.reconciliation_run",
        "ledger.reconciliation_check",
    }
)
COLUMNS_LEFT_OUT = ("attempts", "password", "position", "reverses", "scan_from")
# What numbers of the database stand for.
NAMED = {
    "account_id": "(SELECT a.code FROM ledger.account a WHERE a.id = t.account_id)",
    "entry_id": """(SELECT format('%s@%s#%s', e.stream, e.version, e.part)
        FROM ledger.entry e WHERE e.id = t.entry_id)""",
    "period_id": "(SELECT p.through FROM ledger.period p WHERE p.id = t.period_id)",
}
_COLUMNS = """
SELECT format('%s.%s', n.nspname, c.relname), a.attname, y.typname,
    a.attidentity <> '' OR (a.attname = 'id' AND y.typname = 'int8'), a.atthasdef
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type y ON y.oid = a.atttypid
WHERE c.relkind = 'r' AND n.nspname !~ '^(pg_|information_schema)'
ORDER BY 1, a.attnum"""
NOTHING = "nothing"
TOLD_CHARACTERS, BEFORE = 300, 60  # of a row, and how many of them stand before what differs
TIMES = frozenset({"timestamptz", "date"})
_ID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_IDS = re.compile(f"({_ID.pattern})")
_HASH = re.compile(r"(?<![0-9a-f-])[0-9a-f]{16,}(?![0-9a-f-])|[A-Za-z0-9+/]{40,}={0,2}")
_NUMBER = re.compile(r'(?<="entry_id":) ?\d+')  # in answers
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a relation."""

    name: str
    type: str
    is_counted: bool
    """Its values come from a sequence, which a rollback does not set back."""
    has_default: bool

    @property
    def is_fact(self) -> bool:
        """Whether it says something apart from times, hashes and numbers of the database."""
        return not (
            self.is_counted
            or self.type in TIMES | {"bytea", "xid8"}
            or self.name in COLUMNS_LEFT_OUT
        )

    @property
    def is_same(self) -> bool:
        """Whether its values in equal databases are equal: not where a default reads the clock."""
        return self.type != "xid8" and not (self.type == "timestamptz" and self.has_default)


class Reader:
    """Reads copies of one database."""

    def __init__(self, connection: psycopg.Connection) -> None:
        """Reads which relations there are."""
        self._columns: dict[str, list[Column]] = {}
        for relation, *column in connection.execute(_COLUMNS):
            self._columns.setdefault(relation, []).append(Column(*column))
        self._exact = sql.SQL(" UNION ALL ").join(
            _exact(relation, columns) for relation, columns in self._columns.items()
        )
        self._facts = sql.SQL(" UNION ALL ").join(
            _facts(relation, columns)
            for relation, columns in self._columns.items()
            if relation not in LEFT_OUT
        )

    def exact(self, connection: psycopg.Connection) -> Mapping[str, str]:
        """Digest of the rows of each relation."""
        return dict(connection.execute(self._exact).fetchall())

    def facts(self, connection: psycopg.Connection) -> "Facts":
        """All rows, apart from what differs between two runs."""
        return Facts(
            tuple(f"{relation} {row}" for relation, row in connection.execute(self._facts))
        )


_EXACT = "SELECT {name}, md5(string_agg({row}, ' ' ORDER BY {row})) FROM {relation} t"
_ROW = "(to_jsonb(t) - {gone}::text[])::text"
_FACTS = """SELECT {name}, (to_jsonb(t) - {gone}::text[] || jsonb_build_object({named}))::text
    FROM {relation} t"""


def identifier(relation: str) -> sql.Identifier:
    """A relation with its schema, quoted."""
    return sql.Identifier(*relation.split("."))


def _exact(relation: str, columns: Sequence[Column]) -> sql.Composed:
    gone = sql.Literal([one.name for one in columns if not one.is_same])
    row = sql.SQL(_ROW).format(gone=gone)
    return sql.SQL(_EXACT).format(name=relation, row=row, relation=identifier(relation))


def _facts(relation: str, columns: Sequence[Column]) -> sql.Composed:
    gone = sql.Literal([one.name for one in columns if not one.is_fact])
    names = [one.name for one in columns if one.is_fact and one.name in NAMED]
    named = sql.SQL(", ").join(
        part for name in names for part in (sql.Literal(name), sql.SQL(NAMED[name]))
    )
    return sql.SQL(_FACTS).format(
        name=relation, gone=gone, named=named, relation=identifier(relation)
    )


@dataclass(frozen=True, slots=True)
class Facts:
    """Rows as text."""

    rows: tuple[str, ...]

    def ids(self) -> frozenset[str]:
        """All ids in them."""
        return frozenset(found for row in self.rows for found in _ID.findall(row))

    def apart_from_ids(self, known: frozenset[str], *more: str) -> Counter[str]:
        """The rows and more texts, with a number in place of each id that is not known."""
        masked = [_masked(row) for row in (*self.rows, *more)]
        numbers: dict[str, str] = {}

        def numbered(found: re.Match[str]) -> str:
            name = found[0]
            return name if name in known else numbers.setdefault(name, f"id {len(numbers) + 1}")

        def without(row: str) -> str:
            return _ID.sub(lambda found: found[0] if found[0] in known else "id", row)

        return Counter(_ID.sub(numbered, row) for row in sorted(masked, key=without))


def _masked(row: str) -> str:
    """A row without times, hashes and numbers of the database; ids stay."""
    parts = _IDS.split(row)
    parts[::2] = [_NUMBER.sub("#", _TIME.sub("@", _HASH.sub("#", one))) for one in parts[::2]]
    return "".join(parts)


def differences(expected: Mapping[str, int], got: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Rows that should be there and are not, beside rows that should not be there."""
    missing = sorted((Counter(expected) - Counter(got)).elements())
    more = sorted((Counter(got) - Counter(expected)).elements())
    for one, other in zip_longest(missing, more, fillvalue=NOTHING):
        start = 0 if NOTHING in {one, other} else max(0, _alike(one, other) - BEFORE)
        yield _from(one, start), _from(other, start)


def _alike(one: str, other: str) -> int:
    """Length of the beginning that both have."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _from(row: str, start: int) -> str:
    """The part of a row that is told."""
    name = row.split(" ", 1)[0]
    told = row[start : start + TOLD_CHARACTERS]
    return f"{name} ..{told}" if start else told
