"""The seats' part in the deal: chains of seeds, tables that wait for seeds, terms of a deal."""

import django.db.models.deletion
from django.db import migrations, models

from eventstore.sql import run_file


class Migration(migrations.Migration):
    dependencies = [("games", "0004_hands")]
    operations = [
        migrations.AddField("dealersecret", "terms", models.JSONField(null=True)),
        migrations.AlterField(
            "table",
            "status",
            models.CharField(
                choices=[
                    ("open", "Open"),
                    ("sealing", "Sealing"),
                    ("playing", "Playing"),
                    ("between_hands", "Between Hands"),
                    ("closed", "Closed"),
                ],
                max_length=13,
            ),
        ),
        migrations.AlterField(
            "table",
            "due",
            models.CharField(
                choices=[
                    ("deal", "Deal"),
                    ("seal", "Seal"),
                    ("bot", "Bot"),
                    ("move", "Move"),
                    ("held", "Held"),
                ],
                max_length=4,
                null=True,
            ),
        ),
        migrations.RemoveConstraint("table", "table_due_has_an_instant"),
        migrations.AddConstraint(
            "table",
            models.CheckConstraint(
                condition=models.Q(
                    models.Q(("due__isnull", True), ("due_at__isnull", True)),
                    models.Q(
                        ("due__in", ["deal", "seal", "bot", "move", "held"]),
                        ("due_at__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="table_due_has_an_instant",
            ),
        ),
        migrations.CreateModel(
            name="Anchor",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seat", models.SmallIntegerField()),
                ("player", models.UUIDField()),
                ("anchor", models.CharField(max_length=64)),
                ("length", models.IntegerField()),
                ("last_link", models.CharField(max_length=64)),
                ("used", models.IntegerField(default=0)),
                ("silent_at", models.IntegerField(null=True)),
                ("next_anchor", models.CharField(max_length=64, null=True)),
                ("next_length", models.IntegerField(null=True)),
                (
                    "table",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="anchors",
                        to="games.table",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("table", "seat"), name="one_anchor_a_seat"),
                    models.CheckConstraint(
                        condition=models.Q(("used__gte", 0), ("used__lte", models.F("length"))),
                        name="anchor_is_not_overdrawn",
                    ),
                ],
            },
        ),
        run_file(__file__, "0005_fair.sql", reverse="0005_fair_reverse.sql"),
    ]
