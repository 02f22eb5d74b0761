"""What the database must guard of the books (`ledger.md` sections 1 and 2)."""

from eventstore.checks import APP, AUDITOR, READ, Guards, Relation, Routine, Trigger

_READERS = {APP: READ, AUDITOR: READ}
_NO_CHANGE = Trigger("no_change", "BEFORE DELETE OR UPDATE OR TRUNCATE", "ledger.refuse_change")
_NO_REMOVAL = Trigger("no_removal", "BEFORE DELETE OR TRUNCATE", "ledger.refuse_change")
_CHECK_ENTRY = Trigger("check_entry", "AFTER INSERT", "ledger.check_entry", "ROW")
_CHECK_LEGS = Trigger("check_legs", "AFTER INSERT", "ledger.check_legs")
_CLOSED_PERIOD = Trigger(
    "closed_period", "BEFORE INSERT", "ledger.refuse_closed_period", "ROW", "(new.kind >= 40)"
)
_BY_THE_APP = (
    "open_account",
    "set_state",
    "record_payment",
    "post",
    "post_batch",
    "close_period",
    "keep_period",
    "open_cash",
)

GUARDS = Guards(
    relations=(
        Relation("ledger.entry", _READERS, (_NO_CHANGE, _CHECK_ENTRY, _CLOSED_PERIOD)),
        Relation("ledger.posting", _READERS, (_NO_CHANGE, _CHECK_LEGS)),
        Relation("ledger.account", _READERS, (_NO_REMOVAL,)),
        Relation("ledger.account_balance", _READERS, (_NO_REMOVAL,)),
        Relation("ledger.external_payment", _READERS),
        Relation("ledger.currency", _READERS),
        Relation("ledger.period", _READERS, (_NO_CHANGE,)),
        Relation("ledger.period_balance", _READERS, (_NO_CHANGE,)),
    ),
    routines=tuple(Routine(f"ledger.{name}", frozenset({APP})) for name in _BY_THE_APP),
)
