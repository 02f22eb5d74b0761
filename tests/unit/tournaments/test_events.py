"""Tournament events: the catalogue of section 4, and what a stored one may look like."""

import msgspec
import pytest

from tournaments.core import events

COUNT = 70
PARTED = {
    "Seeded",
    "RoundPaired",
    "PrizesPublished",
    "StandingsFrozen",
    "Completed",
    "PrizesComputed",
    "CompensationPosted",
    "Cancelled",
}


def test_the_catalogue_is_whole() -> None:
    names = [one.__name__ for one in events.TOURNAMENT_EVENTS]
    assert len(names) == len(set(names)) == COUNT
    parted = {one.__name__ for one in events.TOURNAMENT_EVENTS if issubclass(one, events.Part)}
    assert parted == PARTED


@pytest.mark.parametrize("kind", events.TOURNAMENT_EVENTS)
def test_no_member_has_a_default_or_stands_open(kind: type[events.Event]) -> None:
    assert all(one.required for one in msgspec.structs.fields(kind))
    assert kind.__struct_config__.forbid_unknown_fields
    assert kind.__struct_config__.frozen


def test_members_named_from_are_stored_so() -> None:
    moved = events.PlayerMoved(player="p", from_="a", to="b", seat=2, reason="break")
    assert msgspec.to_builtins(moved)["from"] == "a"
    text = msgspec.json.encode(moved)
    assert msgspec.json.decode(text, type=events.PlayerMoved) == moved
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text.replace(b"break", b"whim"), type=events.PlayerMoved)
