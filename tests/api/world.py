"""The fixtures of the matrix: every kind of caller, and the objects on which they act."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from eventstore.ports import new_id
from games import selectors
from games.services.deals import deal_next
from ledger.core.periods import month_of
from tests.api.callers import Answer, Caller, api_bot, caller
from tests.api.routes import ROUTES, Route
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import (
    WORDS,
    a_deposit,
    a_freeze,
    a_gift,
    a_player,
    a_table,
    a_tournament,
    a_withdrawal,
    an_adjustment,
    freezes,
    pays_in,
    receipt,
    sits_down,
)
from tonk_site.proving.acting.fair_seats import Links, anchors, hand_at
from tonk_site.proving.acting.play import play_out, turn_of
from tournaments import selectors as tournaments
from tournaments.services import drafting, entries

FREEZEOUT: dict[str, Any] = {"entries_min": 2, "start": None}


class World:
    """Every kind of caller, and the objects of the fixtures."""

    def __init__(self) -> None:
        self.callers = {
            "anon": Caller(),
            "player_own": caller("ona"),
            "player_other": caller("petras"),
            "opponent": caller("birute"),
            "spectator": caller("zigmas", scopes=["read"]),
            "organiser_own": caller("jonas", "organiser"),
            "organiser_other": caller("daiva", "organiser"),
            "auditor": caller("auste", "auditor"),
            "admin": caller("algis", "admin"),
            "bot": api_bot(),
        }
        self.ids: dict[str, Any] = {}

    def who(self, role: str) -> Any:
        return self.callers[role].who

    def preset(self) -> dict[str, Any]:
        self.ids["ref"] = "gamerules"
        return {}

    def table(self, *seated: str) -> dict[str, Any]:
        """A table of `player_own`, who named the ones to sit; the version to send."""
        table = a_table(self.who("player_own"), seats=4, api_bots=True)
        for role in seated:
            sits_down(table, self.who(role))
        self.ids["table_id"] = table
        return {"version": selectors.live_row(table).version}

    def hand(self) -> dict[str, Any]:
        """A running hand with `player_own` to act, and his first legal move."""
        self.table("player_own", "opponent", "bot")
        turn = turn_of(self.ids["table_id"], self.who("player_own").id)
        return {"move": turn.legal[0]["move"], "version": turn.version}

    def sealing(self) -> dict[str, Any]:
        """A hand that is committed to, and the next seed of everybody: they have one chain."""
        links = Links()
        self.table("player_own", "opponent", "bot")
        table = self.ids["table_id"]
        for role in ("player_own", "opponent", "bot"):
            anchors(table, self.who(role), links)
        hurry(table)
        deal_next(table, selectors.live_row(table).version)
        return {"hand_id": str(hand_at(table)), "seed": links.seed(1)}

    def ended_hand(self) -> dict[str, Any]:
        """A hand of `player_own`, `opponent` and `bot` that has ended."""
        self.hand()
        play_out(self.ids["table_id"])
        dealt = selectors.see_now(self.ids["table_id"]).table.dealt
        self.ids |= {"hand_id": dealt.hand if dealt else None, "place": 0}
        return {}

    def draft(self) -> dict[str, Any]:
        wish = drafting.Draft(template="sim-short", name="Evening", overrides=FREEZEOUT)
        outcome = drafting.create(wish, self.who("organiser_own"), receipt())
        self.ids["tournament_id"] = UUID(str(outcome.result["tournament_id"]))
        return {"version": 1}

    def announced(self) -> dict[str, Any]:
        self.draft()
        drafting.publish(self.ids["tournament_id"], self.who("organiser_own"), 1, receipt())
        return {"version": 2}

    def registration(self, *entered: str) -> dict[str, Any]:
        tournament = a_tournament(self.who("organiser_own"), **FREEZEOUT)
        for role in entered:
            entries.register(tournament, self.who(role), receipt())
        self.ids["tournament_id"] = tournament
        return {"version": tournaments.see(tournament, None).state.version}

    def full(self) -> dict[str, Any]:
        return self.registration("player_own", "opponent")

    def deposit(self) -> dict[str, Any]:
        """A deposit of `player_own` that waits for its money."""
        self.ids["deposit_id"] = a_deposit(self.who("player_own"))
        return {}

    def money(self) -> dict[str, Any]:
        """Money for everybody who may have some."""
        for role in ("player_own", "player_other", "opponent", "organiser_own", "organiser_other"):
            pays_in(self.who(role))
        return {"currency": "EUR", "amount": 5_000, "method": "manual"}

    def about_an_event(self) -> dict[str, Any]:
        """What `organiser_own` may ask for: a gift to `player_own`, who is in his event."""
        self.registration("player_own")
        gift = a_gift(self.who("player_own").id)
        return gift | {"tournament_id": str(self.ids["tournament_id"])}

    def adjustment(self) -> dict[str, Any]:
        """The same, proposed by `organiser_own`."""
        self.registration("player_own")
        self.ids["adjustment_id"] = an_adjustment(
            self.who("organiser_own"),
            self.who("player_own").id,
            tournament=self.ids["tournament_id"],
        )
        return {}

    def wallet(self) -> dict[str, Any]:
        self.ids["player_id"] = self.who("player_own").id
        return {"reason_code": "review", "text": "a complaint"}

    def frozen_wallet(self) -> dict[str, Any]:
        body = self.wallet()
        freezes(self.ids["player_id"], a_player("vida", "admin"), a_player("rasa", "admin"))
        return body

    def proposal(self) -> dict[str, Any]:
        """A proposal of an admin who is not `admin`."""
        self.wallet()
        self.ids["proposal_id"] = a_freeze(self.ids["player_id"], a_player("vida", "admin"))
        return {}

    def last_month(self) -> dict[str, Any]:
        self.ids["period"] = str(month_of(timezone.now().date().replace(day=1) - timedelta(1)))
        return {}

    def withdrawal(self) -> dict[str, Any]:
        """A withdrawal of `player_own` that waits for two people."""
        pays_in(self.who("player_own"))
        self.ids["withdrawal_id"] = a_withdrawal(self.who("player_own"))
        return {}


NEW_TABLE = MappingProxyType({"stake": 10, "currency": "XTK", "seats": 3})
NEW_ACCOUNT = MappingProxyType(
    {
        "username": "gabija",
        "email": "gabija@example.org",
        "password": WORDS,
        "display_name": "Gabija",
        "of_age": True,
    }
)
# The fixture of each endpoint: makes the object and gives the body to send.
FIXTURES: dict[str, Callable[[World], dict[str, Any]]] = {
    "auth.register": lambda _: dict(NEW_ACCOUNT),
    "auth.login": lambda _: {"username": "ona", "password": WORDS},
    "me.limits_set": lambda _: {"loss_day": {"XTK": 500}, "play_minutes_day": 90},
    "me.exclude": lambda _: {"permanent": True},
    "rulesets.show": World.preset,
    "rulesets.sheet": World.preset,
    "rulesets.validate": lambda _: {"options": {"jokers": 2}, "seats": 3},
    "table.create": lambda _: dict(NEW_TABLE),
    "table.show": World.hand,
    "table.state": World.hand,
    "table.events": World.hand,
    "table.move": World.hand,
    "table.cards": World.hand,
    "table.commitment": World.sealing,
    "table.seeds": World.sealing,
    "table.anchor": lambda world: (
        world.table("player_own", "opponent", "bot") and {"anchor": Links().anchor, "length": 16}
    ),
    "seat.sit_out": lambda world: world.table("player_own", "opponent", "bot") and {},
    "seat.sit_in": lambda world: world.table("player_own", "opponent", "bot") and {},
    "hand.card": World.ended_hand,
    "hand.money": World.ended_hand,
    "hand.verify": World.ended_hand,
    "hand.tonkh": World.ended_hand,
    "table.close": lambda world: world.table("opponent") and {"reason": "late"},
    "table.bot_add": lambda world: world.table("opponent") and {"level": "random-0"},
    "seat.take": lambda world: world.table("opponent") | {"buy_in": 500},
    "seat.leave": lambda world: world.table("player_own", "opponent", "bot") and {},
    "deposit.create": lambda _: {"currency": "EUR", "amount": 5_000},
    "deposit.show": World.deposit,
    "deposit.approve": lambda world: (
        world.deposit() | {"decision": "approve", "reference": "bank-17"}
    ),
    "withdrawal.create": World.money,
    "withdrawal.show": World.withdrawal,
    "withdrawal.cancel": World.withdrawal,
    "withdrawal.approve": lambda world: world.withdrawal() | {"decision": "approve"},
    "adjustment.list": World.adjustment,
    "adjustment.propose": World.about_an_event,
    "adjustment.show": World.adjustment,
    "adjustment.approve": World.adjustment,
    "adjustment.reject": World.adjustment,
    "adjustment.comment": lambda world: world.adjustment() | {"text": "seen"},
    "wallet.freeze": World.wallet,
    "wallet.release": World.frozen_wallet,
    "ledger.period_close": World.last_month,
    "proposal.list": World.proposal,
    "proposal.approve": World.proposal,
    "proposal.reject": World.proposal,
    "tournament.create": lambda _: {"template": "sim-short", "name": "Evening"},
    "tournament.show": World.announced,
    "tournament.publish": World.draft,
    "tournament.open_registration": World.announced,
    "tournament.start": World.full,
    "tournament.bots_add": lambda world: world.full() | {"level": "random-0", "count": 2},
    "entry.create": lambda world: world.registration("opponent") and {},
    "entry.withdraw": lambda world: world.full() and {},
}


@contextmanager
def undone(unless: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """What happens here is taken back at the end; commands may still open their transactions.

    It stays where `unless` is true by then.
    """
    block = transaction.atomic()
    block._from_testcase = True  # type: ignore[attr-defined]  # as Django's own test cases do
    with block:
        yield
        transaction.set_rollback(not unless())


# What stands in a path where the fixture has no such object; elsewhere an id that nothing has.
NO_IDS: MappingProxyType[str, object] = MappingProxyType(
    {"entry_id": 1, "place": 0, "code": "rake:EUR"}
)
# Endpoints that show what was committed and signed: their cells are `matrix.sealed_cells`.
SEALED = frozenset(
    {
        "ledger.entry",
        "ledger.export",
        "ledger.receipt",
        "ledger.trial_balance",
        "log.checkpoint",
        "log.checkpoints",
        "log.consistency",
        "log.entries",
        "log.export",
        "log.inclusion",
        "log.key",
        "log.stream_head",
        "log.tile",
        "payout.show",
        "system.ready",  # what a test that takes long does not commit gets no place
    }
)


def address(path: str, ids: Mapping[str, object]) -> str:
    """The path of a row with the fixture's ids in it."""
    known = NO_IDS | dict(ids)
    filled = re.sub(r"{(\w+)}", lambda match: str(known.get(match[1], new_id())), path)
    return filled.removeprefix("/api/v1")


