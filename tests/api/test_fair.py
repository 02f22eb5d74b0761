"""The fair deal over HTTP: each card is proved to who may see it, and told to nobody else."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from games import dealer, selectors
from games.rules import events, fair
from games.rules.cards import TEXTS
from games.services.deals import deal_next
from tests.api.callers import NOWHERE, Caller, caller, refused
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import a_table, sits_down
from tonk_site.proving.acting.fair_seats import Links, time_is_up
from tonk_site.proving.acting.play import play, play_out, turn_at
from tonk_site.proving.silence.other_cards import CARD

pytestmark = pytest.mark.django_db
PLACES = [*range(54), *range(64, 70), 200]
ONA, PETRAS = Links("ona"), Links("petras")


@pytest.fixture
def callers() -> dict[str, Caller]:
    names = {"ona": caller("ona"), "petras": caller("petras"), "stranger": caller("zigmas")}
    return names | {"nobody": Caller()}


@pytest.fixture
def table(callers: dict[str, Caller]) -> UUID:
    """A table of Ona and Petras, who have fixed their seeds."""
    made = a_table(callers["ona"].who, clock="correspondence")  # nobody hurries this test
    for name, links in (("ona", ONA), ("petras", PETRAS)):
        sits_down(made, callers[name].who)
        body = {"anchor": links.anchor, "length": links.length}
        answer = callers[name].post(f"/tables/{made}/anchor", body)
        assert (answer.status, answer.document) == (201, {"index": 0})
    return made


def committed(table: UUID) -> dict[str, Any]:
    """The commitment to the next hand, as anybody gets it."""
    hurry(table)
    deal_next(table, selectors.live_row(table).version)
    found: dict[str, Any] = Caller().get(f"/tables/{table}/commitment").document
    return found


def give(table: UUID, who: Caller, hand: str, seed: str) -> Any:
    return who.post(f"/tables/{table}/seeds", {"hand_id": hand, "seed": seed})


def dealt(table: UUID, callers: dict[str, Caller]) -> str:
    """A running hand to which both have given a seed."""
    for number in range(1, 9):
        hand = str(committed(table)["hand_id"])
        for name, links in (("ona", ONA), ("petras", PETRAS)):
            assert give(table, callers[name], hand, links.seed(number)).status == 200
        if selectors.live_row(table).status == "playing":
            return hand
    raise AssertionError("every deal ended the hand")


def opens(document: dict[str, Any], root: str) -> bool:
    """What a client does with an opening."""
    assert TEXTS[document["code"]] == document["card"]
    opening = fair.Opening(
        hand=UUID(document["hand"]).bytes,
        shuffle_no=document["shuffle_no"],
        position=document["position"],
        size=document["size"],
        code=document["code"],
        salt=bytes.fromhex(document["salt"]),
        path=tuple(bytes.fromhex(one) for one in document["path"]),
        root=bytes.fromhex(document["root"]),
    )
    assert opening.place == document["place"]
    return fair.opens(opening, bytes.fromhex(root))


def test_a_hand_is_committed_to_then_dealt_then_proved(
    table: UUID, callers: dict[str, Caller]
) -> None:
    ona, petras, nobody = (callers[name] for name in ("ona", "petras", "nobody"))
    refused(nobody.get(f"/tables/{table}/commitment"), 409, "no_hand")
    refused(ona.get(f"/tables/{table}/cards"), 409, "no_hand")
    found = committed(table)
    hand = found["hand_id"]
    assert [(one["anchored"], one["given"]) for one in found["seats"]] == [(True, False)] * 2
    state = ona.get(f"/tables/{table}/state").document
    assert (state["status"], state["hand_id"], "phase" in state) == ("sealing", hand, False)
    assert state["fair"] == {
        "fairness": "commit",
        "commit": found["commit"],
        "anchored": [1, 2],
        "seeds_given": [],
        "reveal_by": found["reveal_by"],
    }
    refused(ona.get(f"/tables/{table}/cards"), 409, "no_hand")
    assert give(table, ona, hand, ONA.seed(1)).document == {"index": 1}
    assert give(table, ona, hand, ONA.seed(1)).document == {"index": 1}
    refused(give(table, petras, hand, ONA.seed(1)), 422, "bad_seed")
    refused(give(table, callers["stranger"], hand, ONA.seed(1)), 403, "not_seated")
    refused(give(table, ona, NOWHERE, ONA.seed(1)), 404, "not_found")
    assert nobody.get(f"/tables/{table}/state").document["fair"]["seeds_given"] == [1]
    time_is_up(table)
    refused(give(table, petras, hand, PETRAS.seed(1)), 409, "seed_too_late")
    fair_now = ona.get(f"/tables/{table}/state").document["fair"]
    assert (fair_now["commit"], fair_now["seeds_given"]) == (found["commit"], [1])
    play_out(table)
    proof = nobody.get(f"/hands/{hand}/verify").document
    assert (proof["ok"], proof["commit"]) == (True, found["commit"]), proof["checks"]
    seats = [(one["state"], one["seed"]) for one in proof["seats"]]
    assert seats == [("revealed", ONA.seed(1)), ("missing", "")]
    first = json.loads(proof["records"][0])
    assert (first["type"], first["data"]["commit"]) == ("ShuffleCommitted", found["commit"])
    assert "checkpoint" not in proof  # nothing has signed the log here


@pytest.mark.parametrize(
    "body",
    [
        {"anchor": "ab" * 31, "length": 4},
        {"anchor": "AB" * 32, "length": 4},
        {"anchor": "ab" * 32 + "\n", "length": 4},
        {"anchor": "ab" * 32, "length": 0},
        {"anchor": "ab" * 32, "length": 65_537},
        {"anchor": "ab" * 32},
    ],
)
def test_an_anchor_is_a_hash_and_a_length(
    table: UUID, callers: dict[str, Caller], body: object
) -> None:
    refused(callers["ona"].post(f"/tables/{table}/anchor", body), 400, "invalid_field")


@pytest.mark.slow
def test_cards_are_opened_to_who_may_see_them(table: UUID, callers: dict[str, Caller]) -> None:
    hand = dealt(table, callers)
    refused(callers["stranger"].get(f"/tables/{table}/cards"), 403, "not_seated")
    for who in callers.values():  # each looks at a turn of its own
        root = Caller().get(f"/tables/{table}/state").document["fair"]["deck_root"]
        seen = public_cards(table)
        own = own_cards(who, table, root)
        for place in PLACES:
            answer = who.get(f"/hands/{hand}/cards/{place}")
            card = seen.get(place) or own.get(place)
            if card is None:
                refused(answer, 404, "not_found")
            else:
                assert answer.document["card"] == card
                assert opens(answer.document, root)
        text = who.get(f"/hands/{hand}.tonkh")
        if own:
            assert text.headers["Content-Type"] == "application/vnd.tonk.hand+toml"
            known = {*seen.values(), *own.values()}
            assert set(CARD.findall(text.content.decode())) <= known
        else:
            refused(text, 409, "no_reveal_yet")
        refused(who.get(f"/hands/{hand}/verify"), 409, "no_reveal_yet")
        if selectors.see_now(table).table.to_act is None:
            break
        play(table, turn_at(table))
    play_out(table)
    deck = Caller().get(f"/hands/{hand}/verify").document["deck"].split()
    for place in PLACES[:54]:
        answer = callers["nobody"].get(f"/hands/{hand}/cards/{place}")
        if place < len(deck):
            assert answer.document["card"] == deck[place]
        else:
            refused(answer, 404, "not_found")
    told = callers["nobody"].get(f"/hands/{hand}.tonkh").content.decode()
    assert 'viewer = "all"' in told
    given = [one["seed"] for one in Caller().get(f"/hands/{hand}/verify").document["seats"]]
    assert "seeds = [" + ", ".join(f'"{seed}"' for seed in given) + "]" in told


def own_cards(who: Caller, table: UUID, root: str) -> dict[int, str]:
    """Cards by place that a seat is shown of its own hand: exactly those of its state."""
    answer = who.get(f"/tables/{table}/cards")
    if answer.status != 200:
        return {}
    found = {one["place"]: one["card"] for one in answer.document["openings"]}
    assert all(opens(one, root) for one in answer.document["openings"])
    assert sorted(found) == list(found)
    state = who.get(f"/tables/{table}/state").document
    assert set(found.values()) == set(state["cards"])
    return found


def public_cards(table: UUID) -> dict[int, str]:
    """Cards of the running hand by place that the log shows everybody."""
    served = Caller().get(f"/tables/{table}/events").document["events"]
    start = max(one["version"] for one in served if one["type"] == "HandDealt")
    return dict(placed([one["data"] for one in served if one["version"] >= start]))


def placed(value: Any) -> Iterator[tuple[int, str]]:
    if isinstance(value, list):
        for item in value:
            yield from placed(item)
    elif isinstance(value, dict):
        if "card" in value and "place" in value and value["card"] is not None:
            yield value["place"], value["card"]
        if "cards" in value and "places" in value:
            yield from zip(value["places"], value["cards"], strict=True)
        for item in value.values():
            yield from placed(item)


@pytest.mark.slow
def test_a_reshuffled_card_is_opened_under_the_root_of_its_shuffle(
    callers: dict[str, Caller],
) -> None:
    rare = {"on_empty_stock": "reshuffle", "hand_size": 12, "initial_tonk_counts": []}
    table = a_table(callers["ona"].who, seats=2, options=rare)
    for name in ("ona", "petras"):
        sits_down(table, callers[name].who)
    reshuffled = None
    turn = turn_at(table)
    while reshuffled is None:
        turn = turn_at(table)
        moves = [one["move"] for one in turn.legal]
        last = next((one for one in reversed(moves) if one.startswith("D ")), moves[0])
        play(table, turn, "S" if "S" in moves else last)
        reshuffled = newest(table, events.PileReshuffled)
    hand = str(reshuffled.hand)
    who = next(one for one in callers.values() if one.token and one.who.id == turn.player)
    opening = who.get(f"/hands/{hand}/cards/64").document
    assert (opening["shuffle_no"], opening["size"]) == (1, len(reshuffled.places))
    assert opens(opening, reshuffled.root)
    refused(callers["nobody"].get(f"/hands/{hand}/cards/64"), 404, "not_found")
    refused(who.get(f"/hands/{hand}/cards/65"), 404, "not_found")
    play_out(table)
    last = len(reshuffled.places)
    assert opens(Caller().get(f"/hands/{hand}/cards/{63 + last}").document, reshuffled.root)
    refused(Caller().get(f"/hands/{hand}/cards/{64 + last}"), 404, "not_found")
    proof = Caller().get(f"/hands/{hand}/verify").document
    assert proof["reshuffles"][0]["root"] == reshuffled.root
    assert proof["ok"], proof["checks"]


def newest(table: UUID, kind: type) -> Any:
    found = [one.event for one in selectors.see_now(table).stored if isinstance(one.event, kind)]
    return found[-1] if found else None


def test_what_a_spectator_sees_late_is_opened_late(callers: dict[str, Caller]) -> None:
    table = a_table(callers["ona"].who, spectator_delay_s=60)
    for name in ("ona", "petras"):
        sits_down(table, callers[name].who)
    turn_at(table)
    fact = newest(table, events.HandDealt)
    path = f"/hands/{fact.hand}/cards/{fact.upcard.place}"
    assert callers["ona"].get(path).status == 200
    for name in ("stranger", "nobody"):
        refused(callers[name].get(path), 404, "not_found")


@pytest.mark.slow
def test_nothing_stored_or_answered_holds_the_secret_of_a_running_hand(
    table: UUID, callers: dict[str, Caller]
) -> None:
    hand = str(committed(table)["hand_id"])
    secret = dealer.seed_of(UUID(hand))
    assert secret is not None
    for who in callers.values():
        no_text(answers(table, hand, who), [secret])
    no_text(rows(), [secret])
    give(table, callers["ona"], hand, ONA.seed(1))
    give(table, callers["petras"], hand, PETRAS.seed(1))
    fact = newest(table, events.HandDealt)
    if selectors.live_row(table).status != "playing":
        return
    key = fair.hand_key(secret, bytes.fromhex(fact.transcript))
    salts = {place: fair.salt(key, 0, place) for place in range(52)}
    for _ in range(2):
        public = set(public_cards(table))
        for who in callers.values():
            own = set(own_cards(who, table, fact.deck_root))
            hidden = [salt for place, salt in salts.items() if place not in public | own]
            no_text(answers(table, hand, who), [secret, key, *hidden])
        no_text(rows(), [secret, key, *salts.values()])
        if selectors.see_now(table).table.to_act is None:
            return
        play(table, turn_at(table))


def answers(table: UUID, hand: str, who: Caller) -> str:
    """Everything of the table and the hand that somebody can read."""
    ends = ["", "/state", "/events", "/commitment", "/cards"]
    paths = [f"/tables/{table}{end}" for end in ends] + ["/tables"]
    paths += [f"/hands/{hand}{end}" for end in (".tonkh", "/verify")]
    paths += [f"/hands/{hand}/cards/{place}" for place in range(54)]
    found = [who.get(path) for path in paths]
    return "".join(one.content.decode() + str(dict(one.headers)) for one in found)


def rows() -> str:
    """Every row that the product may read, but for the one that holds the sealed seed."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT format('%I.%I', n.nspname, c.relname)
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'r' AND n.nspname IN ('public', 'ledger')
                AND has_table_privilege(c.oid, 'SELECT')"""
        )
        names = [name for (name,) in cursor.fetchall()]
        texts = []
        for name in names:
            cursor.execute(f"SELECT string_agg(r::text, ' ') FROM {name} r")
            texts.append(cursor.fetchone()[0] or "")
    return "".join(texts)


def no_text(text: str, secrets: list[bytes]) -> None:
    lowered = text.lower()
    assert [one for one in secrets if one.hex() in lowered] == []
