"""Who people are: accounts, roles, tokens."""
