"""What Django knows of the relations that 0003 made: no SQL."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0003_control"),
    ]

    operations = [
        migrations.CreateModel(
            name="Adjustment",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("stream", models.TextField()),
                ("version", models.IntegerField()),
                ("player", models.UUIDField(null=True)),
                ("tournament", models.UUIDField(null=True)),
                ("proposer", models.UUIDField()),
                ("currency", models.TextField()),
                ("amount", models.BigIntegerField()),
                ("lines", models.JSONField()),
                ("reason_code", models.TextField()),
                ("reverses", models.TextField(null=True)),
                ("effective", models.DateField(null=True)),
                ("text", models.TextField()),
                ("state", models.TextField()),
                ("proposed_at", models.DateTimeField()),
                ("decided_by", models.UUIDField(null=True)),
                ("decided_at", models.DateTimeField(null=True)),
                ("note", models.TextField(blank=True)),
            ],
            options={
                "db_table": 'ledger"."adjustment',
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="AdjustmentComment",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("author", models.UUIDField()),
                ("at", models.DateTimeField()),
                ("text", models.TextField()),
            ],
            options={
                "db_table": 'ledger"."adjustment_comment',
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="AuditAccess",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("actor", models.TextField()),
                ("at", models.DateTimeField()),
                ("what", models.TextField()),
                ("subject", models.UUIDField(null=True)),
                ("parameters", models.JSONField()),
                ("row_count", models.BigIntegerField()),
                ("sha256", models.TextField(null=True)),
            ],
            options={
                "db_table": 'ledger"."audit_access',
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="PaymentOrder",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("player", models.UUIDField(null=True)),
                ("direction", models.TextField()),
                ("method", models.TextField()),
                ("currency", models.TextField()),
                ("amount", models.BigIntegerField()),
                ("state", models.TextField()),
                ("first_approver", models.UUIDField(null=True)),
                ("second_approver", models.UUIDField(null=True)),
                ("named_player", models.UUIDField(null=True)),
                ("reported_by", models.UUIDField(null=True)),
                ("refused_by", models.UUIDField(null=True)),
                ("paid", models.BigIntegerField(null=True)),
                ("reference", models.TextField(null=True)),
                ("flag", models.TextField(null=True)),
                ("attempts", models.IntegerField(default=0)),
                ("due_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
            ],
            options={
                "db_table": 'ledger"."payment_order',
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="Period",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("through", models.DateField(unique=True)),
                ("size", models.BigIntegerField()),
                ("closed_by", models.UUIDField()),
                ("approved_by", models.UUIDField()),
            ],
            options={
                "db_table": 'ledger"."period',
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="PeriodBalance",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "period_id",
                        "account_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("balance", models.BigIntegerField()),
                ("account_version", models.BigIntegerField()),
            ],
            options={
                "db_table": 'ledger"."period_balance',
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="ReconciliationCheck",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "run_id",
                        "name",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("name", models.TextField()),
                ("figures", models.JSONField()),
                ("count", models.IntegerField()),
                ("findings", models.JSONField()),
                ("skipped", models.TextField(null=True)),
            ],
            options={
                "db_table": 'ledger"."reconciliation_check',
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="ReconciliationRun",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("started_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField()),
                ("size", models.BigIntegerField()),
                ("is_full", models.BooleanField()),
                ("findings", models.IntegerField()),
                ("next_index", models.BigIntegerField()),
                ("next_entry", models.BigIntegerField()),
            ],
            options={
                "db_table": 'ledger"."reconciliation_run',
                "managed": False,
            },
        ),
    ]
