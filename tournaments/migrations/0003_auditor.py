"""What the auditor may read of tournaments."""

from django.db import migrations

from eventstore.sql import run_file


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0002_grants")]
    operations = [run_file(__file__, "0003_auditor.sql", reverse="0003_auditor_reverse.sql")]
