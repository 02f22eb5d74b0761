"""The twin's state of a hand: the deal, initial claims, turns, the end."""

from typing import Any, NamedTuple, Self

from tests.twin.options import Options, complete, initial_counts, validate
from tests.twin.payments import Settlement, Transfer
from tests.twin.seats import UNCOUNTED
from tests.twin.spreads import (
    Meld,
    all_cards,
    held_total,
    in_deck_order,
    pack_of,
    read,
    readings,
    total,
)


class Claim(NamedTuple):
    """An initial claim, the fields in the order in which `higher_wins` compares them."""

    kind: int  # 2 total, 1 whole spread, 0 low hand
    worth: int
    player: str
    end: str
    multiplier: int


class Hand:
    """The state of one hand, from the deal or from a case to its end."""

    def __init__(
        self,
        options: Options,
        players: list[str],
        dealer: str,
        deck: list[str],
        stake: int = 1,
        reshuffle: list[str] | None = None,
    ) -> None:
        self._set_up(options, players, dealer, stake, reshuffle)
        if in_deck_order(deck) != tuple(all_cards(self.pack)):
            raise ValueError("not the whole deck")
        self._deal(deck)
        self._open()

    def _set_up(
        self,
        options: Options,
        players: list[str],
        dealer: str,
        stake: int,
        reshuffle: list[str] | None,
    ) -> None:
        code = validate(options, len(players))
        if code is not None:
            raise ValueError(code)
        if dealer not in players or len(set(players)) != len(players):
            raise ValueError("bad players")
        self.full = complete(options)
        self.pack = pack_of(self.full)
        self.players = list(players)
        self.dealer = dealer
        self.stake = stake
        self.reshuffle = reshuffle

        self.hands: dict[str, list[str]] = {p: [] for p in players}
        self.melds: dict[str, Meld] = {}
        self.stock: list[str] = []  # top first
        self.discard: list[str] = []  # top last
        self.holds: dict[str, int] = dict.fromkeys(players, 0)
        self.turns_done: dict[str, int] = dict.fromkeys(players, 0)
        self.discard_turns = 0  # D17: turns in a row that began with the discard
        self.reshuffled = False
        self.discarder: str | None = None  # of the discard that may be slapped

        self.to_act: str | None = None
        self.drawn = False
        self.taken: str | None = None  # the card taken from the discards in this turn
        self.from_stock: str | None = None  # the card drawn from the stock in this turn
        self.hits = 0
        self.new_spread = False
        self.held_now = False  # a hold was charged for this turn

        self.end: str | None = None
        self.by: str | None = None
        self.paid: list[Transfer] = []

    # The deal.

    def _deal(self, deck: list[str]) -> None:
        """D3: card i goes to seat (dealer+1+i) mod n, then the upcard, then the stock."""
        seats = len(self.players)
        dealt = seats * self.full["hand_size"]
        left = self.players.index(self.dealer) + 1
        for i in range(dealt):
            self.hands[self.players[(left + i) % seats]].append(deck[i])
        if self.full["initial_upcard"]:
            self.discard = [deck[dealt]]
            dealt += 1
        self.stock = list(deck[dealt:])

    def _open(self) -> None:
        """Judge the initial claims; without one the player at the dealer's left begins (R14)."""
        claims = [claim for p in self.players if (claim := self._claim(p)) is not None]
        if not claims:
            self._begin_turn(self._left_of(self.dealer))
            return
        claims.sort(reverse=True)
        best = claims[0]
        draw = self.full["initial_tie"] == "draw"  # R11, D4
        if len(claims) > 1 and (draw or claims[1][:2] == best[:2]):  # V5: still equal
            self._finish("initial_draw", None)
        else:
            self._finish(best.end, best.player, best.multiplier)

    def _claim(self, player: str) -> Claim | None:
        """D4: the first that holds of total, whole spread, low hand. Every dealt card counts."""
        hand = in_deck_order(self.hands[player])
        dealt = total(hand, self.pack)
        multiplier = self.full["initial_tonk_multiplier"]
        if dealt in initial_counts(self.full):
            return Claim(2, dealt, player, "initial_tonk", multiplier)
        if self.full["initial_spread"] and readings(hand, self.pack):
            return Claim(1, dealt, player, "initial_spread", multiplier)
        for limit, tier in self.full["initial_low"]:
            if dealt <= limit:
                return Claim(0, -dealt, player, "initial_low", tier)
        return None

    @classmethod
    def from_case(cls, case: dict[str, Any]) -> Self:
        """The starts deal, turn and drawn of cases/README.md."""
        hand = cls.__new__(cls)
        hand._set_up(
            case.get("options", {}),
            case["players"],
            case["dealer"],
            case.get("stake", 1),
            case.get("reshuffle"),
        )
        hand._place_cards(case)
        start = case["start"]
        if start == "deal":
            hand._open()
            return hand
        if start not in ("turn", "drawn"):
            raise ValueError(f"start {start}")
        hand.turns_done = dict.fromkeys(hand.players, case.get("round", 1))
        hand.holds.update(case.get("holds", {}))
        hand._begin_turn(case["turn"])
        if start == "drawn":
            hand.drawn = True
            hand.taken = case.get("taken")
        return hand

    def _place_cards(self, case: dict[str, Any]) -> None:
        self.hands = {p: list(case["hands"][p]) for p in self.players}
        for name, meld in case.get("melds", {}).items():
            reading = read(tuple(meld["cards"]), self.pack)
            if reading is None:
                raise ValueError(f"{name} is no spread")
            self.melds[name] = reading._replace(owner=meld["owner"])
        self.stock = list(case.get("stock", []))
        self.discard = list(case.get("discard", []))
        listed = self.everything()
        rest = [card for card in all_cards(self.pack) if card not in listed]
        if case.get("rest", "stock") == "stock":
            self.stock = self.stock + rest
        else:
            self.discard = rest + self.discard
        if in_deck_order(self.everything()) != tuple(all_cards(self.pack)):
            raise ValueError("a card twice, or one that the deck does not have")

    # What one can see.

    def everything(self) -> list[str]:
        """Every card, wherever it lies."""
        cards = self.stock + self.discard
        for hand in self.hands.values():
            cards = cards + hand
        for meld in self.melds.values():
            cards = cards + list(meld.cards)
        return cards

    def counts(self) -> dict[str, int]:
        method = self.full["count_method"]
        return {p: held_total(self.hands[p], method, self.pack) for p in self.players}

    @property
    def transfers(self) -> list[list[str | int]]:
        """[from, to, amount, rule] of every payment, in the stated order."""
        return [list(payment) for payment in self.paid]

    def net(self) -> dict[str, int]:
        nets = dict.fromkeys(self.players, 0)
        for payer, receiver, amount, _ in self.paid:
            nets[payer] -= amount
            nets[receiver] += amount
        return nets

    def next_dealer(self) -> str:
        """D2, V17."""
        if self.full["redeal_dealer"] == "same" and self.end in UNCOUNTED:
            return self.dealer
        return self._left_of(self.dealer)

    def counted(self) -> bool:
        return self.end is not None and self.end not in UNCOUNTED

    def _left_of(self, player: str) -> str:
        return self.players[(self.players.index(player) + 1) % len(self.players)]

    # Turns and ends.

    def _begin_turn(self, player: str) -> None:
        """D26: a hold is charged at the start of the held player's turn."""
        self.to_act = player
        self.drawn = False
        self.taken = None
        self.from_stock = None
        self.hits = 0
        self.new_spread = False
        self.held_now = self.holds[player] > 0
        if self.held_now:
            self.holds[player] -= 1

    def _finish(self, end: str, by: str | None, multiplier: int = 1) -> None:
        self.end = end
        self.by = by
        self.to_act = None
        self.discarder = None
        bill = Settlement(self.full, self.players, self.dealer, self.stake, self.counts())
        self.paid = bill.transfers(end, by, multiplier)
