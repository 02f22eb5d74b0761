"""The engine beside a second referee that shares no code with it: `tests/twin`, written from
`rules.md` alone.

Each hand is played in both with random options. After every act hands, piles, spreads and holds
agree, each card is in one place, and what one refuses the other refuses with the same code; at one
turn in eight all legal moves of all players are compared.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import yaml

from eventstore.core.refusal import InvariantBroken, Refusal
from games import cases
from games.rules import melds
from games.rules.cards import CODES, TEXTS
from games.rules.dealing import deal
from games.rules.decide import decide, legal, legal_slaps, time_out
from games.rules.events import End
from games.rules.liability import liability
from games.rules.moves import DISCARDS, DRAW, KNOCK, SLAP, TAKE, Move, RunEnd, hit, lay, parse
from games.rules.options import as_dict, complete
from games.rules.result import Result
from games.rules.selfplay import Random, SeededNumbers, outcome, pick, recorded
from games.rules.shuffles import FIRST_RESHUFFLED
from games.rules.state import Hand, find_meld, fold
from tonk_site.proving.cards.random_hands import below, random_deal, random_overrides, repaired
from tonk_site.proving.checks import Breach, Check, Found, Order, in_processes
from tonk_site.proving.differing import FAULTS, Differs, breach, same

LEGAL_CHANCE = 1 / 8
JUNK_CHANCE = 0.2
TIME_OUT_CHANCE = 0.05
FIRST_MOVE_CHANCE = 0.6
KNOCK_CHANCES = (0.0, 0.02, 0.2, 1.0)
ACTS_MAX = 4_000
ENDS: tuple[RunEnd | None, ...] = (None, "low", "high")


@dataclass
class Played:
    """What a comparison went through."""

    hands: int = 0
    moves: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Played") -> None:
        """Count another comparison in."""
        self.hands += other.hands
        self.moves += other.moves
        self.refusals += other.refusals
        self.ends += other.ends


def compare(hand_seed: str) -> Played:
    """Play one hand in both. Raises: Differs, InvariantBroken, with the hand's seed as a note."""
    try:
        return _compare(hand_seed)
    except Exception as error:
        error.add_note(f"hand {hand_seed}")
        raise


def _compare(hand_seed: str) -> Played:
    rng = SeededNumbers(hand_seed)
    seats, overrides = 2 + below(rng, 5), random_overrides(rng)
    _same_validation(overrides, seats)
    return _played(rng, overrides, seats, hand_seed).played


def _played(rng: Random, overrides: dict[str, Any], seats: int, hand_seed: str) -> "_Table":
    setup = random_deal(rng, repaired(overrides, seats), seats, hand=hand_seed)
    table = _Table(setup, rng)
    table.play()
    return table


def line_of(hand_seed: str) -> dict[str, Any]:
    """One hand, refused acts and time-outs too, in the format of self-play."""
    rng = SeededNumbers(hand_seed)
    seats, overrides = 2 + below(rng, 5), random_overrides(rng)
    return _played(rng, overrides, seats, hand_seed).line()


def _same_validation(overrides: dict[str, Any], seats: int) -> None:
    """Both judge an option set alike, and so the worst case of a good one."""
    options = complete(overrides, seats)
    plain = {name: _plain(value) for name, value in overrides.items()}
    expected = _referee().validate(plain, seats)
    if isinstance(options, Refusal):
        problems: Any = options.facts["problems"]
        same("validation", expected, problems[0]["code"])
    else:
        same("validation", expected, None)
        worst = _referee().liability(plain, seats, 7)
        same("liability", worst, liability(options, seats, 7))


def _plain(value: object) -> object:
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def _referee() -> Any:
    # Loaded by name: the product runs without its tests, this check does not.
    return import_module("tests.twin.referee")


