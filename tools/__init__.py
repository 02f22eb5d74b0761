"""Programs for those who work on the product; nothing of it runs in the product."""
