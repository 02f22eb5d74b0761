"""Paths of the books under `/api/v1`."""

from django.urls import path

from ledger.api import books, cashier, control, exports, looks, manual, payouts, views

urlpatterns = [
    path("ledger/me", views.Me.as_view()),
    path("ledger/deposits", cashier.Deposits.as_view()),
    path("ledger/deposits/<uuid:deposit_id>", cashier.Deposit.as_view()),
    path("ledger/deposits/<uuid:deposit_id>/approve", cashier.DepositDecision.as_view()),
    path("ledger/withdrawals", cashier.Withdrawals.as_view()),
    path("ledger/withdrawals/<uuid:withdrawal_id>", cashier.Withdrawal.as_view()),
    path("ledger/withdrawals/<uuid:withdrawal_id>/cancel", cashier.Cancellation.as_view()),
    path("ledger/withdrawals/<uuid:withdrawal_id>/approve", cashier.WithdrawalDecision.as_view()),
    path("ledger/provider-callback", cashier.ProviderCallback.as_view()),
    path("ledger/me/statement", views.Statement.as_view()),
    path("ledger/entries/<int:entry_id>/receipt", views.Receipt.as_view()),
    path("ledger/adjustments", manual.Adjustments.as_view()),
    path("ledger/adjustments/<uuid:adjustment_id>", manual.OneAdjustment.as_view()),
    path("ledger/adjustments/<uuid:adjustment_id>/approve", manual.Approve.as_view()),
    path("ledger/adjustments/<uuid:adjustment_id>/reject", manual.Reject.as_view()),
    path("ledger/adjustments/<uuid:adjustment_id>/comments", manual.Comments.as_view()),
    path("ledger/wallets/<uuid:player_id>/freeze", manual.Freeze.as_view()),
    path("ledger/wallets/<uuid:player_id>/release", manual.Release.as_view()),
    path("ledger/periods", manual.Periods.as_view()),
    path("ledger/periods/<slug:period>/close", manual.Close.as_view()),
    path("ledger/payouts", payouts.Payouts.as_view()),
    path("ledger/payouts/<int:entry_id>", payouts.PayoutInFull.as_view()),
    path("ledger/entries", books.Entries.as_view()),
    path("ledger/entries/<int:entry_id>", books.Entry.as_view()),
    path("ledger/accounts", books.Accounts.as_view()),
    path("ledger/accounts/<str:code>", books.Account.as_view()),
    path("ledger/trial-balance", books.TrialBalance.as_view()),
    path("admin/access-log", looks.AccessLog.as_view()),
    path("ledger/export/<str:format>", exports.Export.as_view()),
    path("ledger/reconciliation", control.Reconciliation.as_view()),
]
