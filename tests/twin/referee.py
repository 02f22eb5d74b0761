"""The twin: a slow, plain, independent evaluator of one hand of Tonk (rules.md)."""

from typing import Any

from tests.twin.hand import Hand
from tests.twin.options import complete, liability, validate
from tests.twin.payments import Settlement
from tests.twin.seats import cut, rotation
from tests.twin.spreads import (
    Meld,
    extended,
    first_spread,
    hit_ends,
    in_deck_order,
    points,
    read,
    readings,
    spreads_in,
)

__all__ = ["Referee", "command", "complete", "cut", "liability", "rotation", "validate"]

VERBS = ("draw_stock", "draw_discard", "spread", "hit", "discard", "knock", "slap", "timeout")


class Referee(Hand):
    """One hand: what each act needs, what it does, and every legal move."""

    def act(self, player: str, verb: str, *arguments: Any) -> str:
        """Do it and say "ok", or say why not and change nothing."""
        code = self.check(player, verb, *arguments)
        if code is not None:
            return code
        if verb != "slap":
            self.discarder = None  # the next player's first accepted action closes the window
        getattr(self, "_do_" + verb)(player, *arguments)
        return "ok"

    def check(self, player: str, verb: str, *arguments: Any) -> str | None:
        """Section 9: the first refusal in the order of the checks, None if the act is legal."""
        if verb not in VERBS:
            raise ValueError(f"verb {verb}")
        if self.end is not None:
            return "hand_over"
        if verb == "slap":
            return self._check_slap(player, *arguments)
        if player != self.to_act:
            return "not_your_turn"
        if verb == "timeout":
            return None
        code: str | None = getattr(self, "_check_" + verb)(player, *arguments)
        return code

    def _holds_taken(self, player: str) -> bool:
        """V12: the taken card must still be used."""
        return bool(self.full["must_use_discard"]) and self.taken in self.hands[player]

    # Knock: 4, 18, 5, 6, 7.

    def _check_knock(self, player: str) -> str | None:
        if self.drawn and self.full["knock_when"] == "turn_start":
            return "knock_only_at_turn_start"
        if self._holds_taken(player):
            return "must_use_discard"
        if self.turns_done[player] + 1 < self.full["knock_from_round"]:
            return "knock_too_early"
        if self.held_now or self.holds[player] > 0:
            return "knock_held"
        limit = self.full["knock_max_count"]
        if limit is not None and self.counts()[player] > limit:
            return "knock_over_limit"
        return None

    def _do_knock(self, player: str) -> None:
        counts = self.counts()
        bill = Settlement(self.full, self.players, self.dealer, self.stake, counts)
        if bill.catchers(player):
            self._finish("caught", player)
            return
        tiers = [tier for limit, tier in self.full["drop_low"] if counts[player] <= limit]
        self._finish("knock_win", player, tiers[0] if tiers else 1)

    # Draws: stock 8; discard 8, 9, 10, 11.

    def _check_draw_stock(self, player: str) -> str | None:
        return "already_drawn" if self.drawn else None

    def _do_draw_stock(self, player: str) -> None:
        if not self.stock and not self._make_new_stock():
            void = self.full["on_empty_stock"] == "void"
            self._finish("void" if void else "stock_out", player)
            return
        card = self.stock.pop(0)
        self.hands[player].append(card)
        self.drawn = True
        self.from_stock = card
        self.discard_turns = 0

    def _make_new_stock(self) -> bool:
        """V14, D27: the discards under the top one become the stock, once a hand."""
        if self.full["on_empty_stock"] != "reshuffle":
            return False
        if self.reshuffled or len(self.discard) < 2:
            return False
        under = self.discard[:-1]
        if self.reshuffle is None or in_deck_order(self.reshuffle) != in_deck_order(under):
            raise ValueError("the given reshuffle is not the discards under the top one")
        self.stock = list(self.reshuffle)
        self.discard = self.discard[-1:]
        self.reshuffled = True
        return True

    def _check_draw_discard(self, player: str) -> str | None:
        if self.drawn:
            return "already_drawn"
        if not self.discard:
            return "no_discard"
        cap = self.full["discard_turn_cap"]
        if self.discard_turns >= (3 * len(self.players) if cap is None else cap):
            return "must_draw_stock"
        top = self.discard[-1]
        if self.full["must_use_discard"]:
            hand = [*self.hands[player], top]
            if not self._usable(top, hand, self.melds, self.hits):
                return "discard_unusable"
        return None

    def _do_draw_discard(self, player: str) -> None:
        self.taken = self.discard.pop()
        self.hands[player].append(self.taken)
        self.drawn = True
        self.discard_turns += 1

    def _usable(self, card: str, hand: list[str], melds: dict[str, Meld], hits: int) -> bool:
        """D25: the card can be laid now, in a spread with held cards or as a hit."""
        if any(card in spread for spread in spreads_in(in_deck_order(hand), self.pack)):
            return True
        limit = self.full["hits_per_turn"]
        if limit is not None and hits >= limit:
            return False
        return any(self._ends(meld, card) for meld in melds.values())

    # Spread: 12, 13, 14, 18.

    def _check_spread(self, player: str, cards: list[str]) -> str | None:
        if not self.drawn:
            return "must_draw_first"
        hand = self.hands[player]
        if any(card not in hand for card in cards):
            return "card_not_in_hand"
        reading = read(tuple(cards), self.pack)
        if reading is None:
            return "bad_spread"
        if self._holds_taken(player) and self.taken is not None and self.taken not in cards:
            left = [card for card in hand if card not in cards]
            melds = {**self.melds, "new": reading}
            if not self._usable(self.taken, left, melds, self.hits):
                return "must_use_discard"
        return None

    def _do_spread(self, player: str, cards: list[str]) -> None:
        reading = read(tuple(cards), self.pack)
        assert reading is not None
        number = 1
        while f"m{number}" in self.melds:
            number += 1
        self.melds[f"m{number}"] = reading._replace(owner=player)
        self.hands[player] = [card for card in self.hands[player] if card not in cards]
        self.new_spread = True
        self.holds[player] = max(self.holds[player], self.full["spread_hold"])
        self._out_by_laying(player)

    # Hit: 12, 13, 15, 16, 18.

    def _ends(self, meld: Meld, card: str) -> list[str]:
        """Where a card may be added, `hit_targets` considered; the usual end first."""
        if self.full["hit_targets"] == "runs_only" and meld.kind == "book":
            return []
        return hit_ends(meld, card, self.pack)

    def _end_of(self, meld: Meld, card: str, named: str | None) -> str | None:
        """The end that a hit goes to: the named one, else the high one if it takes the card."""
        ends = self._ends(meld, card)
        if named is None:
            return ends[0] if ends else None
        return named if named in ("low", "high") and named in ends else None

    def _check_hit(self, player: str, card: str, name: str, named: str | None = None) -> str | None:
        if not self.drawn:
            return "must_draw_first"
        hand = self.hands[player]
        if card not in hand:
            return "card_not_in_hand"
        end = self._end_of(self.melds[name], card, named) if name in self.melds else None
        if end is None:
            return "bad_hit"
        limit = self.full["hits_per_turn"]
        if limit is not None and self.hits >= limit:
            return "hit_limit"
        if self._holds_taken(player) and self.taken is not None and self.taken != card:
            left = [other for other in hand if other != card]
            melds = {**self.melds, name: extended(self.melds[name], card, end)}
            if not self._usable(self.taken, left, melds, self.hits + 1):
                return "must_use_discard"
        return None

    def _do_hit(self, player: str, card: str, name: str, named: str | None = None) -> None:
        meld = self.melds[name]
        end = self._end_of(meld, card, named)
        assert end is not None
        self.melds[name] = extended(meld, card, end)
        self.hands[player].remove(card)
        self.hits += 1
        if meld.owner != player or self.full["hit_hold_self"]:  # V7
            key = "hit_hold_extra" if self.holds[meld.owner] > 0 else "hit_hold_first"
            self.holds[meld.owner] += self.full[key]
        self._out_by_laying(player)

    def _out_by_laying(self, player: str) -> None:
        """R24, R27, R37, D7."""
        if self.hands[player]:
            return
        single = self.full["tonk_double_requires_new_spread"] and not self.new_spread
        self._finish("tonk_out", player, 1 if single else 2)

    # Discard: 12, 13, 17, 18, 19.

    def _check_discard(self, player: str, card: str) -> str | None:
        if not self.drawn:
            return "must_draw_first"
        hand = self.hands[player]
        if card not in hand:
            return "card_not_in_hand"
        if card == self.taken and len(hand) > 1 and not self.full["allow_return_discard"]:
            return "same_discard"
        if self._holds_taken(player):
            return "must_use_discard"
        if self._must_lay(player):
            return "must_spread"
        return None

    def _must_lay(self, player: str) -> list[tuple[str, ...]]:
        """D16: the held spreads that forbid a discard: all but books of aces alone."""
        if not self.full["must_spread"]:
            return []
        held = spreads_in(in_deck_order(self.hands[player]), self.pack)
        return [spread for spread in held if any(card[0] != "A" for card in spread)]

    def _do_discard(self, player: str, card: str) -> None:
        self.hands[player].remove(card)
        self.discard.append(card)
        if not self.hands[player]:  # R25
            self._finish("discard_out", player)
            return
        self.turns_done[player] += 1
        if self.full["slap"]:
            self.discarder = player
        self._begin_turn(self._left_of(player))

    # Slap: 2, 13.

    def _slap_target(self) -> str | None:
        """The first spread, in order of laying, that takes the top discard."""
        if self.discarder is None:
            return None
        for name, meld in self.melds.items():
            if self._ends(meld, self.discard[-1]):
                return name
        return None

    def _check_slap(self, player: str, shed: str | None = None) -> str | None:
        if self._slap_target() is None:
            return "slap_not_possible"
        if player == self.discarder:
            return None if shed is None else "slap_not_possible"
        return None if shed in self.hands[player] else "card_not_in_hand"

    def _do_slap(self, player: str, shed: str | None = None) -> None:
        name = self._slap_target()
        assert name is not None
        card = self.discard.pop()
        self.melds[name] = extended(self.melds[name], card, self._ends(self.melds[name], card)[0])
        self.discarder = None  # one slap a discard
        if shed is None:
            return
        self.hands[player].remove(shed)
        self.discard.append(shed)
        if not self.hands[player]:
            self._finish("discard_out", player)

    # Time-out (D18, section 6).

    def _do_timeout(self, player: str) -> None:
        if not self.drawn:
            self._do_draw_stock(player)
        if self.end is None and self._holds_taken(player):
            self._lay_taken(player)
        while self.end is None and (spreads := self._must_lay(player)):
            self._do_spread(player, list(first_spread(spreads, self.pack).cards))
        if self.end is None:
            self._do_discard(player, self._card_to_throw(player))

    def _lay_taken(self, player: str) -> None:
        card = self.taken
        assert card is not None
        held = spreads_in(in_deck_order(self.hands[player]), self.pack)
        spreads = [spread for spread in held if card in spread]
        if spreads:
            self._do_spread(player, list(first_spread(spreads, self.pack).cards))
            return
        for name, meld in self.melds.items():
            if self._ends(meld, card):
                self._do_hit(player, card, name)
                return

    def _card_to_throw(self, player: str) -> str:
        """The drawn card; else the dearest, of equal ones the last in deck order."""
        hand = list(in_deck_order(self.hands[player]))
        if self.from_stock in hand:
            return str(self.from_stock)
        others = [card for card in hand if card != self.taken] or hand
        dearest = max(points(card, self.pack) for card in others)
        return [card for card in others if points(card, self.pack) == dearest][-1]

    # Every legal move.

    def legal(self) -> set[tuple[str, str]]:
        """(player, move text) of every legal move of everybody; time-outs are no moves."""
        found = set()
        for player in self.players:
            for text in self._candidates(player):
                verb, arguments = command(text)
                if self.check(player, verb, *arguments) is None:
                    found.add((player, text))
        return found

    def _candidates(self, player: str) -> list[str]:
        """Move texts worth asking about: one for each meaning."""
        if self.end is not None:
            return []
        hand = self.hands[player]
        texts = ["P", *("P " + card for card in hand)] if self.discarder is not None else []
        if player != self.to_act:
            return texts
        texts += ["S", "T", "K"]
        if not self.drawn:
            return texts
        texts += ["D " + card for card in hand]
        for spread in spreads_in(in_deck_order(hand), self.pack):
            texts += ["L " + " ".join(meld.cards) for meld in readings(spread, self.pack)]
        for card in hand:
            for name, meld in self.melds.items():
                ends = self._ends(meld, card)
                named = [" low", " high"] if len(ends) == 2 else [""]
                texts += [f"H {card} {name}{end}" for end in named]
        return texts


def command(text: str) -> tuple[str, list[Any]]:
    """Verb and arguments of a move text (section 6)."""
    letter, *words = text.split()
    if letter == "L":
        return "spread", [words]
    verbs = {
        "S": "draw_stock",
        "T": "draw_discard",
        "K": "knock",
        "H": "hit",
        "D": "discard",
        "P": "slap",
    }
    return verbs[letter], list(words)
