"""What one of the staff asks for and a second one decides."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from eventstore.sql import run_file

STATES = ("proposed", "approved", "rejected", "expired")


class Migration(migrations.Migration):
    dependencies = [("players", "0002_grants")]

    operations = [
        migrations.CreateModel(
            name="Proposal",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=40)),
                ("subject", models.CharField(max_length=80)),
                ("data", models.JSONField()),
                ("reason_code", models.CharField(max_length=40)),
                ("text", models.TextField()),
                ("created_at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[(state, state.title()) for state in STATES], max_length=8
                    ),
                ),
                ("decided_at", models.DateTimeField(null=True)),
                ("note", models.TextField(blank=True)),
                (
                    "decided_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "proposer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["-created_at", "-id"], name="proposal_newest")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", list(STATES))),
                        name="proposal_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("decided_by", None))
                        | ~models.Q(("decided_by", models.F("proposer"))),
                        name="proposal_four_eyes",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("decided_at", None), ("state", "proposed"))
                        | ~models.Q(("state", "proposed"))
                        & models.Q(("decided_at__isnull", False)),
                        name="proposal_decided",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("decided_by", None), ("state__in", ("proposed", "expired"))
                        )
                        | models.Q(
                            ("decided_by__isnull", False),
                            ("state__in", ("approved", "rejected")),
                        ),
                        name="proposal_decider",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "proposed")),
                        fields=("kind", "subject"),
                        name="proposal_open_once",
                    ),
                ],
            },
        ),
        run_file(__file__, "0003_proposals.sql", reverse="0003_proposals_reverse.sql"),
    ]
