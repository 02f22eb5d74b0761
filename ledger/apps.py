"""Django's entry for the app."""

from django.apps import AppConfig
from typing_extensions import override


class LedgerConfig(AppConfig):
    """Registration of the app's events, of wallets for new players, of what two people decide."""

    name = "ledger"

    @override
    def ready(self) -> None:
        """Register what the streams `wallet/<player>` hold and what is done to wallets."""
        from eventstore.core.registry import register_all
        from ledger.core.events import WALLET_EVENTS
        from ledger.reconciliation import also_check
        from ledger.reconciliation.manual import closings, entries
        from ledger.selectors import exponents
        from ledger.services import freezing, periods, welcome
        from players.services import when_registered, with_currencies

        register_all(*WALLET_EVENTS)
        when_registered(welcome)
        with_currencies(exponents)
        freezing.register()
        periods.register()
        also_check("R1", closings)
        also_check("R9", entries)
