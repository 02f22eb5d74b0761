"""Checks of Python files: size, purity, money without floats, rooms of writes and wake-ups."""

from __future__ import annotations

import ast
import re
import sys
from typing import TYPE_CHECKING

from tools.tidy.source import APPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tools.tidy.source import Source

FUNCTION_LINES_MAX = 70
MODULE_LINES_MAX = 700
# Whoever checks a receipt takes one file and reads it whole (`eventstore.md` section 6.2).
ONE_FILE_PROGRAMS = frozenset({"clients/verify/tonk_verify.py"})
# Standard library with I/O, a clock or randomness: nothing for a pure core.
IMPURE = frozenset(
    {"asyncio", "concurrent", "ctypes", "fcntl", "glob", "http", "io", "logging", "mmap",
     "multiprocessing", "os", "pathlib", "random", "secrets", "select", "shutil", "signal",
     "socket", "sqlite3", "ssl", "subprocess", "sys", "tempfile", "threading", "time", "urllib"}
)  # fmt: skip
PURE_PACKAGES = frozenset({"msgspec", "typing_extensions"})
LOG_PACKAGES = frozenset({"cryptography", "orjson"})  # eventstore.core alone
CLOCKS = frozenset({"now", "today", "utcnow"})
MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
MUTABLE_CALLS = frozenset({"Counter", "OrderedDict", "defaultdict", "deque", "dict", "list", "set"})
WAKE_CALLS = frozenset({"apply_async", "delay", "on_commit", "send_task"})
LATER = frozenset({"countdown", "eta"})
WRITES = frozenset(
    {"bulk_create", "bulk_update", "create", "delete", "get_or_create", "save", "update",
     "update_or_create"}
)  # fmt: skip
WRITE_ROOMS = frozenset({"dealer", "followers", "memory", "migrations", "services", "store"})
REFERENCES = frozenset({"ForeignKey", "ManyToManyField", "OneToOneField", "get_model", "include"})
TASK_SENDERS = frozenset({"after_commit", "import_module", "send", "send_task"})
NAMED = re.compile(rf"({'|'.join(APPS)})\.\w")


def sizes(sources: Iterable[Source]) -> Iterator[str]:
    """Functions over 70 lines, modules over 700."""
    for source in python(sources):
        lines = len(source.text.splitlines())
        if lines > MODULE_LINES_MAX and str(source.path) not in ONE_FILE_PROGRAMS:
            yield f"{source.path}: {lines} lines, at most {MODULE_LINES_MAX}"
        for node in source.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > FUNCTION_LINES_MAX:
                    yield f"{source.at(node)}: {node.name} has {length} lines"


def floats(sources: Iterable[Source]) -> Iterator[str]:
    """A float, `/` or `round` where money is computed."""
    for source in python(sources):
        if not _is_money(source):
            continue
        for node in source.nodes:
            constant = isinstance(node, ast.Constant) and isinstance(node.value, float)
            divided = isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div)
            named = isinstance(node, ast.Name) and node.id in {"float", "round"}
            if constant or divided or named:
                yield f"{source.at(node)}: money is whole numbers: no float, no /, no round"


def _is_money(source: Source) -> bool:
    if source.app == "ledger":
        return not source.rooms & {"management", "migrations"}
    path = str(source.path)
    return path.startswith(
        ("games/rules/scoring", "games/rules/payouts", "tournaments/core/prizes")
    )


def purity(sources: Iterable[Source]) -> Iterator[str]:
    """In a core: an import of anything with effects, a clock, a value that can change."""
    for source in python(sources):
        if not is_core(source):
            continue
        for node in source.nodes:
            for name in _imports(node):
                if not _is_pure(name, source.app) and not _is_excused(source, node):
                    yield f"{source.at(node)}: a core does not import {name}"
            if isinstance(node, ast.Attribute) and node.attr in CLOCKS:
                yield f"{source.at(node)}: a core reads no clock"
        for statement in source.tree.body:
            if _is_mutable_global(statement):
                yield f"{source.at(statement)}: a module's value is frozen (MappingProxyType, ...)"


def _is_excused(source: Source, node: ast.AST) -> bool:
    """Whether the line says why it may: such lines are counted with the exceptions."""
    return "noqa: TID251" in source.text.splitlines()[getattr(node, "lineno", 1) - 1]


