"""Whether the log was set back behind what others have seen: then nothing is written."""

from django.db import migrations

from eventstore.sql import run_file


class Migration(migrations.Migration):
    dependencies = [("eventstore", "0002_merkle")]
    operations = [run_file(__file__, "0003_behind.sql", reverse="0003_behind_reverse.sql")]
