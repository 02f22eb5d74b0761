"""The log of facts: append, order, hashes, receipts."""
