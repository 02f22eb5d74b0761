"""Members of the wallet's events, exactly as in the catalogue (`eventstore.md` section 7.2)."""

import msgspec
import pytest

from ledger.core.events import WALLET_EVENTS

ADJUSTMENT = "adjustment lines currency reason_code proposer reverses effective"
MEMBERS = {
    "DepositRecorded": "amount currency method reference approved_by",
    "ChipsGranted": "amount currency reason_code",
    "WithdrawalRequested": "withdrawal amount currency",
    "WithdrawalApproved": "withdrawal approved_by",
    "WithdrawalRejected": "withdrawal rejected_by reason_code",
    "WithdrawalPaid": "withdrawal amount currency method reference approved_by",
    "WithdrawalReturned": "withdrawal amount currency reason_code",
    "AdjustmentProposed": ADJUSTMENT,
    "AdjustmentApproved": f"{ADJUSTMENT} approver",
    "AdjustmentRejected": "adjustment reason_code rejected_by",
    "WalletFrozen": "reason_code proposer approver",
    "WalletReleased": "reason_code proposer approver",
    "PeriodClosed": "through size proposer approver",
}


def test_the_members_are_those_of_the_catalogue() -> None:
    found = {
        event.__name__: " ".join(field.name for field in msgspec.structs.fields(event))
        for event in WALLET_EVENTS
    }
    assert found == MEMBERS


@pytest.mark.parametrize("event", WALLET_EVENTS)
def test_no_member_is_optional_and_none_is_foreign(event: type[msgspec.Struct]) -> None:
    assert all(field.required for field in msgspec.structs.fields(event))
    assert event.__struct_config__.forbid_unknown_fields
    assert event.__struct_config__.frozen
