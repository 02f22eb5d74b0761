"""What happens, in sentences, as the log grows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eventstore import store
from players.selectors import people

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class Narrator:
    """Reads on where it stopped. Good for telling, not for counting: a late commit is passed by."""

    def __init__(self) -> None:
        self.settled = False
        self._position = 0
        self._hands = 0
        self._names: dict[str, str] = {}

    def news(self) -> Iterator[str]:
        """A line for each thing worth telling since the last call."""
        for position, event in store.read_all(self._position):
            self._position = position
            tell = TELL.get(event.type)
            if tell is not None:
                yield tell(self, event.payload)

    def name(self, player: str) -> str:
        """The player's shown name."""
        if player not in self._names:
            self._names |= {known: person.name for known, person in people([player]).items()}
        return self._names.get(player, player)

    def hand(self, fact: Mapping[str, Any]) -> str:
        """An ended hand: who won what."""
        self._hands += 1
        won = [net for net in fact["net"] if net["amount"] > 0]
        gains = ", ".join(f"{self.name(net['player'])} +{net['amount']}" for net in won)
        return f"hand {self._hands}: {fact['end'].replace('_', ' ')}; {gains or 'nobody wins'}"

    def end(self, fact: Mapping[str, Any]) -> str:
        """The word that all is settled."""
        del fact
        self.settled = True
        return "settled: every prize is paid, escrow is empty"

    def prizes(self, fact: Mapping[str, Any]) -> str:
        """The pay-out."""
        paid = (f"{one['place']}. {self.name(one['player'])} {one['amount']}"
                for one in fact["prizes"])  # fmt: skip
        return f"prizes in {fact['currency']} minor units: {', '.join(paid)}"


def _said(text: str) -> Callable[[Narrator, Mapping[str, Any]], str]:
    return lambda narrator, fact: text.format_map(
        dict(fact) | {"name": narrator.name(fact["player"]) if "player" in fact else ""}
    )


TELL: Mapping[str, Callable[[Narrator, Mapping[str, Any]], str]] = {
    "TournamentDrafted": _said("a tournament is drafted"),
    "RulesPublished": _said("its rules are published; the seed of its lot is committed to"),
    "RegistrationOpened": _said("registration is open"),
    "EntryPaid": _said("{name} enters: {buy_in} and a fee of {fee} {currency} into escrow"),
    "Started": _said("the field is full: seats are drawn, play begins"),
    "LevelRaised": _said("level {level}: the stake is {stake} chips"),
    "PlayerMoved": _said("{name} goes on at another table"),
    "PlayerBusted": _said("{name} is out"),
    "TableBroken": _said("table {number} is broken"),
    "HandEnded": Narrator.hand,
    "Completed": _said("play is over"),
    "PrizesComputed": Narrator.prizes,
    "Settled": Narrator.end,
}
