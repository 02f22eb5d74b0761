"""`fair-deal`, `recall` and `audit-export` on a played table, and that each finds what is wrong."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace as changed
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import msgspec
import pytest
from msgspec.structs import replace

from eventstore import store, tree
from eventstore.core.canonical import encode
from eventstore.core.ids import table_stream
from eventstore.core.record import Stored
from eventstore.core.refusal import Refusal
from eventstore.followers import registered
from eventstore.following import Runner
from games import selectors
from games.rules import events, fair
from games.rules.tonkh import telling
from games.rules.tonkh.history import UNSEEN, HandHistory
from games.services.deals import deal_next
from games.services.seats import leave_seat
from ledger import exports
from ledger.exports import FORMS
from ledger.exports.records import Head, Record
from ledger.services import settle_due
from tests.sealing import seal_log
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import (
    PLAYED,
    a_player,
    a_table,
    pays_in,
    receipt,
    sits_down,
)
from tonk_site.proving.acting.fair_seats import Links, anchors, gives
from tonk_site.proving.acting.play import hasty, play_out
from tonk_site.proving.cards import fair_deal, recall, shuffles
from tonk_site.proving.cards.dealt_hands import hands_of
from tonk_site.proving.log import audit_export

HANDS = 1


def a_played_table() -> UUID:
    """Two people, of whom one takes part in the deal, have played some hands for money and left."""
    people = [a_player(name) for name in ("ona", "petras")]
    for person in people:
        pays_in(person)
    table = a_table(people[0], currency="EUR", seats=2, options=PLAYED)
    for person in people:
        sits_down(table, person)
    links = Links("ona")
    anchors(table, people[0], links)
    for number in range(1, HANDS + 1):
        hurry(table)
        deal_next(table, selectors.live_row(table).version)
        gives(table, people[0], links.seed(number))
        play_out(table, hasty)
    for person in people:
        leave_seat(table, person.id, receipt())
    while any(settled.events for settled in settle_due()):
        pass
    seal_log()
    Runner(registered()).poll()
    return table


@pytest.fixture
def log(committed: None) -> Sequence[Stored]:
    """The records of the played table."""
    return store.load(table_stream(a_played_table())).events


def with_fact(
    stored: Sequence[Stored], kind: type[msgspec.Struct], **fields: object
) -> list[Stored]:
    """The records with other fields in the first fact of a kind, hashes as they were."""
    at = next(at for at, one in enumerate(stored) if isinstance(one.event, kind))
    payload = dict(stored[at].payload) | fields
    after = list(stored)
    after[at] = replace(stored[at], data=encode(payload).decode())
    return after


# --- fair-deal ------------------------------------------------------------------------------------


def moved(stored: Sequence[Stored], kind: type, to: type) -> list[Stored]:
    """The records with the first of a kind behind the first of another one."""
    facts = [one.event for one in stored]
    at = next(at for at, one in enumerate(facts) if isinstance(one, kind))
    behind = next(at for at, one in enumerate(facts) if isinstance(one, to))
    after = [*stored[:at], *stored[at + 1 : behind + 1], stored[at], *stored[behind + 1 :]]
    return [replace(one, version=version) for version, one in enumerate(after, start=1)]


def test_fair_deal_finds_deals_that_are_not_as_they_were_said(
    log: Sequence[Stored], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = fair_deal.look()
    assert (found.breaches, found.done["hands"]) == ([], HANDS)
    other = "ab" * 32
    plants: list[tuple[str, Sequence[Stored]]] = [
        ("commit is not", with_fact(log, events.ShuffleCommitted, commit=other)),
        ("transcript is not", with_fact(log, events.HandRevealed, server_seed=other)),
        ("links is not", with_fact(log, events.SeedRevealed, seed=other)),
        ("transcript is not", with_fact(log, events.SeedRevealed, seed=other)),
        ("seeds is not", [one for one in log if one.type != "SeedRevealed"]),
        ("transcript is not", with_fact(log, events.HandDealt, transcript=other)),
        ("deck_root is not", with_fact(log, events.HandDealt, deck_root=other)),
        ("place", with_fact(log, events.CardDiscarded, card="X1")),
        ("no commitment", [one for one in log if one.type != "ShuffleCommitted"]),
        ("a seed after", moved(log, events.SeedRevealed, events.HandDealt)),
        ("a card before", moved(log, events.HandDealt, events.CardDiscarded)),
        ("no reveal", [one for one in log if one.type != "HandRevealed"]),
    ]
    for what, changed_log in plants:
        told = [one.what for one in fair_deal.wrong(changed_log)]
        assert any(one.startswith(what) for one in told), (what, told)
    with monkeypatch.context() as patched:
        patched.setattr(fair_deal, "tables", lambda: [log[0].stream] * 2)
        assert [one.what for one in fair_deal.look().breaches] == ["a commitment again"]
    # The log of a product that deals by another shuffle is our log, read by that product.
    with monkeypatch.context() as patched:
        patched.setattr(fair, "fisher_yates", shuffles.swap_any)
        told = [one.what for one in fair_deal.wrong(log)]
    assert any("deck_root" in one for one in told)


# --- recall ---------------------------------------------------------------------------------------


def recalled(log: Sequence[Stored]) -> list[str]:
    """What is told of the first hand of a log."""
    first = next(hands_of(log))
    return [one.what for one in recall.wrong(log[:1], first)]


def test_recall_finds_what_a_player_does_not_get(
    log: Sequence[Stored], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = recall.look()
    assert (found.breaches, dict(found.done)) == ([], {"hands": HANDS, "players": 2})
    end = next(one.payload for one in log if isinstance(one.event, events.HandEnded))
    nets = [one | {"amount": -one["amount"]} for one in cast("list[dict[str, int]]", end["net"])]
    assert recalled(log) == []
    assert recalled(with_fact(log, events.HandEnded, net=nets)) == ["problems"]
    assert recalled(with_fact(log, events.CardDiscarded, card="X1"))

    true_history = telling.from_events

    def forgetful(*arguments: Any, **named: Any) -> HandHistory | Refusal:
        """Tells a seat what it draws once the hand is over, and not before."""
        made = true_history(*arguments, **named)
        if isinstance(made, HandHistory) and not made.ended:
            return replace(made, deal=tuple(UNSEEN for _ in made.deal))
        return made

    with monkeypatch.context() as patched:
        patched.setattr(recall, "from_events", forgetful)
        assert recalled(log) == ["the deal"] * 2
    with monkeypatch.context() as patched:
        patched.setattr(recall, "find", lambda _: None)
        assert recalled(log) == ["place of the hand"]


@pytest.mark.parametrize(
    ("reason", "told"), [(events.KEY_LOST, []), ("retention", ["no seed"]), (None, ["no seed"])]
)
def test_recall_finds_an_ended_hand_whose_seed_is_not_shown(
    log: Sequence[Stored], monkeypatch: pytest.MonkeyPatch, reason: str | None, told: list[str]
) -> None:
    """Only where the dealer's key is lost nobody can show it."""
    dealt = next(one.event for one in log if isinstance(one.event, events.HandDealt))
    voided = events.HandVoided(
        hand=dealt.hand, reason=reason or "", server_seed=None, stacks=(), next_dealer=1
    )
    void = {"type": "HandVoided", "data": encode(voided).decode()}
    changed_log = [
        replace(one, **void) if reason and one.type == "HandRevealed" else one
        for one in log
        if reason is None or one.type != "HandEnded"
    ]
    if reason is None:
        changed_log = [one for one in changed_log if one.type != "HandRevealed"]
    monkeypatch.setattr(recall, "records_of", lambda _: changed_log)
    found = recall.look()
    assert ([one.what for one in found.breaches], found.done["hands"]) == (told, 0)


