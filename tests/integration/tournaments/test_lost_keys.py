"""A tournament whose hands lose their key: they are given up, and it plays on to its settlement."""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from django.conf import settings
from django.core.management import call_command

from eventstore import sealing, store
from eventstore.core.ids import table_stream, tournament_stream
from eventstore.core.refusal import Refused
from eventstore.sealing import KeyLost
from games import folds, selectors
from games.models import DealerSecret, Seat, Table
from games.rules import events
from games.services.moves import play_for
from players.selectors import Person
from tonk_site.proving.acting.drive import hurry, once, until_rest
from tonk_site.proving.acting.factories import a_player, a_tournament, receipt, with_bots
from tonk_site.proving.acting.fair_seats import Links, anchors, time_is_up
from tournaments.models import LotSecret, Tournament
from tournaments.selectors import lots_by_key, see
from tournaments.services import entries
from tournaments.services.conduct import conduct
from tournaments.services.start import start
from tournaments.tasks import conduct_table

pytestmark = pytest.mark.usefixtures("committed")
STEPS_MAX = 3_000


@pytest.fixture(autouse=True)
def key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "keys" / "dealer.key"
    monkeypatch.setattr(settings, "DEALER_KEY_FILE", str(path))
    return path


def lose(key_file: Path) -> None:
    """The newest key is gone, and every process was started anew; a new key is made."""
    key_file.unlink()
    folds.forget_all()
    sealing.rotate()


def of_people(organiser: Person, people: list[Person], size: int, **overrides: object) -> UUID:
    """A tournament of these people, and of bots in the other places."""
    sizes: dict[str, object] = {"entries_min": size, "entries_max": size, "stack_stakes": 5}
    tournament = a_tournament(organiser, "sim-short", **sizes | overrides)
    with_bots(tournament, organiser, size - len(people), "random-0")
    for person in people:
        entries.register(tournament, person, receipt())
    return tournament


def tables_of(tournament: UUID) -> list[UUID]:
    rows = Table.objects.filter(tournament=tournament).exclude(status="closed").order_by("id")
    return list(rows.values_list("id", flat=True))


def records(table: UUID, *kinds: type) -> Iterator[object]:
    return (
        one.event
        for one in store.events_after(table_stream(table), 0)
        if isinstance(one.event, kinds)
    )


def play_until_settled(tournament: UUID) -> None:
    for _ in range(STEPS_MAX):
        if Tournament.objects.get(id=tournament).status == "settled":
            return
        for row in Table.objects.filter(tournament=tournament, due="move"):
            hurry(row.id)
            play_for(row.id, row.version)
        once(tournament)
    raise AssertionError("the tournament does not come to its end")


@pytest.mark.slow
def test_it_plays_on_with_the_chips_of_before_the_hand(key_file: Path) -> None:
    organiser, people = a_player("jonas", "organiser"), [a_player("ona"), a_player("petras")]
    tournament = of_people(organiser, people, 6, seats=3)
    sealing.rotate()  # the lot lies under the older key, which stays
    tables = tables_of(tournament)
    for table in tables:
        hurry(table)
        conduct(table)
    given_up = [table for table in tables if selectors.live_row(table).status == "playing"]
    assert given_up
    chips = {
        place.player: place.stack
        for table in tables
        for place in selectors.see_now(table).table.places
    }
    lose(key_file)
    for table in given_up:
        with pytest.raises(KeyLost):
            selectors.see_now(table)
    call_command("dealer_key", "void-lost", "--yes")
    for table in given_up:
        assert len(list(records(table, events.HandVoided))) == 1
        seen = selectors.see_now(table)
        assert (seen.row.status, seen.row.due) == ("between_hands", "held")
        for place in seen.table.places:
            assert place.stack == chips[place.player]
    play_until_settled(tournament)
    assert DealerSecret.objects.count() == 0
    hands = [list(records(table, events.HandDealt)) for table in given_up]
    assert any(len(dealt) > 1 for dealt in hands)
    types = [one.type for one in store.events_after(tournament_stream(tournament), 0)]
    assert types[-1] == "Settled"
    assert types.count("PlayerBusted") == 5
    with pytest.raises(Refused, match="wrong_state"):  # its lot is shown, and kept no more
        start(tournament, organiser, len(types), receipt())


def test_it_plays_on_after_a_hand_that_was_never_dealt(key_file: Path) -> None:
    organiser, ona = a_player("jonas", "organiser"), a_player("ona")
    tournament = of_people(organiser, [ona], 3)
    sealing.rotate()
    (table,) = tables_of(tournament)
    anchors(table, ona, Links(length=400))
    hurry(table)
    conduct(table)
    time_is_up(table)
    while selectors.live_row(table).status == "playing":
        hurry(table)
        row = selectors.live_row(table)
        play_for(table, row.version)
    busts = len(see(tournament, None).state.unplaced)
    if Seat.objects.filter(table_id=table, player_id=ona.id).exists():
        hurry(table)
        conduct(table)
    row = selectors.live_row(table)
    assert (row.status, row.due) == ("sealing", "seal")
    before = see(tournament, None).state
    lose(key_file)
    call_command("dealer_key", "void-lost", "--yes")
    row = selectors.live_row(table)
    assert (row.status, row.due) == ("between_hands", "held")
    hurry(table)
    conduct(table)  # the hand before was conducted, and is not once more
    after = see(tournament, None).state
    assert (after.left, after.unplaced) == (before.left, before.unplaced)
    assert len(after.unplaced) == busts
    assert selectors.live_row(table).status == "sealing"
    play_until_settled(tournament)


def test_without_the_seed_of_its_lot_it_stands_still_until_the_key_is_back(
    key_file: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    organiser, ona = a_player("jonas", "organiser"), a_player("ona")
    tournament = of_people(organiser, [ona], 3)
    (table,) = tables_of(tournament)
    kept, old = key_file.read_text(), LotSecret.objects.get(tournament=tournament).key_id
    lose(key_file)
    assert lots_by_key() == {old: 1}
    hurry(table)
    conduct_table(str(table))
    conduct_table(str(table))
    assert selectors.live_row(table).parked_code == "dealer_key_lost"
    assert "dealer_key resume" in caplog.text
    call_command("dealer_key", "void-lost", "--yes")
    told = capsys.readouterr().out
    assert "1 tournaments stand still: the seed of their lot is lost" in told
    assert f"{old} lost: 0 hands, 1 lots" in told
    key_file.with_name(f"{key_file.name}.{old}").write_text(kept)
    call_command("dealer_key", "resume")
    play_until_settled(tournament)
    until_rest(tournament)
    assert LotSecret.objects.count() == 0
