"""What a viewer may not know changes no byte of what he is answered (`api.md` section 5)."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from uuid import UUID

import pytest
from django.db import connection

from games import dealer, folds, selectors
from games.rules import events, fair
from games.rules.cards import TEXTS
from games.rules.shuffles import Deck
from tests.api.callers import Answer, Caller, caller
from tests.api.play import play, turn_at
from tests.factories import a_table, sits_down

pytestmark = pytest.mark.django_db

CARD = re.compile(r"(?<![A-Za-z0-9])[A2-9TJQK][CDHS](?![A-Za-z0-9])")
TURNS = 4
PASSING = ("Server-Time",)
Patch = Callable[[Deck], None]


@dataclass(frozen=True, slots=True)
class Secret:
    """What the dealer knows of the running hand."""

    deck: Deck
    seed: bytes
    key: bytes


def secret_of(table: UUID) -> Secret:
    dealt = selectors.see_now(table).table.dealt
    assert dealt is not None
    seed = dealer.seed_of(UUID(dealt.hand))
    assert seed is not None
    key = fair.hand_key(seed, bytes.fromhex(dealt.transcript))
    return Secret(TRUE_DECK(dealt, seed), seed, key)


TRUE_DECK = dealer.deck_from


@contextmanager
def other_deck(deck: Deck, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The same log with another deck under it, as if the hidden cards lay otherwise."""

    def deck_from(dealt: events.HandDealt, server_seed: bytes) -> Deck:
        return deck

    folds.forget_all()
    with monkeypatch.context() as patched:
        patched.setattr(dealer, "deck_from", deck_from)
        yield
    folds.forget_all()


def turned(deck: Deck, known: set[str]) -> Deck:
    """The deck with every card that the viewer does not know in another place."""
    hidden = [place for place, card in enumerate(deck.cards) if TEXTS[card] not in known]
    changed = list(deck.cards)
    for place, source in zip(hidden, hidden[1:] + hidden[:1], strict=True):
        changed[place] = deck.cards[source]
    return Deck(tuple(changed), deck.shuffler)


def looks(table: UUID, who: Caller, version: int, *, since: int, card: str) -> list[Answer]:
    """Everything that somebody is answered about a table without changing it."""
    path, tag = f"/tables/{table}", {"X_Request_Id": "the-same-request-id"}
    found = [
        who.get(f"{path}/state", **tag),
        who.get(f"{path}/events?after={since - 1}", **tag),
        who.get(f"{path}/events?after={version - 2}&limit=1", **tag),
        who.get(path, **tag),
        who.get("/tables", **tag),
    ]
    dealt = selectors.see_now(table).table.dealt
    assert dealt is not None
    ends = (f"{path}/commitment", f"/hands/{dealt.hand}.tonkh", f"/hands/{dealt.hand}/verify")
    found += [who.get(end, **tag) for end in ends]
    if who.token:
        # Refused in every seat: stale, without such a meld, or out of turn.
        for body in ({"move": "S", "version": 1}, {"move": f"H {card} m9", "version": version}):
            answer = who.post(f"{path}/moves", body, **tag)
            assert answer.status >= 400
            found.append(answer)
    return found


def told(answers: list[Answer]) -> list[tuple[int, list[tuple[str, str]], bytes]]:
    """Status, headers and bytes of answers."""
    return [
        (one.status, [pair for pair in one.headers.items() if pair[0] not in PASSING], one.content)
        for one in answers
    ]


@pytest.fixture
def viewers() -> dict[str, Caller]:
    """Three seats, and everybody else who can look."""
    seats = {name: caller(name) for name in ("ona", "petras", "birute")}
    return seats | {
        "stranger": caller("zigmas"),
        "nobody": Caller(),
        "organiser": caller("jonas", "organiser"),
        "auditor": caller("auste", "auditor"),
    }


@pytest.fixture
def table(viewers: dict[str, Caller]) -> UUID:
    """A table of Ona, Petras and Birute."""
    made = a_table(viewers["ona"].who)
    for name in ("ona", "petras", "birute"):
        sits_down(made, viewers[name].who)
    return made


def test_hidden_cards_change_no_answer(
    viewers: dict[str, Caller], table: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(TURNS):
        turn = turn_at(table)
        secret = secret_of(table)
        public, since = public_cards(table)
        look = partial(looks, table, since=since, card=min(public))
        for who in viewers.values():
            seen = look(who, turn.version)
            own = set(seen[0].document.get("cards", []))
            assert len(own) <= 6
            with other_deck(turned(secret.deck, public | own), monkeypatch):
                assert told(look(who, turn.version)) == told(seen)
            for answer in seen:
                no_secret(answer.content.decode(), secret, public | own)
        mover = next(one for one in viewers.values() if one.token and one.who.id == turn.player)
        body = {"move": turn.legal[0]["move"], "version": turn.version}
        answer = mover.post(f"/tables/{table}/moves", body)
        assert answer.status == 200
        if answer.document["state"]["status"] == "playing":
            own = set(answer.document["state"]["cards"])
            no_secret(answer.content.decode(), secret, public_cards(table)[0] | own)
    no_card_in_receipts()


def public_cards(table: UUID) -> tuple[set[str], int]:
    """Cards that the log of the running hand shows everybody, and the version of its deal."""
    served = Caller().get(f"/tables/{table}/events").document["events"]
    start = max(one["version"] for one in served if one["type"] == "HandDealt")
    shown = [one for one in served if one["version"] >= start]
    return set(CARD.findall(str(shown))), start


def no_secret(text: str, secret: Secret, known: set[str]) -> None:
    """Neither seed nor key nor a card that the viewer does not know."""
    lowered = text.lower()
    assert secret.seed.hex() not in lowered
    assert secret.key.hex() not in lowered
    assert "salt" not in lowered
    assert set(CARD.findall(text)) <= known


def no_card_in_receipts() -> None:
    """What is stored of requests holds versions and ids alone."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT result::text FROM eventstore_command_receipt")
        texts = [text for (text,) in cursor.fetchall()]
    assert texts
    assert [text for text in texts if CARD.search(text)] == []


def test_who_has_no_seat_sees_a_running_hand_late(ona: Caller, petras: Caller) -> None:
    table = a_table(ona.who, spectator_delay_s=60)
    for who in (ona, petras):
        sits_down(table, who.who)
    path, late = f"/tables/{table}", caller("zigmas")
    turn = turn_at(table)
    before = [late.get(f"{path}{end}").content for end in ("/state", "/events", "")]
    play(table, turn)
    for who in (late, Caller()):
        assert [who.get(f"{path}{end}").content for end in ("/state", "/events", "")] == before
    assert ona.get(f"{path}/state").document["version"] > turn.version
    assert ona.get(f"{path}/events").document["version"] > turn.version
    seen = json.loads(before[0])
    assert (seen["status"], seen.get("hand_id")) == ("open", None)
    assert b"HandDealt" not in before[1]
    # Whoever acts on the newest that he may see is not late.
    taken = late.post(f"{path}/seat", {"buy_in": 500, "version": seen["version"]})
    assert taken.status == 201
    assert taken.document["version"] > turn.version


def test_the_other_deck_is_another_one(table: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: the one who holds the cards sees the difference."""
    turn = turn_at(table)
    secret = secret_of(table)
    with other_deck(turned(secret.deck, public_cards(table)[0]), monkeypatch):
        assert selectors.state_document(selectors.see(table, turn.player)) != turn.state
    assert selectors.state_document(selectors.see(table, turn.player)) == turn.state
    assert sorted(turned(secret.deck, set()).cards) == sorted(secret.deck.cards)
