"""What a viewer may know of a table: the only place that turns full state into output.

The document is a function of (the table's stream up to a version, the viewer), `api.md` section 5.
Nothing in it differs between two deals that differ only in what the viewer may not know.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

import msgspec

from games.rules import events, fair
from games.rules.cards import TEXTS
from games.rules.decide import legal, legal_slaps
from games.rules.melds import layout
from games.rules.moves import Move, meld_name
from games.rules.pot import in_pot, out_of_pot
from games.rules.presets import reference
from games.rules.state import Hand
from games.rules.table import Place, Table
from games.rules.window import asked

SCHEMA = 1
Document = dict[str, object]


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks: a player at a seat, or anybody else (seat None)."""

    seat: int | None = None

    @property
    def tag(self) -> str:
        """The viewer's part of an ETag."""
        return "p" if self.seat is None else f"s{self.seat}"


PUBLIC = Viewer()


def state_document(
    table: Table,
    viewer: Viewer,
    *,
    table_id: str,
    names: Mapping[str, str],
    time_text: Callable[[datetime], str],
) -> Document:
    """The state of a table as the viewer may see it. `names` are shown names by player id."""
    coming = table.commitment if table.sealing else None
    if coming is not None:  # the state of a coming hand holds nothing of the one before
        table = msgspec.structs.replace(table, dealt=None, hand=None, ended=None, server_seed=None)
    hand = table.hand
    document: Document = {"schema": SCHEMA, "table_id": table_id}
    of = coming or table.dealt
    if of is not None:
        document |= {"hand_id": of.hand, "hand_no": of.hand_no}
    document |= {
        "version": table.version,
        "status": table.status,
        "rules": _rules(table.rules),
        "currency": table.currency,
        "stake": table.stake,
        "viewer": _viewer(viewer),
    }
    if hand is not None and table.dealt is not None:
        document |= {"dealer": table.dealt.dealer, "round": hand.round}
        document |= _turn(table, time_text) | {"phase": hand.phase}
        document |= _own_hand(hand, viewer) | _public_cards(hand) | _pot(hand)
    elif coming is not None:
        document["dealer"] = coming.dealer
    document["seats"] = [_seat(table, place, names) for place in table.places]
    if hand is not None and viewer.seat in hand.setup.seats:
        moves = legal_moves(hand, viewer.seat)
        document |= {"legal": moves} if moves else {}
    if table.ended is not None:
        document["result"] = _result(table, table.ended)
    if coming is not None:
        document["fair"] = _sealing(table, coming)
    elif table.dealt is not None:
        document["fair"] = _fair(table, table.dealt)
    return document | {"links": _links(table, viewer, table_id)}


def served_data(
    payload: Mapping[str, object], *, kind: str, deck: Sequence[int] | None, viewer: Viewer
) -> Document:
    """Data of an event as the viewer may see it: as stored, with his own hidden card named.

    `deck` is the deck of the event's hand where the viewer was dealt into it.
    """
    fields = dict(payload)
    if kind == "CardDrawn" and fields["card"] is None:
        del fields["card"]
        if deck is not None and fields["seat"] == viewer.seat:
            fields["card"] = TEXTS[deck[int(str(fields["place"]))]]
    return fields


def legal_moves(hand: Hand, seat: int) -> list[Document]:
    """What a seat may do now, in the published order: slaps before the moves of its own turn."""
    own = legal(hand) if hand.to_act == seat else ()
    return listed((*legal_slaps(hand, seat), *own))


def listed(moves: Sequence[Move]) -> list[Document]:
    """Moves as documents list them."""
    return [_move(move) for move in moves]


def _rules(rules: events.RuleSet) -> Document:
    return {"preset": rules.preset, "version": rules.version, "hash": rules.hash}


def _viewer(viewer: Viewer) -> Document:
    if viewer.seat is None:
        return {"kind": "public"}
    return {"kind": "seat", "seat": viewer.seat}


def _turn(table: Table, time_text: Callable[[datetime], str]) -> Document:
    if table.to_act is None or table.deadline is None:
        return {}
    return {"to_act": table.to_act, "deadline": time_text(table.deadline)}


def _own_hand(hand: Hand, viewer: Viewer) -> Document:
    if viewer.seat is None or hand.over or viewer.seat not in hand.setup.seats:
        return {}
    cards = hand.held_cards(viewer.seat)
    return {"cards": _texts(cards), "points": hand.count(viewer.seat)}


def _public_cards(hand: Hand) -> Document:
    found: Document = {}
    if hand.taken >= 0:
        found["taken"] = TEXTS[hand.taken]
    if hand.top >= 0:
        found["discard_top"] = TEXTS[hand.top]
    found |= {"discard_count": len(hand.pile), "stock_count": hand.stock_count}
    if not hand.over:
        found |= {"discard_turns": hand.discard_turns, "hits_this_turn": hand.hits}
    return found | {"melds": [_meld(hand, index) for index in range(len(hand.melds))]}


def _pot(hand: Hand) -> Document:
    """What lies in the pot, where the table has one: nothing once the hand is over."""
    setup = hand.setup
    amount = in_pot(setup.rules.options, setup.stake, len(setup.seats))
    if amount is None:
        return {}
    return {"pot": 0 if hand.over else amount}


