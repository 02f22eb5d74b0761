"""The books as Django reads them. SQL made these relations; only SQL functions write to them."""

from django.db import models
from typing_extensions import override


class Account(models.Model):
    """One balance in one currency; a house account is sixteen rows."""

    id = models.BigIntegerField(primary_key=True)
    code = models.TextField(unique=True)
    role = models.TextField()
    account_class = models.TextField(db_column="class")
    currency = models.TextField()
    scope = models.UUIDField(null=True)
    owner = models.UUIDField(null=True)
    stripe = models.SmallIntegerField(null=True)
    opened_at = models.DateTimeField()

    class Meta:
        managed = False
        db_table = 'ledger"."account'

    @override
    def __str__(self) -> str:
        return self.code


class AccountBalance(models.Model):
    """What an account holds, in its natural sign, after `version` legs."""

    account = models.OneToOneField(
        Account, models.DO_NOTHING, primary_key=True, related_name="held"
    )
    sign = models.SmallIntegerField()
    currency = models.TextField()
    state = models.TextField()
    balance = models.BigIntegerField()
    version = models.BigIntegerField()
    min_balance = models.BigIntegerField(null=True)

    class Meta:
        managed = False
        db_table = 'ledger"."account_balance'

    @override
    def __str__(self) -> str:
        return f"{self.balance} {self.currency}"


class Entry(models.Model):
    """One balanced record."""

    id = models.BigIntegerField(primary_key=True)
    kind = models.SmallIntegerField()
    currency = models.TextField()
    stream = models.TextField()
    version = models.IntegerField()
    part = models.IntegerField()
    effective_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    posting_count = models.IntegerField()
    reverses = models.OneToOneField(
        "self", models.DO_NOTHING, null=True, db_column="reverses", related_name="reversed_by"
    )
    hash = models.BinaryField()

    class Meta:
        managed = False
        db_table = 'ledger"."entry'

    @override
    def __str__(self) -> str:
        return f"{self.stream}@{self.version}#{self.part}"


class Posting(models.Model):
    """One leg of an entry: debit positive, credit negative."""

    pk = models.CompositePrimaryKey("entry_id", "account_id")
    entry = models.ForeignKey(Entry, models.DO_NOTHING, related_name="postings")
    account = models.ForeignKey(Account, models.DO_NOTHING, related_name="postings")
    line = models.IntegerField()
    amount = models.BigIntegerField()
    account_version = models.BigIntegerField()
    balance_after = models.BigIntegerField()

    class Meta:
        managed = False
        db_table = 'ledger"."posting'

    @override
    def __str__(self) -> str:
        return f"{self.entry_id}/{self.line}: {self.amount}"


class SettlementDue(models.Model):
    """The newest event of a stream that the settler posts."""

    stream = models.TextField(primary_key=True)
    version = models.IntegerField()
    event_at = models.DateTimeField()

    class Meta:
        managed = False
        db_table = 'ledger"."settlement_due'

    @override
    def __str__(self) -> str:
        return f"{self.stream}@{self.version}"


class SettlementCursor(models.Model):
    """How far a stream is settled, and whether it is parked."""

    stream = models.TextField(primary_key=True)
    version = models.IntegerField()
    attempts = models.IntegerField()
    parked_code = models.TextField(null=True)
    parked_at = models.DateTimeField(null=True)

    class Meta:
        managed = False
        db_table = 'ledger"."settlement_cursor'

    @override
    def __str__(self) -> str:
        return f"{self.stream}@{self.version}"


class DeadLetter(models.Model):
    """An event that could not be posted."""

    id = models.BigIntegerField(primary_key=True)
    stream = models.TextField()
    version = models.IntegerField()
    code = models.TextField()
    detail = models.JSONField()
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    attempts = models.IntegerField()
    resolved_at = models.DateTimeField(null=True)
    resolved_by = models.TextField(null=True)

    class Meta:
        managed = False
        db_table = 'ledger"."dead_letter'

    @override
    def __str__(self) -> str:
        return f"{self.stream}@{self.version}: {self.code}"


class ExternalPayment(models.Model):
    """A payment of the outside world, booked once."""

    pk = models.CompositePrimaryKey("method", "reference")
    method = models.TextField()
    reference = models.TextField()
    direction = models.TextField()
    wallet_stream = models.TextField()
    version = models.IntegerField()

    class Meta:
        managed = False
        db_table = 'ledger"."external_payment'

    @override
    def __str__(self) -> str:
        return f"{self.method}/{self.reference}"


