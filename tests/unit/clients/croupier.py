"""A server of one table, made of the product's own arithmetic, that a test may make lie.

Seat 1 is the client's, seat 2 an opponent's who has a chain as well. Answers go out as the API has
them, after the lies that the test has put in.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from clients.python.tonk_client import Tonk
from eventstore.core import merkle, notes
from eventstore.core.canonical import encode
from games.rules import fair
from games.rules.cards import TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Document = dict[str, Any]

TABLE = "0198f0c2-a000-7d68-b5ee-4127775f9b84"
ME = "0198f0c2-a00e-72bf-8802-5ea4935a806f"
OTHER = "0198f0c2-a015-7d88-ab45-e7d23de0772c"
ORIGIN = "tonk.example/log/7"
SPEC, HAND_SIZE = "std52/1", 5
PLAYERS = {1: ME, 2: OTHER}
PROBLEM = {"Content-Type": "application/problem+json"}


class Refusal(Exception):
    """What the API would refuse."""

    def __init__(self, status: int, code: str) -> None:
        self.answer = httpx.Response(
            status, json={"code": code, "status": status, "title": code}, headers=PROBLEM
        )


@dataclass
class Deal:
    """A hand of the server: what it knows and the player does not."""

    id: str
    first: int
    server_seed: bytes
    commit: str
    anchored: dict[int, bool]
    seeds: dict[int, str] = field(default_factory=dict)
    dealt: Document = field(default_factory=dict)
    key: bytes = b""
    decks: list[fair.SealedDeck] = field(default_factory=list)
    held: dict[int, list[int]] = field(default_factory=dict)  # places by seat
    pile: list[int] = field(default_factory=list)
    stock: int = 0
    last: int = 0
    is_over: bool = False

    def card(self, place: int) -> str:
        number, position = divmod(place, 64)
        return TEXTS[self.decks[number].order[position]]


class Croupier:
    """The server. `tonk()` gives a client of it that keeps its files in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.records, self.events = folder, list[str](), list[Document]()
        self.requests, self.lies = list[str](), list[tuple[str, Any]]()
        self.refusals: dict[str, Refusal] = {}
        self.anchors: dict[str, tuple[str, int]] = {}  # last link and number of links given
        self.deals: list[Deal] = []
        self.signers = [Ed25519PrivateKey.from_private_bytes(bytes([7]) * 32)]
        self.shows_keys, self.signs = [0], 2  # keys that are shown; how many of the signers sign
        self.others = fair_chain(b"other", 64)
        self.is_seated, self.drops_seeds, self.may_move = True, False, False
        self.acts = list[Callable[[], object]]()  # what happens before each look at the state
        self.append("TableOpened", {"stake": 10})
        self.append("SeatTaken", {"seat": 1, "player": ME})
        self.append("SeatTaken", {"seat": 2, "player": OTHER})

    def tonk(self) -> Tonk:
        transport = httpx.MockTransport(self.answer)
        return Tonk("http://tonk.test", "secret", transport=transport, folder=self.folder)

    # --- Lies -------------------------------------------------------------------------------------

    def lie(self, path: str, change: Any) -> None:
        """Let `change` have its way with every answer to a path that contains this."""
        self.lies.append((path, change))

    def forge(self, kind: str, change: Any) -> None:
        """Let `change` have its way with the data of every event of a type that is served."""

        def forged(page: Document) -> Document:
            events = [
                {**one, "data": change(one["data"])} if one["type"] == kind else one
                for one in page["events"]
            ]
            return {**page, "events": events}

        self.lie("/events", forged)

    # --- What happens at the table ----------------------------------------------------------------

    @property
    def version(self) -> int:
        return len(self.records)

    @property
    def deal(self) -> Deal:
        return self.deals[-1]

    def append(self, kind: str, data: Document) -> None:
        record = {
            "at": f"2026-12-05T18:00:00.{self.version:06}Z",
            "data": data,
            "fmt": "tonk/event/1",
            "id": str(UUID(int=self.version + 1)),
            "meta": {"actor": "worker:dealer", "cmd": str(UUID(int=1))},
            "prev": self.events[-1]["hash"] if self.events else "0" * 64,
            "schema": 1,
            "stream": f"table/{TABLE}",
            "type": kind,
            "v": self.version + 1,
        }
        text = encode(record).decode()
        self.records.append(text)
        self.events.append(
            {
                "version": record["v"],
                "at": record["at"],
                "type": kind,
                "data": self._served(kind, data),
                "auto": False,
                "hash": sha256(b"\x00" + text.encode()).hexdigest(),
            }
        )

    def _served(self, kind: str, data: Document) -> Document:
        """The data as seat 1 sees it."""
        if kind != "CardDrawn" or data["card"] is not None:
            return data
        mine = {"card": self.deal.card(data["place"])} if data["seat"] == 1 else {}
        return {name: value for name, value in data.items() if name != "card"} | mine

    def anchor_other(self) -> None:
        self._anchored(OTHER, 2, self.others[0].hex(), 64)

    def _anchored(self, player: str, seat: int, anchor: str, length: int) -> None:
        self.anchors[player] = (anchor, 0)
        data = {"seat": seat, "player": player, "anchor": anchor, "length": length}
        self.append("SeedAnchored", data)

    def commit(self, **changes: Any) -> Deal:
        """Commit to a hand; the opponent gives his seed at once."""
        number = len(self.deals) + 1
        hand = str(UUID(int=number << 64 | 0x7000 << 64 | 0x8000 << 48))
        server_seed = sha256(b"server" + bytes([number])).digest()
        anchored = {seat: player in self.anchors for seat, player in PLAYERS.items()}
        deal = Deal(
            id=hand,
            first=self.version + 1,
            server_seed=server_seed,
            commit=fair.commit(UUID(hand).bytes, server_seed).hex(),
            anchored=anchored,
        )
        self.deals.append(deal)
        seats = [
            {"seat": seat, "player": player, "bot": None, "anchored": anchored[seat]}
            for seat, player in PLAYERS.items()
        ]
        data: Document = {
            "hand": hand,
            "hand_no": number,
            "commit": deal.commit,
            "deck_spec": SPEC,
            "fairness": "commit",
            "seats": seats,
            "dealer": 2,
            "reveal_by": "2026-12-05T18:10:00.000000Z",
            "beacon": None,
        }
        self.append("ShuffleCommitted", data | changes)
        if anchored[2]:
            self._revealed(2, self.others[self.anchors[OTHER][1] + 1].hex())
        return deal

    def _revealed(self, seat: int, seed: str) -> int:
        player = PLAYERS[seat]
        index = self.anchors[player][1] + 1
        self.anchors[player] = (seed, index)
        self.deal.seeds[seat] = seed
        data = {"hand": self.deal.id, "seat": seat, "player": player, "index": index, "seed": seed}
        self.append("SeedRevealed", data)
        return index

    def hand_out(self) -> None:
        """Seal the deck and deal."""
        deal, raw = self.deal, UUID(self.deal.id).bytes
        seats = [
            fair.SeatSeed(seat, UUID(player).bytes, bytes.fromhex(deal.seeds.get(seat, "")))
            for seat, player in PLAYERS.items()
        ]
        transcript = fair.transcript(
            raw, commitment=bytes.fromhex(deal.commit), spec=SPEC, seats=seats
        )
        deal.key = fair.hand_key(deal.server_seed, transcript)
        deal.decks = [fair.seal(deal.key, hand=raw, cards=fair.DECKS[SPEC])]
        deal.held = {1: list(range(0, 10, 2)), 2: list(range(1, 10, 2))}
        deal.pile, deal.stock = [10], 11
        states = {
            seat: "revealed" if seat in deal.seeds else "missing" if anchored else "none"
            for seat, anchored in deal.anchored.items()
        }
        deal.dealt = {
            "hand": deal.id,
            "hand_no": len(self.deals),
            "fairness": "commit",
            "deck_spec": SPEC,
            "commit": deal.commit,
            "transcript": transcript.hex(),
            "deck_root": deal.decks[0].root.hex(),
            "beacon": None,
            "players": [
                {"seat": seat, "player": player, "bot": None, "seed": states[seat]}
                for seat, player in PLAYERS.items()
            ],
            "dealer": 2,
            "hand_size": HAND_SIZE,
            "upcard": {"card": deal.card(10), "place": 10},
        }
        self.append("HandDealt", deal.dealt)

    def draw(self, seat: int, place: int | None = None) -> int:
        """A card from the stock, by default the next."""
        deal = self.deal
        place = deal.stock if place is None else place
        deal.held[seat].append(place)
        self.append("CardDrawn", {"seat": seat, "source": "stock", "place": place, "card": None})
        deal.stock = place + 1
        return place

    def take_discard(self, seat: int) -> None:
        place = self.deal.pile.pop()
        self.deal.held[seat].append(place)
        card = self.deal.card(place)
        self.append("CardDrawn", {"seat": seat, "source": "discard", "place": place, "card": card})

    def discard(self, seat: int, place: int) -> None:
        deal = self.deal
        deal.held[seat].remove(place)
        deal.pile.append(place)
        card = deal.card(place)
        self.append("CardDiscarded", {"seat": seat, "card": card, "place": place})

    def lay(self, seat: int, places: Sequence[int]) -> None:
        for place in places:
            self.deal.held[seat].remove(place)
        cards = [self.deal.card(place) for place in places]
        data = {"seat": seat, "meld": "m1", "kind": "run", "cards": cards, "places": list(places)}
        self.append("SpreadLaid", data | {"stands_for": cards})

    def hit(self, seat: int, place: int) -> None:
        self.deal.held[seat].remove(place)
        card = self.deal.card(place)
        data = {"seat": seat, "meld": "m1", "card": card, "stands_for": card, "place": place}
        self.append("CardHit", data)

    def slap(self, seat: int, shed: int) -> None:
        deal = self.deal
        place = deal.pile.pop()
        deal.held[seat].remove(shed)
        deal.pile.append(shed)
        card = deal.card(place)
        data = {"seat": seat, "meld": "m1", "card": card, "stands_for": card, "place": place}
        self.append("CardSlapped", data | {"shed": {"card": deal.card(shed), "place": shed}})

    def reshuffle(self) -> None:
        deal = self.deal
        places, deal.pile = deal.pile[:-1], deal.pile[-1:]
        cards = [deal.decks[0].order[place] for place in places]
        deal.decks.append(fair.seal(deal.key, hand=UUID(deal.id).bytes, cards=cards, shuffle_no=1))
        deal.stock = 64
        root = deal.decks[1].root.hex()
        data = {"hand": deal.id, "shuffle_no": 1, "places": places, "root": root}
        self.append("PileReshuffled", data)

    def turn(self, seat: int) -> None:
        """A draw and the oldest card away."""
        self.draw(seat)
        self.discard(seat, self.deal.held[seat][0])

    def end(self) -> None:
        deal = self.deal
        held = [
            {"seat": seat, "cards": [deal.card(place) for place in places], "places": places}
            for seat, places in deal.held.items()
        ]
        self.append("HandEnded", {"hand": deal.id, "end": "knock_win", "held": held})
        self.append("HandRevealed", {"hand": deal.id, "server_seed": deal.server_seed.hex()})
        deal.is_over, deal.last = True, self.version

    def abort(self, missing: Sequence[int] = (), **changes: Any) -> None:
        data = {
            "hand": self.deal.id,
            "missing": list(missing),
            "reason": "silent_seat",
            "server_seed": self.deal.server_seed.hex(),
        }
        self.append("ShuffleAborted", data | changes)

    def void(self, reason: str, *, reveals: bool) -> None:
        seed = self.deal.server_seed.hex() if reveals else None
        self.append("HandVoided", {"hand": self.deal.id, "reason": reason, "server_seed": seed})
        self.deal.is_over, self.deal.last = True, self.version

    # --- What is answered -------------------------------------------------------------------------

    def state(self, **more: Any) -> Document:
        """The table as seat 1 sees it."""
        viewer: Document = {"kind": "seat", "seat": 1} if self.is_seated else {"kind": "public"}
        found: Document = {"version": self.version, "status": "playing", "viewer": viewer}
        if self.deals and self.deal.dealt:
            found["hand_id"] = self.deal.id
            if self.is_seated and not self.deal.is_over:
                found["cards"] = [self.deal.card(place) for place in self.deal.held[1]]
        if self.may_move:
            found["legal"] = [{"move": "S"}]
        return found | more

    def answer(self, request: httpx.Request) -> httpx.Response:
        url = urlsplit(str(request.url))
        path = url.path.removeprefix("/api/v1")
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        self.requests.append(f"{request.method} {path}")
        if path in self.refusals:
            return self.refusals[path].answer
        body = json.loads(request.content) if request.content else {}
        try:
            found = self._found(path.strip("/").split("/"), query, body)
        except Refusal as refusal:
            return refusal.answer
        for where, change in self.lies:
            if where in path:
                found = change(found)
        return httpx.Response(200, json=found)

    def _found(self, path: Sequence[str], query: Mapping[str, str], body: Document) -> Document:
        match path:
            case ["me"]:
                return {"player_id": ME}
            case ["tables", _, "state"]:
                self.acts.pop(0)()
                return self.state()
            case ["tables", _, "moves"]:
                return self._move()
            case ["tables", _, "events"]:
                after = int(query["after"])
                page = self.events[after : after + 500]
                more = len(self.events) > after + 500
                return {"events": page, "version": self.version, "more": more}
            case ["tables", _, "anchor"]:
                self._anchored(ME, 1, body["anchor"], body["length"])
                return {"index": 0}
            case ["tables", _, "seeds"]:
                return {"index": self._seed(body["seed"])}
            case ["tables", _, "cards"]:
                return self._own_openings()
            case _:
                return self._proved(path, query)

    def _proved(self, path: Sequence[str], query: Mapping[str, str]) -> Document:
        match path:
            case ["hands", hand, "cards", place]:
                return self.opening(hand, int(place))
            case ["hands", hand, "verify"]:
                return self._proof(hand)
            case ["log", "key"]:
                return {"origin": ORIGIN, "keys": [{"key": self.key(n)} for n in self.shows_keys]}
            case ["log", "proofs", "consistency"]:
                size, old = int(query["to"]), int(query["from"])
                steps = merkle.consistency_path(self.leaves[:size], old)
                return {"path": [one.hex() for one in steps]}
            case _:
                raise AssertionError(path)

    def _move(self) -> Document:
        """Seat 1 draws, whatever it said."""
        self.may_move = False
        self.draw(1)
        root = merkle.root(self.leaves).hex()
        return {
            "version": self.version,
            "events": self.events[-1:],
            "state": self.state(),
            "checkpoint": {"size": self.version, "root": root},
        }

    def _seed(self, seed: str) -> int:
        deal = self.deal
        if deal.seeds.get(1) == seed:
            return self.anchors[ME][1]
        if deal.dealt:
            raise Refusal(409, "seed_too_late")
        if not fair.is_next_link(bytes.fromhex(seed), bytes.fromhex(self.anchors[ME][0])):
            raise Refusal(422, "bad_seed")
        return 1 if self.drops_seeds else self._revealed(1, seed)

    def _own_openings(self) -> Document:
        if self.deal.is_over:
            raise Refusal(409, "no_hand")
        held = sorted(self.deal.held[1])
        return {
            "hand_id": self.deal.id,
            "openings": [self.opening(self.deal.id, place) for place in held],
        }

    def opening(self, hand: str, place: int) -> Document:
        deal = next(one for one in self.deals if one.id == hand)
        number, position = divmod(place, 64)
        found = fair.open_card(deal.decks[number], position)
        return {
            "hand": hand,
            "shuffle_no": number,
            "position": position,
            "place": place,
            "size": found.size,
            "card": TEXTS[found.code],
            "code": found.code,
            "salt": found.salt.hex(),
            "path": [one.hex() for one in found.path],
            "root": found.root.hex(),
        }

    def _proof(self, hand: str) -> Document:
        deal = next(one for one in self.deals if one.id == hand)
        index, size = deal.last - 1, self.version
        path = merkle.path(self.leaves, index)
        return {
            "hand_id": hand,
            "records": self.records[deal.first - 1 : deal.last],
            "checkpoint": self.note(),
            "inclusion": {"index": index, "size": size, "path": [one.hex() for one in path]},
        }

    # --- The log: the table's events are all there is ---------------------------------------------

    @property
    def leaves(self) -> list[bytes]:
        return [bytes.fromhex(one["hash"]) for one in self.events]

    def key(self, number: int) -> str:
        return notes.verifier_key(ORIGIN, self.signers[number].public_key().public_bytes_raw())

    def note(self, size: int | None = None) -> str:
        """The log's note, by default of all that is in it."""
        leaves = self.leaves[:size]
        text = notes.checkpoint_text(ORIGIN, len(leaves), merkle.root(leaves))
        lines = ""
        for signer in self.signers[: self.signs]:
            public = signer.public_key().public_bytes_raw()
            signature = signer.sign(text.encode())
            lines += notes.signature_line(ORIGIN, notes.key_id(ORIGIN, public), signature)
        return f"{text}\n{lines}"


def fair_chain(root: bytes, length: int) -> list[bytes]:
    links = [sha256(root).digest()]
    for _ in range(length):
        links.append(fair.link(links[-1]))
    return links[::-1]
