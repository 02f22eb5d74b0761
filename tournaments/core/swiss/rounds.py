"""How many rounds a Swiss tournament has, and how many hands a match (2.4)."""

from types import MappingProxyType

_CAPS_OF_THREE = MappingProxyType({6: 1, 9: 4, 12: 4, 15: 7})


def rounds_cap(players: int, seats: int) -> int:
    """Rounds that a field allows without rematches.

    >>> rounds_cap(9, 3), rounds_cap(60, 3), rounds_cap(8, 2)
    (4, 28, 6)
    """
    known = _CAPS_OF_THREE if seats == 3 else {}
    return known.get(players, max(1, (players - 1) // (seats - 1) - 1))


def suggested_rounds(players: int, seats: int) -> int:
    """Rounds after which the winner should be clear: two more than a knock-out would take.

    >>> suggested_rounds(27, 3), suggested_rounds(28, 3), suggested_rounds(60, 2)
    (5, 6, 8)
    """
    rounds, reached = 2, 1
    while reached < players:
        rounds, reached = rounds + 1, reached * seats
    return rounds


def match_hands(seats: int) -> int:
    """Hands of a match, unless the options say otherwise.

    >>> [match_hands(seats) for seats in (2, 3, 4)]
    [8, 9, 8]
    """
    return {2: 8, 3: 9}.get(seats, 2 * seats)


def hands_of(players: int, match_hands: int) -> int:
    """Hands that so many players play, so that each of them deals equally often.

    >>> hands_of(2, 9), hands_of(3, 9)
    (8, 9)
    """
    return players * (match_hands // players)
