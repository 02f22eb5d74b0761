"""The environment variables of the product, read once and typed.

No other module reads them but the launcher, which runs before settings exist. Nothing is started
here: without `DATABASE_URL` the addresses are those of the launcher that holds the data folder, and
without one those where it would be reached.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from django.core.exceptions import ImproperlyConfigured

from tonk_site.embedded_services import ADDRESSES, data_folder, given_addresses, running

if TYPE_CHECKING:
    from collections.abc import Mapping

CHECKOUT = Path(__file__).resolve().parents[2]
DEVELOPMENT_KEY = "development-only: the launcher has not made keys/secret yet"
MANUAL_CASHIER = "ledger.cashier.manual.Manual"
PROFILES: tuple[Literal["run", "production"], ...] = ("run", "production")


class BadEnvironment(ImproperlyConfigured):
    """A variable has a value that means nothing; the message names it."""


@dataclass(frozen=True, slots=True)
class Environment:
    """What the environment says. The field `x_y` is the variable `TONK_X_Y`, unless noted."""

    profile: Literal["run", "production"]  # TONK_SETTINGS
    data: Path
    database_url: str  # DATABASE_URL
    redis_url: str  # REDIS_URL
    port: int  # PORT
    secret_key: str  # content of TONK_SECRET_KEY_FILE
    log_key_file: Path
    dealer_key_file: Path
    log_origin: str  # empty: tonk.local/log/<log id>
    witnesses: tuple[str, ...]
    beacon_url: str  # empty: no beacon
    cashier_providers: tuple[str, ...]
    cashier_account: str  # empty: at the house's cashier
    allowed_hosts: tuple[str, ...]
    num_proxies: int
    threads: int  # connections of the pool; 0: no pool, the connection of the one thread is kept
    prepare: bool


def read(variables: Mapping[str, str] = os.environ) -> Environment:
    """Environment as `variables` describe it. Raises: BadEnvironment."""
    profile = variables.get("TONK_SETTINGS", "run")
    if profile not in PROFILES:
        raise BadEnvironment(f"TONK_SETTINGS is {profile!r}, not one of {', '.join(PROFILES)}")
    data = data_folder(variables)
    addresses = _addresses(variables, data)
    keys = data / "keys"
    return Environment(
        profile="production" if profile == "production" else "run",
        data=data,
        database_url=addresses["DATABASE_URL"],
        redis_url=addresses["REDIS_URL"],
        port=_number(variables, "PORT", 8000),
        secret_key=_secret(Path(variables.get("TONK_SECRET_KEY_FILE", keys / "secret"))),
        log_key_file=Path(variables.get("TONK_LOG_KEY_FILE", keys / "log.key")),
        dealer_key_file=Path(variables.get("TONK_DEALER_KEY_FILE", keys / "dealer.key")),
        log_origin=variables.get("TONK_LOG_ORIGIN", ""),
        witnesses=tuple(filter(None, variables.get("TONK_WITNESSES", "").split(","))),
        beacon_url=variables.get("TONK_BEACON_URL", "").strip(),
        cashier_providers=tuple(
            filter(None, variables.get("TONK_CASHIER_PROVIDERS", MANUAL_CASHIER).split(","))
        ),
        cashier_account=variables.get("TONK_CASHIER_ACCOUNT", "").strip(),
        allowed_hosts=tuple(filter(None, variables.get("TONK_ALLOWED_HOSTS", "").split(","))),
        num_proxies=_number(variables, "TONK_NUM_PROXIES", 0),
        threads=_number(variables, "TONK_THREADS", 0),
        prepare=bool(_number(variables, "TONK_PREPARE", 1)),
    )


def _addresses(variables: Mapping[str, str], data: Path) -> dict[str, str]:
    """`DATABASE_URL` and `REDIS_URL`: as given, else published by a launcher, else expected."""
    given = given_addresses(variables)
    if len(given) == len(ADDRESSES):
        return given
    sockets = quote(str(data / "run"))
    expected = {
        "DATABASE_URL": f"postgres://tonk_app@/tonk?host={sockets}",
        "REDIS_URL": f"unix://{sockets}/valkey.sock?db=0",
    }
    return expected | (running(data) or {}) | given


def _number(variables: Mapping[str, str], name: str, default: int) -> int:
    text = variables.get(name, "").strip()
    if not text:
        return default
    if not text.isdecimal():
        raise BadEnvironment(f"{name} is {text!r}, not a whole number")
    return int(text)


def _secret(path: Path) -> str:
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        return DEVELOPMENT_KEY
