"""The commands of the world: what people do in a simulation, each with who does it and when.

This is the one list. An operation of the API that writes and is neither here nor in `LEFT_OUT`
fails `tests/simulation/test_world.py`. A new command is one more `Act`: who makes it, how often
where he could, and the request that fits what he sees.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from games.rules.selfplay import pick
from tonk_site.proving.simulator.people import Person, Wish

BOTH = frozenset({"cash", "tournament"})
CASH, TOURNAMENT = frozenset({"cash"}), frozenset({"tournament"})
STAKE, BUY_IN, SEATS = 10, 500, 4
HANDS = 8
"""Dealt at the cash table before everybody goes home."""
KNOCK_SHARE = 0.3
BRINGS_SHARE = 0.7
BY_HAND_SHARE, BY_HAND_WANTED_SHARE, IN_VAIN_SHARE = 0.3, 0.7, 0.05
"""Tournaments that the organiser starts, the same where that is wanted, and how often he tries it
where he may not."""
AMOUNT = 2_000


@dataclass(frozen=True, slots=True)
class Act:
    """Something that people in a role do."""

    operation: str
    role: str
    wish: Callable[[Person], Wish | None]
    share: float = 1.0
    """How often somebody does it where he looks for something to do."""
    worlds: frozenset[str] = BOTH
    is_keyed: bool = True


# --- what they see ---


def _table(me: Person) -> str | None:
    """The table where this person may sit: the cash table, or that of his entry."""
    known = me.world.known
    if me.world.kind == "cash":
        return known.get("table_id")
    entry = _entry(me)
    return entry.get("table_id") if entry else None


def _entry(me: Person) -> Any:
    seen = _tournament(me)
    mine = [one for one in (seen or {}).get("entries", ()) if one["player_id"] == me.player]
    return mine[-1] if mine else None


def _tournament(me: Person) -> Any:
    found = me.world.known.get("tournament_id")
    return me.tournament(found) if found else None


def _view(me: Person) -> Any:
    table = _table(me)
    return me.view(table) if table else None


def _is_seated(view: Any) -> bool:
    return bool(view and view["viewer"]["kind"] == "seat" and view["status"] != "closed")


def _goes_home(me: Person) -> bool:
    return me.world.watch.types.get("HandEnded", 0) >= HANDS


# --- players ---


def _move(me: Person) -> Wish | None:
    view = _view(me)
    if not view or not view.get("legal"):
        return None
    moves = [one["move"] for one in view["legal"]]
    move = "K" if "K" in moves and me.chance(KNOCK_SHARE) else pick(me.numbers, moves)
    body = {"move": move, "version": view["version"]}
    return Wish("POST", f"/tables/{view['table_id']}/moves", body)


def _sit_down(me: Person) -> Wish | None:
    view = _view(me)
    if not view or _is_seated(view) or _goes_home(me) or view["status"] == "closed":
        return None
    body = {"buy_in": _buy_in(me), "version": view["version"]}
    return Wish("POST", f"/tables/{view['table_id']}/seat", body)


def _buy_in(me: Person) -> int:
    """As always; whoever returns and was told that he must bring more, often does."""
    refused = me.refused.get("seat.take")
    least: int = refused.facts.get("least", 0) if refused else 0
    return least if least > BUY_IN and me.chance(BRINGS_SHARE) else BUY_IN


def _leave(me: Person) -> Wish | None:
    view = _view(me)
    if not _is_seated(view) or not (_goes_home(me) or me.chance(0.005)):
        return None
    return Wish("DELETE", f"/tables/{view['table_id']}/seat")


def _sit_out(me: Person) -> Wish | None:
    view = _view(me)
    if not _is_seated(view) or _sits_out(view):
        return None
    return Wish("POST", f"/tables/{view['table_id']}/seat/sit-out")


def _sit_in(me: Person) -> Wish | None:
    """Whoever sits out, by his own wish or after time-outs, comes back before long."""
    view = _view(me)
    if not _is_seated(view) or not _sits_out(view):
        return None
    return Wish("POST", f"/tables/{view['table_id']}/seat/sit-in")


def _sits_out(view: Any) -> bool:
    seats = {one["seat"]: one for one in view["seats"]}
    return bool(seats[view["viewer"]["seat"]].get("sitting_out"))


def _enter(me: Person) -> Wish | None:
    seen = _tournament(me)
    if not seen or seen["status"] != "registration" or _is_in(me):
        return None
    return Wish("POST", f"/tournaments/{seen['tournament_id']}/entries")


def _give_back(me: Person) -> Wish | None:
    """Once; then he enters again."""
    seen = _tournament(me)
    if not seen or seen["status"] != "registration" or not _is_in(me):
        return None
    if not me.times("gives back", 1):
        return None
    return Wish("POST", f"/tournaments/{seen['tournament_id']}/withdraw")


def _is_in(me: Person) -> bool:
    entry = _entry(me)
    return bool(entry and entry["status"] != "refunded")


# --- whoever opens a table ---


def _open_table(me: Person) -> Wish | None:
    if "table_id" in me.world.known:
        return None
    body = {"stake": STAKE, "currency": "XTK", "seats": SEATS, "clock": "turbo"}
    return Wish("POST", "/tables", body)


def _seat_bot(me: Person) -> Wish | None:
    view = _view(me)
    if not view or view["status"] == "closed" or not me.times("seats a bot", 1):
        return None
    return Wish("POST", f"/tables/{view['table_id']}/bots", {"level": "greedy-1"})


def _close_table(me: Person) -> Wish | None:
    view = _view(me)
    if not view or view["status"] == "closed" or not _goes_home(me):
        return None
    return Wish("POST", f"/tables/{view['table_id']}/close", {"reason": "late"})


# --- organisers ---


def _create(me: Person) -> Wish | None:
    if "tournament_id" in me.world.known:
        return None
    size = me.world.size
    options = {
        "bots": "fill", "currency": "XTK", "stack_stakes": 5, "level_hands": 3,
        "entries_min": size, "entries_max": size, "redraw_final": False, "spectators": 0,
    }  # fmt: skip
    is_wanted = me.world.is_wanted("tournament.start")
    if me.chance(BY_HAND_WANTED_SHARE if is_wanted else BY_HAND_SHARE):
        options |= {"start": None, "entries_min": size - 1}
    body = {"template": "sim-short", "name": "Evening", "overrides": options}
    return Wish("POST", "/tournaments", body)


def _directs(status: str, act: str, **body: object) -> Callable[[Person], Wish | None]:
    def wish(me: Person) -> Wish | None:
        seen = _tournament(me)
        if not seen or seen["status"] != status:
            return None
        path = f"/tournaments/{seen['tournament_id']}/{act}"
        return Wish("POST", path, {**body, "version": seen["version"]})

    return wish


def _start(me: Person) -> Wish | None:
    """Where nobody else does it, as soon as enough have entered."""
    seen = _tournament(me)
    if not seen or seen["status"] != "registration":
        return None
    options, entries = seen["options"], seen["counts"]["entries"]
    is_due = options["start"] is None and entries >= options["entries_min"]
    if not is_due and not me.chance(IN_VAIN_SHARE):
        return None
    path = f"/tournaments/{seen['tournament_id']}/start"
    return Wish("POST", path, {"version": seen["version"]})


def _fill(me: Person) -> Wish | None:
    """Bots for the places that people leave."""
    seen = _tournament(me)
    if not seen or seen["status"] != "registration":
        return None
    people = sum(one.role == "player" for one in me.world.people)
    bots = me.world.size - people
    have = sum(1 for one in seen["entries"]) - _people_in(me, seen)
    if bots <= have:
        return None
    count = min(bots - have, 3)
    path = f"/tournaments/{seen['tournament_id']}/bots"
    level = pick(me.numbers, ("greedy-1", "random-0"))
    return Wish("POST", path, {"level": level, "count": count, "version": seen["version"]})


def _people_in(me: Person, seen: Any) -> int:
    ids = {one.player for one in me.world.people}
    return sum(one["player_id"] in ids for one in seen["entries"])


# --- money ---


def _deposit(me: Person) -> Wish | None:
    if not me.times("deposits", 3):
        return None
    return Wish(
        "POST", "/ledger/deposits", {"currency": "EUR", "amount": AMOUNT, "method": "manual"}
    )


def _withdraw(me: Person) -> Wish | None:
    if not me.times("withdraws", 3):
        return None
    body = {"currency": "EUR", "amount": AMOUNT // 2, "method": "manual"}
    return Wish("POST", "/ledger/withdrawals", body)


def _cancel(me: Person) -> Wish | None:
    withdrawals = me.world.known.get("withdrawal_id")
    if not withdrawals:
        return None
    return Wish("POST", f"/ledger/withdrawals/{pick(me.numbers, withdrawals)}/cancel")


def _decides(what: str, path: str, **body: str) -> Callable[[Person], Wish | None]:
    def wish(me: Person) -> Wish | None:
        known = me.world.known.get(what)
        if not known:
            return None
        filled = {
            name: text.format(number=int(me.numbers.random() * 1e6)) for name, text in body.items()
        }
        return Wish("POST", path.format(pick(me.numbers, known)), filled)

    return wish


def _propose(me: Person) -> Wish | None:
    if not me.times("proposes", 3):
        return None
    player = next(one.player for one in me.world.people if one.role == "saver")
    lines = [
        {"account": "promotion:EUR", "amount": 250},
        {"account": f"wallet:{player}:EUR", "amount": -250},
    ]
    body = {"lines": lines, "currency": "EUR", "reason_code": "goodwill", "text": "a long wait"}
    return Wish("POST", "/ledger/adjustments", body)


def _freeze(act: str) -> Callable[[Person], Wish | None]:
    def wish(me: Person) -> Wish | None:
        player = next(one.player for one in me.world.people if one.role == "saver")
        body = {"reason_code": "review", "text": "a complaint"}
        return Wish("POST", f"/ledger/wallets/{player}/{act}", body)

    return wish


def _limit(me: Person) -> Wish | None:
    return Wish("PUT", "/me/limits", {"loss_day": {"EUR": 500 + int(me.numbers.random() * 500)}})


def _exclude(me: Person) -> Wish | None:
    if not me.times("excludes himself", 1):
        return None
    return Wish("POST", "/me/exclusion", {"permanent": True})


ACTS = (
    Act("table.move", "player", _move),
    Act("seat.take", "player", _sit_down, worlds=CASH),
    Act("seat.leave", "player", _leave, worlds=CASH),
    Act("seat.sit_out", "player", _sit_out, share=0.01, worlds=CASH),
    Act("seat.sit_in", "player", _sit_in, share=0.3, worlds=CASH),
    Act("entry.create", "player", _enter, worlds=TOURNAMENT),
    Act("entry.withdraw", "player", _give_back, share=0.1, worlds=TOURNAMENT),
    Act("table.create", "host", _open_table, worlds=CASH),
    Act("table.bot_add", "host", _seat_bot, worlds=CASH),
    Act("table.close", "host", _close_table, worlds=CASH),
    Act("tournament.create", "organiser", _create, worlds=TOURNAMENT),
    Act("tournament.publish", "organiser", _directs("draft", "publish"), worlds=TOURNAMENT),
    Act("tournament.open_registration", "organiser",
        _directs("announced", "open-registration"), worlds=TOURNAMENT),
    Act("tournament.bots_add", "organiser", _fill, worlds=TOURNAMENT),
    Act("tournament.start", "organiser", _start, worlds=TOURNAMENT),
    Act("deposit.create", "saver", _deposit, share=0.02),
    Act("withdrawal.create", "saver", _withdraw, share=0.02),
    Act("withdrawal.cancel", "saver", _cancel, share=0.005),
    Act("me.limits_set", "saver", _limit, share=0.002, is_keyed=False),
    Act("me.exclude", "saver", _exclude, share=0.0005),
    Act("deposit.approve", "admin",
        _decides("deposit_id", "/ledger/deposits/{}/approve", decision="approve",
                 reference="bank-{number}"), share=0.02),
    Act("withdrawal.approve", "admin",
        _decides("withdrawal_id", "/ledger/withdrawals/{}/approve", decision="approve"), 0.02),
    Act("adjustment.propose", "admin", _propose, share=0.01),
    Act("adjustment.approve", "admin",
        _decides("adjustment_id", "/ledger/adjustments/{}/approve"), share=0.01),
    Act("adjustment.reject", "admin",
        _decides("adjustment_id", "/ledger/adjustments/{}/reject"), share=0.003),
    Act("adjustment.comment", "admin",
        _decides("adjustment_id", "/ledger/adjustments/{}/comments", text="seen"), share=0.003),
    Act("wallet.freeze", "admin", _freeze("freeze"), share=0.003),
    Act("wallet.release", "admin", _freeze("release"), share=0.003),
    Act("proposal.approve", "admin",
        _decides("proposal_id", "/admin/proposals/{}/approve"), share=0.01),
    Act("proposal.reject", "admin",
        _decides("proposal_id", "/admin/proposals/{}/reject"), share=0.003),
)  # fmt: skip

WITHIN = {
    "table.anchor": "the client's own seat in the fair deal, inside `table.state`",
    "table.seeds": "the same",
}
"""Operations that other acts make."""

LEFT_OUT = {
    "auth.register": "makes an account, which no other command of the world meets",
    "auth.login": "makes a token, in no stream",
    "auth.logout": "ends a token, in no stream",
    "rulesets.validate": "writes nothing",
    "ledger.provider_callback": "its signature is a provider's; `once` delivers notices many times",
    "ledger.period_close": "the world lasts an hour, and a month must be over",
}
"""Operations that write and are in no world, with the reason."""
