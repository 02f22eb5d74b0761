"""Writes of the app, a module a subject: drafting, entries, the start, conduct, money."""
