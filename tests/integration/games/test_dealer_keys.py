"""Keys of the dealer: rotated while hands run, old ones readable, hands given up for a lost one."""

import os
from io import StringIO
from pathlib import Path
from uuid import UUID

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from eventstore import followers, sealing
from eventstore.core.refusal import Refused, refuse
from eventstore.sealing import KEPT_SECONDS, KeyLost
from eventstore.services import ATTEMPTS_MAX, overdue
from games import dealer, folds, histories, selectors
from games.hands import find
from games.models import DealerSecret, Hand
from games.rules import events
from games.rules.tonkh.check import verify
from games.services import loading, voiding
from games.services.deals import deal_next
from games.services.seats import leave_seat, sit_out
from games.services.sweep import attend
from games.services.tables import close_table
from games.verdict import verification
from ledger.selectors import balances
from ledger.services import settle_due
from players.selectors import Person
from tests.integration.games.fair_tables import (
    ONA,
    PETRAS,
    RASA,
    anchored_table,
    deal_due,
    of_type,
    play_out,
    refused,
    table_of,
    types_of,
)
from tests.sealing import seal_log
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import a_player, receipt
from tonk_site.proving.acting.fair_seats import Links, anchors, gives, hand_at, time_is_up
from tonk_site.proving.acting.play import play, turn_at

pytestmark = pytest.mark.usefixtures("committed")
NAMES = ("ona", "petras", "rasa")


@pytest.fixture(autouse=True)
def key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "keys" / "dealer.key"
    monkeypatch.setattr(settings, "DEALER_KEY_FILE", str(path))
    return path


@pytest.fixture
def people() -> list[Person]:
    return [a_player(name) for name in NAMES]


def command(*arguments: str) -> list[str]:
    out = StringIO()
    call_command("dealer_key", *arguments, stdout=out)
    return out.getvalue().splitlines()


def running(people: list[Person], **options: object) -> UUID:
    """A table where a hand has been dealt, and a card was drawn and discarded."""
    table = table_of(people, **options)
    deal_due(table)
    play(table, turn_at(table))
    return table


def running_hand(table: UUID) -> UUID:
    dealt = selectors.see_now(table).table.dealt
    assert dealt is not None
    return UUID(dealt.hand)


def lose(key_file: Path) -> str:
    """The newest key is gone, and every process was started anew; a new key is made."""
    key_file.unlink()
    folds.forget_all()
    return sealing.rotate()


def given_up(table: UUID) -> list[events.HandVoided]:
    found: list[events.HandVoided] = of_type(table, events.HandVoided)
    return found


def follow() -> None:
    """Order, signatures, and where each hand lies."""
    seal_log()
    for follower in followers.registered():
        followers.begin(follower)
        for version in followers.to_advance(follower):
            while followers.apply_batch(follower, version):
                pass


# --- rotation -------------------------------------------------------------------------------------


def test_hands_run_on_under_the_key_that_sealed_them(people: list[Person]) -> None:
    dealt, sealing_table = running(people), anchored_table(people)
    deal_due(sealing_table)
    gives(sealing_table, people[0], ONA.seed(1))
    old = sealing.newest()
    sealing.rotate()
    folds.forget_all()
    play(dealt, turn_at(dealt))
    gives(sealing_table, people[1], PETRAS.seed(1))
    gives(sealing_table, people[2], RASA.seed(1))
    assert set(DealerSecret.objects.values_list("key_id", flat=True)) == {old}
    for table in (dealt, sealing_table):
        play_out(table)
    deal_due(dealt)
    assert set(DealerSecret.objects.values_list("key_id", flat=True)) == {sealing.newest()}
    play_out(dealt)
    assert given_up(dealt) == given_up(sealing_table) == []


def test_a_key_is_removed_when_nothing_is_sealed_under_it(
    people: list[Person], key_file: Path
) -> None:
    table = running(people)
    old = sealing.newest()
    assert command("list") == [f"{old} seals: 1 hands, 0 lots"]
    new = command("rotate")[0].split()[0]
    assert command("list") == [f"{new} seals: 0 hands, 0 lots", f"{old} opens: 1 hands, 0 lots"]
    beside = key_file.with_name(f"{key_file.name}.{old}")
    then = beside.stat().st_mtime - KEPT_SECONDS
    os.utime(beside, (then, then))
    assert command("prune") == command("list")
    assert len(command("list")) == 2
    play_out(table)
    assert command("prune") == [f"{old} removed", f"{new} seals: 0 hands, 0 lots"]
    assert not beside.exists()


