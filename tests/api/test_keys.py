"""The key names one request, the version says what its caller saw."""

from typing import Any
from uuid import UUID

import pytest

from tests.api.callers import Caller, caller, picture, refused
from tests.api.world import KEYED, NEW_TABLE, WRITES, Ready, World, ready
from tonk_site.proving.acting.factories import sits_down
from tonk_site.proving.acting.play import turn_at

pytestmark = pytest.mark.django_db

WITH_BODY = [
    name
    for name in WRITES
    if name
    not in {
        "auth.logout",
        "entry.create",
        "entry.withdraw",
        "seat.leave",
        "seat.sit_in",
        "seat.sit_out",
        "withdrawal.cancel",
    }
]


@pytest.mark.slow
def test_a_key_names_one_request(world: World, subtests: pytest.Subtests) -> None:
    for name in KEYED:
        with subtests.test(name), ready(world, name) as endpoint:
            no_good_keys(endpoint)
            one_key(endpoint)


def no_good_keys(endpoint: Ready) -> None:
    """Without a good key nothing is done."""
    before = picture()
    answer = endpoint.call(endpoint.body, Idempotency_Key=None)
    refused(answer, 400, "idempotency_key_missing")
    for key in ("", "short", "a" * 129, "a" * 15, "with spaces in it", "ąčęėįšųūž-ąčęėįšųūž"):
        answer = endpoint.call(endpoint.body, Idempotency_Key=key)
        assert refused(answer, 400, "invalid_field")["errors"]
    assert picture() == before


def one_key(endpoint: Ready) -> None:
    """The same again gets the same answer, another request with the key is refused."""
    key, name = "k" * 16, endpoint.route.name
    first = endpoint.call(endpoint.body, Idempotency_Key=key)
    assert first.status < 300, first.document
    after = picture()
    again = endpoint.call(endpoint.body, Idempotency_Key=key)
    assert (again.status, again.content) == (first.status, first.content)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    if name in WITH_BODY:
        answer = endpoint.call(_other(name, endpoint.body), Idempotency_Key=key)
        refused(answer, 422, "idempotency_key_reused")
    assert picture() == after


def _other(name: str, body: dict[str, Any]) -> dict[str, Any]:
    """Another well-formed request of the same endpoint."""
    changes: dict[str, dict[str, Any]] = {
        "table.create": {"stake": 20},
        "table.close": {"reason": "other"},
        "table.bot_add": {"level": "greedy-1"},
        "table.anchor": {"length": 17},
        "table.seeds": {"seed": "ab" * 32},
        "deposit.create": {"amount": 6_000},
        "deposit.approve": {"reference": "bank-18"},
        "withdrawal.create": {"amount": 6_000},
        "withdrawal.approve": {"decision": "refuse"},
        "adjustment.propose": {"text": "another reason"},
        "adjustment.comment": {"text": "another view"},
        "wallet.freeze": {"text": "another complaint"},
        "wallet.release": {"text": "another complaint"},
        **{
            name: {"note": "said otherwise"}
            for name in (
                "adjustment.approve",
                "adjustment.reject",
                "ledger.period_close",
                "proposal.approve",
                "proposal.reject",
            )
        },
        "tournament.create": {"name": "Morning"},
        "tournament.bots_add": {"count": 1},
        "me.exclude": {"until": "2099-01-01T00:00:00Z", "permanent": False},
    }
    return body | changes.get(name, {"version": body.get("version", 0) + 7})


def test_a_repeated_opening_says_what_the_first_said(ona: Caller) -> None:
    first = ona.post("/tables", dict(NEW_TABLE), Idempotency_Key="k" * 16)
    sits_down(UUID(first.document["table_id"]), ona.who)
    again = ona.post("/tables", dict(NEW_TABLE), Idempotency_Key="k" * 16)
    assert again.content == first.content
    assert again.headers["Location"] == first.headers["Location"]


def test_keys_belong_to_their_account_and_path(ona: Caller) -> None:
    key = "k" * 16
    assert ona.post("/tables", dict(NEW_TABLE), Idempotency_Key=key).status == 201
    petras = caller("petras")
    made = petras.post("/tables", dict(NEW_TABLE), Idempotency_Key=key)
    assert (made.status, made.headers.get("Idempotency-Replayed")) == (201, None)
    path = f"/tables/{made.document['table_id']}/close"
    refused(ona.post(path, {}, Idempotency_Key=key), 422, "idempotency_key_reused")


def test_the_version_is_part_of_the_request(ona: Caller, table: UUID) -> None:
    """Whether it stands in the body or in If-Match."""
    turn, key = turn_at(table), "k" * 16
    path, body = f"/tables/{table}/moves", {"move": turn.legal[0]["move"]}
    first = ona.post(path, body, Idempotency_Key=key, If_Match=f'"v{turn.version}.s1"')
    assert first.status == 200
    again = ona.post(path, body | {"version": turn.version}, Idempotency_Key=key)
    assert (again.content, again.headers["Idempotency-Replayed"]) == (first.content, "true")
    answer = ona.post(path, body, Idempotency_Key=key, If_Match=f'"v{turn.version + 1}.s1"')
    refused(answer, 422, "idempotency_key_reused")


VERSIONED = ["seat.take", "table.move", "tournament.publish", "tournament.start"]
VERSIONED += ["tournament.open_registration", "tournament.bots_add"]


@pytest.mark.slow
def test_the_version_that_the_client_saw(world: World, subtests: pytest.Subtests) -> None:
    for name in VERSIONED:
        with subtests.test(name), ready(world, name) as endpoint:
            versions(world, endpoint)


def versions(world: World, endpoint: Ready) -> None:
    """The present version alone is taken, from the body or from If-Match."""
    body = dict(endpoint.body)
    version = body.pop("version")
    before = picture()
    refused(endpoint.call(body), 428, "version_missing")
    for stale in (0, version - 1, version + 1, 2**31 - 1):
        problem = refused(endpoint.call(body | {"version": stale}), 409, "stale_version")
        assert problem["current_version"] == version
        if "table_id" in world.ids:
            seen = endpoint.who.get(f"/tables/{world.ids['table_id']}/state").document
            assert problem["state"] == seen
    for wrong in (-1, 1.0, "1", True, 2**31):
        refused(endpoint.call(body | {"version": wrong}), 400, "invalid_field")
    forms = ["1", '"1"', "*", 'W/"v1.p"', '"v1"', '"v1.s7"', '"v1.x"', '"v-1.p"', '"v1.p", "v2.p"']
    for form in [*forms, '"v' + "9" * 30 + '.p"', "", '"v\uff11.p"']:
        problem = refused(endpoint.call(body, If_Match=form), 400, "invalid_field")
        assert problem["errors"][0]["pointer"] == "/If-Match"
    both = endpoint.call(body | {"version": version}, If_Match=f'"v{version + 1}.p"')
    refused(both, 400, "invalid_field")
    assert picture() == before
    assert endpoint.call(body, If_Match=f'"v{version}.p"').status < 300
