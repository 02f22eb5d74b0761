"""A tournament called off: the policy, and what each entry gets back (`tournaments.md` 11.2).

All that lies in the three escrow accounts goes out, account by account, to the unit. Guarantee and
overlay are not owed. A hand that runs is void first: chips are those of its start.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from eventstore.core.refusal import InvariantBroken, Refusal
from eventstore.core.shares import split_even, split_largest_remainder
from tournaments.core import events
from tournaments.core.events.ending import CancelPolicy
from tournaments.core.option_table import ELIMINATIONS
from tournaments.core.parts import in_parts
from tournaments.core.prizes import Payout, divide_among, pool_of, share_places

_BY_STATE: Mapping[str, CancelPolicy] = MappingProxyType(
    {
        "draft": "no_entries",
        "announced": "no_entries",
        "registration": "before_start",
        "check_in": "before_start",
        "seating": "before_start",
        "running": "running_unpaid",
        "paused": "running_unpaid",
        "completed": "full_refund",
    }
)


@dataclass(frozen=True, slots=True)
class Held:
    """What of one entry still lies in escrow.

    `pool` is buy-in, rebuys and add-on; `head` is the price as it stands, 0 once it was won. An
    entry given back without its fee still holds that fee.
    """

    player: str
    entry_no: int
    pool: int
    fee: int
    head: int = 0


@dataclass(frozen=True, slots=True)
class Situation:
    """A tournament at the instant when it is called off.

    `living` are the weights of those in play (see `weights`), in the order of the lot `tie`.
    `out` are all others of a knock-out, groups from the best place on, each in that order: busts
    without a place yet must be ranked first. `rake` and `vector` are those of `without_overlay`; 0
    and empty while late entry is open, and in formats where places are known at the end only.
    """

    held: Sequence[Held]
    living: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    out: Sequence[Sequence[str]] = ()
    vector: Sequence[int] = ()
    rake: int = 0

    @property
    def prizes_earned(self) -> bool:
        """Whether somebody who is out has a paid place."""
        return bool(self.out) and len(self.living) < len(self.vector)


@dataclass(frozen=True, slots=True)
class Cancellation:
    """The policy, and where all the money of the three accounts goes."""

    policy: CancelPolicy
    refunds: tuple[events.Refund, ...]
    rake: int = 0
    fees_kept: int = 0


def policy_of(status: str | None, *, prizes_earned: bool) -> CancelPolicy | Refusal:
    """The policy of a state. Refuses with `wrong_state`.

    >>> policy_of("paused", prizes_earned=True)
    'running_paid'
    >>> policy_of("settling", prizes_earned=False).code
    'wrong_state'
    """
    policy = _BY_STATE.get(status or "")
    if policy is None:
        return Refusal("wrong_state", facts={"status": status, "command": "cancel"})
    return "running_paid" if policy == "running_unpaid" and prizes_earned else policy


def needs_two(policy: CancelPolicy) -> bool:
    """Whether a second person must agree: always, once it has started."""
    return policy not in ("no_entries", "before_start")


def weights(form: str, living: Mapping[str, int]) -> dict[str, int]:
    """What the living are weighed by in this format: in brackets each the same.

    `living` maps them to their chips in knock-outs, elsewhere to their points.

    >>> weights("single_elimination", {"a": 120, "b": 0})
    {'a': 1, 'b': 1}
    """
    return dict.fromkeys(living, 1) if form in ELIMINATIONS else dict(living)


def without_overlay(
    held: Sequence[Held], *, rake_bp: int, payout: Payout, places: int
) -> tuple[int, list[int]]:
    """Rake, and the vector anew for what really came in, over the places that were published.

    No place is dropped: whoever has a paid place by then keeps one.
    """
    pool = pool_of(sum(one.pool for one in held), rake_bp=rake_bp, guarantee=0)
    return pool.rake, divide_among(pool.amount, payout, places)


def cancel(status: str | None, now: Situation) -> Cancellation | Refusal:
    """Policy and refunds of a tournament in this state. Refuses with `wrong_state`.

    Raises: InvariantBroken unless exactly what was held goes out, account by account.
    """
    policy = policy_of(status, prizes_earned=now.prizes_earned)
    if isinstance(policy, Refusal):
        return policy
    if policy == "running_unpaid":
        answer = _unpaid(now)
    elif policy == "running_paid":
        answer = _paid(now)
    else:
        answer = Cancellation(policy, _in_full(now.held))
    _assert_emptied(answer, now.held)
    return answer


def facts(
    cancellation: Cancellation, *, reason_code: str, currency: str
) -> tuple[events.Cancelled, ...]:
    """The facts of a cancellation, in parts."""
    return tuple(
        events.Cancelled(
            part=part,
            parts=parts,
            policy=cancellation.policy,
            reason_code=reason_code,
            currency=currency,
            rake=cancellation.rake if part == 1 else 0,
            fees_kept=cancellation.fees_kept if part == 1 else 0,
            refunds=piece,
        )
        for part, parts, piece in in_parts(cancellation.refunds)
    )


def _in_full(held: Sequence[Held]) -> tuple[events.Refund, ...]:
    return tuple(_refund(one, pool=one.pool, fee=one.fee, bounty=one.head) for one in held)


def _unpaid(now: Situation) -> Cancellation:
    """Nobody has earned a prize: half of the pool evenly, half by weights; fee and head back."""
    living, own = _bigger_first(now.living), _last_entries(now.held)
    pool, heads = sum(one.pool for one in now.held), _heads(now, living)
    evenly = split_even(pool // 2, len(living))
    weighed = _by_weight(pool - pool // 2, living)
    refunds = tuple(
        _refund(own[player], pool=equal + share, fee=own[player].fee, bounty=heads[player])
        for player, equal, share in zip(living, evenly, weighed, strict=True)
    )
    kept = sum(one.fee for one in now.held) - sum(one.fee for one in refunds)
    return Cancellation("running_unpaid", refunds, fees_kept=kept)


def _paid(now: Situation) -> Cancellation:
    """Prizes are earned: those out have theirs, the living share the best; rake and fees stay."""
    living, own = _bigger_first(now.living), _last_entries(now.held)
    ranked = {player for group in now.out for player in group} | living.keys()
    if unranked := {one.player for one in now.held if one.pool} - ranked:
        raise InvariantBroken(f"without a place: {sorted(unranked)}")
    best, heads = now.vector[: len(living)], _heads(now, living)
    weighed = _by_weight(sum(best) - best[-1] * len(best), living)
    earned = share_places(now.vector[len(living) :], now.out)
    refunds = [
        _refund(own[player], pool=best[-1] + share, fee=0, bounty=heads[player])
        for player, share in zip(living, weighed, strict=True)
    ]
    refunds += [
        _refund(own[player], pool=amount, fee=0, bounty=0)
        for player, amount in earned.items()
        if amount
    ]
    kept = sum(one.fee for one in now.held)
    return Cancellation("running_paid", tuple(refunds), rake=now.rake, fees_kept=kept)


def _bigger_first(living: Mapping[str, int]) -> dict[str, int]:
    """The living by weight, equal ones in the order of the lot: who gets the odd units first."""
    return dict(sorted(living.items(), key=lambda one: -one[1]))


def _by_weight(amount: int, living: Mapping[str, int]) -> list[int]:
    """By largest remainder; where nobody has any weight, all have the same."""
    values = list(living.values())
    return split_largest_remainder(amount, values if any(values) else [1] * len(values))


def _last_entries(held: Sequence[Held]) -> dict[str, Held]:
    """The newest entry of each player: of the living, the one that lives."""
    return {one.player: one for one in sorted(held, key=lambda one: one.entry_no)}


def _heads(now: Situation, living: Mapping[str, int]) -> dict[str, int]:
    """What the living get of the heads: their own as they stand.

    Heads of players who went without capturers would have been the winner's. There is none, so the
    living share them evenly.
    """
    own = _last_entries(now.held)
    left = sum(one.head for one in now.held) - sum(own[player].head for player in living)
    shares = split_even(left, len(living))
    return {player: own[player].head + one for player, one in zip(living, shares, strict=True)}


def _refund(entry: Held, *, pool: int, fee: int, bounty: int) -> events.Refund:
    return events.Refund(
        player=entry.player, entry_no=entry.entry_no, pool=pool, fee=fee, bounty=bounty
    )


def _assert_emptied(answer: Cancellation, held: Sequence[Held]) -> None:
    refunds = answer.refunds
    left = {
        "pool": sum(one.pool for one in held) - sum(one.pool for one in refunds) - answer.rake,
        "fees": sum(one.fee for one in held) - sum(one.fee for one in refunds) - answer.fees_kept,
        "heads": sum(one.head for one in held) - sum(one.bounty for one in refunds),
    }
    if any(left.values()) or (held and answer.policy == "no_entries"):
        raise InvariantBroken(f"called off with {left} left: {answer}")
