"""What the database must guard of the books (`ledger.md` sections 1 and 2)."""

from collections.abc import Mapping

from eventstore.checks import (
    APP,
    AUDITOR,
    READ,
    Guards,
    Relation,
    Routine,
    Trigger,
    on_columns,
)

_READERS = {APP: READ, AUDITOR: READ}


def _kept(changing: str = "") -> Mapping[str, frozenset[str]]:
    """Rights on a relation whose rows come and stay; the application changes these columns."""
    return {APP: READ | {"INSERT"} | on_columns("UPDATE", changing), AUDITOR: READ}


def _no_change(wakes: str) -> Trigger:
    return Trigger("no_change", wakes, "ledger.refuse_change")


_NO_CHANGE = _no_change("BEFORE DELETE OR UPDATE OR TRUNCATE")
_NO_OTHER_ACCOUNT = _no_change("BEFORE UPDATE")
_NO_OTHER_FORM = _no_change("BEFORE UPDATE OF account_id, sign, currency, min_balance")
_NO_OTHER_MONEY = _no_change("BEFORE DELETE OR UPDATE OF code, exponent, kind OR TRUNCATE")
_NO_REMOVAL = Trigger("no_removal", "BEFORE DELETE OR TRUNCATE", "ledger.refuse_change")
_CHECK_ENTRY = Trigger("check_entry", "AFTER INSERT", "ledger.check_entry", "ROW")
_CHECK_LEGS = Trigger("check_legs", "AFTER INSERT", "ledger.check_legs")
_CLOSED_PERIOD = Trigger(
    "closed_period", "BEFORE INSERT", "ledger.refuse_closed_period", "ROW", "(new.kind >= 40)"
)
_REOPENING = "ledger.refuse_reopening"
_ORDER_ENDED = Trigger(
    "order_ended",
    "BEFORE UPDATE",
    _REOPENING,
    "ROW",
    "((old.state = ANY (ARRAY['recorded'::text, 'refused'::text, 'expired'::text, 'paid'::text,"
    " 'returned'::text])) AND ((((old.state IS DISTINCT FROM new.state)"
    " OR (old.player IS DISTINCT FROM new.player)) OR (old.paid IS DISTINCT FROM new.paid))"
    " OR (old.reference IS DISTINCT FROM new.reference)))",
)
_ADJUSTMENT_ENDED = Trigger(
    "adjustment_ended", "BEFORE UPDATE", _REOPENING, "ROW", "(old.state <> 'proposed'::text)"
)
_ORDERS_CHANGING = """player state first_approver second_approver named_player reported_by
    refused_by paid reference flag attempts due_at updated_at"""
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
        Relation("ledger.account", _READERS, (_NO_REMOVAL, _NO_OTHER_ACCOUNT)),
        Relation("ledger.account_balance", _READERS, (_NO_REMOVAL, _NO_OTHER_FORM)),
        Relation("ledger.external_payment", _READERS, (_NO_CHANGE,)),
        Relation("ledger.currency", _READERS, (_NO_OTHER_MONEY,)),
        Relation("ledger.period", _READERS, (_NO_CHANGE,)),
        Relation("ledger.period_balance", _READERS, (_NO_CHANGE,)),
        Relation("ledger.payment_order", _kept(_ORDERS_CHANGING), (_ORDER_ENDED,)),
        Relation(
            "ledger.adjustment",
            _kept("state decided_by decided_at note entry_id"),
            (_ADJUSTMENT_ENDED,),
        ),
        Relation("ledger.adjustment_comment", _kept()),
        Relation("ledger.audit_access", _kept()),
    ),
    routines=tuple(Routine(f"ledger.{name}", frozenset({APP})) for name in _BY_THE_APP),
)
