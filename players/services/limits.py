"""Limits and exclusions that a player sets himself, and the lock under which they are asked for."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import connection

from eventstore.core.chain import Fact, head_of
from eventstore.core.ids import player_stream
from eventstore.core.record import EVENTS_PER_APPEND_MAX, time_text
from eventstore.core.refusal import Refusal, Refused, refuse
from eventstore.services import (
    Outcome,
    Receipt,
    Row,
    Transaction,
    in_transaction,
    require_writable,
    run_command,
)
from players.core import limits
from players.core.limits import Exclusion, Key, Limits
from players.core.roles import STAFF
from players.selectors import Person
from players.services.accounts import account_row

ExcludedWork = Callable[[UUID, int], None]
Currencies = Callable[[], Collection[str]]
_when_excluded: list[ExcludedWork] = []
_currencies: list[Currencies] = []


@dataclass(frozen=True, slots=True)
class LimitsWish:
    """Limits by their codes, None for none; those not named stay as they are.

    One of money has an amount per currency; None in place of them: none in any currency.
    """

    money: Mapping[str, Mapping[str, int | None] | None] = field(default_factory=dict)
    others: Mapping[str, int | None] = field(default_factory=dict)


def when_excluded(work: ExcludedWork) -> None:
    """Have `work` done in the transaction in which a player excludes himself, and after it again.

    It gets the player and the version of the event in his stream.
    """
    if work not in _when_excluded:
        _when_excluded.append(work)


def with_currencies(known: Currencies) -> None:
    """Have limits set in these currencies alone: whoever keeps money says which there are."""
    if known not in _currencies:
        _currencies.append(known)


def set_limits(who: Person, wish: LimitsWish) -> Limits:
    """The limits in force after these were set.

    What is tighter holds at once, what is looser after 24 hours; the same once more changes
    nothing. Locks the account's row; appends a LimitSet for each change. Raises: Refused with
    `staff_may_not_play`, `unknown_currency`.
    """
    _require_player(who)
    known = sorted({currency for currencies in _currencies for currency in currencies()})
    keys = _keys(wish, known)

    def work(tx: Transaction) -> Limits:
        require_writable()
        tx.lock([account_row(who.id)])
        loaded = tx.load(player_stream(who.id))
        before = limits.limits_at(loaded.events, tx.now)
        actor = f"player:{who.id}"
        facts = [Fact(change, actor) for change in limits.changes(before, keys, tx.now)]
        history = loaded.events
        for start in range(0, len(facts), EVENTS_PER_APPEND_MAX):
            part = facts[start : start + EVENTS_PER_APPEND_MAX]
            history += tx.append(player_stream(who.id), head_of(history), part)
        return limits.limits_at(history, tx.now)

    return in_transaction(work)


def _keys(wish: LimitsWish, known: Collection[str]) -> dict[Key, int | None]:
    """Amounts by limit and currency. Raises: Refused with `unknown_currency`."""
    keys = {Key(limit): amount for limit, amount in wish.others.items()}
    for limit, said in wish.money.items():
        amounts = dict.fromkeys(known) if said is None else said
        if not amounts.keys() <= set(known):
            raise refuse("unknown_currency", field=limit, known=list(known))
        keys |= {Key(limit, currency): amount for currency, amount in amounts.items()}
    return keys


def exclude(who: Person, until: datetime | None, receipt: Receipt) -> Outcome:
    """Keep oneself from play and deposits until an instant, None for good. It is never shortened.

    Locks the account's row; appends ExclusionSet. The same request again tells of it again: what
    was to follow the commit may have ended with its process. Raises: Refused with
    `staff_may_not_play`, `invalid_field` (nearer than 24 hours, or before the end of the exclusion
    in force).
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        del row  # it is locked so that whoever sits down just now has sat down, or sees it
        loaded = tx.load(player_stream(who.id))
        made = limits.exclude(limits.limits_at(loaded.events, tx.now), until, tx.now)
        if isinstance(made, Refusal):
            raise Refused(made)
        result = exclusion_document(Exclusion(limits.SELF, until))
        if not made:
            return Outcome(201, result)
        facts = [Fact(fact, f"player:{who.id}") for fact in made]
        (sealed,) = tx.append(player_stream(who.id), loaded.head, facts)
        _tell_excluded(who, sealed.version)
        return Outcome(201, result, sealed.stream, sealed.version, sealed.version)

    _require_player(who)
    outcome = run_command(receipt, account_row(who.id), work)
    if outcome.replayed and outcome.last_version is not None:
        _tell_excluded(who, outcome.last_version)
    return outcome


def _tell_excluded(who: Person, version: int) -> None:
    for tell in _when_excluded:
        tell(who.id, version)


def exclusion_document(exclusion: Exclusion) -> dict[str, object]:
    """An exclusion as the API shows it."""
    if exclusion.until is None:
        return {"kind": exclusion.kind, "permanent": True}
    return {"kind": exclusion.kind, "until": time_text(exclusion.until)}


def hold(player: UUID) -> None:
    """Let no limit or exclusion of a player be set until the caller's transaction ends.

    Taken before any of his wallets is locked, as commands on his account do. Others may hold him
    too.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM players_user WHERE id = %s FOR KEY SHARE", [player])


def _require_player(who: Person) -> None:
    if who.roles & STAFF:
        raise refuse("staff_may_not_play")
