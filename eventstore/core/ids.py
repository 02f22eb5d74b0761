"""Names of streams, and ids from their parts."""

from uuid import UUID

HOUSE = UUID(int=0)  # the house as a whole has no player: the nil UUID stands for it
RANDOM_BYTES = 10  # of which 74 bits are used
_SEVENTY_FOUR_BITS = (1 << 74) - 1
_TWELVE_BITS, _SIXTY_TWO_BITS = (1 << 12) - 1, (1 << 62) - 1


def table_stream(table: UUID | str) -> str:
    """Stream of one table: everything that happened there, hand after hand."""
    return f"table/{table}"


def tournament_stream(tournament: UUID | str) -> str:
    """Stream of one tournament."""
    return f"tournament/{tournament}"


def wallet_stream(player: UUID | str) -> str:
    """Stream of a player's deposits, grants, withdrawals and adjustments."""
    return f"wallet/{player}"


def player_stream(player: UUID | str) -> str:
    """Stream of a player's registration, roles and limits."""
    return f"player/{player}"


def log_stream(log: UUID | str) -> str:
    """Stream of the log's own name and keys."""
    return f"log/{log}"


HOUSE_STREAM = wallet_stream(HOUSE)


def subject(stream: str) -> UUID:
    """The id that a stream is about.

    >>> subject("table/0199c2b2-6c1f-7033-818c-ef2df94c3850")
    UUID('0199c2b2-6c1f-7033-818c-ef2df94c3850')
    """
    return UUID(stream.split("/", 1)[1])


def uuid7(milliseconds: int, random: bytes) -> UUID:
    """UUIDv7 (RFC 9562 section 5.7): 48 bits of Unix time in milliseconds, 74 random bits.

    >>> uuid7(0x0199C2B26C1F, bytes(10))
    UUID('0199c2b2-6c1f-7000-8000-000000000000')
    """
    bits = int.from_bytes(random, "big") & _SEVENTY_FOUR_BITS
    high = (milliseconds << 16) | 0x7000 | (bits >> 62 & _TWELVE_BITS)
    return UUID(int=high << 64 | 0b10 << 62 | (bits & _SIXTY_TWO_BITS))
