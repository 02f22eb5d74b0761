"""Writes of the app, a module a subject: tables, seats, deals, moves, bots, the sweep."""
