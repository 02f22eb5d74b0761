"""Pure functions and frozen values of the app."""