# --- a lost key: what happens by itself -----------------------------------------------------------


def test_a_table_whose_key_is_lost_stands_still_with_an_alarm(
    people: list[Person], key_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table = running(people)
    old, kept = sealing.newest(), key_file.read_text()
    version = selectors.live_row(table).version
    lose(key_file)
    with pytest.raises(KeyLost, match=r"manage\.py dealer_key void-lost"):
        selectors.see(table, None)
    answer = Client().get(f"/api/v1/tables/{table}/state")
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    hurry(table)
    for _ in range(ATTEMPTS_MAX):
        attend(table)
    row = selectors.live_row(table)
    assert (row.version, row.attempts, row.parked_code) == (version, 1, "dealer_key_lost")
    assert overdue(loading.RELATION, 10) == []
    (alarm,) = (one for one in caplog.records if one.name == "games.services.sweep")
    assert (alarm.levelname, str(table) in alarm.getMessage()) == ("ERROR", True)
    assert "manage.py dealer_key void-lost" in caplog.text
    with pytest.raises(SystemExit) as ended:
        command("list")
    assert ended.value.code == 1
    assert command("void-lost")[-1] == f"{old} lost: 1 hands, 0 lots"
    # The key comes back: the hand goes on where it stood.
    key_file.with_name(f"{key_file.name}.{old}").write_text(kept)
    assert command("void-lost", "--yes") == command("list")
    assert command("resume")[0] == "1 tables are looked after again"
    attend(table)
    assert selectors.live_row(table).version > version
    play_out(table)
    assert given_up(table) == []


def test_a_command_elsewhere_gives_up_nothing(people: list[Person], key_file: Path) -> None:
    table = running(people)
    kept = key_file.read_text()
    key_file.unlink()
    with pytest.raises(CommandError, match="no key is in its file here"):
        command("void-lost", "--yes")
    key_file.write_text(kept)
    play_out(table)


def test_a_hand_whose_key_is_there_is_not_given_up(people: list[Person]) -> None:
    table = running(people)
    hand = running_hand(table)
    assert command("void-lost", "--yes") == command("list")
    with refused("wrong_state"):
        voiding.void_lost(table, hand)
    with refused("no_hand"):
        voiding.void_lost(table, table)
    play_out(table)
    with refused("no_hand"):
        voiding.void_lost(table, hand)


# --- a lost key: the hand is given up -------------------------------------------------------------


def test_a_cash_table_goes_on_after_its_hand_was_given_up(
    people: list[Person], key_file: Path
) -> None:
    table = running(people)
    hand = running_hand(table)
    dealt = selectors.see_now(table).table.dealt
    assert dealt is not None
    new = lose(key_file)
    hurry(table)
    attend(table)
    listed, nothing, *_ = command("void-lost")
    assert listed == f"hand {hand} of table {table} is lost"
    assert nothing == "nothing was done: `dealer_key void-lost --yes` gives them up"
    assert given_up(table) == []
    said, *rest = command("void-lost", "--yes")
    assert said == f"hand {hand} of table {table} was given up"
    assert rest == [f"{new} seals: 0 hands, 0 lots"]
    (voided,) = given_up(table)
    assert (voided.reason, voided.server_seed) == ("dealer_key_lost", None)
    assert [(one.seat, one.player, one.amount) for one in voided.stacks] == [
        (one.seat, one.player, one.stack) for one in dealt.players
    ]
    assert voided.next_dealer == {1: 2, 2: 3, 3: 1}[dealt.dealer]
    assert DealerSecret.objects.count() == 0
    row = selectors.live_row(table)
    assert (row.status, row.due, row.parked_code) == ("between_hands", "deal", None)
    assert row.hands_counted == 0
    deal_due(table)
    again = selectors.see_now(table).table.dealt
    assert again is not None
    assert (again.dealer, again.hand_no) == (voided.next_dealer, 2)
    play_out(table)
    assert selectors.live_row(table).hands_counted == 1


def test_with_redeal_the_same_dealer_deals_again(people: list[Person], key_file: Path) -> None:
    table = running(people, options={"redeal_dealer": "same"})
    dealt = selectors.see_now(table).table.dealt
    assert dealt is not None
    lose(key_file)
    command("void-lost", "--yes")
    assert given_up(table)[0].next_dealer == dealt.dealer


def test_who_has_left_is_cashed_out_with_his_stack_as_dealt(
    people: list[Person], key_file: Path
) -> None:
    table = running(people)
    leave_seat(table, people[1].id, receipt())
    lose(key_file)
    command("void-lost", "--yes")
    assert types_of(table)[-2:] == ["HandVoided", "SeatCashedOut"]
    (cashed_out,) = of_type(table, events.SeatCashedOut)
    assert (cashed_out.player, cashed_out.amount) == (str(people[1].id), 500)
    deal_due(table)
    play_out(table)


def test_a_closing_table_closes(people: list[Person], key_file: Path) -> None:
    table = running(people)
    close_table(table, people[0], receipt())
    lose(key_file)
    command("void-lost", "--yes")
    assert types_of(table)[-1] == "TableClosed"
    assert selectors.live_row(table).status == "closed"


def test_a_process_that_knows_the_deck_sees_the_hand_given_up(
    people: list[Person], key_file: Path
) -> None:
    table = running(people)
    seen = selectors.see(table, people[0].id)
    assert seen.table.hand is not None
    assert seen.table.hand.setup.deck is not None
    key_file.unlink()
    sealing.rotate()
    command("void-lost", "--yes")
    assert selectors.see(table, people[0].id).table.status == "between_hands"


def test_twice_is_once(people: list[Person], key_file: Path) -> None:
    table = running(people)
    hand = running_hand(table)
    lose(key_file)
    first = voiding.void_lost(table, hand)
    again = voiding.void_lost(table, hand)
    assert (again.replayed, dict(again.result)) == (True, dict(first.result))
    assert len(given_up(table)) == 1
    assert list(voiding.lost_hands()) == []


# --- a hand that was only committed to ------------------------------------------------------------


def sealing_hand(people: list[Person], fairness: str = "commit") -> UUID:
    table = anchored_table(people, fairness=fairness)
    deal_due(table)
    gives(table, people[0], ONA.seed(1))
    return table


@pytest.mark.parametrize("fairness", ["commit", "strict"])
def test_a_commitment_whose_seed_is_lost_is_given_up(
    people: list[Person], key_file: Path, fairness: str
) -> None:
    table = sealing_hand(people, fairness)
    hand, committed = hand_at(table), selectors.see_now(table).table.commitment
    assert committed is not None
    later = Links("rasa again")
    anchors(table, people[2], later)  # in force from the next hand on
    lose(key_file)
    with pytest.raises(KeyLost):
        time_is_up(table)
    with pytest.raises(KeyLost):
        leave_seat(table, people[0].id, receipt())
    said, *_ = command("void-lost", "--yes")
    assert said == f"hand {hand} of table {table}, not dealt yet, was given up"
    (voided,) = given_up(table)
    assert (voided.hand, voided.stacks, voided.server_seed) == (str(hand), (), None)
    assert voided.next_dealer == committed.dealer
    row = selectors.live_row(table)
    assert (row.status, row.due, row.parked_code) == ("open", "deal", None)
    assert DealerSecret.objects.count() == 0
    deal_due(table)
    again = selectors.see_now(table).table.commitment
    assert again is not None
    # As after an abort: no number is used up, the deal does not pass, a link that was shown is.
    assert (again.dealer, again.hand_no) == (committed.dealer, committed.hand_no)
    with refused("bad_seed"):
        gives(table, people[0], ONA.seed(1))
    gives(table, people[0], ONA.seed(2))
    gives(table, people[1], PETRAS.seed(1))
    gives(table, people[2], later.seed(1))
    play_out(table)


def test_the_hand_before_stays_as_it_ended(people: list[Person], key_file: Path) -> None:
    table = anchored_table(people)
    deal_due(table)
    for who, links in zip(people, (ONA, PETRAS, RASA), strict=True):
        gives(table, who, links.seed(1))
    play_out(table)
    before = selectors.see_now(table)
    why = selectors.explanation(before)
    counted = selectors.live_row(table).hands_counted
    deal_due(table)
    hand = hand_at(table)
    lose(key_file)
    command("void-lost", "--yes")
    after = selectors.see_now(table)
    told, again = (selectors.state_document(one) for one in (before, after))
    changing = {"version", "seats"}
    assert {name: one for name, one in told.items() if name not in changing} == {
        name: one for name, one in again.items() if name not in changing
    }
    assert selectors.explanation(after) == why
    assert [place.stack for place in after.table.places] == [
        place.stack for place in before.table.places
    ]
    assert selectors.live_row(table).hands_counted == counted
    follow()
    row = Hand.objects.get(hand=hand)
    assert (row.dealt_version, row.end, row.last_version) == (None, None, after.table.version)
    with refused("not_found"):
        verification(hand)
    deal_due(table)
    time_is_up(table)
    play_out(table)


# --- what is told of it ---------------------------------------------------------------------------


def test_what_is_told_of_a_hand_that_was_given_up(people: list[Person], key_file: Path) -> None:
    table = running(people)
    hand = running_hand(table)
    sit_out(table, people[2].id, receipt())
    lose(key_file)
    command("void-lost", "--yes")
    follow()
    place = find(hand)
    assert place is not None
    assert Hand.objects.get(hand=hand).end == "void"
    for viewer in ("all", "public", "seat 1"):
        history = histories.hand_history(hand, viewer)
        assert (history.end, history.void_reason) == ("void", "dealer_key_lost")
        assert (history.proof.server_seed, history.deck) == (None, None)
        assert set(history.net or ()) == {0}
        assert verify(history) == ()
    told = verification(hand)
    assert "server_seed" not in told
    assert "deck" not in told
    assert (told["ok"], told["checks"]) == (
        False,
        [{"name": "chain", "ok": True}, {"name": "server_seed", "ok": False}],
    )
    why = selectors.explanation(selectors.see(table, None))
    assert why is not None
    assert why.statements[0].key == "void_key_lost"
    document = selectors.state_document(selectors.see(table, people[0].id))
    assert document["status"] == "between_hands"
    assert not {"cards", "result"} & document.keys()
    served, _, _ = selectors.served_events(table, people[0].id, after=0, limit=100)
    assert served[-1]["type"] == "HandVoided"


def test_nobody_gains_by_it(people: list[Person], key_file: Path) -> None:
    table = running(people)
    settle_due()  # hands that were won by the deal alone, before the one that runs
    before = [chips_of(person) for person in people]
    lose(key_file)
    command("void-lost", "--yes")
    for person in people:
        leave_seat(table, person.id, receipt())
    settle_due()
    assert [chips_of(person) for person in people] == before


def chips_of(person: Person) -> int:
    """What a player has, at tables too."""
    return sum(one.total for one in balances(person.id) if one.currency == "XTK")


def test_a_seed_of_no_table_is_left_alone(key_file: Path, people: list[Person]) -> None:
    table = running(people)
    stray = people[0].id
    dealer.keep(dealer.commit(stray), selectors.live_row(table).opened_at)
    play_out(table)
    lose(key_file)
    said, *_ = command("void-lost", "--yes")
    assert said == f"hand {stray} is of no table"
    with pytest.raises(Refused, match="stale_version"):
        deal_next(table, 1)
    dealer.forget(stray)


def test_a_hand_that_ended_meanwhile_is_left_alone(
    people: list[Person], key_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = running(people)
    kept, old = key_file.read_text(), sealing.newest()
    lose(key_file)

    def too_late(*_: object) -> None:
        raise refuse("no_hand")

    monkeypatch.setattr("tonk_site.management.commands.dealer_key.void_lost", too_late)
    said, *_ = command("void-lost", "--yes")
    assert said.endswith(f"of table {table} was left alone: no_hand")
    key_file.with_name(f"{key_file.name}.{old}").write_text(kept)
    play_out(table)
