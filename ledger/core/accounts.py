"""The chart of accounts: roles, codes, stripes (`ledger.md` section 2.3).

A code is `<role>[:<id>[:<id>]]:<CUR>[:<stripe>]`. One account has one currency. What an account is
(class, floor, whose it is) follows from its role, so a code says all that opening it needs.
"""

import re
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType

from ledger.core.currencies import CHIPS

STRIPES = 16  # rows that share the load of one house account
SCOPE, OWNER, METHOD = "scope", "owner", "method"

_currency = re.compile(r"[A-Z][A-Z0-9]{2,11}\Z").match
_method = re.compile(r"[a-z0-9_]{1,40}\Z").match
_id = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z").match


class BadAccount(ValueError):
    """A text that is no account's code."""


@dataclass(frozen=True, slots=True)
class Role:
    """What a role fixes for its accounts.

    `account_class` is A(ssets), L(iabilities), I(ncome), X (expenses) or Q (equity). `ids` say what
    stands between role and currency. House accounts are striped and have no floor.
    """

    name: str
    account_class: str
    ids: tuple[str, ...] = ()
    house: bool = False

    @property
    def sign(self) -> int:
        """+1 where a debit raises the balance (assets, expenses), -1 elsewhere."""
        return 1 if self.account_class in "AX" else -1

    @property
    def min_balance(self) -> int | None:
        """Lowest balance in the account's natural sign; None: no floor."""
        return None if self.house else 0


ROLES = MappingProxyType(
    {
        role.name: role
        for role in (
            Role("cash", "A", ids=(METHOD,), house=True),
            Role("receivable", "A", ids=(OWNER,)),
            Role("wallet", "L", ids=(OWNER,)),
            Role("seat", "L", ids=(SCOPE, OWNER)),
            Role("withdrawal", "L", ids=(OWNER,)),
            Role("tournament", "L", ids=(SCOPE,)),
            Role("fees", "L", ids=(SCOPE,)),
            Role("bounty", "L", ids=(SCOPE,)),
            Role("rake", "I", house=True),
            Role("fee_income", "I", house=True),
            Role("overlay", "X", house=True),
            Role("promotion", "X", house=True),
            Role("payment_costs", "X", house=True),
            Role("bad_debt", "X", house=True),
            Role("opening", "Q", house=True),
            Role("issue", "Q", house=True),
            Role("adjustment", "Q", house=True),
        )
    }
)
ADJUSTABLE_HOUSE = frozenset(
    {"cash", "promotion", "bad_debt", "payment_costs", "adjustment", "opening", "issue"}
)
IN_PLAY = ("seat", "withdrawal")  # a player's money that is his, but not available


@dataclass(frozen=True, slots=True)
class Account:
    """An account as its code describes it, without a stripe."""

    role: Role
    ids: tuple[str, ...]
    currency: str

    @property
    def code(self) -> str:
        """The code without a stripe."""
        return ":".join((self.role.name, *self.ids, self.currency))

    def id_of(self, what: str) -> str | None:
        """The scope, owner or method in the code, where its role has one."""
        return dict(zip(self.role.ids, self.ids, strict=True)).get(what)


def account(role: str, *ids: str, currency: str) -> str:
    """Code of an account, without a stripe.

    >>> account("rake", currency="EUR")
    'rake:EUR'
    """
    return ":".join((role, *ids, currency))


def parse(code: str) -> Account:
    """The account that a code without a stripe describes. Raises: BadAccount.

    >>> parse("cash:manual:EUR").id_of("method")
    'manual'
    """
    name, *ids = code.split(":")
    currency = ids.pop() if ids else ""
    role = ROLES.get(name)
    if role is None or len(ids) != len(role.ids) or not is_currency(currency):
        raise BadAccount(code)
    for what, text in zip(role.ids, ids, strict=True):
        if not (_method(text) if what == METHOD else _id(text)):
            raise BadAccount(code)
    return Account(role, tuple(ids), currency)


def parse_stored(code: str) -> tuple[Account, int | None]:
    """The account and the stripe of a code as the books hold it. Raises: BadAccount.

    >>> parse_stored("rake:EUR:07")[1]
    7
    """
    head, _, tail = code.rpartition(":")
    if len(tail) != 2 or not tail.isdecimal():
        return parse(code), None
    found = parse(head)
    if not found.role.house or int(tail) >= STRIPES:
        raise BadAccount(code)
    return found, int(tail)


def striped(code: str, key: str) -> str:
    """Code of the row that the entry `key` uses of an account: the same one in every rebuild.

    >>> striped("wallet:0199c2b2-6c1f-7001-8000-00000000000a:EUR", "table/x@2#0")
    'wallet:0199c2b2-6c1f-7001-8000-00000000000a:EUR'
    """
    role = ROLES.get(code.partition(":")[0])
    if role is None or not role.house:
        return code
    stripe = sha256(key.encode()).digest()[0] & STRIPES - 1
    return f"{code}:{stripe:02}"


def unstriped(code: str) -> str:
    """Code of an account whose rows are taken together.

    >>> unstriped("rake:EUR:07"), unstriped("cash:manual:EUR")
    ('rake:EUR', 'cash:manual:EUR')
    """
    head, _, tail = code.rpartition(":")
    return head if len(tail) == 2 and tail.isdecimal() else code


def is_currency(text: str) -> bool:
    """Whether a text has the form of a currency's code; the word of tournament chips has not.

    >>> is_currency("EUR"), is_currency("CHIPS")
    (True, False)
    """
    return bool(_currency(text)) and text != CHIPS


def is_method(text: str) -> bool:
    """Whether a text can be the method in the code of a cash account.

    >>> is_method("manual"), is_method("A bank")
    (True, False)
    """
    return bool(_method(text))
