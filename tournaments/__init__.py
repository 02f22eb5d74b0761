"""Tournaments: formats, seating, prizes, lifecycle."""
