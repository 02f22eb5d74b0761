"""What the application's role may do here."""

from django.db import migrations

from eventstore.sql import run_file


class Migration(migrations.Migration):
    dependencies = [("games", "0001_initial"), ("eventstore", "0001_log")]
    operations = [run_file(__file__, "0002_grants.sql", reverse="0002_grants_reverse.sql")]