@dataclass(frozen=True, slots=True)
class Ready:
    """An endpoint whose fixture is made: a good request, and somebody who may make it."""

    route: Route
    path: str
    body: dict[str, Any]
    who: Caller

    def call(self, body: Any = None, **sent: Any) -> Answer:
        """The answer to its caller."""
        return self.who.call(self.route.method, self.path, body, **sent)


@contextmanager
def ready(world: World, name: str) -> Iterator[Ready]:
    """The endpoint with its fixture, which is gone afterwards."""
    role = "organiser_own" if name.startswith("tournament.") else "player_own"
    role = "anon" if name in {"auth.register", "auth.login"} else role
    role = "admin" if name in OF_ADMINS else role
    with undone():
        world.ids = {}
        body = FIXTURES[name](world) if name in FIXTURES else {}
        path = address(ROUTES[name].path, world.ids)
        yield Ready(ROUTES[name], path, body, world.callers[role])


OF_ADMINS = frozenset(
    {
        "adjustment.approve",
        "adjustment.comment",
        "adjustment.propose",
        "adjustment.reject",
        "deposit.approve",
        "ledger.period_close",
        "proposal.approve",
        "proposal.reject",
        "wallet.freeze",
        "wallet.release",
        "withdrawal.approve",
    }
)
# The body of a provider's call is not ours to read before its signature is (`test_cashier`).
WRITES = [
    name
    for name, route in ROUTES.items()
    if route.method in {"POST", "PUT", "DELETE"} and name != "ledger.provider_callback"
]
KEYED = [
    name
    for name in WRITES
    if not name.startswith(("auth.", "rulesets.")) and ROUTES[name].method != "PUT"
]
