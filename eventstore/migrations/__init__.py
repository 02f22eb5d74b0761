"""Relations, grants and triggers of the log."""
