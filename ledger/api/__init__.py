"""HTTP doors to the books."""
