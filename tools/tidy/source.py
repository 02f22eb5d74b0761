"""What the checks read: the files of a checkout, each parsed once."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = {"__pycache__", "static_collected", "node_modules", "var"}
HIDDEN_KEPT = {".ci", ".gitignore", ".gitattributes"}
APPS = ("eventstore", "players", "ledger", "games", "tournaments", "web", "tonk_site")  # upwards


@dataclass(frozen=True)
class Source:
    """One file: its path inside the checkout and its bytes."""

    path: PurePosixPath
    content: bytes

    @cached_property
    def text(self) -> str:
        """The content; what is no UTF-8 is replaced."""
        return self.content.decode(errors="replace")

    @cached_property
    def tree(self) -> ast.Module:
        """Syntax of a Python file."""
        return ast.parse(self.text, str(self.path))

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the syntax."""
        return tuple(ast.walk(self.tree))

    @property
    def is_python(self) -> bool:
        """Whether `tree` can be asked for."""
        return self.path.suffix == ".py"

    @property
    def app(self) -> str:
        """First part of the path."""
        return self.path.parts[0]

    @property
    def rooms(self) -> frozenset[str]:
        """Parts of the path below the app, without suffix."""
        return frozenset(self.path.with_suffix("").parts[1:])

    def at(self, node: ast.AST) -> str:
        """Where a node stands."""
        return f"{self.path}:{getattr(node, 'lineno', 1)}"


def plant(path: str, text: str) -> Source:
    """A file that is not there, to test a check by."""
    return Source(PurePosixPath(path), text.encode())


def checkout(root: Path = ROOT) -> tuple[Source, ...]:
    """Every file of the checkout that belongs to it."""
    return tuple(
        Source(PurePosixPath(path.relative_to(root)), path.read_bytes())
        for path in sorted(_files(root))
    )


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        hidden = path.name.startswith(".") and path.name not in HIDDEN_KEPT
        if hidden or path.name in LEFT_OUT or path.suffix == ".pyc":
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file() and not path.is_symlink():  # no socket, and nothing twice
            yield path
