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