class _Table:
    """One hand in the engine and in the referee."""

    def __init__(self, setup: Any, rng: Random) -> None:
        self.rng, self.setup, self.names = rng, setup, setup.players
        self.knock_chance = pick(rng, KNOCK_CHANCES)
        dealt = deal(setup)
        self.first, self.hand, self.result = dealt.hand, dealt.hand, dealt.result
        self.facts: list[Any] = []
        self.actions: list[list[object]] = []
        self.played = Played(hands=1)
        self.twin = _referee().Referee(
            as_dict(setup.rules.options),
            list(self.names),
            setup.players[setup.dealer - 1],
            [TEXTS[card] for card in setup.deck],
            setup.stake,
        )

    def play(self) -> None:
        """Play to the end, comparing after every act."""
        self.check_position()
        while self.result is None:
            if self.played.moves == ACTS_MAX:
                raise Differs("length", expected="an end", got=f"{ACTS_MAX} acts")
            if self.rng.random() < JUNK_CHANCE:
                self.act(*self.junk())
            elif self.rng.random() < LEGAL_CHANCE:
                self.check_legal()
            else:
                self.act(*self.choice())
        for seat in self.setup.seats:
            self.act(seat, DRAW)
        self.check_end(self.result)

    def choice(self) -> tuple[int, Move | None]:
        """A legal move, or None for a time-out: rarely a knock, often the first of the list."""
        hand, rng = self.hand, self.rng
        slaps = [(seat, move) for seat in self.setup.seats for move in legal_slaps(hand, seat)]
        if slaps and rng.random() < 0.5:
            return pick(rng, slaps)
        seat = hand.to_act or 0
        if rng.random() < TIME_OUT_CHANCE:
            return seat, None
        moves = legal(hand)
        if moves[-1] == KNOCK and len(moves) > 1 and rng.random() >= self.knock_chance:
            moves = moves[:-1]
        return seat, moves[0] if rng.random() < FIRST_MOVE_CHANCE else pick(rng, moves)

    def junk(self) -> tuple[int, Move | None]:
        """Any move of anybody, mostly an illegal one; half of them nearly legal."""
        rng, pack = self.rng, self.setup.rules.pack
        if self.hand.drew and rng.random() < 0.5:
            return self.hand.to_act or 0, pick(rng, self.nearly_legal())
        seat = self.hand.to_act or 0
        if rng.random() < 0.2:
            seat = pick(rng, self.setup.seats)
        held = pack.cards_in(self.hand.cards[self.hand.index(seat)]) or pack.codes
        cards = held if rng.random() < 0.8 else pack.codes
        card, number = pick(rng, cards), 1 + below(rng, len(self.hand.melds) + 1)
        end = pick(rng, ENDS)
        several = tuple(dict.fromkeys(pick(rng, cards) for _ in range(3 + below(rng, 2))))
        verbs = (DRAW, TAKE, KNOCK, SLAP, Move("P", (card,)), DISCARDS[card], lay(*several))
        return seat, pick(rng, (*verbs, hit(card, number), hit(card, number, end)))

    def nearly_legal(self) -> list[Move]:
        """Moves after the draw that only an option or the taken card may forbid."""
        hand, rules = self.hand, self.setup.rules
        held = hand.cards[hand.actor]
        found = [KNOCK, *(DISCARDS[card] for card in rules.pack.cards_in(held))]
        found += [
            hit(card, meld.number)
            for meld in hand.melds
            for card in rules.pack.cards_in(held & meld.fits)
        ]
        spreads = [lay(*rules.pack.cards_in(spread)) for spread in rules.spreads(held)]
        return [*found, *spreads] + [DISCARDS[hand.drawn]] * 2

    def act(self, seat: int, move: Move | None) -> None:
        """Ask both, and do it in both where it is legal."""
        name = self.names[seat - 1]
        _, verb, *arguments, _ = recorded(name, move) if move else [name, "timeout", "ok"]
        if self.hand.over or move:
            decided = decide(self.hand, seat, move or DRAW)
        else:
            decided = time_out(self.hand, in_row=1, bank_ms=0)
        code = decided.code if isinstance(decided, Refusal) else "ok"
        self.actions.append([name, verb, *arguments, code])
        if isinstance(decided, Refusal):
            said = self.twin.check(name, verb, *arguments)
            self.played.refusals[decided.code] += 1
            same(f"{name} {verb} {arguments}", said, decided.code)
            return
        self.hand, self.result = fold(self.hand, decided.events), decided.result
        self.facts += decided.events
        self.twin.reshuffle = self.new_stock()
        said = self.twin.act(name, verb, *arguments)
        same(f"{name} {verb} {arguments}", said, "ok")
        self.played.moves += 1
        self.check_position()

    def line(self) -> dict[str, Any]:
        """The hand as a line that replays from itself alone (`cases/README.md`)."""
        setup, result = self.setup, self.result
        if result is None:
            raise InvariantBroken("a hand is recorded once it is over")
        again = self.new_stock()
        line = {
            "seed": setup.hand,
            "rules_version": setup.rules.version,
            "options": as_dict(setup.rules.options),
            "stake": setup.stake,
            "players": list(self.names),
            "dealer": self.names[setup.dealer - 1],
            "deck": [TEXTS[card] for card in setup.deck],
            "actions": self.actions,
            **outcome(self.hand, result),
        }
        return line | ({"reshuffle": again} if again else {})

    def new_stock(self) -> list[str] | None:
        """The order of the reshuffle, for the referee: it is data to him."""
        deck = self.hand.setup.deck or ()
        return [TEXTS[card] for card in deck[FIRST_RESHUFFLED:]] or None

    def check_position(self) -> None:
        """Both tables look the same, and every card is in one place."""
        hand, twin, bits = self.hand, self.twin, self.setup.rules.pack.bits
        to_act = None if hand.over else self.names[hand.actor]
        same("to act", twin.to_act if twin.end is None else None, to_act)
        for name, held in zip(self.names, hand.cards, strict=True):
            same(f"hand of {name}", sum(bits[CODES[card]] for card in twin.hands[name]), held)
        same("pile", [CODES[card] for card in twin.discard], list(hand.pile))
        same("stock", len(twin.stock), hand.stock_count)
        same("holds", tuple(twin.holds[name] for name in self.names), hand.holds)
        laid = {f"m{meld.number}": meld.cards for meld in hand.melds}
        spreads = {
            name: sum(bits[CODES[card]] for card in meld.cards) for name, meld in twin.melds.items()
        }
        same("spreads", spreads, laid)
        self.check_cards()

    def check_cards(self) -> None:
        """Each card of the pack is in exactly one place."""
        hand, pack = self.hand, self.setup.rules.pack
        deck = hand.setup.deck or ()
        stock = deck[hand.stock_next : hand.stock_next + hand.stock_count]
        places = [*hand.cards, *(meld.cards for meld in hand.melds)]
        places += [pack.bits[card] for card in (*hand.pile, *stock)]
        everything = 0
        for cards in places:
            if everything & cards:
                raise Differs("a card twice", expected=0, got=pack.cards_in(everything & cards))
            everything |= cards
        same("all cards", sum(pack.bits), everything)

    def check_legal(self) -> None:
        """All legal moves of everybody, by what they mean, and that one of them is there (D28)."""
        hand = self.hand
        listed = [(hand.to_act, move) for move in legal(hand)]
        listed += [(seat, move) for seat in self.setup.seats for move in legal_slaps(hand, seat)]
        own = Counter((self.names[(seat or 0) - 1], meaning(hand, move)) for seat, move in listed)
        other = {(name, meaning(hand, _parsed(text))) for name, text in self.twin.legal()}
        same("legal moves", other, set(own))
        if max(own.values()) > 1:
            raise Differs("a legal move twice", expected=1, got=own.most_common(1))

    def check_end(self, result: Result) -> None:
        """End, payments and next dealer agree; payments are zero-sum and within the worst case."""
        twin, names = self.twin, dict(zip(self.setup.seats, self.names, strict=True))
        same("end", twin.end, result.end)
        if not result.end.startswith("initial"):  # then nobody's act has ended it
            same("by", twin.by, names[result.by or 0])
        net = {names[seat]: amount for seat, amount in result.net.items()}
        same("net", twin.net(), net)
        same("counts", twin.counts(), {names[held.seat]: held.count for held in result.held})
        transfers = [
            [names[one.from_seat], names[one.to_seat], one.amount, one.rule]
            for one in result.transfers
        ]
        same("transfers", [list(one) for one in twin.transfers], transfers)
        same("next dealer", twin.next_dealer(), names[result.next_dealer])
        options, stake = self.setup.rules.options, self.setup.stake
        worst = -liability(options, len(names), stake)
        if sum(net.values()) or min(net.values()) < worst:
            raise Differs("nets", expected=f"zero-sum, at least {worst}", got=net)
        cut = below(self.rng, len(self.facts) + 1)
        parts = fold(fold(self.first, self.facts[:cut]), self.facts[cut:])
        same("fold in two parts", self.hand, parts)
        self.played.ends[result.end] += 1


