"""Names of accounts as plain-text bookkeeping programs want them."""

from collections.abc import Iterable
from functools import lru_cache
from types import MappingProxyType

from ledger.core.accounts import METHOD, OWNER, SCOPE, parse

EQUITY = "Equity"
NAMES_KEPT = 10_000  # accounts come again and again in one export
_NAMES = MappingProxyType(
    {
        "cash": "Assets:Cash",
        "receivable": "Assets:Receivable",
        "wallet": "Liabilities:Wallet",
        "seat": "Liabilities:Seat",
        "withdrawal": "Liabilities:Withdrawal",
        "tournament": "Liabilities:Tournament",
        "fees": "Liabilities:Fees",
        "bounty": "Liabilities:Bounty",
        "rake": "Income:Rake",
        "fee_income": "Income:Fees",
        "overlay": "Expenses:Overlay",
        "promotion": "Expenses:Promotion",
        "payment_costs": "Expenses:PaymentCosts",
        "bad_debt": "Expenses:BadDebt",
        "opening": f"{EQUITY}:Opening",
        "issue": f"{EQUITY}:Issue",
        "adjustment": f"{EQUITY}:Adjustment",
    }
)
_LETTERS = MappingProxyType({OWNER: "P", METHOD: "C"})
_TABLE, _TOURNAMENT = "T", "M"


@lru_cache(maxsize=NAMES_KEPT)
def name_of(code: str) -> str:
    """Name of the account with this code, which has no stripe.

    A part of a name begins with a capital and holds no underscore: Beancount wants it so.

    >>> name_of("cash:bank_lt:EUR"), name_of("payment_costs:EUR")
    ('Assets:Cash:C-bank-lt', 'Expenses:PaymentCosts')
    """
    account = parse(code)
    scope = _TABLE if account.role.name == "seat" else _TOURNAMENT
    parts = [
        f"{scope if what == SCOPE else _LETTERS[what]}-{text.replace('_', '-')}"
        for what, text in zip(account.role.ids, account.ids, strict=True)
    ]
    return ":".join([_NAMES[account.role.name], *parts])


def declared(codes: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Names in order, each with its currencies: one name stands for an account a currency.

    >>> declared(["rake:XTK", "issue:XTK", "rake:EUR"])
    [('Equity:Issue', ['XTK']), ('Income:Rake', ['EUR', 'XTK'])]
    """
    found: dict[str, list[str]] = {}
    for code in sorted(codes):
        found.setdefault(name_of(code), []).append(parse(code).currency)
    return sorted(found.items())
