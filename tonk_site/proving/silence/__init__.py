"""What nobody may see or do: views, rights, secrets, hostile input (`trust.md` section 7)."""
