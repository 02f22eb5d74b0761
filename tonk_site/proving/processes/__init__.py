"""Real processes under a nemesis (`trust.md` section 5)."""
