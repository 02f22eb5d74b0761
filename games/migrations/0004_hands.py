"""Hands by their id: where each lies in the log, a copy for each version of the follower `hands`."""

from django.db import migrations, models

from eventstore.sql import run_file


class Migration(migrations.Migration):
    dependencies = [("games", "0003_rule_sets"), ("eventstore", "0002_merkle")]
    operations = [
        migrations.CreateModel(
            name="HandRow",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "follower_version",
                        "hand",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("follower_version", models.IntegerField()),
                ("hand", models.UUIDField()),
                ("table_id", models.UUIDField()),
                ("hand_no", models.IntegerField()),
                ("tournament", models.UUIDField(null=True)),
                ("preset", models.CharField(max_length=40, null=True)),
                ("currency", models.CharField(max_length=12, null=True)),
                ("stake", models.BigIntegerField(null=True)),
                ("first_version", models.IntegerField()),
                ("dealt_version", models.IntegerField(null=True)),
                ("last_version", models.IntegerField(null=True)),
                ("started", models.DateTimeField(null=True)),
                ("finished", models.DateTimeField(null=True)),
                ("end", models.CharField(max_length=16, null=True)),
                ("by", models.SmallIntegerField(null=True)),
                ("log_index", models.BigIntegerField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("follower_version", "table_id", "first_version"),
                        name="hand_begins_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("first_version__gte", 1), ("hand_no__gte", 1), ("log_index__gte", 0)
                        ),
                        name="hand_has_a_place",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("dealt_version__isnull", True),
                            ("dealt_version__gt", models.F("first_version")),
                            _connector="OR",
                        ),
                        name="hand_is_dealt_after_its_commitment",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("last_version__isnull", True),
                            models.Q(
                                models.Q(
                                    ("dealt_version__isnull", True),
                                    ("last_version__gt", models.F("dealt_version")),
                                    _connector="OR",
                                ),
                                ("finished__isnull", False),
                                ("last_version__gt", models.F("first_version")),
                            ),
                            _connector="OR",
                        ),
                        name="hand_ends_last",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("currency__isnull", False),
                                ("dealt_version__isnull", False),
                                ("stake__isnull", False),
                                ("started__isnull", False),
                            ),
                            models.Q(
                                ("currency__isnull", True),
                                ("dealt_version__isnull", True),
                                ("preset__isnull", True),
                                ("stake__isnull", True),
                                ("started__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="hand_is_dealt_wholly",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("dealt_version__isnull", False),
                                ("end__isnull", False),
                                ("finished__isnull", False),
                            ),
                            models.Q(("by__isnull", True), ("end__isnull", True)),
                            _connector="OR",
                        ),
                        name="hand_that_was_dealt_ends",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Hand",
            fields=[
                ("hand", models.UUIDField(primary_key=True, serialize=False)),
                ("table_id", models.UUIDField()),
                ("hand_no", models.IntegerField()),
                ("tournament", models.UUIDField(null=True)),
                ("preset", models.CharField(max_length=40, null=True)),
                ("currency", models.CharField(max_length=12, null=True)),
                ("stake", models.BigIntegerField(null=True)),
                ("first_version", models.IntegerField()),
                ("dealt_version", models.IntegerField(null=True)),
                ("last_version", models.IntegerField(null=True)),
                ("started", models.DateTimeField(null=True)),
                ("finished", models.DateTimeField(null=True)),
                ("end", models.CharField(max_length=16, null=True)),
                ("by", models.SmallIntegerField(null=True)),
                ("log_index", models.BigIntegerField()),
            ],
            options={"managed": False, "db_table": "games_hand"},
        ),
        run_file(__file__, "0004_hands.sql", reverse="0004_hands_reverse.sql"),
    ]
