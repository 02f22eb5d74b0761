"""A pay-out put right after settlement (`tournaments.md` section 11.3, `ledger.md` section 3).

Nothing that was paid is changed: each player gets, or gives back, the difference to what he should
have had. What a wallet does not cover he owes.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from eventstore.core.refusal import InvariantBroken
from tournaments.core import events
from tournaments.core.parts import ITEMS_PER_PART, PARTS_MAX
from tournaments.core.prizes import ranks_without, share_places

Amounts = list[tuple[str, int]]
"""Player and amount, above 0."""


def due_without(
    vector: Sequence[int], ranks: Sequence[Sequence[str]], disqualified: Collection[str]
) -> dict[str, int]:
    """What each player should have had: the disqualified take no place, all below move up.

    `ranks` are all players, groups from first place on, each in the order of the lot `tie`.
    `vector` is that of `prizes.vector` for the players who remain: it is the published one unless
    it has more places than players now. Raises: InvariantBroken if it has.

    >>> due_without([5000, 3000], [["a"], ["b"], ["c"]], ["b"])
    {'a': 5000, 'c': 3000, 'b': 0}
    """
    amounts = share_places(vector, ranks_without(ranks, disqualified))
    if len(vector) > len(amounts):
        raise InvariantBroken(f"{len(vector)} paid places for {len(amounts)} players")
    return amounts | dict.fromkeys(sorted(disqualified), 0)


def differences(paid: Mapping[str, int], due: Mapping[str, int]) -> dict[str, int]:
    """What each player gets (above 0) or gives back (below), those without a change left out.

    Raises: InvariantBroken unless it sums to 0.

    >>> differences({"b": 3000, "c": 2000}, {"c": 3000, "d": 2000})
    {'c': 1000, 'd': 2000, 'b': -3000}
    """
    players = [*due, *(player for player in paid if player not in due)]
    found = {player: due.get(player, 0) - paid.get(player, 0) for player in players}
    if sum(found.values()) != 0:
        raise InvariantBroken(f"a compensation of {found}")
    return {player: amount for player, amount in found.items() if amount}


def facts(
    differences: Mapping[str, int], wallets: Mapping[str, int], *, currency: str, reason_code: str
) -> tuple[events.CompensationPosted, ...]:
    """The facts of a compensation, in parts of which each balances by itself.

    `wallets` hold what each player who gives back has available, read under the wallet's lock; who
    is not in it has nothing. What is more than that he owes.
    """
    gives = [(player, -amount) for player, amount in differences.items() if amount < 0]
    gets = [(player, amount) for player, amount in differences.items() if amount > 0]
    pieces = list(_pieces(gives, gets))
    if len(pieces) > PARTS_MAX:
        raise ValueError(f"a compensation in {len(pieces)} parts")
    available = dict(wallets)
    return tuple(
        events.CompensationPosted(
            part=part,
            parts=len(pieces),
            currency=currency,
            reason_code=reason_code,
            debits=tuple(_debit(player, amount, available) for player, amount in given),
            credits=tuple(
                events.AmountOfPlayer(player=player, amount=amount) for player, amount in got
            ),
        )
        for part, (given, got) in enumerate(pieces, start=1)
    )


def _debit(player: str, amount: int, available: dict[str, int]) -> events.Debit:
    """As much as the wallet still holds is taken from it."""
    covered = min(amount, available.get(player, 0))
    available[player] = available.get(player, 0) - covered
    return events.Debit(player=player, wallet=covered, receivable=amount - covered)


def _pieces(gives: Amounts, gets: Amounts) -> Iterator[tuple[Amounts, Amounts]]:
    """Both sides cut so that each piece balances; what stands on the line is divided."""
    while gives and gets:
        amount = min(
            sum(one for _, one in gives[:ITEMS_PER_PART]),
            sum(one for _, one in gets[:ITEMS_PER_PART]),
        )
        given, gives = _take(gives, amount)
        got, gets = _take(gets, amount)
        yield given, got


def _take(items: Amounts, amount: int) -> tuple[Amounts, Amounts]:
    """The first items worth exactly `amount`, and the rest."""
    for index, (player, worth) in enumerate(items):
        if worth > amount:
            taken = [*items[:index], (player, amount)] if amount else items[:index]
            return taken, [(player, worth - amount), *items[index + 1 :]]
        amount -= worth
    return items, []
