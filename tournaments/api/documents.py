"""Documents of tournaments and entries."""

from players.selectors import Person
from tournaments import selectors
from tournaments.core.options import Site, from_template
from tournaments.core.state import Entry, Tournament
from tournaments.core.templates import TEMPLATES
from tournaments.models import Tournament as Live
from tournaments.selectors import Seen


def list_row(row: Live) -> dict[str, object]:
    """A tournament in a list."""
    return {
        "tournament_id": str(row.id),
        "name": row.name,
        "status": row.status,
        "template": row.template,
        "format": row.format,
        "currency": row.currency,
        "organiser": str(row.organiser_id),
        "version": row.version,
        "counts": {"entries": row.entries},
    }


def show_tournament(seen: Seen) -> dict[str, object]:
    """A tournament in full, as `tournament.show` gives it."""
    row, state = seen.row, seen.state
    document: dict[str, object] = {
        "tournament_id": str(row.id),
        "version": state.version,
        "status": state.status.value if state.status else "",
        "name": row.name,
        "template": row.template,
        "organiser": state.organiser,
        "options": dict(state.options),
        "counts": selectors.counts(state),
        "clock": selectors.clock(state),
        "tables": [{"table_id": one.table, "number": one.number} for one in state.tables.values()],
        "entries": [show_entry(state, entry) for entry in state.entries.values()],
        "prizes": [
            {"place": prize.place, "player_id": prize.player, "amount": prize.amount}
            for prize in state.prizes
        ],
    }
    known = {
        "structure_hash": state.structure_hash,
        "seed_commit": state.seed_commit,
        "seed": state.seed,
    }
    return document | {name: value for name, value in known.items() if value is not None}


def show_entry(state: Tournament, entry: Entry) -> dict[str, object]:
    """An entry, as `entry.create` gives it."""
    document: dict[str, object] = {
        "player_id": entry.player,
        "entry_no": entry.entry_no,
        "status": entry.status,
    }
    if entry.table is not None and entry.seat is not None:
        document |= {"table_id": entry.table, "seat": entry.seat}
    if entry.place is not None and state.entered:
        document |= {"place_best": entry.place[0], "place_worst": entry.place[1]}
    return document


def show_new_entry(state: Tournament, entry: Entry, person: Person) -> dict[str, object]:
    """An entry with its name, as the command that made it answers."""
    return show_entry(state, entry) | {
        "entry_id": f"{entry.player}-{entry.entry_no}",
        "name": person.name,
        "kind": person.kind,
    }


def show_refund(state: Tournament, player: str) -> dict[str, object]:
    """What of a player's newest entry goes back to his wallet, as `entry.withdraw` gives it."""
    entry = state.entries[player, state.last_entry[player]]
    amounts = {"pool": entry.buy_in, "fee": entry.fee, "bounty": entry.bounty}
    return {"refund": {**amounts, "currency": state.settings.currency}}


def templates(site: Site) -> list[dict[str, object]]:
    """Every template with its options; `problems` says why a draft of it is refused."""
    return [
        {
            "template": name,
            "name": name.replace("_", " "),
            "options": dict(options),
            "problems": list(from_template(name, {}, site).problems),
        }
        for name, options in TEMPLATES.items()
    ]
