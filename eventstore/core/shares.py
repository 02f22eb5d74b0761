"""Divide a whole number among several so that nothing is lost (`tournaments.md` section 1)."""

from collections.abc import Sequence


def split_largest_remainder(total: int, weights: Sequence[int]) -> list[int]:
    """Shares of `total` in proportion to `weights`; their sum is `total`.

    Each gets the floor of his part; the units left go one each to the largest remainders, of equal
    remainders to the earlier. Raises: ValueError for a negative number or weights that are all 0.

    >>> split_largest_remainder(100, [50, 30, 21])
    [49, 30, 21]
    """
    whole = sum(weights)
    if total < 0 or whole <= 0 or min(weights) < 0:
        raise ValueError("a share needs a total of 0 or more and weights that are not all 0")
    shares = [total * weight // whole for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda i: -(total * weights[i] % whole))
    for index in by_remainder[: total - sum(shares)]:
        shares[index] += 1
    return shares


def split_even(total: int, count: int) -> list[int]:
    """Equal shares of `total`; odd units go one each to the first.

    >>> split_even(10, 3)
    [4, 3, 3]
    """
    return split_largest_remainder(total, [1] * count)
