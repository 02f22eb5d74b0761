"""Checks of the repository itself (`style.md` section 9): each yields one line a complaint."""
