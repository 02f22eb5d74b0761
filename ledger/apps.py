"""Django's entry for the app."""

from django.apps import AppConfig
from typing_extensions import override


class LedgerConfig(AppConfig):
    """Registration of the app's events, and of wallets for new players."""

    name = "ledger"

    @override
    def ready(self) -> None:
        """Register what the streams `wallet/<player>` hold; open a wallet with each account."""
        from eventstore.core.registry import register_all
        from ledger.core.events import WALLET_EVENTS
        from ledger.services import welcome
        from players.services import when_registered

        register_all(*WALLET_EVENTS)
        when_registered(welcome)
