"""One hand as a player at its table sees it, from the commitment to the reveal, checked by step.

Nothing here asks the server for anything: events and openings are put in, in the order of the log,
and the first that does not fit raises `DealNotFair`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, Self
from uuid import UUID

from . import fair
from .problem import DealNotFair
from .tonk_verify import (
    CARDS,
    DECKS,
    PLACES_PER_SHUFFLE,
    commitment,
    hand_key,
    leaf_hash,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Document = dict[str, Any]
Stage = Literal["sealing", "running", "over", "aborted"]


class Hand:
    """A hand that this client has seen being committed to."""

    def __init__(self, committed: Document, player: str) -> None:
        data = committed["data"]
        self.id, self.player = str(data["hand"]), player
        self.stage: Stage = "sealing"
        self.events: list[Document] = [committed]
        self.anchor: str | None = None  # in force for my seat when it was committed to
        self.sent: Document | None = None  # the seed that was shown to the server: index, seed
        self.is_accepted = False  # whether the server said that it took it
        self.server_seed: str | None = None
        self.is_recorded = False  # whether the records of the log were held against the events
        self._raw = UUID(self.id).bytes
        self._committed: Document = data
        self._dealt: Document = {}
        self._seats: dict[int, Document] = {one["seat"]: one for one in data["seats"]}
        self._seeds: dict[int, str] = {}
        self._roots: dict[int, str] = {}
        self._sizes: dict[int, int] = {}
        self._reshuffles: list[tuple[int, list[int]]] = []
        self._holder: dict[int, int] = {}  # seat that holds the card of a place
        self._pile: list[int] = []  # places of the discards, bottom first
        self._next_stock = 0
        self._cards: dict[int, str] = {}  # what each place has been said to be
        self._proved: set[int] = set()

    def kept(self) -> Document:
        """What `again` needs."""
        return {
            "events": self.events,
            "anchor": self.anchor,
            "sent": self.sent,
            "is_accepted": self.is_accepted,
        }

    @classmethod
    def again(cls, kept: Document, player: str) -> Self:
        """The hand as it was kept; what was opened is to be opened again."""
        first, *rest = kept["events"]
        hand = cls(first, player)
        hand.anchor = kept["anchor"]
        hand.sent, hand.is_accepted = kept["sent"], kept["is_accepted"]
        for event in rest:
            hand.take(event)
        return hand

    # --- What the seat asks -----------------------------------------------------------------------

    @property
    def first_version(self) -> int:
        """Version of the commitment."""
        return int(self.events[0]["version"])

    @property
    def commit(self) -> str:
        """The server's commitment."""
        return str(self._committed["commit"])

    @property
    def seats(self) -> Mapping[int, Document]:
        """Who is named in the commitment, by seat."""
        return self._seats

    @property
    def own_seat(self) -> int | None:
        """My seat, None where the commitment does not name me."""
        mine = (seat for seat, one in self._seats.items() if one["player"] == self.player)
        return next(mine, None)

    @property
    def has_own_seed(self) -> bool:
        """Whether the log has a seed of mine for this hand."""
        return self.own_seat in self._seeds

    @property
    def seeds_given(self) -> tuple[int, int]:
        """How many seats gave a seed, of how many that are dealt in."""
        return len(self._seeds), len(self._seats)

    def unproved(self) -> tuple[int, ...]:
        """Places of cards that became public and were not opened yet."""
        return tuple(place for place in self._cards if place not in self._proved)

    def own_unproved(self) -> bool:
        """Whether I hold a card that was not opened yet."""
        return any(
            seat == self.own_seat and place not in self._proved
            for place, seat in self._holder.items()
        )

    def own_cards(self) -> tuple[str, ...]:
        """Cards that I hold, as they were opened to me."""
        held = (place for place, seat in self._holder.items() if seat == self.own_seat)
        return tuple(self._cards[place] for place in held if place in self._cards)

    # --- What happens -----------------------------------------------------------------------------

    def take(self, event: Document) -> None:
        """Check the next event of the table. Raises: DealNotFair."""
        self.events.append(event)
        read = _READ.get(event["type"])
        data = event["data"]
        if read is not None and data.get("hand", self.id) == self.id:
            read(self, data)

    def _seed_revealed(self, data: Document) -> None:
        seat, seed = data["seat"], data["seed"]
        _demand(
            self.stage == "sealing" and self._is(seat, data["player"]) and seat not in self._seeds,
            "seed_state", f"seat {seat} could not give a seed",
        )  # fmt: skip
        if seat == self.own_seat:
            given = {"index": data["index"], "seed": seed}
            _demand(self.sent == given, "own_seed", "the log has another seed for me than I gave")
        self._seeds[seat] = seed

    def _aborted(self, data: Document) -> None:
        silent = [seat for seat in data["missing"] if seat in self._seeds]
        _demand(not silent, "abort", f"seats {silent} are called silent, but gave their seeds")
        kept = not (self.is_accepted and not self.has_own_seed)
        _demand(kept, "own_seed", "the server took my seed, and the log does not have it")
        self._opens_commitment(data["server_seed"])
        self.stage = "aborted"

    def _dealt_as_committed(self, data: Document) -> None:
        self._dealt = data
        for name in ("hand_no", "commit", "deck_spec", "fairness", "dealer"):
            same = data[name] == self._committed[name]
            _demand(same, "dealt_otherwise", f"{name} is not that of the commitment")
        dealt_in = [(one["seat"], one["player"], one["bot"]) for one in data["players"]]
        named = [(one["seat"], one["player"], one["bot"]) for one in self._seats.values()]
        _demand(dealt_in == named, "dealt_otherwise", "the seats are not those of the commitment")
        is_beacon = self._committed["beacon"] is not None
        _demand((data["beacon"] is not None) == is_beacon, "beacon", "it is not as announced")
        for one in data["players"]:
            self._has_seed_state(one)
        self._is_in_transcript()
        self._lie_as_dealt()
        self.stage = "running"

    def _has_seed_state(self, one: Document) -> None:
        seat, state = one["seat"], one["seed"]
        anchored = self._seats[seat]["anchored"]
        expected = "revealed" if seat in self._seeds else "missing" if anchored else "none"
        if seat == self.own_seat:
            lost = self.is_accepted and seat not in self._seeds
            _demand(not lost, "own_seed", "the server took my seed, and the deal is without it")
            _demand(state == expected, "own_seed", f"my seed is called {state}")
        _demand(state == expected, "seed_state", f"the seed of seat {seat} is called {state}")
        strict = self._dealt["fairness"] == "strict" and state == "missing"
        _demand(not strict, "seed_state", f"a strict hand was dealt without the seed of {seat}")

    def _is_in_transcript(self) -> None:
        seats = [
            (seat, UUID(one["player"]).bytes, bytes.fromhex(self._seeds.get(seat, "")))
            for seat, one in self._seats.items()
        ]
        transcript = fair.transcript(
            self._raw,
            commit=bytes.fromhex(self.commit),
            spec=self._committed["deck_spec"],
            seats=seats,
            beacon=bytes.fromhex(self._dealt["beacon"] or ""),
        )
        _demand(
            transcript.hex() == self._dealt["transcript"],
            "transcript", "it is not that of the commitment and the seeds in the log",
        )  # fmt: skip

    def _lie_as_dealt(self) -> None:
        """Where the cards lie after the deal: by places, one after the other to each seat."""
        dealt, seats = self._dealt, list(self._seats)
        first = seats.index(dealt["dealer"]) + 1
        count = len(seats) * dealt["hand_size"]
        self._holder = {place: seats[(first + place) % len(seats)] for place in range(count)}
        self._roots[0], self._sizes[0] = dealt["deck_root"], len(DECKS[dealt["deck_spec"]])
        self._next_stock = count
        if dealt["upcard"] is not None:
            card, place = dealt["upcard"]["card"], dealt["upcard"]["place"]
            _demand(place == count, "place", f"the upcard is not the card after the deal: {place}")
            self._says(place, card)
            self._pile, self._next_stock = [place], count + 1

    def _drawn(self, data: Document) -> None:
        seat, place = data["seat"], data["place"]
        if data["source"] == "discard":
            top = self._pile[-1:] == [place]
            _demand(top, "place", f"seat {seat} took place {place}, which is not the top discard")
            self._pile.pop()
        else:
            fresh = place >= self._next_stock
            _demand(fresh, "place_taken_twice", f"place {place} was dealt or drawn before")
            _demand(
                place == self._next_stock,
                "stock_order", f"place {place} was drawn before place {self._next_stock}",
            )  # fmt: skip
            self._next_stock += 1
        self._holder[place] = seat
        if "card" in data:
            self._says(place, data["card"])

    def _laid(self, data: Document) -> None:
        for card, place in zip(data["cards"], data["places"], strict=True):
            self._plays(data["seat"], card, place)

    def _hit(self, data: Document) -> None:
        self._plays(data["seat"], data["card"], data["place"])

    def _discarded(self, data: Document) -> None:
        self._plays(data["seat"], data["card"], data["place"])
        self._pile.append(data["place"])

    def _slapped(self, data: Document) -> None:
        place, shed = data["place"], data["shed"]
        top = self._pile[-1:] == [place]
        _demand(top, "place", f"place {place} was slapped, which is not the top discard")
        self._pile.pop()
        self._says(place, data["card"])
        if shed is not None:
            self._discarded({"seat": data["seat"], **shed})

    def _reshuffled(self, data: Document) -> None:
        number, places = data["shuffle_no"], data["places"]
        fits = number == len(self._roots) and places == self._pile[:-1]
        _demand(fits, "reshuffle", "it is not of the covered discards, bottom first")
        last = number - 1
        used_up = self._next_stock == PLACES_PER_SHUFFLE * last + self._sizes[last]
        _demand(used_up, "reshuffle", "there were cards left in the stock")
        self._roots[number], self._sizes[number] = data["root"], len(places)
        self._reshuffles.append((number, list(places)))
        self._pile = self._pile[-1:]
        self._next_stock = PLACES_PER_SHUFFLE * number

    def _ended(self, data: Document) -> None:
        for one in data["held"]:
            held = sorted(place for place, seat in self._holder.items() if seat == one["seat"])
            same = sorted(one["places"]) == held
            _demand(same, "place", f"seat {one['seat']} does not hold the cards that it was dealt")
            for card, place in zip(one["cards"], one["places"], strict=True):
                self._says(place, card)

    def _revealed(self, data: Document) -> None:
        self.server_seed = data["server_seed"]
        self.stage = "over"
        if self.server_seed is None:
            lost = data.get("reason") == "dealer_key_lost"
            _demand(lost, "commit", "the hand is over, and the server keeps its seed")
            return
        self._opens_commitment(self.server_seed)
        if self._dealt:
            self._was_so_from_the_start(bytes.fromhex(self.server_seed))

    # --- What is checked --------------------------------------------------------------------------

    def opened(self, opening: Document) -> None:
        """Check an opening against the root of its shuffle. Raises: DealNotFair."""
        place, card = opening["place"], opening["card"]
        number = place // PLACES_PER_SHUFFLE
        same = opening["hand"] == self.id and opening["size"] == self._sizes.get(number)
        _demand(same, "opening", f"place {place} is opened in another hand or deck")
        proved = fair.opens(opening, bytes.fromhex(self._roots[number]))
        _demand(proved, "opening", f"{card} at place {place} is not in the sealed deck")
        self._says(place, card)
        self._proved.add(place)

    def recorded(self, stream: str, records: Sequence[str]) -> None:
        """Check that these records are the events as I saw them. Raises: DealNotFair."""
        _demand(len(records) == len(self.events), "records", "there are more or fewer than events")
        last = None
        for text, event in zip(records, self.events, strict=True):
            version, record = event["version"], json.loads(text)
            digest = leaf_hash(text.encode()).hex()
            same = digest == event["hash"]
            _demand(same, "records", f"the record of version {version} has another hash")
            same = (
                (record["stream"], record["v"], record["type"], record["at"])
                == (stream, version, event["type"], event["at"])
            ) and _is_served(record["data"], event["data"])
            _demand(same, "records", f"the record of version {version} says something else")
            chained = last is None or record["prev"] == last
            _demand(chained, "records", f"the record of version {version} is off the chain")
            last = digest
        self.is_recorded = True

    def _opens_commitment(self, server_seed: str) -> None:
        opened = commitment(self._raw, bytes.fromhex(server_seed)).hex()
        _demand(opened == self.commit, "commit", "the server's seed is not the one committed to")

    def _was_so_from_the_start(self, server_seed: bytes) -> None:
        """Every deck, root and card from the seeds alone."""
        key = hand_key(server_seed, bytes.fromhex(self._dealt["transcript"]))
        deck = fair.shuffled(key, self._raw, DECKS[self._dealt["deck_spec"]])
        same = deck.root.hex() == self._roots[0]
        _demand(same, "deck_root", "the sealed deck is not the one of the seeds")
        lies = dict(enumerate(deck.order))
        for number, places in self._reshuffles:
            again = fair.shuffled(key, self._raw, [lies[place] for place in places], number)
            same = again.root.hex() == self._roots[number]
            _demand(same, "deck_root", f"reshuffle {number} is not the one of the seeds")
            start = PLACES_PER_SHUFFLE * number
            lies |= {start + position: code for position, code in enumerate(again.order)}
        for place, card in self._cards.items():
            is_it = place in lies and CARDS[lies[place]] == card
            _demand(is_it, "card", f"{card} was not at place {place} of the deck of the seeds")

    def _is(self, seat: int, player: str) -> bool:
        return seat in self._seats and self._seats[seat]["player"] == player

    def _says(self, place: int, card: str) -> None:
        """Keep what a place is said to be: it can not change."""
        before = self._cards.setdefault(place, card)
        _demand(before == card, "card", f"place {place} was {before} and is {card} now")

    def _plays(self, seat: int, card: str, place: int) -> None:
        held = self._holder.pop(place, None) == seat
        _demand(held, "not_held", f"seat {seat} plays {card} of place {place}, which it has not")
        self._says(place, card)


def _demand(holds: object, check: str, what: str) -> None:
    if not holds:
        raise DealNotFair(check, what)


def _is_served(stored: Mapping[str, object], served: Mapping[str, object]) -> bool:
    """Whether data was served as stored: a hidden card is left out, or named to its owner."""
    if stored.get("card", "") is None:
        stored = {name: value for name, value in stored.items() if name != "card"}
        served = {name: value for name, value in served.items() if name != "card"}
    return stored == served


_READ: Mapping[str, Callable[[Hand, Document], None]] = {
    "SeedRevealed": Hand._seed_revealed,
    "ShuffleAborted": Hand._aborted,
    "HandDealt": Hand._dealt_as_committed,
    "CardDrawn": Hand._drawn,
    "SpreadLaid": Hand._laid,
    "CardHit": Hand._hit,
    "CardDiscarded": Hand._discarded,
    "CardSlapped": Hand._slapped,
    "PileReshuffled": Hand._reshuffled,
    "HandEnded": Hand._ended,
    "HandRevealed": Hand._revealed,
    "HandVoided": Hand._revealed,
}
