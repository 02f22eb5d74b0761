"""The trial balance: what every account holds at a point, in two columns that are equal."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ledger.store.closing import Cut, trial_of


@dataclass(frozen=True, slots=True)
class TrialLine:
    """An account, a class of accounts or a currency: its balance stands in one of the columns."""

    name: str
    account_class: str
    currency: str
    debit: int
    credit: int

    @property
    def balance(self) -> int:
        """Debit less credit."""
        return self.debit - self.credit


@dataclass(frozen=True, slots=True)
class Trial:
    """Accounts that hold something, and their sums by class and by currency."""

    accounts: Sequence[TrialLine]
    classes: Sequence[TrialLine]
    currencies: Sequence[TrialLine]


def trial_balance(cut: Cut, currency: str | None = None) -> Trial:
    """Every account that holds something at a cut. Two statements at most, however many legs."""
    held = trial_of(cut, currency)
    lines = [
        TrialLine(
            one.account, one.account_class, one.currency, max(one.amount, 0), max(-one.amount, 0)
        )
        for one in held
    ]
    return Trial(
        lines,
        classes=_summed(lines, lambda line: (line.currency, line.account_class)),
        currencies=_summed(lines, lambda line: (line.currency, "")),
    )


def _summed(
    lines: Sequence[TrialLine], by: Callable[[TrialLine], tuple[str, str]]
) -> list[TrialLine]:
    sums: dict[tuple[str, str], tuple[int, int]] = {}
    for line in lines:
        debit, credit = sums.get(by(line), (0, 0))
        sums[by(line)] = (debit + line.debit, credit + line.credit)
    return [
        TrialLine("", account_class, currency, debit, credit)
        for (currency, account_class), (debit, credit) in sorted(sums.items())
    ]
