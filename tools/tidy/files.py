"""Checks of all files: form, secrets, exceptions to the checks, requirements, changelog."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tools.tidy.source import Source

FILE_BYTES_MAX = 256 * 1024
BINARY = frozenset({".gif", ".ico", ".jpg", ".mo", ".png", ".webp", ".woff2", ".zip"})
# Written so that this file does not hold what it looks for.
MACHINE = re.compile(r"(?<![\w.~-])/(home|Users|root|work)/" + r"[\w.-]+")
SECRET = re.compile(r"-----BEGIN [A-Z ]*PRIVATE" + r" KEY|\bAKIA[0-9A-Z]{16}\b|\bghp_\w{36}\b")
EXCEPTIONS = {
    "noqa": re.compile(r"#\s*noqa\b(?P<rest>.*)"),
    "type: ignore": re.compile(r"#\s*type:\s*ignore\b(?P<rest>.*)"),
    "pragma": re.compile(r"#\s*pragma\b(?P<rest>.*)"),
    "no_replay": re.compile(r"^\s*(?:@|pytestmark\s*=\s*\[?)pytest\.mark\.no_replay\b(?P<rest>.*)"),
    "skip": re.compile(r"(?:mark\.skip(?:if)?|pytest\.skip)\b(?P<rest>.*)"),
    "todo": re.compile(r"#\s*(?:TODO|FIXME|XXX)\b(?P<rest>.*)"),
}
REASONS = {
    "noqa": re.compile(r": [A-Z]+\d+(, ?[A-Z]+\d+)*\s+(#|--)?\s*\S"),
    "type: ignore": re.compile(r"\[[a-z-]+(, ?[a-z-]+)*\]\s+# \S+"),
    "pragma": re.compile(r": no cover  \S+"),
    "no_replay": re.compile(r"\([\"']\S+"),
    "skip": re.compile(r"\(.*\S"),
    "todo": re.compile(r".*#\d+"),
}
HEADINGS = ("Added", "Changed", "Fixed", "Rules and money")
VERSION = re.compile(r"(\d{4})\.(\d+)")


def form(sources: Iterable[Source]) -> Iterator[str]:
    """Size, UTF-8, LF, spaces at ends of lines, paths of a machine, secrets."""
    for source in sources:
        if len(source.content) > FILE_BYTES_MAX and "vendor" not in source.rooms:
            yield f"{source.path}: {len(source.content)} bytes, at most {FILE_BYTES_MAX}"
        if source.path.suffix in BINARY or "vendor" in source.rooms:
            continue
        try:
            text = source.content.decode()
        except UnicodeDecodeError:
            yield f"{source.path}: no UTF-8"
            continue
        if "\r" in text:
            yield f"{source.path}: ends of lines are LF"
        if text and not text.endswith("\n"):
            yield f"{source.path}: no newline at the end"
        yield from _lines(source)


def _lines(source: Source) -> Iterator[str]:
    for number, line in enumerate(source.text.split("\n"), 1):
        where = f"{source.path}:{number}"
        if line != line.rstrip():
            yield f"{where}: space at the end of the line"
        if MACHINE.search(line):
            yield f"{where}: path of somebody's machine"
        if SECRET.search(line):
            yield f"{where}: looks like a secret"


def exceptions(sources: Iterable[Source], limits: Mapping[str, int]) -> Iterator[str]:
    """More exceptions to the checks than there were, or one without its reason."""
    found: Counter[str] = Counter()
    for source in sources:
        if not source.is_python or source.path.name == "test_tidy.py" or source.app == "tools":
            continue
        for number, line in enumerate(source.text.split("\n"), 1):
            for kind, pattern in EXCEPTIONS.items():
                if match := pattern.search(line):
                    found[kind] += 1
                    if not REASONS[kind].match(match["rest"]):
                        yield f"{source.path}:{number}: {kind} without its code and its reason"
    for kind in EXCEPTIONS:
        if found[kind] > limits.get(kind, 0):
            yield f"{kind}: {found[kind]} times, tidy_limits.toml allows {limits.get(kind)}"


def pins(sources: Iterable[Source]) -> Iterator[str]:
    """A requirement without a hash or an exact version, or the address of an index."""
    for source in sources:
        if source.path.parent.parts or not source.path.match("requirements*.txt"):
            continue
        for pin in source.text.replace("\\\n", " ").splitlines():
            line = pin.strip()
            if line.startswith("-"):
                yield f"{source.path}: no option and no index: {line}"
            elif line and not line.startswith("#") and ("==" not in line or "--hash=" not in line):
                yield f"{source.path}: neither pin nor hash: {line}"


def changelog(sources: Iterable[Source]) -> Iterator[str]:
    """A changelog of another shape than `style.md` section 11 says."""
    texts = {str(source.path): source.text for source in sources}
    text = texts.get("CHANGELOG.md")
    if text is None:
        yield "CHANGELOG.md: missing"
        return
    titles = re.findall(r"^(#+) +(.+?) *$", text, re.MULTILINE)
    versions = [title for level, title in titles if level == "##"]
    numbers = [tuple(map(int, VERSION.match(v).groups())) for v in versions if VERSION.fullmatch(v)]  # type: ignore[union-attr]  # matched
    if len(numbers) != len(versions) or numbers != sorted(set(numbers), reverse=True):
        yield f"CHANGELOG.md: versions are YYYY.N, newest first: {versions}"
    for level, title in titles:
        if level == "###" and title not in HEADINGS:
            yield f"CHANGELOG.md: heading {title!r} is none of {', '.join(HEADINGS)}"
    current = tomllib.loads(texts["pyproject.toml"])["project"]["version"]
    if versions[:1] != [current]:
        yield f"CHANGELOG.md: the newest version is {versions[:1]}, the project's is {current}"
