"""Documents of tables that are no state: lobby rows and settings."""

import msgspec

from games import selectors
from games.models import Table as Live
from games.rules import events
from games.selectors import Seen


def lobby_row(row: Live) -> dict[str, object]:
    """A table in a list."""
    found: dict[str, object] = {
        "table_id": str(row.id),
        "status": row.status,
        "preset": row.preset,
        "currency": row.currency,
        "stake": row.stake,
        "seats": row.seats,
        "seats_free": row.seats - row.seats_taken,
        "waiting": 0,
    }
    return found | _tournament(row)


def show_table(seen: Seen) -> dict[str, object]:
    """Settings, rules and seats of a table."""
    opened = seen.table.opened
    rules = seen.table.rules
    document: dict[str, object] = {
        "table_id": str(seen.row.id),
        "version": seen.table.version,
        "status": seen.table.status,
        "settings": _settings(opened) if opened is not None else {},
        "rules": {"preset": rules.preset, "version": rules.version, "hash": rules.hash},
        "seats": selectors.state_document(seen)["seats"],
        "waiting": 0,
    }
    return document | _tournament(seen.row)


def _settings(opened: events.TableOpened) -> dict[str, object]:
    found: dict[str, object] = msgspec.to_builtins(opened)
    rules = opened.rules
    for name in ("rules", "tournament", "opened_by"):
        del found[name]
    found["clock"] = opened.clock.profile
    return found | {"preset": rules.preset, "options": msgspec.to_builtins(rules.options)}


def _tournament(row: Live) -> dict[str, object]:
    return {} if row.tournament is None else {"tournament_id": str(row.tournament)}
