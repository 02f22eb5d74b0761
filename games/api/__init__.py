"""HTTP shapes of tables and play."""
