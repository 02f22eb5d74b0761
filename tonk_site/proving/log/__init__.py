"""The log and what is taken from it: promises 2 and 7."""
