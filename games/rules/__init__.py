"""The rules of Tonk, pure."""
