"""Decks, hands and the two referees: promises 2 and 5."""
