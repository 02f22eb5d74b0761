"""Pages of the reference are as complete as the code: settings, commands."""

import re
from pathlib import Path

from tonk_site.embedded_services import CHECKOUT

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
