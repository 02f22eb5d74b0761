"""Peers of the rules benchmark: random legal play of other engines; whole games, deal included.

The games differ (ten cards and a search for spreads, a hold'em hand with bets), so they are one
class of game and no more. `make bench` installs them; each is None where it is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

Game = Callable[[], int]
"""Plays one game to its end; the number of its moves."""
Numbers = Callable[[], float]
"""The next number from 0 up to 1."""

STACK = 200  # chips of a hold'em player, a hundred big blinds
BLINDS = (1, 2)


def rlcard_game(numbers: Numbers | None = None) -> Game | None:  # its agents draw their own numbers
    """Games of rlcard's gin rummy between its random players. A move is a step of `env.run`."""
    del numbers
    try:
        rlcard = import_module("rlcard")
        agents = import_module("rlcard.agents")
    except ImportError:
        return None
    env = rlcard.make("gin-rummy", config={"seed": 1})
    env.set_agents([agents.RandomAgent(num_actions=env.num_actions) for _ in range(2)])

    def game() -> int:
        before: int = env.timestep
        env.run(is_training=False)
        after: int = env.timestep
        return after - before

    return game


def open_spiel_game(numbers: Numbers) -> Game | None:
    """Games of OpenSpiel's gin rummy. A move is a player's action; a card that chance deals is a
    step of the same game, but no move.
    """
    try:
        pyspiel = import_module("pyspiel")
    except ImportError:
        return None
    rules = pyspiel.load_game("gin_rummy")

    def game() -> int:
        state, moves = rules.new_initial_state(), 0
        while not state.is_terminal():
            moves += not state.is_chance_node()
            # Every card that chance may deal is as likely as another.
            actions = state.legal_actions()
            state.apply_action(actions[int(numbers() * len(actions))])
        state.returns()
        return moves

    return game


def pokerkit_game(numbers: Numbers) -> Game | None:
    """Hands of pokerkit's no-limit hold'em for two, with automations: what a player `can` do is
    asked, one of it is done; a raise is the least one.
    """
    try:
        pokerkit = import_module("pokerkit")
    except ImportError:
        return None
    automations = tuple(pokerkit.Automation)

    def game() -> int:
        state = pokerkit.NoLimitTexasHoldem.create_state(
            automations,
            ante_trimming_status=True,
            raw_antes=0,
            raw_blinds_or_straddles=BLINDS,
            min_bet=BLINDS[1],
            raw_starting_stacks=STACK,
            player_count=2,
        )
        moves = 0
        while state.status:
            actions = []
            if state.can_fold():
                actions.append(state.fold)
            if state.can_check_or_call():
                actions.append(state.check_or_call)
            if state.can_complete_bet_or_raise_to():
                actions.append(state.complete_bet_or_raise_to)
            actions[int(numbers() * len(actions))]()
            moves += 1
        return moves

    return game


PEERS: Mapping[str, Callable[[Numbers], Game | None]] = MappingProxyType(
    {"rlcard": rlcard_game, "open_spiel": open_spiel_game, "pokerkit": pokerkit_game}
)
"""Maker of each peer's game; the names are those of the packages, dashes apart."""
