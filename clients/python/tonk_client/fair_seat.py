"""A seat that takes part in the fair deal: it gives seeds, and believes nothing that it can check.

What is checked, and in which order, is that of the specification (`eventstore.md` 5.6). What does
not hold raises `DealNotFair` once and for all: at that table no further seed is given.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from . import fair, keeping
from .checkpoints import Checkpoints
from .hand import Hand
from .memory import Chain, Link, Memory
from .problem import DealNotFair, Problem
from .tonk_verify import link

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .client import Tonk
    from .hand import Stage

Document = dict[str, Any]

LENGTH = 1_024  # hands that an anchor lasts
TRIES_MAX = 3  # a table may move on while its cards are asked for
# A hand's proof may come later than the next hand: the log is ordered and signed in its own time.
UNPROVED_MAX = 16
LAST_TRIES, LAST_PAUSE_SECONDS = 10, 0.5  # for the proof of the last hand
# The hand went on, or was called off, before the seed arrived; or the seat is gone.
TOO_LATE = frozenset({"seed_too_late", "not_seated"})
UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class FairSeat:
    """My seat at a table. Call `follow` with every state of the table, before acting on it.

    The client may be started anew at any time: what it needs is in a file of the client's folder.
    """

    def __init__(
        self,
        tonk: Tonk,
        table_id: str,
        *,
        length: int = LENGTH,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._tonk, self._table = tonk, str(UUID(table_id))
        self._length, self._entropy = length, entropy
        self._player = str(UUID(tonk.me()["player_id"]))
        folder = keeping.own_folder(tonk.base_url, tonk.folder)
        self._path = folder / f"{self._table}-{self._player}.json"
        self._checkpoints = Checkpoints(tonk, folder / f"log-{self._player}.json")
        self._memory = Memory.read(self._path, self._player)
        self._registered: str | None = None  # anchor that was registered, and is not in the log yet
        self._shown: object = None  # what is being looked at
        self.seeds_given: tuple[int, int] | None = None
        """How many seats gave a seed for the newest hand, of how many that were dealt in."""

    def follow(self, state: Document, events: Sequence[Document] = ()) -> None:
        """Catch up with the table as this state shows it, and do what is mine to do.

        `events` are those that came with the state, as in the answer to a move. Raises:
        DealNotFair, and what any call may raise.
        """
        self._judged(lambda: self._follow(state, events))

    def finish(self) -> None:
        """Wait some seconds for the proof of the last hand; what is not there then, `follow` asks.

        Raises: as `follow`.
        """
        for _ in range(LAST_TRIES):
            self._judged(self._prove_ended)
            if not self._memory.over:
                return
            self._tonk.pause(LAST_PAUSE_SECONDS)

    def _judged(self, act: Callable[[], None]) -> None:
        convicted = self._memory.unfair
        if convicted is not None:
            evidence = Path(convicted["evidence"])
            raise DealNotFair(convicted["check"], convicted["what"], evidence)
        try:
            act()
        except DealNotFair as unfair:
            raise self._convicted(unfair) from unfair
        except UNREADABLE as fault:
            what = f"the server's facts can not be read: {fault!r}"
            raise self._convicted(DealNotFair("unreadable", what)) from fault

    def told(self, checkpoint: Document | None) -> None:
        """Keep the checkpoint of an answer to a move: the next signed one must agree with it."""
        if checkpoint is not None:
            self._checkpoints.told(checkpoint)

    # --- In turn ----------------------------------------------------------------------------------

    def _follow(self, state: Document, events: Sequence[Document]) -> None:
        memory = self._memory
        if memory.version is None:
            memory.version, memory.seat = state["version"], state["viewer"].get("seat")
        elif events and events[0]["version"] == memory.version + 1:
            self._take(events, memory.version)
        if state["version"] > self._version or memory.is_sealing:
            self._read()
        if self._stage is None or memory.is_sealing:
            self._prove_ended()
        if state["viewer"]["kind"] == "seat":
            self._reveal()
            self._anchor()
        self._open_cards()
        self._compare(state)

    @property
    def _version(self) -> int:
        return self._memory.version or 0

    def _read(self) -> None:
        """Read on to the newest event; from the commitment again while a deal is being sealed.

        So the deal follows the very events that were there when my seed was given.
        """
        after, hand, more = self._version, self._memory.hand, True
        if hand is not None and hand.stage == "sealing":
            after = hand.first_version - 1
        while more:
            page = self._tonk.events(self._table, after=after)
            self._take(page["events"], after)
            after, more = self._version, bool(page["more"] and page["events"])

    def _take(self, events: Sequence[Document], after: int) -> None:
        before = self._stage
        for version, event in enumerate(events, after + 1):
            self._shown = event
            if event["version"] != version:
                raise DealNotFair("gap", f"version {event['version']} came for {version}")
            if version > self._version:
                self._see(event)
                self._memory.version = version
            elif self._memory.hand is not None and event not in self._memory.hand.events:
                raise DealNotFair("event_changed", f"version {version} is not what it was")
        if self._stage != before:
            self._keep()

    @property
    def _stage(self) -> tuple[str, str] | None:
        """Which hand is open, and how far it is: what a restart must find again."""
        hand = self._memory.hand
        return None if hand is None else (hand.id, hand.stage)

    # --- What is seen -----------------------------------------------------------------------------

    def _see(self, event: Document) -> None:
        hand, data = self._memory.hand, event["data"]
        if event["type"] == "ShuffleCommitted":
            self._committed(event)
            return
        if event["type"] == "SeedRevealed":
            self._linked(data)
        if hand is not None:
            stage = hand.stage
            hand.take(event)
            if hand.stage != stage:
                self._advanced(hand, stage)
            if event["type"] == "ShuffleAborted":
                for silent in data["missing"]:  # after the second time; a new one ends the rest
                    self._unanchored(hand.seats[silent]["player"])
        self._see_seats(event["type"], data)

    def _committed(self, event: Document) -> None:
        """The checks before a seed is given for a hand."""
        memory, hand = self._memory, Hand(event, self._player)
        if memory.hand is not None:
            raise DealNotFair("commitment_open", "a hand is committed to while another one runs")
        if hand.id in memory.hands or hand.commit in memory.hands.values():
            raise DealNotFair("commitment_seen", f"hand {hand.id} was committed to before")
        own = hand.own_seat
        there = hand.seats.get(memory.seat or 0, {}).get("player", self._player)
        if there != self._player or own not in {None, memory.seat}:
            raise DealNotFair("own_seat", f"the deal has another seat for me than {memory.seat}")
        if own is not None and memory.is_anchored and not hand.seats[own]["anchored"]:
            raise DealNotFair("anchor_ignored", "my anchor is in the log, and no seed is asked for")
        hand.anchor = memory.chain.anchor if memory.chain is not None else None
        memory.remember(hand)

    def _linked(self, data: Document) -> None:
        """The seed of another hangs on the last link of his seat, where I have seen that one."""
        player, seed = data["player"], data["seed"]
        last = self._memory.asked.get(player)
        if last is None or player == self._player:
            return
        if link(bytes.fromhex(seed)).hex() != last:
            raise DealNotFair("seed_link", f"the seed of seat {data['seat']} is not the next link")
        known = self._memory.links.get(player)
        if known is not None and known.link == last:  # no other anchor has come since
            known.link = seed

    def _advanced(self, hand: Hand, before: Stage) -> None:
        """What follows when a hand is dealt, aborted, over."""
        memory, self.seeds_given = self._memory, hand.seeds_given
        if before == "sealing" and hand.sent is not None and not hand.has_own_seed:
            # The server has seen this link before it draws for the next hand: it is worth nothing.
            memory.chain = None
        if hand.stage != "running":
            memory.hand = None
        if hand.stage == "over" and hand.server_seed is not None:
            memory.over.append(hand)

    def _see_seats(self, kind: str, data: Document) -> None:
        if kind == "SeedAnchored":
            self._anchored(data)
        elif kind == "DealerCut":
            self._moved(data["seating"])
        elif kind in {"SeatTaken", "SeatLeft"}:
            self._unanchored(data["player"])
            if data["player"] == self._player:
                self._memory.seat = data["seat"] if kind == "SeatTaken" else None

    def _anchored(self, data: Document) -> None:
        memory, player, anchor = self._memory, data["player"], data["anchor"]
        memory.links[player] = Link(data["seat"], anchor)
        if player != self._player:
            return
        if memory.fresh is not None and memory.fresh.anchor == anchor:
            memory.chain, memory.fresh = memory.fresh, None
        elif memory.chain is None or (memory.chain.anchor, memory.chain.index) != (anchor, 0):
            raise DealNotFair("foreign_anchor", "my seat has an anchor that I did not register")

    def _moved(self, seating: Sequence[Document]) -> None:
        """The cut seats everybody: whoever changes his seat is without an anchor."""
        memory = self._memory
        for one in seating:
            known = memory.links.get(one["player"])
            if known is not None and known.seat != one["seat"]:
                self._unanchored(one["player"])
            if one["player"] == self._player:
                memory.seat = one["seat"]

    def _unanchored(self, player: str) -> None:
        self._memory.links.pop(player, None)
        if player == self._player:
            self._memory.chain = None

    # --- What is done -----------------------------------------------------------------------------

    def _reveal(self) -> None:
        """Give the next link, once: it is kept as given before it leaves."""
        memory, hand = self._memory, self._memory.hand
        if hand is None or hand.stage != "sealing" or hand.is_accepted or hand.has_own_seed:
            return
        own = hand.own_seat
        if own is None or not hand.seats[own]["anchored"]:
            return
        if hand.sent is None:
            # The seat may have another chain since, and the hand asks for a link of the old one.
            if memory.chain is None or memory.chain.anchor != hand.anchor:
                return
            if memory.chain.is_used_up:
                return
            hand.sent = memory.chain.spend()
            self._keep()
        try:
            self._tonk.give_seed(self._table, hand.id, hand.sent["seed"])
        except Problem as problem:
            if problem.code == "bad_seed":
                what = "the server refuses the next link of the anchor that is in the log"
                raise DealNotFair("seed_refused", what) from problem
            if problem.code not in TOO_LATE:
                raise
        else:
            hand.is_accepted = True
            self._keep()

    def _anchor(self) -> None:
        """Register a chain where none is in force, or the one in force is used up."""
        memory = self._memory
        if memory.is_anchored:
            return
        if memory.fresh is None:
            memory.fresh = Chain.of(self._entropy(fair.SEED_BYTES), self._length)
            self._keep()
        if self._registered == memory.fresh.anchor:
            return
        try:
            self._tonk.anchor(self._table, memory.fresh.anchor, memory.fresh.length)
        except Problem as problem:
            if problem.code != "not_seated":
                raise
        else:
            self._registered = memory.fresh.anchor

    def _open_cards(self) -> None:
        """See every card of the running hand that I may see opened against the root."""
        for _ in range(TRIES_MAX):
            hand = self._memory.hand
            if hand is None or hand.stage != "running":
                return
            if hand.own_unproved():
                self._open_own(hand)
            for place in hand.unproved():
                self._open_public(hand, place)
            if not hand.own_unproved() and not hand.unproved():
                return
            self._read()  # the clock may have moved for me, or the hand is over
        self._prove_ended()
        if self._memory.hand is not None:
            self._all_opened(self._memory.hand)

    def _all_opened(self, hand: Hand) -> None:
        if hand.stage != "running":
            return
        if hand.own_unproved():
            raise DealNotFair("own_cards", "the server does not open my cards to me")
        closed = hand.unproved()
        if closed:
            what = f"places {closed} became public, and the server does not open them"
            raise DealNotFair("opening", what)

    def _open_own(self, hand: Hand) -> None:
        try:
            found = self._tonk.cards(self._table)
        except Problem as problem:
            if problem.code not in {"no_hand", "not_seated"}:
                raise
            return
        if found["hand_id"] == hand.id:
            for opening in found["openings"]:
                self._shown = opening
                hand.opened(opening)

    def _open_public(self, hand: Hand, place: int) -> None:
        try:
            opening = self._shown = self._tonk.card(hand.id, place)
        except Problem as problem:
            if problem.code != "not_found":
                raise
            return
        if opening["place"] != place:
            raise DealNotFair("opening", f"place {opening['place']} was opened for {place}")
        hand.opened(opening)

    def _compare(self, state: Document) -> None:
        """What I decide by must be what was opened to me."""
        hand = self._memory.hand
        if hand is None or "cards" not in state or state["version"] != self._version:
            return
        self._shown = state
        if state["hand_id"] != hand.id or sorted(state["cards"]) != sorted(hand.own_cards()):
            raise DealNotFair("own_cards", "the state shows me other cards than were opened to me")

    def _prove_ended(self) -> None:
        """Hold the records of ended hands against what I saw, and the log against itself.

        Of hands that only wait for a checkpoint the oldest is asked for: the others follow it.
        """
        over = self._memory.over
        for hand in tuple(over):
            waits = hand.is_recorded and hand is not over[0]
            if not waits and self._is_proved(hand):
                over.remove(hand)
                self._keep()
        if len(over) > UNPROVED_MAX:
            what = f"the server does not prove hand {over[0].id}, which ended {len(over)} hands ago"
            raise DealNotFair("unproved", what)

    def _is_proved(self, hand: Hand) -> bool:
        """Whether the records are there and in the signed log. Raises: DealNotFair."""
        try:
            found = self._shown = self._tonk.hand_proof(hand.id)
        except Problem as problem:
            if problem.code != "not_found":
                raise
            return False
        hand.recorded(f"table/{self._table}", found["records"])
        if "checkpoint" not in found or "inclusion" not in found:
            return False
        leaf = hand.events[-1]["hash"]
        self._checkpoints.included(leaf, found["inclusion"], found["checkpoint"])
        return True

    # --- What is kept -----------------------------------------------------------------------------

    def _keep(self) -> None:
        self._memory.write(self._path)

    def _convicted(self, unfair: DealNotFair) -> DealNotFair:
        """The same with its evidence kept in a file, which holds no seed that was not given."""
        memory, evidence = self._memory, self._path.with_suffix(".evidence.json")
        hands = [*memory.over, *([] if memory.hand is None else [memory.hand])]
        accused = {"check": unfair.check, "what": unfair.what}
        keeping.write(
            evidence,
            {
                **accused,
                "table": self._table,
                "player": self._player,
                "seat": memory.seat,
                "version": memory.version,
                "chain": None if memory.chain is None else memory.chain.public(),
                "checkpoint": self._checkpoints.head,
                "hands": [one.kept() for one in hands],
                "shown": self._shown,
            },
        )
        memory.unfair = {**accused, "evidence": str(evidence)}
        self._keep()
        return DealNotFair(unfair.check, unfair.what, evidence)
