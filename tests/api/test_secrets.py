"""What `prove secrets` searches for is found where it was put on purpose."""

import base64
import json
import logging
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections
from redis import Redis

from tests.api.callers import Caller, caller
from tonk_site.proving.silence import secrets_world
from tonk_site.proving.silence.secrets_world import (
    FORMS,
    database,
    files,
    forms,
    redis_rows,
    search,
)


@pytest.mark.usefixtures("committed")
def test_K3_a_token_lies_in_no_relation_and_is_found_if_it_does() -> None:
    token = str(caller("ona").token)
    canaries = {"a token": [token.encode()]}
    places = database()
    assert b"ona" in places["relation public.players_user"]
    assert search(canaries, places).breaches == []
    with connections["owner"].cursor() as cursor:
        cursor.execute("UPDATE players_token SET device = %s", [token])
    (found,) = search(canaries, database()).breaches
    assert (found.what, found.where) == ("a token, as it is", "relation public.players_token")


@pytest.mark.usefixtures("committed")
def test_a_secret_in_a_queued_message_or_a_file_is_found(tmp_path: Path) -> None:
    secret = bytes(range(32))
    redis = Redis.from_url(settings.REDIS_URL)
    assert search({"a seed": [secret]}, redis_rows()).breaches == []
    body = base64.b64encode(json.dumps([secret.hex()]).encode()).decode()
    redis.lpush("settle", json.dumps({"body": body}))
    (tmp_path / "a").write_bytes(b"before" + secret + b"after")
    found = search({"a seed": [secret]}, redis_rows() | files(tmp_path, "a folder")).breaches
    assert {one.where for one in found} == {"Redis settle", "a folder"}


def test_a_secret_is_looked_for_in_every_form() -> None:
    secret = bytes([251, 255, *range(30)])
    texts = [text for _, text in forms(secret)]
    assert [name for name, _ in forms(secret)] == list(FORMS)
    assert len(set(texts)) == len(FORMS)
    for text in texts:
        assert search({"a": [secret]}, {"there": b"x" + text + b"y"}).breaches


@pytest.mark.django_db
def test_what_is_logged_is_looked_at(ona: Caller) -> None:
    with secrets_world._logged() as log:
        ona.get("/nowhere")
        logging.getLogger("tonk.any").debug("of ona")
    assert "/api/v1/nowhere" in log.getvalue()
    assert "of ona" in log.getvalue()