class PaymentOrder(models.Model):
    """A deposit or a withdrawal on its way."""

    id = models.UUIDField(primary_key=True)
    player = models.UUIDField(null=True)
    direction = models.TextField()
    method = models.TextField()
    currency = models.TextField()
    amount = models.BigIntegerField()
    state = models.TextField()
    first_approver = models.UUIDField(null=True)
    second_approver = models.UUIDField(null=True)
    named_player = models.UUIDField(null=True)
    reported_by = models.UUIDField(null=True)
    refused_by = models.UUIDField(null=True)
    paid = models.BigIntegerField(null=True)
    reference = models.TextField(null=True)
    flag = models.TextField(null=True)
    attempts = models.IntegerField(default=0)
    due_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        managed = False
        db_table = 'ledger"."payment_order'

    @override
    def __str__(self) -> str:
        return f"{self.direction} {self.amount} {self.currency}: {self.state}"


class Adjustment(models.Model):
    """A manual entry from its proposal to the decision."""

    id = models.UUIDField(primary_key=True)
    stream = models.TextField()
    version = models.IntegerField()
    player = models.UUIDField(null=True)
    tournament = models.UUIDField(null=True)
    proposer = models.UUIDField()
    currency = models.TextField()
    amount = models.BigIntegerField()
    lines = models.JSONField()
    reason_code = models.TextField()
    reverses = models.TextField(null=True)
    effective = models.DateField(null=True)
    text = models.TextField()
    state = models.TextField()
    proposed_at = models.DateTimeField()
    decided_by = models.UUIDField(null=True)
    decided_at = models.DateTimeField(null=True)
    note = models.TextField(blank=True)
    entry = models.ForeignKey(Entry, models.DO_NOTHING, null=True, related_name="adjustments")

    class Meta:
        managed = False
        db_table = 'ledger"."adjustment'

    @override
    def __str__(self) -> str:
        return f"{self.amount} {self.currency}: {self.state}"


class AdjustmentComment(models.Model):
    """What somebody said of a manual entry."""

    id = models.UUIDField(primary_key=True)
    adjustment = models.ForeignKey(
        Adjustment, models.DO_NOTHING, db_column="adjustment", related_name="comments"
    )
    author = models.UUIDField()
    at = models.DateTimeField()
    text = models.TextField()

    class Meta:
        managed = False
        db_table = 'ledger"."adjustment_comment'

    @override
    def __str__(self) -> str:
        return self.text


class Period(models.Model):
    """Days whose books are closed, at a size of the log."""

    id = models.BigIntegerField(primary_key=True)
    through = models.DateField(unique=True)
    size = models.BigIntegerField()
    closed_by = models.UUIDField()
    approved_by = models.UUIDField()

    class Meta:
        managed = False
        db_table = 'ledger"."period'

    @override
    def __str__(self) -> str:
        return f"{self.through}"


class PeriodBalance(models.Model):
    """What an account held when its period was closed."""

    pk = models.CompositePrimaryKey("period_id", "account_id")
    period = models.ForeignKey(Period, models.DO_NOTHING, related_name="balances")
    account = models.ForeignKey(Account, models.DO_NOTHING, related_name="closings")
    balance = models.BigIntegerField()
    account_version = models.BigIntegerField()

    class Meta:
        managed = False
        db_table = 'ledger"."period_balance'

    @override
    def __str__(self) -> str:
        return f"{self.balance}"


class AuditAccess(models.Model):
    """A look at what is not one's own, or an export."""

    id = models.BigAutoField(primary_key=True)
    actor = models.TextField()
    at = models.DateTimeField()
    what = models.TextField()
    subject = models.UUIDField(null=True)
    parameters = models.JSONField()
    row_count = models.BigIntegerField()
    sha256 = models.TextField(null=True)

    class Meta:
        managed = False
        db_table = 'ledger"."audit_access'

    @override
    def __str__(self) -> str:
        return f"{self.actor}: {self.what}"


class ReconciliationRun(models.Model):
    """One run of the reconciliation."""

    id = models.BigAutoField(primary_key=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField()
    size = models.BigIntegerField()
    is_full = models.BooleanField()
    findings = models.IntegerField()
    next_index = models.BigIntegerField()
    next_entry = models.BigIntegerField()

    class Meta:
        managed = False
        db_table = 'ledger"."reconciliation_run'

    @override
    def __str__(self) -> str:
        return f"{self.finished_at}: {self.findings} findings"


class ReconciliationCheck(models.Model):
    """One check of a run, with its figures."""

    pk = models.CompositePrimaryKey("run_id", "name")
    run = models.ForeignKey(ReconciliationRun, models.DO_NOTHING, related_name="checks")
    name = models.TextField()
    figures = models.JSONField()
    count = models.IntegerField()
    findings = models.JSONField()
    skipped = models.TextField(null=True)

    class Meta:
        managed = False
        db_table = 'ledger"."reconciliation_check'

    @override
    def __str__(self) -> str:
        return self.name
