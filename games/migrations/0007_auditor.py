"""What the auditor may read of tables."""

from django.db import migrations

from eventstore.sql import run_file


class Migration(migrations.Migration):
    dependencies = [("games", "0006_sittings")]
    operations = [run_file(__file__, "0007_auditor.sql", reverse="0007_auditor_reverse.sql")]
