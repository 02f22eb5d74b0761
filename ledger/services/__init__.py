"""Writes to the books: postings inside commands, the settler, wallets."""

from ledger.services.limits import Play, post_play, when_timed, who_must_stop
from ledger.services.posting import post, post_batch, post_inline
from ledger.services.settlement import SettleResult, mark_due, settle, settle_due, unpark
from ledger.services.wallets import open_wallet, record, welcome

__all__ = [
    "Play",
    "SettleResult",
    "mark_due",
    "open_wallet",
    "post",
    "post_batch",
    "post_inline",
    "post_play",
    "record",
    "settle",
    "settle_due",
    "unpark",
    "welcome",
    "when_timed",
    "who_must_stop",
]