def meaning(hand: Hand, move: Move) -> tuple[object, ...]:
    """What a move does, however it is written: the same for every form that means the same."""
    rules = hand.setup.rules
    if move.verb == "L":
        reading = rules.read(move.cards)
        return "L", rules.pack.set_of(move.cards), reading and reading.span
    meld = find_meld(hand, move.meld)[1]
    if move.verb == "H" and meld is not None:
        bit = rules.pack.bits[move.cards[0]]
        return "H", bit, move.meld, melds.place_at(meld, bit, move.end, rules.shape)
    return move.verb, move.cards, move.meld


def _parsed(text: str) -> Move:
    move = parse(text)
    if isinstance(move, Refusal):
        raise InvariantBroken(f"{text} is no move")
    return move


def hands(seed: str, numbers: range) -> Found:
    """Compare these hands of a seed."""
    found, total = Found(), Played()
    for number in numbers:
        try:
            total.add(compare(f"{seed}/{number}"))
        except FAULTS as error:
            found.breaches.append(breach(error, CHECK.name, seed, number))
    found.done = Counter(hands=total.hands, moves=total.moves)
    found.seen = {"ends": total.ends, "refusals": total.refusals}
    return found


def run(order: Order) -> Found:
    """All hands of an order, then the handed cases; an end or code that never came is a breach."""
    found = in_processes(hands, order)
    found.done["ends"] = len(found.seen["ends"])
    for name, why in _cases():
        found.done["cases"] += 1
        if why is not None:
            rerun = "manage.py cases tests/cases/rules/*.yaml"
            found.breaches.append(Breach("case", name, "", why, rerun))
    return found


def _cases() -> Iterator[tuple[str, str | None]]:
    for path in sorted(CASES.glob("*.yaml")):
        try:
            yield from cases.run(yaml.safe_load(path.read_text(encoding="utf-8")))
        except FAULTS as fault:
            yield path.name, f"{type(fault).__name__}: {fault}"


CASES = Path(__file__).parents[3] / "tests" / "cases" / "rules"
CHECK = Check(
    name="rules-twin",
    promise=2,
    quick={"hands": 1_500, "moves": 1_500, "ends": 8, "cases": 145},
    full={"hands": 1_000_000, "moves": 1_000_000, "ends": len(get_args(End)), "cases": 145},
    run=run,
)
