"""Play what is due without workers, as the trials do."""

from tonk_site.proving.drive import (
    hurry,
    once,
    until_rest,
)

__all__ = [
    "hurry",
    "once",
    "until_rest",
]
