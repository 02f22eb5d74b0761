"""Who sat where from when to when: what a limit of time is asked of."""

import django.db.models.deletion
from django.db import migrations, models

from eventstore.sql import run_file


class Migration(migrations.Migration):
    dependencies = [("games", "0005_fair")]
    operations = [
        migrations.CreateModel(
            name="Sitting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("player", models.UUIDField()),
                ("taken_at", models.DateTimeField()),
                ("left_at", models.DateTimeField(null=True)),
                (
                    "table",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sittings",
                        to="games.table",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["player", "left_at"], name="sitting_of_player"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("left_at__isnull", True)),
                        fields=("table", "player"),
                        name="player_sits_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("left_at__isnull", True),
                            ("left_at__gte", models.F("taken_at")),
                            _connector="OR",
                        ),
                        name="sitting_ends_last",
                    ),
                ],
            },
        ),
        run_file(__file__, "0006_sittings.sql", reverse="0006_sittings_reverse.sql"),
    ]
