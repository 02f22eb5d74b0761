"""HTTP shapes of accounts."""
