"""The proof of each card of a hand by its place (`eventstore.md` 5.3, `api.md` section 7)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import msgspec

from games.rules import events, fair
from games.rules.cards import CODES, TEXTS


@dataclass(frozen=True, slots=True, repr=False)  # no text form: a trace must not show the deck
class Openings:
    """Everything that opens the cards of one hand: its shuffles by number."""

    shuffles: tuple[fair.SealedDeck, ...]

    def at(self, place: int) -> fair.Opening | None:
        """The opening of a place; None where no card lies."""
        number, position = divmod(place, fair.PLACES_PER_SHUFFLE)
        if place < 0 or number >= len(self.shuffles):
            return None
        deck = self.shuffles[number]
        return fair.open_card(deck, position) if position < len(deck.order) else None


def openings(
    dealt: events.HandDealt, server_seed: bytes, reshuffled: Sequence[int] | None = None
) -> Openings:
    """The openings of a hand; `reshuffled` are the input places of its reshuffle, if it had one."""
    hand = UUID(dealt.hand).bytes
    key = fair.hand_key(server_seed, bytes.fromhex(dealt.transcript))
    first = fair.seal(key, hand=hand, cards=fair.DECKS[dealt.deck_spec])
    if reshuffled is None:
        return Openings((first,))
    cards = [first.order[place] for place in reshuffled]
    return Openings((first, fair.seal(key, hand=hand, cards=cards, shuffle_no=1)))


def document(opening: fair.Opening) -> dict[str, object]:
    """An opening as the API serves it."""
    return {
        "hand": str(UUID(bytes=opening.hand)),
        "shuffle_no": opening.shuffle_no,
        "position": opening.position,
        "place": opening.place,
        "size": opening.size,
        "card": TEXTS[opening.code],
        "code": opening.code,
        "salt": opening.salt.hex(),
        "path": [one.hex() for one in opening.path],
        "root": opening.root.hex(),
    }


def shown(event: msgspec.Struct) -> Iterator[tuple[int, str]]:
    """Every (place, card) that a fact shows to everybody."""
    yield from _placed(msgspec.to_builtins(event))


def _placed(value: object) -> Iterator[tuple[int, str]]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _placed(item)
    elif isinstance(value, Mapping):
        card, place = value.get("card"), value.get("place")
        if isinstance(card, str) and card in CODES and isinstance(place, int):
            yield place, card
        if "places" in value and "cards" in value:
            yield from zip(value["places"], value["cards"], strict=True)
        for item in value.values():
            yield from _placed(item)
