"""The pot of `stake_mode = pot` (V15): what is shown in the middle. It moves no money by itself.

Each player has put his stake in from the deal on. At the end he gets his net and his stake out of
it; a negative amount is what he puts in beyond the ante. So the pot ends at 0, in drawn and void
hands too.
"""

from collections.abc import Mapping

from games.rules.options import Options


def in_pot(options: Options, stake: int, players: int) -> int | None:
    """What lies in the middle while a hand runs; None where the table has no pot.

    >>> from games.rules.options import DEFAULTS
    >>> in_pot(DEFAULTS, 10, 3) is None
    True
    """
    return stake * players if options.stake_mode == "pot" else None


def out_of_pot(net: Mapping[int, int], stake: int) -> dict[int, int]:
    """What each seat gets out of the pot at the end.

    >>> out_of_pot({1: 20, 2: -10, 3: -10}, 10)
    {1: 30, 2: 0, 3: 0}
    """
    return {seat: amount + stake for seat, amount in net.items()}
