"""People, tables and worlds for trials and tests, and how they are played by the services."""
