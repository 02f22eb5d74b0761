"""What Django knows of the relations that 0001 made: models that it only reads, no SQL."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0001_books"),
    ]

    operations = [
        migrations.CreateModel(
            name="Account",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("code", models.TextField(unique=True)),
                ("role", models.TextField()),
                ("account_class", models.TextField(db_column="class")),
                ("currency", models.TextField()),
                ("scope", models.UUIDField(null=True)),
                ("owner", models.UUIDField(null=True)),
                ("stripe", models.SmallIntegerField(null=True)),
                ("opened_at", models.DateTimeField()),
            ],
            options={
                "db_table": 'ledger"."account',
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="DeadLetter",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("stream", models.TextField()),
                ("version", models.IntegerField()),
                ("code", models.TextField()),
                ("detail", models.JSONField()),
                ("first_at", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
                ("attempts", models.IntegerField()),
                ("resolved_at", models.DateTimeField(null=True)),
                ("resolved_by", models.TextField(null=True)),
            ],
            options={
                "db_table": 'ledger"."dead_letter',
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="Entry",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("kind", models.SmallIntegerField()),
                ("currency", models.TextField()),
                ("stream", models.TextField()),
                ("version", models.IntegerField()),
                ("part", models.IntegerField()),
                ("effective_at", models.DateTimeField()),
                ("recorded_at", models.DateTimeField()),
                ("posting_count", models.IntegerField()),
                ("hash", models.BinaryField()),
            ],
            options={
                "db_table": 'ledger"."entry',
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="ExternalPayment",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "method",
                        "reference",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("method", models.TextField()),
                ("reference", models.TextField()),
                ("direction", models.TextField()),
                ("wallet_stream", models.TextField()),
                ("version", models.IntegerField()),
            ],
            options={
                "db_table": 'ledger"."external_payment',
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="Posting",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "entry_id",
                        "account_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("line", models.IntegerField()),
                ("amount", models.BigIntegerField()),
                ("account_version", models.BigIntegerField()),
                ("balance_after", models.BigIntegerField()),
            ],
            options={
                "db_table": 'ledger"."posting',
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="SettlementCursor",
            fields=[
                ("stream", models.TextField(primary_key=True, serialize=False)),
                ("version", models.IntegerField()),
                ("attempts", models.IntegerField()),
                ("parked_code", models.TextField(null=True)),
                ("parked_at", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": 'ledger"."settlement_cursor',
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="SettlementDue",
            fields=[
                ("stream", models.TextField(primary_key=True, serialize=False)),
                ("version", models.IntegerField()),
                ("event_at", models.DateTimeField()),
            ],
            options={
                "db_table": 'ledger"."settlement_due',
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="AccountBalance",
            fields=[
                (
                    "account",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="held",
                        serialize=False,
                        to="ledger.account",
                    ),
                ),
                ("sign", models.SmallIntegerField()),
                ("currency", models.TextField()),
                ("state", models.TextField()),
                ("balance", models.BigIntegerField()),
                ("version", models.BigIntegerField()),
                ("min_balance", models.BigIntegerField(null=True)),
            ],
            options={
                "db_table": 'ledger"."account_balance',
                "managed": False,
            },
        ),
    ]
