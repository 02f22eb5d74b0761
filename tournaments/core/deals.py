"""Agreements of the last players about the prizes that are left (`tournaments.md` section 11.1).

A proposal is made between hands and names every amount; everybody left accepts that very proposal
by its hash. Wherever players are listed, equal stacks stand in the order of the lot `tie`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal

from eventstore.core import canonical
from eventstore.core.refusal import InvariantBroken, Refusal
from eventstore.core.shares import split_even, split_largest_remainder
from games.rules.payment import places_of_busts
from tournaments.core import events
from tournaments.core.busts import Place
from tournaments.core.prizes import share_places

Method = Literal["equal", "chip_chop"]

PLAYERS_MIN, PLAYERS_MAX = 2, 9
PROPOSALS_PER_LEVEL_MAX = 3
ANSWER_SECONDS = 120
"""After that a proposal that not all have accepted lapses."""
SEAL_SECONDS = 60
"""After that a deal that all have accepted is sealed by itself."""
LEFT_PART = 10
"""At most one part in so many of the prizes left may be left for the winner."""
_BASIS_POINTS = 10_000


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the event stands between hands.

    `chips` are those of all who are left, `vector` the published prizes of all paid places.
    `proposals` counts those of this level.
    """

    offered: bool
    currency: str
    chips: Mapping[str, int]
    vector: Sequence[int]
    proposals: int = 0
    sealed: bool = False

    @property
    def prizes(self) -> Sequence[int]:
        """Prizes still to be paid, the best first."""
        return self.vector[: len(self.chips)]


@dataclass(frozen=True, slots=True)
class Open:
    """A proposal that waits for answers, and who has accepted it."""

    proposed: events.DealProposed
    accepted: frozenset[str] = frozenset()

    @property
    def missing(self) -> list[str]:
        """Who has not accepted, in the order of the proposal."""
        parties = [one.player for one in self.proposed.amounts]
        return [player for player in parties if player not in self.accepted]

    def has_lapsed(self, at: str) -> bool:
        """Whether it is too late for answers; instants in the log's text form sort as texts."""
        return at >= self.proposed.expires_at


# --- the division ---------------------------------------------------------------------------------


def left_of(prizes: Sequence[int], leave_bp: int) -> int:
    """What is left for the winner, by basis points of the prizes still to be paid."""
    return sum(prizes) * leave_bp // _BASIS_POINTS


