"""The same database over other cards: what lies face down in a running hand is another deck, from
another seed, while every record stays as it is (`trust.md` section 7).

No real seed gives a deck in which chosen cards keep their places. So the dealer is given one that
does, from outside, for the length of a block.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch
from uuid import UUID

from games import dealer, folds, selectors
from games.rules import events, fair
from games.rules.cards import TEXTS
from games.rules.selfplay import Random
from games.rules.table import Table
from games.rules.views import Viewer
from tonk_site.proving.cards.random_hands import below
from tonk_site.proving.silence.moments import known_of, turned

CARD = re.compile(r"(?<![A-Za-z0-9])[A2-9TJQK][CDHS](?![A-Za-z0-9])")
HEADERS_PASSING = frozenset({"Date", "Server", "Server-Time"})
# What hangs on the whole deck by a hash over salts: it differs, and tells nothing.
HASHES = re.compile(rb'"path":\[[0-9a-f", ]*\]|"root":"[0-9a-f]{64}"')
Told = tuple[int, tuple[tuple[str, str], ...], bytes]
"""Status, headers and bytes of an answer."""


@dataclass(frozen=True, slots=True, repr=False)  # no text form: a trace must not show it
class Secret:
    """What the dealer alone knows of a running hand."""

    dealt: events.HandDealt
    seed: bytes

    @property
    def key(self) -> bytes:
        """The key from which order and salts come."""
        return _key(self.dealt, self.seed)

    @property
    def cards(self) -> tuple[int, ...]:
        """Codes by place."""
        return fair.shuffle(self.key, 0, fair.DECKS[self.dealt.deck_spec])


def secret_of(table: UUID) -> Secret:
    """The secret of the hand that runs at a table. Raises: ValueError where none does."""
    dealt = selectors.see_now(table).table.dealt
    seed = None if dealt is None else dealer.seed_of(UUID(dealt.hand))
    if dealt is None or seed is None:
        raise ValueError(f"no hand runs at table {table}")
    return Secret(dealt, seed)


def known_at(table: UUID, viewer: Viewer) -> set[int]:
    """Codes of the cards of the running hand that a viewer knows."""
    version = selectors.live_row(table).hand_version
    public = folds.without_deck(table, version).table
    return known_of(public.hand, folds.current(table, version).table.hand, viewer)


def viewer_of(table: Table, player: UUID | None) -> Viewer:
    """Who a player is at a table."""
    place = None if player is None else table.seat_of(str(player))
    return Viewer(None if place is None else place.seat)


@contextmanager
def other_cards(secret: Secret, known: set[int], rng: Random) -> Iterator[None]:
    """Inside, all but the known cards lie elsewhere; seed, key and the salts of the others, too."""
    truth, hand = Truth(), UUID(secret.dealt.hand)
    seed = bytes(below(rng, 256) for _ in range(fair.SEED_BYTES))
    key, true_key, cards = _key(secret.dealt, seed), secret.key, secret.cards
    places = {place for place, card in enumerate(cards) if card in known}
    order = turned(cards, places, rng)

    def seed_of(of: UUID) -> bytes | None:
        return seed if of == hand else truth.seed_of(of)

    def shuffle(by: bytes, number: int, pack: Sequence[int]) -> tuple[int, ...]:
        if by != key:
            return truth.shuffle(by, number, pack)
        # Whatever is shuffled again lay open before: everybody knows those cards.
        return order if number == 0 else truth.shuffle(true_key, number, pack)

    def salt(by: bytes, number: int, position: int) -> bytes:
        is_known = number > 0 or position in places
        return truth.salt(true_key if by == key and is_known else by, number, position)

    folds.forget_all()
    with (
        patch.object(dealer, "seed_of", seed_of),
        patch.object(fair, "shuffle", shuffle),
        patch.object(fair, "salt", salt),
    ):
        yield
    folds.forget_all()


class Truth:
    """The functions that are replaced, as they are now."""

    def __init__(self) -> None:
        self.seed_of, self.shuffle, self.salt = dealer.seed_of, fair.shuffle, fair.salt


def _key(dealt: events.HandDealt, seed: bytes) -> bytes:
    return fair.hand_key(seed, bytes.fromhex(dealt.transcript))


def told(answer: Any) -> Told:
    """Status, headers and bytes of an answer, less what passes with time and what hides a deck."""
    kept = [pair for pair in answer.headers.items() if pair[0] not in HEADERS_PASSING]
    return answer.status, tuple(kept), HASHES.sub(b"", answer.content)


def secrets_shown(text: str, secret: Secret, known: set[int]) -> Iterator[str]:
    """What a text shows of a running hand that its reader may not know: names, no values."""
    lowered = text.lower()
    if secret.seed.hex() in lowered:
        yield "the seed"
    if secret.key.hex() in lowered:
        yield "the key"
    for place, card in enumerate(secret.cards):
        if card not in known and fair.salt(secret.key, 0, place).hex() in lowered:
            yield f"the salt of place {place}"
    hidden = {TEXTS[card] for card in secret.cards if card not in known}
    yield from (f"the card {card}" for card in sorted(hidden & set(CARD.findall(text))))
