"""Manual entries: what may be asked for, from when on it may take effect, what its events tell.

Two people make one: the first proposes it, the second one approves. Both facts lie in the stream of
the wallet concerned, and those without a player, like all reversals, in the house's.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import MappingProxyType

from eventstore.core.ids import HOUSE
from eventstore.core.record import Stored
from eventstore.core.refusal import refuse
from ledger.core.accounts import OWNER, Account, BadAccount, parse
from ledger.core.currencies import EUR, XTK
from ledger.core.events import Line

REASONS = frozenset(
    {
        "goodwill",
        "correction",
        "collect_debt",
        "write_off",
        "deposit_returned",
        "provider_charge",
        "opening_balance",
    }
)
REVERSAL_REASONS = frozenset(
    {"wrong_player", "wrong_amount", "duplicate", "void_hand", "wrong_reversal"}
)
EXPIRED, REJECTED = "expired", "rejected"  # why a proposal came to nothing
TYPES = ("AdjustmentProposed", "AdjustmentApproved", "AdjustmentRejected")
# What one person may have decided within a day without a night's sleep; nothing where none stands.
CAPS: Mapping[str, int] = MappingProxyType({EUR.code: 100_000, XTK.code: 100_000})
COOLING = timedelta(hours=24)
_OF_PLAYERS = ("wallet", "receivable")


def check_reason(reason_code: str, reverses: str | None) -> None:
    """Refuse a reason that is none here. Raises: Refused with `invalid_field`."""
    known = REVERSAL_REASONS if reverses else REASONS
    if reason_code not in known:
        raise refuse("invalid_field", field="reason_code", known=sorted(known))


def subject_of(lines: Iterable[Line], reverses: str | None) -> str:
    """Id of whose stream the proposal belongs in: the one player of its lines, or the house.

    Raises: Refused with `unknown_account`, `not_adjustable` (a second player).
    """
    if reverses:
        return str(HOUSE)
    named = [_account(line.account) for line in lines]
    owners = {one.id_of(OWNER): one for one in named if one.role.name in _OF_PLAYERS}
    if len(owners) > 1:
        raise refuse("not_adjustable", account=list(owners.values())[1].code)
    return next((str(owner) for owner in owners), str(HOUSE))


def concerned(lines: Iterable[Line]) -> frozenset[str]:
    """Ids of all whose money is in these lines: they neither propose nor decide."""
    owners = (_account(line.account).id_of(OWNER) for line in lines)
    return frozenset(owner for owner in owners if owner)


def debits(lines: Iterable[Line]) -> int:
    """How much is moved. Raises: Refused with `bad_amount` for a line that moves nothing."""
    amounts = [line.amount for line in lines]
    if 0 in amounts:
        raise refuse("bad_amount", field="amount")
    return sum(amount for amount in amounts if amount > 0)


def cooling_until(currency: str, within_a_day: int, proposed_at: datetime) -> datetime | None:
    """Until when a proposal must wait, by what its proposer asked for in the day up to it.

    `within_a_day` counts this proposal too. None: it may take effect at once.
    """
    return proposed_at + COOLING if within_a_day > CAPS.get(currency, 0) else None


def _account(code: str) -> Account:
    try:
        return parse(code)
    except BadAccount as fault:
        raise refuse("unknown_account", account=code) from fault


# --- what the events tell -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Told:
    """A manual entry as the events of its stream tell it, with what is wrong with them."""

    id: str
    version: int  # of the proposal; 0 where there is none
    said: Mapping[str, object]  # what was proposed, or decided without a proposal
    state: str
    decided_by: str | None = None
    decided: int | None = None  # version of the decision
    faults: tuple[str, ...] = ()


def fold(events: Iterable[Stored]) -> dict[str, Told]:
    """Manual entries of one stream by id, from its events of `TYPES` in order.

    Reads what was stored, so that a faulty record is told of and stops nothing.
    """
    found: dict[str, Told] = {}
    for event in events:
        name = str(event.payload.get("adjustment"))
        before = found.get(name)
        if event.type == "AdjustmentProposed":
            found[name] = _proposed(name, event, before)
        else:
            found[name] = _decided(event, before or Told(name, 0, event.payload, "proposed"))
    return found


def _proposed(name: str, event: Stored, before: Told | None) -> Told:
    if before is not None:
        return replace(before, faults=(*before.faults, "proposed twice"))
    reason = event.payload.get("reason_code")
    known = REVERSAL_REASONS if event.payload.get("reverses") else REASONS
    faults = () if reason in known else ("without a reason",)
    return Told(name, event.version, event.payload, "proposed", faults=faults)


def _decided(event: Stored, before: Told) -> Told:
    faults = list(before.faults)
    if before.version == 0:
        faults.append("decided without a proposal")
    if before.decided is not None:
        faults.append("decided twice")
    said = dict(event.payload)
    if event.type == "AdjustmentApproved":
        decider, state = said.pop("approver", None), "approved"
        if said != before.said and before.version:
            faults.append("approved with other content")
    else:
        decider = said.get("rejected_by")
        state = EXPIRED if decider is None else REJECTED
    if decider == before.said.get("proposer"):
        faults.append("decided by one person alone")
    return replace(
        before,
        state=state,
        decided_by=None if decider is None else str(decider),
        decided=event.version,
        faults=tuple(faults),
    )
