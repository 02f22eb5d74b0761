"""The rule sheet (`rules.md` section 11) and its pages: complete, true, the same for ever.

python -m tests.unit.games.test_rule_sheet      writes the golden sheets of the presets anew
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from eventstore.core.refusal import Refusal
from games.rules.domains import Choice, Counts, Domain, Range, Tiers
from games.rules.hosting import CLOCKS
from games.rules.moves import Move, Verb, parse
from games.rules.options import DEFAULTS, DOMAINS, PRESETS, SLAP_MOVE_MS_MAX, Options, complete
from games.rules.words.option_texts import OPTION_TEXTS
from games.rules.words.other_numbers import other_numbers
from games.rules.words.page_texts import MOVE_TEXTS, TOGETHER
from games.rules.words.plurals import Counted, Language, Text, form, listed
from games.rules.words.sheet import (
    ROWS,
    Line,
    Sheet,
    TableTerms,
    as_data,
    as_html,
    as_markdown,
    as_text,
    sheet,
)
from games.rules.words.sheet_texts import CHANGED, LINES
from tools.rule_pages import page

LANGUAGES: tuple[Language, ...] = get_args(Language)
GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "sheets"
TERMS = TableTerms(stake="1.00 EUR", seats=3, liability="9.00 EUR", rake_bp=250, rake_cap="2 EUR")
NUMBER = re.compile(r'"([RDV][0-9]+)"')
LISTED = re.compile(r"^(?:- \*\*(\w+)\*\* |\| ([RV][0-9]+) \|)", re.MULTILINE)
# What must be set as well for a value to be valid (section 4).
COMPANIONS: dict[str, dict[str, Any]] = {
    "joker_value": {"jokers": 2},
    "hit_hold_extra": {"hit_hold_first": 1},
    "hit_hold_self": {"hit_hold_first": 1},
    "difference_cap": {"settlement": "difference"},
    "settlement": {"difference_cap": 20},
}


def changed(**values: Any) -> Options:
    return msgspec.structs.replace(DEFAULTS, **values)


def values_of(domain: Domain) -> tuple[Any, ...]:
    """Every value of a choice, ends and middle of a range."""
    match domain:
        case Choice():
            return domain.values
        case Range():
            return (domain.low, (domain.low + domain.high) // 2, domain.high, domain.default)
        case Counts():
            return (None, (), (50,), (50, 49, 48))
        case Tiers():
            return ((), ((13, 2),), ((0, 4), (11, 1), (60, 3)))
        case _:
            raise AssertionError(domain)


def single_values() -> Iterator[tuple[str, Options]]:
    for name, domain in DOMAINS.items():
        for value in values_of(domain):
            default = value == domain.default
            more = {} if default else COMPANIONS.get(name, {})
            yield f"{name}={value}", changed(**{name: value}, **more)


def presets() -> Iterator[tuple[str, Options]]:
    for name, overrides in PRESETS.items():
        options = complete(overrides, 3)
        assert isinstance(options, Options)
        yield name, options


def combined() -> Iterator[tuple[str, Options]]:
    """Sets in which one option changes the words of another."""
    difference: dict[str, Any] = {"settlement": "difference", "difference_cap": 1}
    sets: dict[str, dict[str, Any]] = {
        "points": difference,
        "points_dealt": difference | {"drop_low": ((5, 3),), "hand_size": 7},
        "points_void": difference | {"on_empty_stock": "void", "initial_tonk_counts": ()},
        "points_new": difference | {"tonk_double_requires_new_spread": True},
        "no_claims_tie": {"initial_tonk_counts": (), "initial_tie": "higher_wins"},
        "tie_single": {"caught_rule": "single_each", "knock_tie": "knocker_wins"},
    }
    for name, values in sets.items():
        yield name, changed(**values)


CASES = dict([*single_values(), *presets(), *combined()])


def lines(found: Sheet) -> list[Line]:
    return [line for section in found.sections for line in section.lines]


def texts(options: Options, language: Language = "en", **fields: Any) -> dict[str, str]:
    """Text of each line by its key."""
    return {line.key: line.text for line in lines(sheet(options, language=language, **fields))}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("terms", [None, TERMS], ids=["preset", "table"])
def test_the_sheet_is_complete_in_both_languages(name: str, terms: TableTerms | None) -> None:
    both = [sheet(CASES[name], language=language, terms=terms) for language in LANGUAGES]
    for found in both:
        shown = [section.key for section in found.sections]
        assert shown == [key for key in ROWS if key in shown]
        assert all(section.lines for section in found.sections)
        for line in lines(found):
            assert line.text
            assert line.text[0].isupper() or line.text[0].isdigit()
            assert line.text.endswith(".")
            assert not set("{}|") & set(line.text)
            assert "  " not in line.text
            assert "None" not in line.text
    english, lithuanian = map(lines, both)
    assert [(one.key, one.rule) for one in english] == [(one.key, one.rule) for one in lithuanian]
    assert len({one.key for one in english}) == len(english)
    assert all(ours.text != theirs.text for ours, theirs in zip(english, lithuanian, strict=True))


def test_every_condition_holds_for_some_set_and_fails_for_another() -> None:
    sheets = [
        {line.key.rstrip("_0123456789") if line.key not in LINES else line.key for line in found}
        for options in CASES.values()
        for terms in (None, TERMS)
        for found in [lines(sheet(options, language="en", terms=terms))]
    ]
    always = {"cut", "deal_passes", "hand_size", "starts", "draw", "spread", "book", "hit"}
    always |= {"discard", "pile", "time_out"}
    rows = [row.key for rows in ROWS.values() for row in rows]
    assert sorted(rows) == sorted(LINES)
    assert set.union(*sheets) == set(rows)
    assert set.intersection(*sheets) == always


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "options"), list(presets()))
def test_sheets_of_presets_are_the_golden_ones(
    name: str, options: Options, language: Language
) -> None:
    written = (GOLDEN / f"{name}.{language}.txt").read_text(encoding="utf-8")
    assert as_text(sheet(options, language=language)) == written


def test_every_golden_sheet_is_one_of_a_preset() -> None:
    names = {f"{name}.{language}.txt" for name in PRESETS for language in LANGUAGES}
    assert {path.name for path in GOLDEN.iterdir()} == names


def cited() -> set[str]:
    """Numbers that the code of refusals, payments and explanations names."""
    rules = Path(sheet.__code__.co_filename).resolve().parents[1]
    sources = [rules / f"{name}.py" for name in ("legality", "decide", "payouts", "result")]
    sources += [*(rules / "words").glob("expla*.py")]
    return {number for one in sources for number in NUMBER.findall(one.read_text("utf-8"))}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_number_that_is_cited_is_on_the_pages(language: Language) -> None:
    asked = cited() | {"R5", "R12", "R24", "R25", "R29"}
    assert len(asked) > 40
    assert asked - {one[0] or one[1] for one in LISTED.findall(page(language))} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_numbers_are_those_without_a_line_of_their_own(language: Language) -> None:
    for options in CASES.values():
        found = sheet(options, language=language)
        others = other_numbers(options, found)
        numbers = [line.rule for line in others.lines]
        assert not {line.rule for line in lines(found)} & set(numbers)
        assert len(set(numbers)) == len(numbers)
        assert all(line.text.endswith(".") for line in others.lines)


SAMPLES: dict[str, dict[str, Any]] = {
    "`joker_value` above 0": {"joker_value": 5},
    "`hit_hold_extra` or `hit_hold_self`": {"hit_hold_self": True},
    "`caught_bonus_from` `others_only`": {
        "caught_bonus_from": "others_only",
        "caught_rule": "low_only",
    },
    "`stockout_tie` `split` or `no_payment`": {"stockout_tie": "split", "on_empty_stock": "void"},
    "`difference_cap`": {"difference_cap": 9},
    "`allow_return_discard`": {"allow_return_discard": True, "must_use_discard": True},
    "`max_players`": {"max_players": 2},
    "`max_players` and `hand_size`": {"max_players": 5, "hand_size": 12},
}


def code_of(overrides: dict[str, Any]) -> str:
    """Inner code of the refusal of a set."""
    refused = complete(overrides, 3)
    assert isinstance(refused, Refusal)
    problems: Any = refused.facts["problems"]
    return str(problems[0]["code"])


def test_what_the_pages_say_of_options_together_is_so() -> None:
    codes = {text: code_of(overrides) for text, overrides in SAMPLES.items()}
    points: dict[str, Any] = {"settlement": "difference"}
    told = [(one.option.en, one.code) for one in TOGETHER]
    assert [one for one in told if one[0] in codes] == [(text, codes[text]) for text in SAMPLES]
    for overrides, code in (
        ({}, "conflict"),
        ({"difference_cap": 9, "stake_mode": "pot"}, "conflict"),
        ({"difference_cap": 9, "caught_rule": "low_only"}, "no_effect"),
    ):
        assert code_of(points | overrides) == code
        assert ("`settlement` `difference`", code) in told
    assert len(told) == len(codes) + 3


def test_the_text_of_slap_names_the_clocks_that_are_too_slow() -> None:
    slow = [name for name, times in CLOCKS.items() if times.move_ms > SLAP_MOVE_MS_MAX]
    for text in (OPTION_TEXTS["slap"].text.en, OPTION_TEXTS["slap"].text.lt):
        assert str(SLAP_MOVE_MS_MAX // 1000) in text
        assert [name for name in CLOCKS if name in text] == slow


def test_the_moves_of_the_pages_can_be_read() -> None:
    for text in MOVE_TEXTS:
        assert isinstance(parse(text), Move)
    assert {text[0] for text in MOVE_TEXTS} == set(get_args(Verb))


def test_a_section_without_lines_is_left_out() -> None:
    found = sheet(changed(initial_tonk_counts=()), language="lt")
    assert "before_play" not in [section.key for section in found.sections]
    for written in (as_text(found), as_html(found), as_markdown(found)):
        assert "Prieš žaidimą" not in written


def test_a_sheet_may_say_what_the_set_is_called() -> None:
    named = sheet(DEFAULTS, language="lt", name=CHANGED)
    assert named.title == "Taisyklių lapas: pakeistos taisyklės"
    assert sheet(DEFAULTS, language="lt").title == "Taisyklių lapas"


def test_an_abbreviation_ends_a_line_with_one_full_stop() -> None:
    terms = TableTerms(stake="10 žet.", seats=3, liability="90 žet.", rake_bp=5, rake_cap="9 žet.")
    for line in lines(sheet(DEFAULTS, language="lt", terms=terms)):
        assert ".." not in line.text
    assert texts(DEFAULTS, "lt", terms=terms)["stake"] == "Statymas – 10 žet."


def test_r4_the_stake_is_named_where_it_is_known() -> None:
    assert texts(DEFAULTS, terms=TERMS)["stake"] == "The stake is 1.00 EUR."
    assert texts(DEFAULTS)["stake_agreed"] == "The stake is agreed before play."
    points = CASES["points"]
    assert texts(points, terms=TERMS)["point"].startswith("One point is worth 1.00 EUR. ")
    assert texts(points)["point_agreed"].startswith("The worth of a point is agreed before play.")


def test_r10_r11_lines_of_claims_need_a_possible_claim() -> None:
    dealt = {"initial_tonk", "initial_spread", "claims_draw", "totals_in_play"}
    assert dealt & texts(DEFAULTS).keys() == dealt - {"initial_spread"}
    assert not dealt & texts(changed(hand_size=7)).keys()
    assert not dealt & texts(changed(face_values=(11, 12, 13))).keys()
    assert dealt & texts(changed(hand_size=7, initial_spread=True)).keys() == {
        "initial_spread",
        "claims_draw",
    }
    assert texts(changed(initial_tonk_counts=(50, 48, 49)))["initial_tonk"].startswith(
        "A dealt total of 48, 49 or 50 is a tonk"
    )
    assert not {"claims_draw", "higher_claim_wins"} & texts(CASES["no_claims_tie"]).keys()


def test_v6_each_tier_has_a_line() -> None:
    found = texts(changed(initial_low=((9, 4), (13, 1)), drop_low=((5, 2),)))
    assert found["initial_low_1"] == "A dealt total of 9 or less wins 4 stakes from each."
    assert found["initial_low_2"] == "A dealt total of 13 or less wins 1 stake from each."
    assert found["drop_low_1"] == "With 5 or less it is 2 stakes."
    points = texts(CASES["points_dealt"])
    assert points["drop_low_difference_1"] == "A knock won with 5 or less: 3 stakes from each."


def test_v10_the_sheet_says_who_catches() -> None:
    for rule, key in (("seed", "caught"), ("single_each", "caught_single_each")):
        strict = texts(changed(caught_rule=rule, knock_tie="knocker_wins"))
        assert strict[key].endswith("to each player with a lower total.")
        assert texts(changed(caught_rule=rule))[key].endswith("an equal or lower total.")


def test_v7_what_further_hits_add() -> None:
    hold = changed(hit_hold_first=2, hit_hold_extra=1)
    assert texts(hold)["hit_hold"].endswith("for 2 turns; each further card adds 1.")
    hold = changed(hit_hold_first=1)
    assert texts(hold)["hit_hold"].endswith("for 1 turn; further cards add nothing.")


def test_v15_payments_of_the_difference_name_what_can_happen() -> None:
    fixed = {"tonk_out", "tonk_out_new_spread", "discard_out", "knock_win", "caught", "stock_out"}
    for name in ("points", "points_dealt", "points_void", "points_new"):
        assert not fixed & texts(CASES[name]).keys()
    full = texts(CASES["points"])["difference"]
    assert "the difference (knock, stock out); out without a discard and dealt claims pay" in full
    less = texts(CASES["points_void"])["difference"]
    assert "the difference (knock); out without a discard pays double." in less
    assert "difference_new_spread" in texts(CASES["points_new"])


def test_d17_the_cap_is_a_number_or_goes_by_the_seats() -> None:
    assert texts(changed(discard_turn_cap=1))["discard_turn_cap"].startswith("After 1 turn in")
    by_seat = texts(DEFAULTS)["discard_turn_cap_by_seat"]
    assert by_seat.startswith("After 3 turns in a row for each player without a card")
    table = texts(DEFAULTS, terms=TERMS)["discard_turn_cap_by_seat"]
    assert "without a card from the stock (9 at a full table), the discard" in table


@pytest.mark.parametrize(
    ("bp", "english", "lithuanian"), [(250, "2.5", "2,5"), (300, "3", "3"), (5, "0.05", "0,05")]
)
def test_the_house_and_the_worst_case_are_lines_of_a_table(
    bp: int, english: str, lithuanian: str
) -> None:
    terms = TableTerms(stake="1", seats=2, rake_bp=bp)
    found = texts(DEFAULTS, terms=terms)
    assert not {"liability", "rake_cap"} & found.keys()
    assert found["rake"].startswith(f"The house takes {english} % of")
    assert texts(DEFAULTS, "lt", terms=terms)["rake"].startswith(f"Operatorius ima {lithuanian} %")
    full = texts(DEFAULTS, terms=TERMS)
    assert "at a table of 3: 9.00 EUR." in full["liability"]
    assert full["rake_cap"] == "At most 2 EUR a hand."
    quiet = TableTerms(stake="1", seats=2, rake_cap="2 EUR")
    assert not {"rake", "rake_cap"} & texts(DEFAULTS, terms=quiet).keys()


FORMS = {
    **dict.fromkeys((1, 21, 31, 101), 0),
    **dict.fromkeys((2, 9, 22, 29, 102), 1),
    **dict.fromkeys((0, 10, 11, 12, 19, 20, 30, 100, 111), 2),
}


@pytest.mark.parametrize(("number", "index"), FORMS.items())
def test_numbers_choose_the_form_of_their_noun(number: int, index: int) -> None:
    assert form(number, ("one", "few", "other")) == ("one", "few", "other")[index]
    assert form(number, ("one", "other")) == ("one" if number == 1 else "other")
    assert f"{Counted(number)}" == str(number)


def test_lithuanian_lines_agree_with_their_numbers() -> None:
    found = [
        texts(changed(initial_tonk_multiplier=1), "lt")["initial_tonk"],
        texts(DEFAULTS, "lt")["initial_tonk"],
        texts(changed(knock_max_count=10), "lt")["knock_limit"],
        texts(changed(knock_max_count=21), "lt")["knock_limit"],
        texts(changed(knock_from_round=2), "lt")["knock_from_round"],
        texts(changed(knock_from_round=3), "lt")["knock_from_round"],
    ]
    ends = ("1 statymą.", "2 statymus.", "10 taškų.", "21 tašką.", "2-uoju savo ėjimu.")
    for text, end in zip(found, (*ends, "3-iuoju savo ėjimu."), strict=True):
        assert text.endswith(f" {end}")
    hold = texts(changed(hit_hold_first=2, hit_hold_extra=1, spread_hold=1), "lt")
    assert "negali belsti 2 ėjimus; kiekviena kita korta prideda dar 1 ėjimą." in hold["hit_hold"]
    assert hold["spread_hold"] == "Išdėję derinį negalite belsti 1 ėjimą."


def test_texts_take_texts_as_values() -> None:
    text = Text("{a} and {b}", "{a} ir {b}")
    values = {"a": Text("one {c}", "vienas {c}"), "b": Text("two", "du"), "c": 3}
    assert text.filled("en", values) == "one 3 and two"
    assert text.filled("lt", values) == "vienas 3 ir du"
    assert listed(["1", "2", "3"], "or") == "1, 2 or 3"


def test_html_escapes_everything_and_has_no_style() -> None:
    terms = TableTerms(stake='<b>&"1', seats=3)
    found = as_html(sheet(DEFAULTS, language="en", terms=terms))
    assert '<li><span class="rule">R4</span> The stake is &lt;b&gt;&amp;&quot;1.</li>\n' in found
    assert "the dealer&#x27;s left" in found
    assert found.startswith('<section lang="en"><h2>The game</h2>\n<ul>\n<li><span class="rule">')
    assert (
        found.count("<li>")
        == found.count("</li>")
        == len(lines(sheet(DEFAULTS, language="en", terms=terms)))
    )
    assert "style" not in found
    assert "<li>The house takes" in as_html(sheet(DEFAULTS, language="en", terms=TERMS))


def test_markdown_marks_numbers_and_escapes_signs() -> None:
    terms = TableTerms(stake="1*_2", seats=3, rake_bp=100)
    found = as_markdown(sheet(DEFAULTS, language="en", terms=terms))
    assert found.startswith("# Rule sheet\n\n## The game\n\n- **R1** Players: 2 to 3.\n- **R2** ")
    assert "- **R4** The stake is 1\\*\\_2.\n" in found
    assert "\n- The house takes 1 % of" in found


def test_data_are_plain_values() -> None:
    found = as_data(sheet(DEFAULTS, language="lt", terms=TERMS))
    assert msgspec.json.decode(msgspec.json.encode(found)) == found
    assert (found["language"], found["title"]) == ("lt", "Taisyklių lapas")
    sections = found["sections"]
    assert isinstance(sections, list)
    assert sections[0]["lines"][0] == {
        "rule": "R1",
        "key": "players",
        "text": "Žaidėjai: nuo 2 iki 3.",
    }
    assert sections[-1]["lines"][-1]["rule"] is None


def renew() -> None:
    """Write the golden sheets anew; the difference is for the reviewer."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, options in presets():
        for language in LANGUAGES:
            path = GOLDEN / f"{name}.{language}.txt"
            path.write_text(as_text(sheet(options, language=language)), encoding="utf-8")


if __name__ == "__main__":
    renew()
