"""Pages of the reference are as complete as the code: settings, commands, rules."""

import re
from pathlib import Path
from typing import Any

from games.rules.options import DOMAINS, PRESETS
from tonk_site.embedded_services import CHECKOUT
from tonk_site.management.commands.prove import CHECKS
from tools import rule_pages

REFERENCE = CHECKOUT / "docs" / "reference"
VARIABLE = re.compile(r'"((?:TONK_[A-Z_]+|DATABASE_URL|REDIS_URL|PORT))"')
ROW = re.compile(r"^\| `([^`]+)`", re.MULTILINE)


def first_cells(page: str) -> set[str]:
    return set(ROW.findall((REFERENCE / page).read_text()))


def product_code() -> list[Path]:
    apps = ("eventstore", "players", "ledger", "games", "tournaments", "web", "tonk_site")
    return [path for app in apps for path in (CHECKOUT / app).rglob("*.py")]


def test_every_variable_that_the_code_reads_is_on_the_page_of_settings() -> None:
    read = {name for path in product_code() for name in VARIABLE.findall(path.read_text())}
    assert first_cells("settings.md") == read


def test_every_command_is_on_the_page_of_commands() -> None:
    folders = ("management", "commands")
    made = {path.stem for path in product_code() if path.parent.parts[-2:] == folders}
    named = {cell.split()[0] for cell in first_cells("commands.md")}
    assert made - {"__init__"} <= named


def test_every_check_is_on_the_page_of_commands_with_its_live_part() -> None:
    page = (REFERENCE / "commands.md").read_text()
    rows = re.findall(r"^\| `([a-z-]+)` \|( yes)? \| [^|]+ \|$", page, re.MULTILINE)
    told = {name: bool(yes) for name, yes in rows if name in CHECKS}
    assert told == {name: check.live is not None for name, check in CHECKS.items()}


def test_the_rules_are_written_as_players_read_them() -> None:
    assert rule_pages.stale() == []
    for frame in rule_pages.FRAMES.values():
        text = (REFERENCE / frame.file).read_text()
        assert all(f"`{name}`" in text for name in (*DOMAINS, *PRESETS))


def test_a_page_of_rules_that_is_not_there_is_named(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(rule_pages, "FOLDER", tmp_path)
    assert rule_pages.stale() == ["rules.md", "taisykles.md"]
    rule_pages.main()
    assert rule_pages.stale() == []
