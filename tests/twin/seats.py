"""The twin's seats: the cut and the rotation of the deal (R6, R7, D1, D2, V17)."""

from tests.twin.spreads import RANKS

UNCOUNTED = ("initial_draw", "void")


def cut(players: list[str], cards: list[str], seat_by_cut: bool) -> tuple[str, list[str]]:
    """D1, V17: the dealer and the seat order, the cards in the order drawn."""
    pile = list(cards)
    if seat_by_cut:
        order = ranked(players, pile)
        return order[0], order
    tied = players
    while len(tied) > 1:
        tied = draw_once(tied, pile)[0]
    return tied[0], list(players)


def draw_once(players: list[str], pile: list[str]) -> list[list[str]]:
    """Each player, in seat order, draws a card; groups of equal ranks, the highest first."""
    drawn = {p: RANKS.index(pile.pop(0)[0]) for p in players}
    ranks = sorted(set(drawn.values()), reverse=True)
    return [[p for p in players if drawn[p] == rank] for rank in ranks]


def ranked(players: list[str], pile: list[str]) -> list[str]:
    """From the highest card down; every tie is drawn again, the highest group first."""
    if len(players) == 1:
        return list(players)
    order = []
    for group in draw_once(players, pile):
        order += ranked(group, pile)
    return order


def rotation(
    players: list[str], dealer: str, ends: list[str], redeal_dealer: str
) -> tuple[list[str], str, int]:
    """R7, D2: who deals each hand, who deals the next one, how many hands count."""
    dealers = []
    for end in ends:
        dealers.append(dealer)
        if end not in UNCOUNTED or redeal_dealer == "next":
            dealer = players[(players.index(dealer) + 1) % len(players)]
    return dealers, dealer, sum(1 for end in ends if end not in UNCOUNTED)
