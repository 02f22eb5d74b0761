"""The most that one seat can lose in one hand (`rules.md` section 5, "Worst case")."""

from games.rules.options import Options
from games.rules.rulebook import rulebook


def liability(options: Options, seats: int, stake: int) -> int:
    """Worst case of a seat among `seats` players, in minor units.

    The end of the stock is no path of its own: there a seat pays each other one single at most, and
    so does a knocker whom all catch, under every rule.

    >>> from games.rules.options import DEFAULTS
    >>> [liability(DEFAULTS, seats, 100) for seats in (2, 3, 4)]
    [300, 600, 900]
    """
    paths = (2, _initial(options, seats), _tiers(options), _caught(options, seats))
    points = options.difference_cap if options.difference_cap is not None else 1
    return max(paths) * points * stake


def most_moved(options: Options, seats: int, stake: int) -> int:
    """The most that one seat can win or lose in a hand, in minor units.

    Whoever wins an ordinary end is paid by each other seat; whoever is caught pays alone.

    >>> from games.rules.options import DEFAULTS
    >>> [most_moved(DEFAULTS, seats, 100) for seats in (2, 3, 4)]
    [300, 600, 900]
    """
    single = max(2, _initial(options, seats), _tiers(options))
    points = options.difference_cap if options.difference_cap is not None else 1
    return max(liability(options, seats, stake), (seats - 1) * single * points * stake)


def _initial(options: Options, seats: int) -> int:
    claims = rulebook(options, seats).initial_counts or options.initial_spread
    return options.initial_tonk_multiplier if claims else 0


def _tiers(options: Options) -> int:
    return max((tier[1] for tier in options.initial_low + options.drop_low), default=0)


def _caught(options: Options, seats: int) -> int:
    """Stakes of a caught knocker; under `difference` one capped payment to each lowest."""
    if options.settlement == "difference":
        return seats - 1
    if options.caught_rule == "seed" and options.caught_bonus_from == "all":
        return 3 * (seats - 1)
    return (2 if options.caught_rule in ("seed", "low_only") else 1) * (seats - 1)
