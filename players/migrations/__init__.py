"""Relations of people, roles and tokens."""
