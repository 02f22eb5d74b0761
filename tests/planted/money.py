"""Faults of the books, of payouts, and of what happens at once."""

from __future__ import annotations

from typing import Any

from eventstore.core import shares
from tests.planted.planting import Plant
from tests.planted.putting import instead
from tonk_site.proving.money import bank, no_overdraft


def redefined(function: str, *changes: tuple[str, str]) -> str:
    """SQL that makes a function of the ledger anew, with some of its text replaced.

    It fails where the text is not there: a plant that changes nothing would prove nothing.
    """
    made = "found"
    for old, new in changes:
        made = f"replace({made}, $old${old}$old$, $new${new}$new$)"
    return f"""DO $do$
    DECLARE
        found text := pg_get_functiondef(oid) FROM pg_proc
            WHERE proname = '{function}' AND pronamespace = 'ledger'::regnamespace;
    BEGIN
        IF {made} = found THEN
            RAISE EXCEPTION 'nothing of % was changed', '{function}';
        END IF;
        EXECUTE {made};
    END $do$"""


# What was read before the row was locked is written back.
READ_BEFORE_LOCK = redefined(
    "post",
    (
        "UPDATE ledger.account_balance b\n        SET balance = b.balance + b.sign * amounts[i],",
        """SELECT b.balance + b.sign * amounts[i] INTO new_balance
        FROM ledger.account_balance b WHERE b.account_id = account_ids[i];
        UPDATE ledger.account_balance b SET balance = new_balance,""",
    ),
)
ONE_MORE = redefined(
    "post",
    (
        "SET balance = b.balance + b.sign * amounts[i],",
        "SET balance = b.balance + b.sign * amounts[i] + (post.reverses IS NOT NULL)::int,",
    ),
)


def few_wallets() -> None:
    """All transfers meet at four wallets: a race that is there is lost soon."""
    for module in (bank, no_overdraft):
        instead(module, "WALLETS", lambda _: 4)


def float_ratio() -> None:
    """Shares by the ratio of floats, cut off."""

    def split(total: int, weights: Any) -> list[int]:
        return [int(total * (weight / sum(weights))) for weight in weights]

    instead(shares, "split_largest_remainder", lambda _: split)


def each_share_rounded() -> None:
    """Every share is rounded for itself."""

    def split(total: int, weights: Any) -> list[int]:
        return [round(total * weight / sum(weights)) for weight in weights]

    instead(shares, "split_largest_remainder", lambda _: split)


def remainder_dropped() -> None:
    """What does not divide is nobody's."""
    instead(shares, "split_even", lambda _: lambda total, count: [total // count] * count)


PLANTS = (
    Plant(
        1,
        "C1",
        "balance read before its lock",
        ("no-overdraft",),
        sizes={"transfers": 48},
        put=few_wallets,
        sql=READ_BEFORE_LOCK,
        starred=True,
    ),
    Plant(
        3,
        "C4",
        "floor constraint dropped",
        ("no-overdraft",),
        sizes={"transfers": 40},
        sql="ALTER TABLE ledger.account_balance DROP CONSTRAINT floor",
    ),
    Plant(
        4,
        "C5",
        "stored balance off by one in one path",
        ("balances-derived",),
        sizes={"instants": 2},
        sql=ONE_MORE,
    ),
    Plant(
        6, "D1", "split by float ratio", ("payout-sum",), sizes={"tournaments": 50}, put=float_ratio
    ),
    Plant(
        7,
        "D2",
        "each share rounded alone",
        ("payout-sum",),
        sizes={"tournaments": 50},
        put=each_share_rounded,
    ),
    Plant(8, "D4", "remainder dropped", ("zero-sum",), sizes={"hands": 500}, put=remainder_dropped),
)
