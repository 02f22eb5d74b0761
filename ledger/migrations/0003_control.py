"""What people decide about money, and who looked at it."""

from django.db import migrations

from eventstore.sql import run_file


class Migration(migrations.Migration):
    dependencies = [("ledger", "0002_models")]
    operations = [
        run_file(__file__, "0003_control.sql", reverse="0003_control_reverse.sql"),
        run_file(__file__, "0003_control_grants.sql", reverse="0001_nothing.sql"),
    ]
