"""The ways to pay: which providers the house uses, by their methods (`ledger.md` section 2.7)."""

from collections.abc import Mapping
from functools import cache

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from eventstore.core.refusal import InvariantBroken, Refused, refuse
from ledger.cashier.base import Notice, Provider
from ledger.core.accounts import is_method


def providers() -> Mapping[str, Provider]:
    """The provider of each method, in the order of the setting `CASHIER_PROVIDERS`.

    Raises: ImproperlyConfigured.
    """
    return _made(tuple(settings.CASHIER_PROVIDERS))


@cache
def _made(paths: tuple[str, ...]) -> Mapping[str, Provider]:
    found: dict[str, Provider] = {}
    for path in paths:
        try:
            provider: Provider = import_string(path)()
        except ImportError as fault:
            raise ImproperlyConfigured(f"CASHIER_PROVIDERS: there is no {path}") from fault
        for method in provider.methods:
            if method in found or not is_method(method):
                raise ImproperlyConfigured(f"CASHIER_PROVIDERS: {path} can not offer {method!r}")
            found[method] = provider
    return found


def provider_of(method: str) -> Provider:
    """The provider of a method. Raises: InvariantBroken where the house uses it no longer."""
    found = providers().get(method)
    if found is None:
        raise InvariantBroken(f"no provider of {method} in CASHIER_PROVIDERS")
    return found


def methods_for(currency: str) -> list[str]:
    """Methods that take and pay a currency, in their order."""
    return [method for method, provider in providers().items() if currency in provider.currencies]


def is_by_hand(method: str) -> bool:
    """Whether people, and no provider, say what was paid."""
    provider = providers().get(method)
    return provider is not None and provider.by_hand


def read_callback(headers: Mapping[str, str], body: bytes) -> list[Notice]:
    """Notices of the one provider that signed this body. Raises: Refused with `bad_signature`."""
    for provider in dict.fromkeys(providers().values()):
        try:
            notices = provider.read_callback(headers, body)
        except Refused as refused:
            if refused.refusal.code != "bad_signature":
                raise
            continue
        if any(notice.method not in provider.methods for notice in notices):
            raise InvariantBroken(f"{provider.name} speaks of a method that it does not offer")
        return notices
    raise refuse("bad_signature")
