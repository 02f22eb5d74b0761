"""What happens at once, and what comes twice (`trust.md` section 6)."""
