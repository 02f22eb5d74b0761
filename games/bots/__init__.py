"""Players that are programs, pure."""
