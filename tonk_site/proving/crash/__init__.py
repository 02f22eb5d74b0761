"""Every point of death (`trust.md` section 4)."""
