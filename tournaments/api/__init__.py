"""HTTP shapes of tournaments."""
