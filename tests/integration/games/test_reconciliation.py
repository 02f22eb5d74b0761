"""R8: the chips before a seat are the money in its account."""

from dataclasses import replace

import pytest
from django.utils import timezone

from games.reconciliation import stacks
from ledger.reconciliation.found import Scope
from ledger.selectors import seats
from ledger.services import settle_due
from tests.integration.games.test_cash_table import play_a_hand
from tonk_site.proving.acting.factories import a_player, a_table, sits_down

pytestmark = pytest.mark.django_db
SCOPE = Scope(is_full=True, first_entry=1, first_index=0, size=0, now=timezone.now())


@pytest.mark.slow
def test_stacks_are_what_the_accounts_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    people = [a_player(), a_player("petras"), a_player("rasa")]
    table = a_table(people[0])
    for person in people:
        sits_down(table, person)
    for _ in range(3):
        play_a_hand(table, *people)
    assert stacks(SCOPE).figures == {"tables": 0}  # hands are not posted yet
    settle_due()
    assert stacks(SCOPE) == replace(stacks(SCOPE), figures={"tables": 1}, findings=[])
    booked = seats(table)
    one_less = booked | {str(people[1].id): booked[str(people[1].id)] - 1}
    monkeypatch.setattr("games.reconciliation.seats", lambda _: one_less)
    (found,) = stacks(SCOPE).findings
    assert found["where"] == f"table/{table} {people[1].id}"
    assert found["found"] == int(str(found["expected"])) - 1
