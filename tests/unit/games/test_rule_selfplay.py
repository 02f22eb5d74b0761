"""Self-play: its lines replay from themselves alone, and every end occurs."""

import json
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

from games.case_reading import VERBS
from games.management.commands.selfplay import Command
from games.rules.options import DEFAULTS
from games.rules.selfplay import POLICIES, Run, SeededNumbers, play, recorded, shuffled
from games.selfplay_check import check_line
from tests.unit.games.rules_tables import move, options_of

ENDS = {"initial_tonk", "tonk_out", "discard_out", "knock_win", "caught", "stock_out"}


def lines(hands: int, seats: int = 3, **changes: Any) -> list[dict[str, Any]]:
    run = Run(changes.pop("options", DEFAULTS), seats, "seed", **changes)
    return [json.loads(json.dumps(line)) for line in play(run, hands)]


def test_lines_replay_and_every_end_occurs() -> None:
    found = lines(400)
    assert [check_line(line) for line in found] == [None] * 400
    assert set(Counter(line["end"] for line in found)) >= ENDS
    assert {bot for line in found for bot in line["bots"]} == set(POLICIES)


def test_the_same_seed_plays_the_same_hands() -> None:
    assert lines(5) == lines(5)
    dealers = [line["dealer"] for line in lines(5)]
    assert dealers == ["A", "B", "C", "A", "B"]


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_lines_of_other_rules_replay(seats: int) -> None:
    options = options_of(seats, must_spread=True, initial_upcard=False, hit_hold_first=1, deck=40)
    found = lines(30, seats, options=options, bots=("greedy-1", "mixed"))
    assert [check_line(line) for line in found] == [None] * 30


def test_every_option_can_be_played() -> None:
    options = options_of(
        3, jokers=2, joker_value=15, deuces_wild=True, slap=True, on_empty_stock="reshuffle"
    )
    found = lines(200, options=options)
    assert [check_line(line) for line in found] == [None] * 200
    assert any("reshuffle" in line for line in found)
    verbs = {action[1] for line in found for action in line["actions"]}
    assert verbs == set(VERBS) - {"timeout"}
    changed = next(line for line in found if "reshuffle" in line)
    changed["reshuffle"] = changed["reshuffle"][1:]
    assert check_line(changed) == "schema: reshuffle is no order of the covered discards"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"deck": []}, "schema"),
        ({"colour": 1}, "schema"),
        ({"options": []}, "schema"),
        ({"actions": 5}, "schema"),
        ({"seed": 7}, "schema"),
        ({"end": "void"}, "end"),
        ({"net": {"A": 0, "B": 0, "C": 0}}, "net"),
        ({"counts": {}}, "counts"),
        ({"next_dealer": "A"}, "next_dealer"),
        ({"transfers": []}, "transfers"),
        ({"by": "X"}, "by"),
        ({"options": {"deck": 1}}, "options"),
    ],
)
def test_a_changed_line_does_not_replay(change: dict[str, Any], what: str) -> None:
    (line,) = lines(1)
    assert (check_line(line | change) or "").startswith(what)


def test_a_line_must_end_with_its_last_action() -> None:
    (line,) = lines(1)
    assert (check_line(line | {"actions": line["actions"][:-1]}) or "").startswith("end")
    more = [*line["actions"], ["A", "draw_stock", "ok"]]
    assert "hand_over" in (check_line(line | {"actions": more}) or "")
    missing = {key: value for key, value in line.items() if key != "deck"}
    assert (check_line(missing) or "").startswith("schema")


def test_every_verb_has_its_notation() -> None:
    notation = [recorded("B", move(text)) for text in ("H 9S m1 low", "P 9S", "P", "T", "K")]
    assert notation == [
        ["B", "hit", "9S", "m1", "low", "ok"],
        ["B", "slap", "9S", "ok"],
        ["B", "slap", "ok"],
        ["B", "draw_discard", "ok"],
        ["B", "knock", "ok"],
    ]


def test_numbers_are_even_and_reproducible() -> None:
    rng = SeededNumbers("x")
    found = [rng.random() for _ in range(2000)]
    assert found[:3] == [SeededNumbers("x").random(), *found[1:3]]
    assert all(0 <= number < 1 for number in found)
    assert 0.45 < sum(found) / 2000 < 0.55
    assert sorted(shuffled(rng, range(52))) == list(range(52))


def run_command(**arguments: Any) -> str:
    out = StringIO()
    defaults = {
        "hands": 3,
        "seats": 3,
        "seed": "1",
        "options": "{}",
        "bots": "mixed",
        "out": None,
        "check": None,
    }
    Command(stdout=out).handle(**defaults | arguments)
    return out.getvalue()


def test_the_command_writes_a_line_a_hand(tmp_path: Path) -> None:
    written = run_command(seats=5)
    path = tmp_path / "hands.jsonl"
    assert run_command(seats=5, out=path) == ""
    assert path.read_text(encoding="utf-8") == written
    found = [json.loads(line) for line in written.splitlines()]
    assert [check_line(line) for line in found] == [None] * 3
    assert found[0]["options"]["max_players"] == 5


def test_the_command_replays_what_it_wrote(tmp_path: Path) -> None:
    path = tmp_path / "hands.jsonl"
    path.write_text(run_command(seats=4), encoding="utf-8")
    assert run_command(check=path).splitlines() == ["ok 1", "ok 2", "ok 3", "3 passed, 0 failed"]
    path.write_text("{\n" + run_command(hands=1).replace("draw_stock", "knock"), encoding="utf-8")
    with pytest.raises(SystemExit):
        run_command(check=path)
    with pytest.raises(CommandError, match="nowhere"):
        run_command(check=tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"options": "[" * 100_000}, "no JSON"),
        ({"seats": 7}, "--seats"),
        ({"hands": -1}, "--hands"),
        ({"options": "{"}, "no JSON"),
        ({"options": "[]"}, "JSON object"),
        ({"options": '{"jokers": 3}'}, "out_of_range"),
        ({"options": '{"max_players": 2}'}, "too_many_players"),
        ({"bots": "greedy-1,clever"}, "clever"),
        ({"out": Path("/nowhere/at/all")}, "No such file"),
    ],
)
def test_the_command_refuses_clearly(arguments: dict[str, Any], what: str) -> None:
    with pytest.raises(CommandError, match=what):
        run_command(**arguments)
