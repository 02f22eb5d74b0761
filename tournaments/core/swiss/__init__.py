"""Swiss rounds: how many, who sits out or short, who meets (`tournaments.md` 2.4, 9.1 to 9.3)."""