def is_core(source: Source) -> bool:
    """Whether a file lies in a pure room."""
    parts = source.path.parts
    rooms = {"games": ("rules", "bots")}.get(parts[0], ("core",))
    return parts[0] in APPS and len(parts) > 2 and parts[1] in rooms


def _imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


def _is_pure(name: str, app: str) -> bool:
    top, *rest = name.split(".")
    if top in APPS:  # another app's pure room; the direction is import-linter's matter
        return bool(rest) and rest[0] in {"core", "rules", "bots"}
    if top in sys.stdlib_module_names:
        return top not in IMPURE
    return top in PURE_PACKAGES or (app == "eventstore" and top in LOG_PACKAGES)


def _is_mutable_global(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
        return False
    value = statement.value
    made = isinstance(value, ast.Call) and _called(value) in MUTABLE_CALLS
    return isinstance(value, MUTABLE) or made


def wake_ups(sources: Iterable[Source]) -> Iterator[str]:
    """A task sent outside wake.py, or one to run at a later time."""
    for source in python(sources):
        if source.app not in APPS:
            continue
        for node in source.nodes:
            if not isinstance(node, ast.Call):
                continue
            sends = isinstance(node.func, ast.Attribute) and node.func.attr in WAKE_CALLS
            if sends and "wake" not in source.rooms and not _is_own_method(node):
                yield f"{source.at(node)}: {_called(node)} belongs in wake.py"
            if any(keyword.arg in LATER for keyword in node.keywords):
                yield f"{source.at(node)}: what is due lies in the database: no eta, no countdown"


def _is_own_method(call: ast.Call) -> bool:
    """`self.patience.delay(...)` is a method of ours, no task."""
    return ast.unparse(call.func).startswith("self.")


def patterns(sources: Iterable[Source]) -> Iterator[str]:
    """A pattern of a request's field that a line break at its end would pass."""
    for source in python(sources):
        for node in source.nodes:
            if isinstance(node, ast.keyword) and node.arg == "pattern":
                text = node.value.value if isinstance(node.value, ast.Constant) else None
                if isinstance(text, str) and text.endswith("$"):
                    yield f"{source.at(node.value)}: `$` lets a line break pass; write `\\Z`"


def writes(sources: Iterable[Source]) -> Iterator[str]:
    """Rows written outside the rooms of writes."""
    for source in python(sources):
        if source.app not in APPS or source.rooms & WRITE_ROOMS:
            continue
        for node in source.nodes:
            if isinstance(node, ast.Call) and _writes_rows(node):
                yield f"{source.at(node)}: {_called(node)} belongs in services, followers or store"


def _writes_rows(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in WRITES:
        return False
    receiver = ast.unparse(call.func.value)
    queried = re.search(r"\.objects\b|\.(filter|exclude|all|using)\(", receiver)
    return call.func.attr == "save" or bool(queried)


def strings(sources: Iterable[Source]) -> Iterator[str]:
    """A foreign key, model, route or task that names a higher app in a string."""
    for source in python(sources):
        if source.app not in APPS:
            continue
        for node in source.nodes:
            if not isinstance(node, ast.Call) or _called(node) not in REFERENCES | TASK_SENDERS:
                continue
            first = node.args[0] if node.args else None
            text = first.value if isinstance(first, ast.Constant) else None
            named = NAMED.match(text) if isinstance(text, str) else None
            if named and APPS.index(named[1]) > APPS.index(source.app):
                yield f"{source.at(node)}: {source.app} names {named[1]}, but calls go down"


def verifier(sources: Iterable[Source]) -> Iterator[str]:
    """The stand-alone verifier imports the standard library and itself alone."""
    for source in python(sources):
        if source.path.parts[:2] != ("clients", "verify"):
            continue
        own = {other.path.stem for other in sources if other.path.parent == source.path.parent}
        allowed = sys.stdlib_module_names | own
        for node in source.nodes:
            for name in _imports(node):
                if name != "clients.verify" and name.split(".")[0] not in allowed:
                    yield f"{source.at(node)}: the verifier does not import {name}"


def python(sources: Iterable[Source]) -> Iterator[Source]:
    """The Python files among `sources`."""
    return (source for source in sources if source.is_python)


def _called(call: ast.Call) -> str:
    """Last name of what is called."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