def _meld(hand: Hand, index: int) -> Document:
    """A spread in run or suit order; with a wild card also what each card stands for."""
    meld, rules = hand.melds[index], hand.setup.rules
    pairs = layout(meld.cards, meld.reading, rules.shape)
    cards, stands_for = (
        [rules.pack.code_of(one) for one in part] for part in zip(*pairs, strict=True)
    )
    found: Document = {
        "meld": meld_name(meld.number),
        "owner": hand.setup.seats[meld.owner],
        "kind": meld.kind,
        "cards": _texts(cards),
    }
    return found if cards == stands_for else found | {"stands_for": _texts(stands_for)}


def _seat(table: Table, place: Place, names: Mapping[str, str]) -> Document:
    hand = table.hand
    dealt_in = hand is not None and place.seat in hand.setup.seats
    found: Document = {
        "seat": place.seat,
        "player_id": place.player,
        "name": names.get(place.player, f"player-{place.player[-4:]}"),
        "kind": "human" if place.bot is None else "bot",
    }
    if place.bot is not None:
        found["level"] = place.bot
    found["cards_held"] = hand.held_number(place.seat) if hand is not None and dealt_in else 0
    found["chips" if table.of_tournament else "stack"] = place.stack
    found |= {
        "bank_ms": place.bank_ms,
        "hold": hand.holds[hand.index(place.seat)] if hand is not None and dealt_in else 0,
        "autopilot": place.autopilot,
    }
    if place.sat_out is not None:
        found["sitting_out"] = place.sat_out
    if place.leaving is not None:
        found["leaving"] = True
    return found


def _move(move: Move) -> Document:
    found: Document = {"move": move.text, "kind": _KINDS[move.verb]}
    if move.cards:
        found["cards"] = _texts(move.cards)
    if move.meld:
        found["meld"] = meld_name(move.meld)
    return found


_KINDS = MappingProxyType(
    {
        "S": "draw_stock",
        "T": "draw_discard",
        "L": "spread",
        "H": "hit",
        "D": "discard",
        "K": "knock",
        "P": "slap",
    }
)


def _result(table: Table, ended: events.HandEnded) -> Document:
    stake = table.stake
    found: Document = {"end": ended.end}
    if ended.by is not None:
        found["by"] = ended.by
    found |= {
        "held": [
            {"seat": held.seat, "count": held.count, "cards": list(held.cards)}
            for held in ended.held
        ],
        "net": [
            {
                "seat": net.seat,
                "player_id": net.player,
                **_stakes(net.amount, stake),
                "amount": net.amount,
            }
            for net in ended.net
        ],
        "rake": [
            {"seat": rake.seat, "player_id": rake.player, "amount": rake.amount}
            for rake in ended.rake
        ],
        "transfers": [
            {
                "from_seat": one.from_seat,
                "to_seat": one.to_seat,
                **_stakes(one.amount, stake),
                "amount": one.amount,
                "rule": one.rule,
            }
            for one in ended.transfers
        ],
    }
    if table.rules.options.stake_mode == "pot":
        out = out_of_pot({net.seat: net.amount for net in ended.net}, stake)
        found["pot"] = [
            {"seat": net.seat, "player_id": net.player, "amount": out[net.seat]}
            for net in ended.net
        ]
    if ended.paid is not None:
        found["paid"] = [msgspec.to_builtins(one) for one in ended.paid]
    if ended.next_dealer is not None:
        found["next_dealer"] = ended.next_dealer
    return found


def _stakes(amount: int, stake: int) -> Document:
    """The amount in stakes, where it is a whole number of them (a short stack's is not)."""
    return {"stakes": amount // stake} if amount % stake == 0 else {}


def _sealing(table: Table, coming: events.ShuffleCommitted) -> Document:
    """Who is asked for a seed, and who has given one."""
    found: Document = {
        "fairness": coming.fairness,
        "commit": coming.commit,
        "anchored": list(asked(coming)),
        "seeds_given": sorted(one.seat for one in table.seeds),
    }
    if coming.reveal_by is not None:
        found["reveal_by"] = coming.reveal_by
    if coming.beacon is not None:
        found["beacon"] = msgspec.to_builtins(coming.beacon)
    return found


def _fair(table: Table, dealt: events.HandDealt) -> Document:
    found: Document = {
        "fairness": dealt.fairness,
        "commit": dealt.commit,
        "deck_root": dealt.deck_root,
        "seeds_given": [one.seat for one in dealt.players if one.seed == "revealed"],
    }
    if dealt.beacon is not None:
        found["beacon"] = dealt.beacon
    if table.server_seed is not None:
        found["server_seed"] = table.server_seed
        key = fair.hand_key(bytes.fromhex(table.server_seed), bytes.fromhex(dealt.transcript))
        found["deck"] = " ".join(_texts(fair.shuffle(key, 0, fair.DECKS[dealt.deck_spec])))
    return found


def _links(table: Table, viewer: Viewer, table_id: str) -> Document:
    base = f"/api/v1/tables/{table_id}"
    rules = f"/api/v1/rulesets/{reference(table.rules.hash)}/sheet"
    if table.closed:
        return {"events": f"{base}/events", "rules": rules}
    found: Document = {"moves": f"{base}/moves", "events": f"{base}/events", "table": base}
    if table.sealing:
        found["commitment"] = f"{base}/commitment"
        found |= {} if viewer.seat is None else {"seeds": f"{base}/seeds"}
    elif table.playing and table.hand is not None and viewer.seat in table.hand.setup.seats:
        found["cards"] = f"{base}/cards"
    return found | {"rules": rules}


def _texts(cards: Sequence[int]) -> list[str]:
    return [TEXTS[card] for card in cards]
