"""Writes to accounts: opening them, roles, log-in, and what two people decide together."""

from players.services.accounts import (
    IssuedToken,
    Registration,
    WelcomeWork,
    account_of,
    account_row,
    issue_token,
    log_in,
    log_out,
    register,
    register_bot,
    when_registered,
)
from players.services.limits import (
    LimitsWish,
    exclude,
    exclusion_document,
    hold,
    set_limits,
    when_excluded,
    with_currencies,
)

__all__ = [
    "IssuedToken",
    "LimitsWish",
    "Registration",
    "WelcomeWork",
    "account_of",
    "account_row",
    "exclude",
    "exclusion_document",
    "hold",
    "issue_token",
    "log_in",
    "log_out",
    "register",
    "register_bot",
    "set_limits",
    "when_excluded",
    "when_registered",
    "with_currencies",
]
