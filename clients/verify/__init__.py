"""Programs for players and auditors that need the standard library alone."""
