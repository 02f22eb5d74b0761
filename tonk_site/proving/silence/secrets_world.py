"""The process of the check `secrets`: canaries of every kind of secret, play over HTTP, and a
search of everything that the product leaves behind."""

import base64
import io
import json
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID

from django.conf import settings
from django.db import connections
from redis import Redis

from eventstore import keyfiles
from eventstore.ports import random_bytes
from games import dealer, selectors
from games.rules import fair
from games.rules.cards import TEXTS
from tonk_site.proving.acting.drive import until_rest
from tonk_site.proving.acting.factories import a_tournament, with_bots
from tonk_site.proving.acting.play import play, turn_at
from tonk_site.proving.checks import Breach, Found
from tonk_site.proving.silence.other_cards import Secret, secret_of

RERUN = "manage.py prove secrets"
MOVES = 6
FORMS = ("as it is", "hex", "base64", "base64 for addresses")
RELATIONS = """SELECT format('%I.%I', n.nspname, c.relname)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'm') AND n.nspname !~ '^(pg_|information_schema)' ORDER BY 1"""
Canaries = dict[str, list[bytes]]
"""Secrets by their kind."""
Places = dict[str, bytes]
"""What was left behind, by where."""


def run(_: str, __: Sequence[int]) -> Found:
    """Play with canaries, then search."""
    redis: Any = Redis.from_url(settings.REDIS_URL)
    listener = redis.pubsub()
    listener.psubscribe("*")
    with _logged() as log:
        canaries, answers = played()
    places: Places = {"the log of the process": log.getvalue().encode(), "answers": answers}
    places |= database() | redis_rows() | files(Path(settings.STATIC_ROOT), "the static folder")
    places |= files(Path(settings.LOG_KEY_FILE).parents[2] / "logs", "the servers' logs")
    heard = iter(lambda: listener.get_message(timeout=0.0), None)
    places["what was published"] = json.dumps([str(one) for one in heard]).encode()
    return search(canaries, places)


def search(canaries: Mapping[str, Sequence[bytes]], places: Mapping[str, bytes]) -> Found:
    """Every canary in every form in every place; none may be there."""
    found = Found(seen={"bytes": Counter({name: len(text) for name, text in places.items()})})
    found.done["bytes"] = sum(map(len, places.values()))
    for kind, secrets in canaries.items():
        found.done["canaries"] += bool(secrets)
        for form, needle in (pair for one in secrets for pair in forms(one)):
            found.breaches += [
                Breach(f"{kind}, {form}", where, "nowhere", "found", RERUN)
                for where, text in places.items()
                if needle in text
            ]
    return found


def forms(secret: bytes) -> Iterator[tuple[str, bytes]]:
    """A secret as it may be written."""
    encoded = base64.b64encode(secret).rstrip(b"="), base64.urlsafe_b64encode(secret).rstrip(b"=")
    yield from zip(FORMS, (secret, secret.hex().encode(), *encoded), strict=True)


# --- play -----------------------------------------------------------------------------------------


def played() -> tuple[Canaries, bytes]:
    """Accounts, a running hand, a hand before its deal, a tournament to its prizes; all answers
    that show no secret to its owner."""
    # Loaded by name: the product runs without its tests, this check does not.
    world_of: Any = import_module("tests.api.world")
    world = world_of.World()
    canaries: Canaries = {
        "a token": [who.token.encode() for who in world.callers.values() if who.token]
    }
    answers = list[bytes]()
    canaries["a password"] = [_log_in(world.callers["anon"], canaries, answers)]
    committed = UUID(world.sealing()["hand_id"])
    seed = dealer.seed_of(committed)
    canaries["the seed of a coming hand"] = [seed] if seed else []
    world.hand()
    table: UUID = world.ids["table_id"]
    _tournament(world)
    for _ in range(MOVES):
        answers += _asked(world, table)
        play(table, turn_at(table))
    turn_at(table)
    secret = secret_of(table)
    canaries |= _of_the_hand(secret, table)
    answers += _asked(world, table)
    answers.append(_broken(world))
    for kind, path in (
        ("the log's key", settings.LOG_KEY_FILE),
        ("the dealer's key", settings.DEALER_KEY_FILE),
    ):
        canaries[kind] = [keyfiles.read(Path(path))]
    # A provider's secret of the callbacks is made from it.
    canaries["the site's key"] = [settings.SECRET_KEY.encode()]
    return canaries, b"\n".join(answers)


