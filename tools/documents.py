"""Checks of the documents: one title a page, and links that lead somewhere.

python -m tools.documents
"""

from __future__ import annotations

import posixpath
import re
import sys
from typing import TYPE_CHECKING
from urllib.parse import unquote

from tools import event_catalogue, incidents, rule_pages
from tools.tidy.source import checkout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tools.tidy.source import Source

LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
FENCE = re.compile(r"^ *(```|~~~).*?^ *\1 *$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
TITLE = re.compile(r"^(#{1,6}) +(.+?) *#*$", re.MULTILINE)
FOREIGN = re.compile(r"[a-z][a-z0-9+.-]*:|//")


def complaints(sources: Iterable[Source]) -> Iterator[str]:
    """Pages without exactly one title, and links inside the tree that lead nowhere."""
    every = list(sources)
    paths = {str(source.path) for source in every}
    pages = {str(source.path): prose(source) for source in every if is_page(source)}
    for path, text in pages.items():
        titles = [title for level, title in TITLE.findall(text) if level == "#"]
        if len(titles) != 1:
            yield f"{path}: {len(titles)} titles, exactly one is wanted"
        for target in LINK.findall(CODE.sub("", text)):
            if not FOREIGN.match(target) and not leads_somewhere(path, target, pages, paths):
                yield f"{path}: the link {target} leads nowhere"


def is_page(source: Source) -> bool:
    """Whether a file is a page of the documents."""
    return source.path.suffix == ".md" and (
        source.app == "docs" or len(source.path.parts) == 1 or source.app == "clients"
    )


def prose(source: Source) -> str:
    """Text of a page without its blocks of code."""
    return FENCE.sub("", source.text)


def leads_somewhere(page: str, target: str, pages: dict[str, str], paths: set[str]) -> bool:
    """Whether a link of `page` ends at a file or folder of the tree, and at a heading if it asks.

    >>> leads_somewhere("docs/a.md", "b.md#two-words", {"docs/b.md": "# Two words"}, {"docs/b.md"})
    True
    """
    name, _, anchor = unquote(target).partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), name)) if name else page
    if path in pages and anchor:
        return anchor in {slug(title) for _, title in TITLE.findall(pages[path])}
    return path in paths or any(other.startswith(f"{path}/") for other in paths)


def slug(title: str) -> str:
    """Anchor of a heading.

    >>> slug("Read `the` books, twice")
    'read-the-books-twice'
    """
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def main() -> None:
    """Print every complaint; exit 1 if there is one."""
    event_catalogue.set_up()
    found = list(complaints(checkout()))
    if not event_catalogue.is_current():
        found.append(f"{event_catalogue.PAGE.name}: `python -m tools.event_catalogue` writes it")
    found += [f"{name}: `python -m tools.rule_pages` writes it" for name in rule_pages.stale()]
    found += incidents.faults()
    sys.exit("\n".join(found) or 0)


if __name__ == "__main__":
    main()
