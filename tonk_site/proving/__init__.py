"""The promises as checks: what `manage.py prove` runs (`trust.md` section 1)."""