def _log_in(nobody: Any, canaries: Canaries, answers: list[bytes]) -> bytes:
    """The password of an account that registered, logged in, and was mistaken once."""
    new: Any = import_module("tests.api.world").NEW_ACCOUNT
    password = f"canary-{random_bytes(12).hex()}"
    body = {"username": new["username"], "password": password}
    answers.append(nobody.post("/auth/register", {**new, "password": password}).content)
    canaries["a token"].append(nobody.post("/auth/login", body).document["token"].encode())
    wrong = nobody.post("/auth/login", body | {"password": f"{password}-"})
    unread = nobody.post("/auth/login", body | {"more": password})
    answers += [wrong.content, unread.content]
    return password.encode()


def _tournament(world: Any) -> None:
    organiser = world.who("organiser_own")
    tournament = a_tournament(organiser, entries_min=3, entries_max=3, stack_stakes=5)
    with_bots(tournament, organiser, 3, "random-0")
    until_rest(tournament)
    sealing: Any = import_module("tonk_site.proving.acting.sealing")
    sealing.seal_log()


def _asked(world: Any, table: UUID) -> Iterator[bytes]:
    """What those are answered who have no card, refusals too."""
    for role in ("anon", "player_other", "auditor", "admin"):
        who = world.callers[role]
        for path in (f"/tables/{table}/state", f"/tables/{table}/events", "/nowhere", "/tables"):
            yield who.get(path).content
        yield who.post(f"/tables/{table}/moves", {"move": "S", "version": 1}).content
        yield who.get("/me", Authorization=f"Token {who.token}x").content


def _broken(world: Any) -> bytes:
    """The error page of a fault that strikes while the hand is open on the table."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("broken on purpose")

    who = world.callers["player_own"]
    who.client.raise_request_exception = False
    with patch.object(selectors, "state_document", broken):
        answer = who.get(f"/tables/{world.ids['table_id']}/state")
    return bytes(answer.content)


def _of_the_hand(secret: Secret, table: UUID) -> Canaries:
    """Of a running hand: seed, key, salts, and the order of cards that lie face down."""
    hand = selectors.see_now(table).table.hand
    stock = range(hand.stock_next, 52) if hand is not None else range(0)
    cards = secret.cards
    runs = [b"".join(bytes([code]) for code in cards[at : at + 8]) for at in stock[:-8]]
    for between in (" ", ",", '", "', '","', ", "):
        runs += [
            between.join(TEXTS[card] for card in cards[at : at + 3]).encode() for at in stock[:-3]
        ]
    runs += [", ".join(map(str, cards[at : at + 4])).encode() for at in stock[:-4]]
    return {
        "the seed of a running hand": [secret.seed],
        "the key of a running hand": [secret.key],
        "a salt": [fair.salt(secret.key, 0, place) for place in stock],
        "hidden cards": runs,
    }


# --- places ---------------------------------------------------------------------------------------


@contextmanager
def _logged() -> Iterator[io.StringIO]:
    """What the process says at any level."""
    text, root = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(text), root.level
    logging.disable(logging.NOTSET)
    others, root.handlers = root.handlers, [handler]
    root.setLevel(logging.DEBUG)
    try:
        yield text
    finally:
        root.handlers = others
        root.setLevel(level)


def database() -> Places:
    """Every relation as text, read by the owner."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(RELATIONS)
        names = [name for (name,) in cursor.fetchall()]
        found = {}
        for name in names:
            with cursor.cursor.copy(f"COPY {name} TO STDOUT") as copy:
                found[f"relation {name}"] = b"".join(bytes(part) for part in copy)
    return found


def redis_rows() -> Places:
    """Every key of Redis; the bodies of queued messages are decoded."""
    redis: Any = Redis.from_url(settings.REDIS_URL)
    found: Places = {}
    for key in redis.keys("*"):
        rows = redis.lrange(key, 0, -1) if redis.type(key) == b"list" else [redis.dump(key) or b""]
        decoded = [_body(row) for row in rows]
        found[f"Redis {key.decode(errors='replace')}"] = b"\n".join([*rows, *decoded])
    return found


def _body(row: bytes) -> bytes:
    """The body of a Celery message, nothing of another row."""
    try:
        return base64.b64decode(json.loads(row)["body"])
    except (ValueError, KeyError, TypeError):
        return b""


def files(folder: Path, name: str) -> Places:
    """All files below a folder as one text."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {name: b"\n".join(path.read_bytes() for path in found)}
