"""Names that could pass for another one are refused, or are taken."""

import unicodedata
from typing import Any

import pytest

from players.models import User
from tests.api.callers import Answer, Caller
from tests.api.world import NEW_ACCOUNT
from tests.corpus import NAMES

pytestmark = pytest.mark.django_db


def registers(number: int, name: str) -> Answer:
    body: dict[str, Any] = NEW_ACCOUNT | {"username": f"gabija{number}", "display_name": name}
    return Caller().post("/auth/register", body)


IMITATIONS = [
    "ON\u0410",  # Cyrillic A
    "\uff2f\uff4e\uff41",  # full width
    "O\u200bna", "Ona\u200b", "\u202eOna", "O\u2060na", "Ona\u00ad",  # hidden characters
    "0na", "oNA", " Ona ", "\U0001d40e\U0001d427\U0001d41a",  # digits, case, mathematical letters
    "On\u0430", "\u041ena", "\u039fna",  # one letter of another script
]  # fmt: skip


def test_K5_a_name_that_imitates_another_one_is_not_given(ona: Caller) -> None:
    for number, name in enumerate(IMITATIONS):
        answer = registers(number, name)
        assert (answer.status, answer.code) in {(409, "name_taken"), (422, "name_confusable")}, name


def test_K5_whole_names_of_another_script_are_compared_by_their_looks() -> None:
    assert registers(1, "Cocoa").status == 201
    assert registers(2, "\u0421\u043e\u0441\u043e\u0430").code == "name_taken"
    assert registers(3, "Willis").status == 201
    assert registers(4, "WlIIis").code == "name_taken"
    assert registers(5, "\u0416\u0430\u043d\u043d\u0430").status == 201  # looks like nobody


def test_K5_names_are_normalised_once() -> None:
    for number, name in enumerate(NAMES):
        registers(number, name)
    given = list(User.objects.values_list("display_name", flat=True))
    assert given
    assert [name for name in given if unicodedata.normalize("NFKC", name) != name] == []
