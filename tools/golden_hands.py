"""Golden hands of a version of the rules: written once, replayed for ever.

    python -m tools.golden_hands

Writes `tests/golden/rules/<version>.jsonl` for the newest version and refuses to write it twice.
Of many random hands those are kept that bring an end, a value of an option, an act or a refusal
that no kept one has.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from games.rules.options import DEFAULTS, RULES_VERSION, as_dict
from tonk_site.proving.cards.rules_twin import line_of

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "golden" / "rules"
TRIED = 10_000
ACTS_MAX = 40  # long hands say no more than short ones
BYTES_MAX = 250_000
USUAL = as_dict(DEFAULTS)


def chosen() -> Iterator[dict[str, Any]]:
    """The hands to keep, numbered from 1."""
    seen: set[str] = set()
    kept = 0
    for number in range(1, TRIED + 1):
        line = line_of(f"golden/{RULES_VERSION}/{number}")
        new = _marks(line) - seen
        if new and len(line["actions"]) <= ACTS_MAX:
            seen |= new
            kept += 1
            yield {"hand": kept} | line


def _marks(line: dict[str, Any]) -> set[str]:
    """What a hand shows: its end under its options, each option, each act with its answer."""
    found = {f"end {line['end']}", f"{len(line['players'])} {line['end']}"}
    changed = {name: value for name, value in line["options"].items() if value != USUAL[name]}
    options = {name: _coarse(value) for name, value in changed.items()}
    found |= {f"{name} {value}" for name, value in options.items()}
    found |= {f"{name} {line['end']}" for name in options}
    return found | {f"{action[1]} {action[-1]}" for action in line["actions"]}


def _coarse(value: object) -> object:
    """Of numbers only whether they are set: each value of them is too many."""
    return "set" if isinstance(value, list) or (type(value) is int and value > 3) else value


def main() -> None:
    """Write the file of the newest version."""
    path = FOLDER / f"{RULES_VERSION}.jsonl"
    if path.exists():
        sys.exit(f"{path.name} is there already: golden hands are never rewritten")
    FOLDER.mkdir(parents=True, exist_ok=True)
    text = ""
    for line in chosen():
        text += json.dumps(line, separators=(",", ":")) + "\n"
        if len(text) > BYTES_MAX:
            break
    path.write_text(text, encoding="utf-8")
    print(f"{len(text.splitlines())} hands in {path.name}")


if __name__ == "__main__":
    main()
