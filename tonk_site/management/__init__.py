"""Commands of the whole product."""
