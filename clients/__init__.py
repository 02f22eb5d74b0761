"""Programs for those who use the product; none imports the server."""
