"""Rules by their hash: every option set that a table was opened with."""

from django.db import migrations, models

from eventstore.sql import run_file


class Migration(migrations.Migration):
    dependencies = [("games", "0002_grants"), ("eventstore", "0001_log")]
    operations = [
        migrations.CreateModel(
            name="RuleSet",
            fields=[
                ("hash", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("version", models.SmallIntegerField()),
                ("options", models.JSONField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("hash__regex", "^[0-9a-f]{64}$")),
                        name="rule_set_is_by_hash",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("version__gte", 1)), name="rule_set_has_version"
                    ),
                ],
            },
        ),
        run_file(__file__, "0003_rule_sets.sql", reverse="0003_rule_sets_reverse.sql"),
    ]
