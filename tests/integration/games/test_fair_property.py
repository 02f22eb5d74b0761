"""Any order of what people and workers may do: no card before the seal, and every hand ends."""

import contextlib
import json
from collections.abc import Callable
from typing import Literal

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from eventstore.core.refusal import Refused
from games import folds, selectors
from games.models import DealerSecret
from games.replay import differences
from games.rules import events
from games.services.moves import play_for
from games.services.seats import leave_seat, sit_back_in, sit_out
from games.services.sweep import attend
from players.selectors import Person
from tests.api.world import undone
from tests.integration.games.fair_tables import of_type, own_times_again, stored_of, table_of
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import a_player, receipt, sits_down
from tonk_site.proving.acting.fair_seats import Links, anchors, gives
from tonk_site.proving.acting.play import play, turn_at

pytestmark = pytest.mark.django_db
STEPS_MAX, HAND_STEPS_MAX = 16, 200


class Room:
    """A table, its people, and how far each of them has shown his chain."""

    def __init__(self, people: list[Person], fairness: Literal["commit", "strict"]) -> None:
        self.people = people
        self.table = table_of(people, fairness=fairness)
        self.links = [Links(str(person.id)) for person in people]
        self.given = [0] * len(people)

    def anchor(self, who: int) -> None:
        """Fix a chain, the newest one anew."""
        self.links[who] = Links(f"{self.links[who].name}'")
        anchors(self.table, self.people[who], self.links[who])
        self.given[who] = 0

    def give(self, who: int) -> None:
        """Give the next seed, as far as a client knows."""
        if selectors.see_now(self.table).table.sealing:
            gives(self.table, self.people[who], self.links[who].seed(self.given[who] + 1))
            self.given[who] += 1

    def give_wrong(self, who: int) -> None:
        """Give the seed that comes after the next one."""
        if selectors.see_now(self.table).table.sealing:
            gives(self.table, self.people[who], self.links[who].seed(self.given[who] + 2))

    def leave(self, who: int) -> None:
        leave_seat(self.table, self.people[who].id, receipt())

    def join(self, who: int) -> None:
        sits_down(self.table, self.people[who])

    def sit_out(self, who: int) -> None:
        sit_out(self.table, self.people[who].id, receipt())

    def sit_in(self, who: int) -> None:
        sit_back_in(self.table, self.people[who].id, receipt())

    def look_after(self, who: int) -> None:
        """What is due is overdue, and the sweep finds it: a deal, a seal, a forced move."""
        del who
        hurry(self.table)
        attend(self.table)

    def play(self, who: int) -> None:
        del who
        if selectors.see_now(self.table).table.to_act is not None:
            play(self.table, turn_at(self.table))


ACTS: list[Callable[[Room, int], None]] = [
    Room.anchor,
    Room.give,
    Room.give,
    Room.give_wrong,
    Room.leave,
    Room.join,
    Room.sit_out,
    Room.sit_in,
    Room.look_after,
    Room.look_after,
    Room.play,
]
# A case takes seconds, so a failing one is shown as it was found.
NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
STEPS = st.lists(
    st.tuples(st.sampled_from(ACTS), st.integers(0, 2)), min_size=6, max_size=STEPS_MAX
)


@pytest.fixture
def people() -> list[Person]:
    return [a_player(name) for name in ("ona", "petras", "rasa")]


@pytest.mark.slow
@given(steps=STEPS, fairness=st.sampled_from(["commit", "strict"]))
@settings(
    max_examples=8, phases=NO_SHRINKING, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_every_hand_ends_and_no_card_is_known_before_the_seal(
    people: list[Person],
    steps: list[tuple[Callable[[Room, int], None], int]],
    fairness: Literal["commit", "strict"],
) -> None:
    with undone():
        room = Room(people, fairness)
        for who in range(2):
            room.anchor(who)
        room.look_after(0)
        for act, who in steps:
            with contextlib.suppress(Refused):
                act(room, who)
            nothing_is_known_too_early(room)
        comes_to_rest(room)
    folds.forget_all()


def nothing_is_known_too_early(room: Room) -> None:
    """While seeds are given no state holds a card, and one sealed seed is there for the table."""
    seen = selectors.see_now(room.table)
    secrets = DealerSecret.objects.count()
    assert secrets == (seen.table.playing or seen.table.sealing)
    if not seen.table.sealing:
        return
    for person in (None, *(one.id for one in room.people)):
        document = selectors.state_document(selectors.see(room.table, person))
        assert {"cards", "discard_top", "legal", "result"}.isdisjoint(document)
        assert '"deck"' not in json.dumps(document)


def comes_to_rest(room: Room) -> None:
    """Without people the table gets over whatever it is at: nothing is stuck."""
    for _ in range(HAND_STEPS_MAX):
        row = selectors.live_row(room.table)
        if row.status not in {"sealing", "playing"}:
            break
        hurry(room.table)
        if row.due == "move":
            play_for(room.table, row.version)
        else:
            attend(room.table)
    assert selectors.live_row(room.table).parked_code is None
    assert DealerSecret.objects.count() == 0
    own_times_again(room.table)
    begun = {one.hand for one in of_type(room.table, events.ShuffleCommitted)}
    ended = of_type(room.table, events.HandRevealed, events.ShuffleAborted)
    assert sorted(begun) == sorted(one.hand for one in ended)
    assert list(differences(stored_of(room.table))) == []
