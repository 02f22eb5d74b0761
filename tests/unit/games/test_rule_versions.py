"""Old hands keep replaying under the version of the rules that they were played by."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from eventstore.core.refusal import Refusal
from games.case_reading import VERBS
from games.rules import legality, options, rulebook
from games.rules.events import End
from games.rules.moves import Move
from games.rules.options import (
    DEFAULTS,
    DOMAINS,
    RULES_VERSION,
    RULES_VERSIONS,
    as_dict,
    rules_hash,
)
from games.rules.state import Hand
from games.selfplay_check import check_line

FOLDER = Path(__file__).parents[2] / "golden" / "rules"


def golden(version: int) -> list[dict[str, Any]]:
    text = (FOLDER / f"{version}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_every_version_has_its_golden_hands() -> None:
    """A change of meaning adds a version: `python -m tools.golden_hands` writes its hands once."""
    assert {path.name for path in FOLDER.iterdir()} == {f"{one}.jsonl" for one in RULES_VERSIONS}
    assert tuple(range(1, RULES_VERSION + 1)) == RULES_VERSIONS


@pytest.mark.parametrize("version", RULES_VERSIONS)
def test_golden_hands_replay(version: int) -> None:
    lines = golden(version)
    assert {line["rules_version"] for line in lines} == {version}
    assert [check_line(line) for line in lines] == [None] * len(lines)


@pytest.mark.parametrize("version", RULES_VERSIONS)
def test_golden_hands_show_every_end_act_and_option(version: int) -> None:
    lines = golden(version)
    assert {line["end"] for line in lines} == set(get_args(End))
    assert {action[1] for line in lines for action in line["actions"]} == set(VERBS)
    usual = as_dict(DEFAULTS)
    # All options are stored in each line: no later default can change what was played.
    assert all(set(line["options"]) >= set(usual) for line in lines)
    changed = {
        name for line in lines for name, value in line["options"].items() if value != usual[name]
    }
    assert changed == set(DOMAINS)


def test_another_meaning_is_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that version 2 would change leaves the hands of version 1 as they were played."""
    true = legality.refusal

    def refusal(hand: Hand, seat: int, move: Move) -> Refusal | None:
        if hand.setup.rules.version == 2 and move.verb == "K":
            return Refusal("knock_too_early", "V8", {"round": 2})
        return true(hand, seat, move)

    monkeypatch.setattr(legality, "refusal", refusal)
    monkeypatch.setattr(rulebook, "RULES_VERSIONS", (1, 2))
    monkeypatch.setattr("games.selfplay_check.RULES_VERSIONS", (1, 2))
    lines = golden(1)
    assert [check_line(line) for line in lines] == [None] * len(lines)
    knocked = next(line for line in lines if line["end"] == "knock_win")
    assert "knock_too_early" in (check_line(knocked | {"rules_version": 2}) or "")


def test_a_line_of_an_unknown_version_does_not_replay() -> None:
    (line, *_) = golden(1)
    assert check_line(line | {"rules_version": 99}) == "schema: rules_version"


def test_the_hash_names_the_version() -> None:
    assert rules_hash(DEFAULTS, 2) != rules_hash(DEFAULTS, 1)
    assert rules_hash(DEFAULTS) == rules_hash(DEFAULTS, options.RULES_VERSION)
