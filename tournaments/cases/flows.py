"""The money of one small tournament, its facts given to the ledger's mapping as they come."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from eventstore.core.refusal import InvariantBroken, Refusal
from ledger.case_reading import id_of, stored, stream_of
from ledger.core.accounts import parse, unstriped
from ledger.core.entries import entries_for
from tournaments.core import bounties, cancelling, events, prizes
from tournaments.core.cancelling import Held, Situation
from tournaments.core.late_entry import Buyer, Terms, Whereabouts, Window, add_on, enter, rebuy
from tournaments.core.prizes import Payout, Pool

CURRENCY = "XTK"
ESCROW = ("tournament", "fees", "bounty")
_LIMITS: Mapping[str, object] = {
    "currency": CURRENCY,
    "entries_max": 10_000,
    "reentries_max": 10,
    "rebuys_max": 10,
    "rebuy_until_level": 1,
    "stack_stakes": 1,
    "addon_stakes": 1,
    "addon_after_level": 1,
}
_STANDS: Mapping[str, Whereabouts] = {
    "entry": "absent",
    "reentry": "bust",
    "rebuy": "alive",
    "addon": "alive",
}


@dataclass(slots=True)
class Flow:
    """What has happened so far, and what the books made of it, players by their names.

    `lines` has one line for each fact that moves money: account -> change, above 0 where it has
    more then. `balances` is escrow after each line.
    """

    config: Mapping[str, int]
    version: int = 0
    held: dict[tuple[str, int], Held] = field(default_factory=dict)
    newest: dict[str, int] = field(default_factory=dict)
    heads: dict[str, int] = field(default_factory=dict)
    out: list[str] = field(default_factory=list)
    escrow: Counter[str] = field(default_factory=Counter)
    lines: list[dict[str, int]] = field(default_factory=list)
    balances: list[int] = field(default_factory=list)

    @property
    def terms(self) -> Terms:
        """Prices of the config; nothing else refuses."""
        own = {name: self.config[name] for name in self.config if name in Terms.__slots__}
        return msgspec.convert({**_LIMITS, **own}, Terms)

    @property
    def pool(self) -> Pool:
        """The prize pool as it stands."""
        return prizes.pool_of(
            sum(one.pool for one in self.held.values()),
            rake_bp=self.config["rake_bp"],
            guarantee=self.config["guarantee"],
        )

    @property
    def vector(self) -> list[int]:
        """The prizes as they stand."""
        return prizes.vector(
            self.pool.amount,
            Payout(),
            entries=len(self.held),
            players=len({player for player, _ in self.held}),
            price=self.config["buy_in"] + self.config["fee"],
        )

    def run(self, kind: str, *what: Any) -> None:
        """One event of a case: its facts, their entries."""
        for fact in self._facts(kind, *what):
            self._take(fact)

    def assert_empty(self) -> None:
        """Raises: InvariantBroken unless all that came in went out."""
        left = {account: amount for account, amount in self.escrow.items() if amount}
        if left or any(sum(line.values()) for line in self.lines):
            raise InvariantBroken(f"left in escrow: {left}")

    # What happens

    def _facts(self, kind: str, *what: Any) -> Iterator[events.Event]:
        if kind == "bust":
            self.out.append(what[0])
            yield from bounties.busts_of_hand(self.heads, [what], kind="plain", currency=CURRENCY)
        elif kind == "finish":
            yield from self._finish(*what)
        elif kind == "cancel":
            yield from self._cancel(*what)
        elif kind == "withdraw":
            yield self._withdrawn(*what)
        else:
            answer = self._bought(kind, *what)
            if isinstance(answer, Refusal):
                raise InvariantBroken(f"{kind} {what}: {answer.code}")
            yield answer

    def _bought(self, kind: str, player: str) -> events.Event | Refusal:
        stands = _STANDS.get(kind)
        if stands is None:
            raise InvariantBroken(f"no event: {kind}")
        buyer = Buyer(player, self.newest.get(player, 0), stands)
        if kind == "rebuy":
            return rebuy(self.terms, buyer, level=1)
        if kind == "addon":
            return add_on(self.terms, buyer, break_after_level=1)
        return enter(self.terms, Window(1, 1), buyer, entries=len(self.held))

    def _withdrawn(self, player: str) -> events.Event:
        held = self.held[player, self.newest[player]]
        return events.EntryRefunded(
            player=player,
            entry_no=held.entry_no,
            pool=held.pool,
            fee=held.fee,
            bounty=self.heads.get(player, 0),
            currency=CURRENCY,
            reason="withdrawn",
        )

    def _finish(self, ranks: Sequence[Sequence[str]]) -> Iterator[events.Event]:
        last = bounties.at_completion(self.heads, ranks[0], CURRENCY)
        yield from last.facts
        pool = replace(self.pool, heads_to_pool=last.heads_to_pool)
        amounts = prizes.share_places(self.vector, ranks)
        amounts = bounties.to_first_place(amounts, ranks[0], last.heads_to_pool)
        prizes.assert_paid_out(amounts, pool)
        yield events.PrizesComputed(
            part=1,
            parts=1,
            currency=CURRENCY,
            overlay=pool.overlay,
            rake=pool.rake,
            fees=sum(one.fee for one in self.held.values()),
            heads_to_pool=pool.heads_to_pool,
            prizes=tuple(prizes.prize_list(amounts, ranks)),
            vector_hash=None,
        )

    def _cancel(self, chips: Mapping[str, int]) -> Iterator[events.Event]:
        held = [
            replace(one, head=self.heads.get(player, 0) if number == self.newest[player] else 0)
            for (player, number), one in self.held.items()
        ]
        rake, vector = cancelling.without_overlay(
            held, rake_bp=self.config["rake_bp"], payout=Payout(), places=len(self.vector)
        )
        out = [[player] for player in reversed(self.out) if player not in chips]
        answer = cancelling.cancel("running", Situation(held, chips, out, vector, rake))
        if isinstance(answer, Refusal):
            raise InvariantBroken(answer.code)
        yield from cancelling.facts(answer, reason_code="case", currency=CURRENCY)

    # What becomes of it

    def _take(self, fact: events.Event) -> None:
        self.version += 1
        self.heads = bounties.after(self.heads, [fact])
        match fact:
            case events.EntryPaid() | events.ReEntered():
                key = fact.player, fact.entry_no
                self.held[key] = Held(*key, pool=fact.buy_in, fee=fact.fee)
                self.newest[fact.player] = fact.entry_no
            case events.RebuyBought() | events.AddOnBought():
                key = fact.player, fact.entry_no
                self.held[key] = replace(self.held[key], pool=self.held[key].pool + fact.amount)
            case events.EntryRefunded():
                del self.held[fact.player, fact.entry_no]
            case _:
                pass
        line = Counter[str]()
        for account, change in self._changes(fact):
            line[account] += change
        if line:
            self.lines.append({account: change for account, change in line.items() if change})
            self.balances.append(sum(self.escrow.values()))

    def _changes(self, fact: events.Event) -> Iterator[tuple[str, int]]:
        """What the ledger's entries of a fact change, by accounts as a case names them."""
        names = {id_of(player): player for player in self.newest}
        plain = _with_ids(msgspec.json.decode(msgspec.json.encode(fact)))
        event = stored(stream_of("tournament/case"), self.version, type(fact).__name__, plain)
        entries = entries_for(event)
        if isinstance(entries, Refusal):
            raise InvariantBroken(f"{event.type}: {entries.code}")
        for code, amount in (leg for entry in entries for leg in entry.legs):
            account = parse(unstriped(code))
            role = account.role.name
            if role in ESCROW:
                self.escrow[role] -= amount
                yield "escrow", -amount
            else:
                yield names[account.ids[0]] if account.ids else role, -amount


def _with_ids(value: Any) -> Any:
    """The same with an id for each player's name."""
    if isinstance(value, list):
        return [_with_ids(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: id_of(one) if name in ("player", "head") else _with_ids(one)
        for name, one in value.items()
    }
