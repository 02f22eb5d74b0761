"""Events and receipts."""

from django.db import migrations

from eventstore.sql import run_file


class Migration(migrations.Migration):
    initial = True
    operations = [run_file(__file__, "0001_log.sql", reverse="0001_log_reverse.sql")]
