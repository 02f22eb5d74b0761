"""The books held against themselves, the log and the outside world (`ledger.md` section 6.3)."""

from ledger.reconciliation.running import RunResult, also_check, is_sound, latest, reconcile

__all__ = ["RunResult", "also_check", "is_sound", "latest", "reconcile"]
