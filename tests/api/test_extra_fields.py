"""Fields that nobody may set are not taken from a body (`incidents.md` K4)."""

from typing import Any

import pytest
from django.apps import apps

from tests.api.callers import picture
from tests.api.world import WRITES, Ready, World, ready

pytestmark = pytest.mark.django_db

# Fields of relations that an endpoint takes besides those of the matrix's good request.
ALLOWED = {
    "auth.register": {"language"},
    "auth.login": {"device", "scopes"},
    "proposal.approve": {"note"},
    "proposal.reject": {"note"},
    "deposit.create": {"method"},
    "withdrawal.approve": {"reference"},
    "adjustment.propose": {"effective", "reverses"},
    "adjustment.approve": {"note"},
    "adjustment.reject": {"note"},
    "ledger.period_close": {"note"},
    "rulesets.validate": {"preset"},
    "table.create": {"options", "preset", "visibility"},
    "table.bot_add": {"seat"},
    "seat.take": {"seat"},
}
NAMES = sorted({field.name for model in apps.get_models() for field in model._meta.get_fields()})


def taken(endpoint: Ready) -> set[str]:
    """Names of fields of relations that are not refused as unknown."""
    found = set[str]()
    for names in (NAMES[: len(NAMES) // 2], NAMES[len(NAMES) // 2 :]):
        body: dict[str, Any] = dict.fromkeys(names, 1.5) | endpoint.body
        answer = endpoint.call(body)
        assert answer.status == 400, answer.document
        unknown = {
            one["pointer"].removeprefix("/")
            for one in answer.document["errors"]
            if one["code"] == "unknown_field"
        }
        found |= set(names) - unknown
    return found - set(endpoint.body)


@pytest.mark.slow
def test_K4_no_field_outside_the_allow_list_is_taken(
    world: World, subtests: pytest.Subtests
) -> None:
    for name in WRITES:
        with subtests.test(name), ready(world, name) as endpoint:
            before = picture()
            assert taken(endpoint) == ALLOWED.get(name, set())
            assert picture() == before