# --- audit-export ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_audit_export_finds_a_change_in_what_is_taken_away(
    log: Sequence[Stored], tmp_path: Path
) -> None:
    found = audit_export.take("test", {"exports": 2, "receipts": 1})
    assert (found.breaches, found.done["exports"], found.done["receipts"]) == ([], 2, 1)
    assert found.done["entries"] > HANDS
    assert found.seen["programs"]["beancount"] == 1
    key = tree.keys()[0].key
    whole, receipt = next(audit_export.log_files("x")), next(audit_export.receipts("x"))
    for file, true, other in (
        (whole, b'\\"amount\\":', b'\\"amount\\":1'),
        (receipt, b'"amount": ', b'"amount": 1'),
    ):
        assert true in file.content
        damaged = changed(file, content=file.content.replace(true, other, 1))
        (told,) = audit_export.refused(damaged, tmp_path, key)
        assert (told.what, told.where) == ("not verified", file.of)
    (told,) = audit_export.refused(whole, tmp_path, key[:-4] + "AAA=")
    assert told.what == "not verified"


@pytest.mark.slow
def test_audit_export_finds_books_that_do_not_add_up(
    log: Sequence[Stored], monkeypatch: pytest.MonkeyPatch
) -> None:
    true = FORMS["beancount"]

    def one_entry_less(head: Head, entries: Iterable[Record]) -> Iterator[str]:
        yield from true.lines(head, list(entries)[1:])

    def another_amount(head: Head, entries: Iterable[Record]) -> Iterator[str]:
        yield from (piece.replace("100.00", "100.01", 1) for piece in true.lines(head, entries))

    assert audit_export.books().breaches == []
    for lines, what in ((one_entry_less, "entry"), (another_amount, "books")):
        forms = {**FORMS, "beancount": changed(true, lines=lines)}
        with monkeypatch.context() as patched:
            patched.setattr(exports, "FORMS", forms)
            assert [one.what for one in audit_export.books().breaches] == [what]
