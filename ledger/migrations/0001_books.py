"""The books: relations with their guards, the functions that write to them, the house's accounts."""

from django.db import migrations

from eventstore.sql import run_file


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        run_file(__file__, "0001_books.sql", reverse="0001_books_reverse.sql"),
        run_file(__file__, "0001_posting.sql", reverse="0001_nothing.sql"),
        run_file(__file__, "0001_house.sql", reverse="0001_nothing.sql"),
        run_file(__file__, "0001_grants.sql", reverse="0001_nothing.sql"),
    ]
