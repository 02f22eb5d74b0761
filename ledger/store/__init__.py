"""The books and what is due in PostgreSQL, in the caller's transaction."""
