"""A database backend of Django: PostgreSQL with points. In settings it is an `ENGINE`."""