def left_max(prizes: Sequence[int]) -> int:
    """The most that may be left: a tenth, and never so much that second place beats first.

    >>> left_max([5000, 3000, 2000]), left_max([5000, 4800])
    (1000, 200)
    """
    return min(sum(prizes) // LEFT_PART, prizes[0] - prizes[1])


def divide(
    method: Method, chips: Mapping[str, int], prizes: Sequence[int], left_for_winner: int = 0
) -> dict[str, int] | Refusal:
    """What each player gets, in the order of `chips`. Refuses with `deal_not_possible`.

    `prizes` are those still to be paid, one for each player. What is left for the winner is taken
    off first prize before the division.

    >>> divide("equal", {"a": 500, "b": 300, "c": 200}, [5000, 3000, 2000])
    {'a': 3334, 'b': 3333, 'c': 3333}
    >>> divide("chip_chop", {"a": 5000, "b": 3000, "c": 2000}, [5000, 3000, 2000], 1000)
    {'a': 3500, 'b': 2900, 'c': 2600}
    """
    if len(prizes) != len(chips) or min(chips.values()) <= 0:
        raise InvariantBroken(f"a deal about {prizes} with {chips}")
    most = left_max(prizes)
    if left_for_winner > most:
        facts = {"left_for_winner": left_for_winner, "limit": most}
        return Refusal("deal_not_possible", facts=facts)
    reduced = [prizes[0] - left_for_winner, *prizes[1:]]
    by_stack = dict(sorted(chips.items(), key=lambda one: -one[1]))
    if method == "equal":
        amounts = dict(zip(by_stack, split_even(sum(reduced), len(chips)), strict=True))
    else:
        amounts = _chip_chop(by_stack, reduced)
    return {player: amounts[player] for player in chips}


def _chip_chop(chips: Mapping[str, int], prizes: Sequence[int]) -> dict[str, int]:
    """The lowest prize for each, the rest by chips; nobody above the first prize.

    The rest is always divided as a whole among those below the cap: so equal stacks never differ
    by more than a unit, however often somebody reaches it. `chips`: the bigger stack first.
    """
    first, lowest = prizes[0], prizes[-1]
    amounts: dict[str, int] = {}
    below = chips
    while True:
        rest = sum(prizes) - first * (len(chips) - len(below)) - lowest * len(below)
        shares = split_largest_remainder(rest, list(below.values()))
        amounts.update((player, lowest + one) for player, one in zip(below, shares, strict=True))
        capped = {player for player in below if amounts[player] > first}
        if not capped:
            return amounts
        amounts.update(dict.fromkeys(capped, first))
        below = {player: stack for player, stack in below.items() if player not in capped}


# --- from a proposal to a sealed deal -------------------------------------------------------------


def offer(standing: Standing) -> Refusal | None:
    """Why no deal may be proposed now: `deal_not_possible`, or None.

    Everybody left must be in the money, 2 to 9 of them, one deal an event, three proposals a level.
    """
    if not standing.offered or standing.sealed:
        facts: dict[str, object] = {"deals": standing.offered, "sealed": standing.sealed}
        return Refusal("deal_not_possible", facts=facts)
    count, most = len(standing.chips), min(PLAYERS_MAX, len(standing.vector))
    if not PLAYERS_MIN <= count <= most:
        return Refusal("deal_not_possible", facts={"players": count, "limit": most})
    if standing.proposals >= PROPOSALS_PER_LEVEL_MAX:
        facts = {"proposals": standing.proposals, "limit": PROPOSALS_PER_LEVEL_MAX}
        return Refusal("deal_not_possible", facts=facts)
    return None


def propose(
    standing: Standing, *, deal: str, method: Method, leave_bp: int, expires_at: str
) -> events.DealProposed | Refusal:
    """A proposal with every amount, `ANSWER_SECONDS` before `expires_at`.

    Another one that is open falls by it. Refuses with `deal_not_possible`.
    """
    if refused := offer(standing):
        return refused
    left = left_of(standing.prizes, leave_bp)
    divided = divide(method, standing.chips, standing.prizes, left)
    if isinstance(divided, Refusal):
        return divided
    amounts = tuple(
        events.AmountOfPlayer(player=player, amount=amount) for player, amount in divided.items()
    )
    return events.DealProposed(
        deal=deal,
        currency=standing.currency,
        method=method,
        amounts=amounts,
        left_for_winner=left,
        hash=_hash(deal, method, amounts, left),
        expires_at=expires_at,
    )


def after(standing: Open | None, fact: events.Event) -> Open | None:
    """The open proposal after a fact; one that is declined has lapsed, since all must accept."""
    match fact:
        case events.DealProposed():
            return Open(fact)
        case events.DealAccepted() if standing:
            return replace(standing, accepted=standing.accepted | {fact.player})
        case events.DealDeclined() | events.DealSealed():
            return None
        case _:
            return standing


def accept(
    standing: Open | None, *, player: str, deal_hash: str, at: str
) -> tuple[events.DealAccepted, ...] | Refusal:
    """The acceptance of a player; none where he has accepted before.

    `at` is the instant in the text form of the log. Refuses with `deal_changed`, `not_entered`.
    """
    named = _named(standing, player, deal_hash, at)
    if isinstance(named, Refusal):
        return named
    if player in named.accepted:
        return ()
    return (events.DealAccepted(deal=named.proposed.deal, player=player, hash=deal_hash),)


def decline(
    standing: Open | None, *, player: str, deal_hash: str, at: str
) -> tuple[events.DealDeclined, ...] | Refusal:
    """The refusal of a player, which ends the proposal. Refuses as `accept`."""
    named = _named(standing, player, deal_hash, at)
    if isinstance(named, Refusal):
        return named
    return (events.DealDeclined(deal=named.proposed.deal, player=player, hash=deal_hash),)


def bot_accepts(method: Method) -> bool:
    """What a bot answers: every division by chips, no other."""
    return method == "chip_chop"


def seal(standing: Open | None, *, deal_hash: str, at: str) -> events.DealSealed | Refusal:
    """The deal as it holds, once everybody left has accepted it.

    Refuses with `deal_changed`, `deal_not_unanimous`.
    """
    if standing is None or standing.proposed.hash != deal_hash:
        return _changed(standing)
    if standing.missing:
        if standing.has_lapsed(at):
            return _changed(standing)
        return Refusal("deal_not_unanimous", facts={"missing": standing.missing})
    proposed = standing.proposed
    return events.DealSealed(
        deal=proposed.deal,
        currency=proposed.currency,
        hash=proposed.hash,
        amounts=proposed.amounts,
        left_for_winner=proposed.left_for_winner,
    )


def _named(standing: Open | None, player: str, deal_hash: str, at: str) -> Open | Refusal:
    if standing is None or standing.proposed.hash != deal_hash or standing.has_lapsed(at):
        return _changed(standing)
    if all(player != one.player for one in standing.proposed.amounts):
        return Refusal("not_entered")
    return standing


def _changed(standing: Open | None) -> Refusal:
    return Refusal("deal_changed", facts={"hash": standing.proposed.hash if standing else None})


def _hash(
    deal: str, method: Method, amounts: Sequence[events.AmountOfPlayer], left_for_winner: int
) -> str:
    """Fingerprint of one proposal: the same amounts proposed again have another."""
    told = {
        "deal": deal,
        "method": method,
        "amounts": [{"player": one.player, "amount": one.amount} for one in amounts],
        "left_for_winner": left_for_winner,
    }
    return sha256(canonical.encode(told)).hexdigest()


# --- what a sealed deal fixes ---------------------------------------------------------------------


def ends_play(sealed: events.DealSealed) -> bool:
    """Whether nothing is left to play for: the event completes at once, places by chips."""
    return sealed.left_for_winner == 0


def places_by_chips(chips: Mapping[str, int]) -> dict[str, Place]:
    """Places of those who were left when play ended by a deal; equal chips share.

    >>> places_by_chips({"a": 50, "b": 80, "c": 50})
    {'b': (1, 1), 'a': (2, 3), 'c': (2, 3)}
    """
    places = places_of_busts(len(chips), chips)
    return dict(sorted(places.items(), key=lambda one: one[1]))


def final_amounts(
    vector: Sequence[int], ranks: Sequence[Sequence[str]], sealed: events.DealSealed
) -> dict[str, int]:
    """Amounts of all players: the deal's for its parties, prizes of their places for the others.

    `ranks` are groups from first place on. What was left goes to the winner. Raises:
    InvariantBroken where the parties do not have the first places, or nobody won alone.
    """
    agreed = {one.player: one.amount for one in sealed.amounts}
    first = [player for group in ranks for player in group][: len(agreed)]
    amounts = share_places(vector, ranks)
    if set(first) != set(agreed):
        raise InvariantBroken(f"a deal of {sorted(agreed)} and first places of {first}")
    amounts.update(agreed)
    if sealed.left_for_winner:
        if len(ranks[0]) > 1:
            raise InvariantBroken(f"{sealed.left_for_winner} is left and {ranks[0]} share")
        amounts[ranks[0][0]] += sealed.left_for_winner
    return amounts
