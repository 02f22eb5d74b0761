"""Order, tree, checkpoints and keys of the log, and where its followers stand."""

from django.db import migrations

from eventstore.sql import run_file


class Migration(migrations.Migration):
    dependencies = [("eventstore", "0001_log")]
    operations = [run_file(__file__, "0002_merkle.sql", reverse="0002_merkle_reverse.sql")]
