"""`prove append-only`: whole where nothing is open, and it names what is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

from tests.databases import as_superuser, scratch_copy
from tonk_site.proving.log import append_only

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def scratch(first_state: object) -> Iterator[str]:
    """Address of a database that may be broken, as its superuser."""
    with scratch_copy("append_only") as name, as_superuser(name) as superuser:
        yield superuser.info.dsn


@pytest.mark.slow
def test_everything_is_refused(scratch: str) -> None:
    found = append_only.attack(scratch)
    assert found.breaches == []
    assert found.done == append_only.SIZES
    statements = [str(one) for one in append_only.ATTEMPTS]
    assert len(set(statements)) == len(statements)


@pytest.mark.slow
def test_what_is_open_is_named(scratch: str) -> None:
    """A right too many, a trigger that sleeps under `replica`, a trigger that is gone."""
    with psycopg.connect(scratch) as superuser:
        superuser.execute("GRANT UPDATE ON eventstore_log_leaf TO tonk_app")
        superuser.execute("ALTER TABLE eventstore_event ENABLE TRIGGER event_no_change")
        superuser.execute("DROP TRIGGER no_change ON ledger.posting")
    found = append_only.attack(scratch)
    told = {(one.what, one.where): one.got for one in found.breaches}
    changed = {where: got for (what, where), got in told.items() if "can be changed" in what}
    # The trigger still holds the application; the owner walks past the two others.
    assert (
        changed["tonk_owner as replica: UPDATE eventstore_event SET data = data"] == "it was done"
    )
    assert changed["tonk_owner: UPDATE ledger.posting SET amount = amount"] == "it was done"
    assert "tonk_owner: UPDATE eventstore_event SET data = data" not in changed
    assert "tonk_app: UPDATE eventstore_log_leaf SET hash = hash" not in changed
    missing = {where for what, where in told if what == "a guard is missing"}
    assert missing == {
        "eventstore_log_leaf: tonk_app has UPDATE",
        "eventstore_event: trigger event_no_change is not ENABLE ALWAYS (tgenabled is O)",
        "ledger.posting: trigger no_change is missing",
    }
    assert found.done["refused"] < append_only.SIZES["refused"]
