"""Transfers by django-hordak, the double entry of Django that is used most, as it comes."""

from importlib import import_module
from time import perf_counter
from typing import Any

from django.core.management import call_command

from games.bots.rng import Chance

_models: Any = import_module("hordak.models")
_money: Any = import_module("moneyed").Money


def prepare(accounts: int) -> None:
    """Its relations, and accounts that take transfers."""
    call_command("migrate", verbosity=0)
    for number in range(1, accounts + 1):
        _models.Account.objects.create(
            name=f"bench {number}", code=f"{number:04}", currencies=["EUR"], type="LI"
        )


def transfer(seconds: float, accounts: int, number: int) -> tuple[int, float]:
    """Transfers between random accounts for some seconds: how many, in how long."""
    chance, done, one = Chance(b"%d" % number), 0, _money(1, "EUR")
    known = list(_models.Account.objects.order_by("code")[:accounts])
    start = perf_counter()
    while (passed := perf_counter() - start) < seconds:
        first = chance.below(accounts)
        second = (first + 1 + chance.below(accounts - 1)) % accounts
        known[first].transfer_to(known[second], one)
        done += 1
    return done, passed
