"""What every HTTP endpoint shares: bodies, keys, versions, pages."""
