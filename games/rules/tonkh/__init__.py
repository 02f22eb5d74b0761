"""Hand history in `.tonkh`: written, read, told to a viewer, checked by replay (`api.md` 8)."""
