"""The engine beside the referee on 20,000 random hands, and proof that a difference is found."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from typing import Any, get_args

import pytest
from django.core.management import CommandError, call_command
from msgspec.structs import replace

from eventstore.core.refusal import Refusal
from games.rules import events, legality, payouts
from games.rules.events import End
from games.rules.liability import liability
from games.rules.state import Hand, fold
from tonk_site.proving.cards import rules_twin
from tonk_site.proving.checks import Found

PARTS, HANDS_A_PART = 8, 2_500


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_engine_and_referee_agree(part: int) -> None:
    first = 1 + part * HANDS_A_PART
    found = rules_twin.hands("suite", range(first, first + HANDS_A_PART))
    assert found.breaches == []
    assert found.done["hands"] == HANDS_A_PART
    assert found.done["moves"] > HANDS_A_PART
    assert set(found.seen["ends"]) == set(get_args(End)), found.seen["ends"]


@pytest.mark.slow
def test_a_hand_is_the_same_in_every_process() -> None:
    """A breach can be shown again: nothing hangs on the order of a set of texts."""
    line = json.dumps(rules_twin.line_of("here/1"))
    code = (
        "import json\nfrom tonk_site.proving.cards.rules_twin import line_of\n"
        "print(json.dumps(line_of('here/1')))"
    )
    for hash_seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        made = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        assert made.stdout.strip() == line


def test_a_few_hands_agree() -> None:
    assert rules_twin.hands("few", range(1, 301)).breaches == []


def found_with(planted: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Found:
    """What the comparison says of an engine with a fault: `planted` sets it."""
    planted(monkeypatch)
    return rules_twin.hands("planted", range(1, 200))


def knocker_wins_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    true = payouts.catchers

    def catchers(showdown: payouts.Showdown, knocker: int) -> list[int]:
        limit = showdown.counts[knocker]
        return [one for one in true(showdown, knocker) if showdown.counts[one] < limit]

    monkeypatch.setattr(payouts, "catchers", catchers)


def any_card_may_be_thrown_back(monkeypatch: pytest.MonkeyPatch) -> None:
    true = legality.refusal

    def refusal(hand: Hand, seat: int, move: Any) -> Refusal | None:
        refused = true(hand, seat, move)
        return None if refused and refused.code == "same_discard" else refused

    monkeypatch.setattr(legality, "refusal", refusal)


def the_worst_case_is_half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_twin, "liability", lambda *said: liability(*said) // 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("planted", "what"),
    [
        (knocker_wins_ties, "end"),
        (any_card_may_be_thrown_back, "discard"),
        (the_worst_case_is_half, "liability"),
    ],
)
def test_a_planted_fault_is_found(
    planted: Callable[..., Any], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = found_with(planted, monkeypatch)
    assert any(what in breach.what for breach in found.breaches)
    assert "--seed planted --only" in found.breaches[0].rerun


@pytest.mark.slow
def test_a_card_in_two_places_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(hand: Hand, facts: Any) -> Hand:
        taken = [one for one in facts if isinstance(one, events.CardDrawn) and one.card]
        after = fold(hand, facts)
        return replace(after, pile=hand.pile) if taken else after

    monkeypatch.setattr(rules_twin, "fold", forgetful)
    assert rules_twin.hands("planted", range(1, 60)).breaches


def proved(*arguments: str, code: int = 0) -> list[dict[str, Any]]:
    out = StringIO()
    if code:
        with pytest.raises(SystemExit) as ended:
            call_command("prove", *arguments, stdout=out, stderr=StringIO())
        assert ended.value.code == code
    else:
        call_command("prove", *arguments, stdout=out, stderr=StringIO())
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.mark.slow
def test_the_command_says_in_a_line_what_it_did(tmp_path: Any) -> None:
    (line,) = proved(
        "rules-twin", "--scale", "0.0002", "--seed", "7", "--out", str(tmp_path / "lines")
    )
    assert (line["check"], line["promise"], line["mode"]) == ("rules-twin", 2, "full x 0.0002")
    assert line["ok"]
    assert line["done"]["hands"] == line["size"]["hands"] == 200
    assert line["done"]["cases"] == 145
    assert sum(line["seen"]["ends"].values()) == 200
    assert json.loads((tmp_path / "lines").read_text()) == line


@pytest.mark.slow
def test_the_command_looks_at_one_hand_again() -> None:
    (line,) = proved("rules-twin", "--seed", "7", "--only", "3")
    assert (line["ok"], line["size"], line["mode"]) == (True, {"hands": 1}, "only 3")


@pytest.mark.slow
def test_a_check_that_found_something_or_did_too_little_is_not_ok(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (line,) = proved("rules-twin", "--scale", "0.000005", "--seed", "7", code=1)
    assert line["breaches_total"] == 0  # five hands do not come to every end
    the_worst_case_is_half(monkeypatch)
    told = rules_twin.hands("planted", range(1, 200)).breaches[0]
    (line,) = proved(*told.rerun.split()[2:], code=1)
    assert [one["what"] for one in line["breaches"]] == [told.what]


@pytest.mark.parametrize("part", ["0", "-1", "nan", "2", "x"])
def test_a_part_of_the_full_size_is_one(part: str) -> None:
    with pytest.raises(CommandError, match="--scale"):
        call_command("prove", "rules-twin", "--scale", part)


def test_a_file_that_can_not_be_written_is_told_first(tmp_path: Any) -> None:
    with pytest.raises(CommandError, match="No such file"):
        call_command("prove", "rules-twin", "--out", str(tmp_path / "none" / "lines"))


def test_an_unknown_check_is_told() -> None:
    with pytest.raises(CommandError, match="unknown: honesty") as refused:
        call_command("prove", "honesty")
    assert refused.value.returncode == 2
    out = StringIO()
    call_command("prove", "--list", stdout=out)
    assert "rules-twin" in out.getvalue().split()
