"""What accounts hold: of players, of escrows, of the house, of all together."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import F, Sum

from ledger.core.accounts import IN_PLAY, account
from ledger.models import Account, AccountBalance, Posting
from ledger.selectors.currencies import display, exponents
from ledger.store.books import LIVE


@dataclass(frozen=True, slots=True)
class Balance:
    """What a player has in one currency, in minor units."""

    currency: str
    available: int  # the wallet
    in_play: int  # at tables, and waiting to be paid out
    exponent: int

    @property
    def total(self) -> int:
        """Both together."""
        return self.available + self.in_play

    @property
    def display(self) -> str:
        """The total as people read it."""
        return display(self.total, self.currency, self.exponent)


def balances(player: UUID | str, as_of: datetime | None = None) -> list[Balance]:
    """What a player has, one item an installed currency; `as_of` asks by `recorded_at`.

    Two statements. An empty currency is there with zeros.
    """
    held: dict[tuple[str, str], int] = {}
    for role, currency, balance in _held(player, as_of):
        held[role, currency] = held.get((role, currency), 0) + balance
    return [
        Balance(
            currency,
            available=held.get(("wallet", currency), 0),
            in_play=sum(held.get((role, currency), 0) for role in IN_PLAY),
            exponent=exponent,
        )
        for currency, exponent in exponents().items()
    ]


def _held(player: UUID | str, as_of: datetime | None) -> list[tuple[str, str, int]]:
    if as_of is None:
        found = AccountBalance.objects.filter(account__owner=player)
        return list(found.values_list("account__role", "currency", "balance"))
    rows = LIVE.rows(
        """SELECT a.role, a.currency, p.balance_after
        FROM ledger.account a JOIN ledger.posting p ON p.account_id = a.id
            AND p.account_version = ledger.version_before(a.id, %s)
        WHERE a.owner = %s""",
        [as_of, player],
    )
    return [(role, currency, balance) for role, currency, balance in rows]


def available(player: UUID | str, currency: str) -> int:
    """What the wallet holds, in minor units."""
    code = account("wallet", str(player), currency=currency)
    found = AccountBalance.objects.filter(account__code=code).values_list("balance", flat=True)
    return found.first() or 0


def who_can_pay(players: Collection[UUID], currency: str, amount: int) -> set[UUID]:
    """Those of the players whose wallets hold `amount` or more. One statement."""
    wallets = AccountBalance.objects.filter(
        account__role="wallet",
        account__currency=currency,
        account__owner__in=players,
        balance__gte=amount,
    )
    return {owner for owner in wallets.values_list("account__owner", flat=True) if owner}


def escrow(tournament: UUID | str) -> dict[str, int]:
    """What a tournament holds, by role: `tournament` (the pool), `fees`, `bounty`."""
    found = AccountBalance.objects.filter(
        account__scope=tournament, account__role__in=("tournament", "fees", "bounty")
    )
    return {"tournament": 0, "fees": 0, "bounty": 0} | dict(
        found.values_list("account__role", "balance")
    )


def seats(table: UUID | str) -> dict[str, int]:
    """What the seats of a cash table hold in the books, by player."""
    found = AccountBalance.objects.filter(account__scope=table, account__role="seat")
    return {
        str(owner): balance for owner, balance in found.values_list("account__owner", "balance")
    }


def house(role: str, currency: str) -> int:
    """Balance of a house account: its stripes together."""
    found = AccountBalance.objects.filter(account__role=role, currency=currency)
    return int(found.aggregate(total=Sum("balance"))["total"] or 0)


def account_count() -> int:
    """Number of accounts, the stripes of the house each counted."""
    return Account.objects.count()


def sums() -> dict[str, int]:
    """Sum of all legs per currency: 0, or the books are wrong."""
    found = Posting.objects.values_list("entry__currency").annotate(total=Sum("amount"))
    return {currency: int(total) for currency, total in found}


def balance_sums() -> dict[str, int]:
    """Sum of all balances per currency, debits positive: 0, or the books are wrong."""
    found = AccountBalance.objects.values_list("currency").annotate(
        total=Sum(F("balance") * F("sign"))
    )
    return {currency: int(total) for currency, total in found}
