"""Writes to the books: postings inside commands, the settler, wallets."""

from ledger.services.posting import post, post_batch, post_inline
from ledger.services.settlement import SettleResult, mark_due, settle, settle_due, unpark
from ledger.services.wallets import open_wallet, record, welcome

__all__ = [
    "SettleResult",
    "mark_due",
    "open_wallet",
    "post",
    "post_batch",
    "post_inline",
    "record",
    "settle",
    "settle_due",
    "unpark",
    "welcome",
]
