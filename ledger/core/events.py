"""Facts of the streams `wallet/<player>` and of the house's own (`eventstore.md` section 7.2)."""

import msgspec


class WalletEvent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact about one wallet, whose player is the subject of the stream."""


class DepositRecorded(WalletEvent, frozen=True, kw_only=True):
    """Money came in; `reference` is unique per method. `manual` needs two in `approved_by`."""

    amount: int
    currency: str
    method: str
    reference: str
    approved_by: tuple[str, ...]


class ChipsGranted(WalletEvent, frozen=True, kw_only=True):
    """Play chips were issued to the player."""

    amount: int
    currency: str
    reason_code: str


class WithdrawalRequested(WalletEvent, frozen=True, kw_only=True):
    """Money left the wallet and waits to be paid out."""

    withdrawal: str
    amount: int
    currency: str


class WithdrawalApproved(WalletEvent, frozen=True, kw_only=True):
    """Two people let a withdrawal go."""

    withdrawal: str
    approved_by: tuple[str, ...]


class WithdrawalRejected(WalletEvent, frozen=True, kw_only=True):
    """Staff refused a withdrawal; WithdrawalReturned follows in the same append."""

    withdrawal: str
    rejected_by: str
    reason_code: str


class WithdrawalPaid(WalletEvent, frozen=True, kw_only=True):
    """A withdrawal was paid out. `manual` needs two in `approved_by`."""

    withdrawal: str
    amount: int
    currency: str
    method: str
    reference: str
    approved_by: tuple[str, ...]


class WithdrawalReturned(WalletEvent, frozen=True, kw_only=True):
    """The money of a withdrawal is back in the wallet."""

    withdrawal: str
    amount: int
    currency: str
    reason_code: str


class Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of an adjustment: debit above 0, credit below; the account without a stripe."""

    account: str
    amount: int


class AdjustmentProposed(WalletEvent, frozen=True, kw_only=True):
    """One person asks for a manual entry. `reverses` is an entry's key, `effective` a date."""

    adjustment: str
    lines: tuple[Line, ...]
    currency: str
    reason_code: str
    proposer: str
    reverses: str | None
    effective: str | None


class AdjustmentApproved(AdjustmentProposed, frozen=True, kw_only=True):
    """A second person agreed: the lines are posted."""

    approver: str


class AdjustmentRejected(WalletEvent, frozen=True, kw_only=True):
    """A proposal came to nothing; `rejected_by` is null when its time ran out."""

    adjustment: str
    reason_code: str
    rejected_by: str | None


class WalletFrozen(WalletEvent, frozen=True, kw_only=True):
    """The wallet pays nothing until it is released."""

    reason_code: str
    proposer: str
    approver: str


class WalletReleased(WalletEvent, frozen=True, kw_only=True):
    """The wallet pays again."""

    reason_code: str
    proposer: str
    approver: str


class PeriodClosed(WalletEvent, frozen=True, kw_only=True):
    """The books through this date are closed at this size of the log. House's stream only."""

    through: str
    size: int
    proposer: str
    approver: str


WALLET_EVENTS = (
    DepositRecorded,
    ChipsGranted,
    WithdrawalRequested,
    WithdrawalApproved,
    WithdrawalRejected,
    WithdrawalPaid,
    WithdrawalReturned,
    AdjustmentProposed,
    AdjustmentApproved,
    AdjustmentRejected,
    WalletFrozen,
    WalletReleased,
    PeriodClosed,
)
