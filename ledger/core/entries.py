"""Which entries an event makes: the one place where facts become money (`ledger.md` section 3).

To be read from top to bottom. An entry is one balanced record; a leg is one line of it, debit
positive, credit negative. Amounts stand in the event; nothing is computed here but their sums. Each
event is read as it was stored, without a class of the app that wrote it.

Below: what an entry is; the rows of the mapping, table by table; how fields are read.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from types import MappingProxyType

import msgspec

from eventstore.core.canonical import encode
from eventstore.core.ids import HOUSE
from eventstore.core.record import Stored, time_text
from eventstore.core.refusal import Refusal, Refused, refuse
from ledger.core.accounts import (
    ADJUSTABLE_HOUSE,
    OWNER,
    Account,
    BadAccount,
    account,
    is_currency,
    parse,
    striped,
)
from ledger.core.currencies import AMOUNT_MAX, CHIPS
from ledger.core.kinds import Kind

MANUAL = "manual"  # the method where people, not a provider, say what was paid
FIRST_PAYOUT = 10  # part of the first of a list of payouts; lower parts are of the house
NUMBER_MAX = 2**31 - 1  # of versions and parts
ENTRY_FORMAT = b"tonk/entry/1\n"
DATE = "%Y-%m-%d"

Leg = tuple[str, int]  # account code as the books hold it, amount


@dataclass(frozen=True, slots=True)
class Entry:
    """One balanced record of the books. Legs are sorted by account code and sum to 0."""

    stream: str
    version: int
    part: int
    kind: Kind
    currency: str
    effective_at: datetime
    reverses: str | None  # key of the entry that this one takes back
    legs: tuple[Leg, ...]
    _hash: bytes | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def key(self) -> str:
        """The entry's name for ever."""
        return key_of(self.stream, self.version, self.part)

    @property
    def canonical(self) -> bytes:
        """Exact bytes that the hash covers: the same in every rebuild, whenever it was posted."""
        return ENTRY_FORMAT + encode(
            {
                "key": self.key,
                "kind": self.kind.word,
                "currency": self.currency,
                "effective_at": time_text(self.effective_at),
                "reverses": self.reverses,
                "lines": self.legs,
            }
        )

    @property
    def hash(self) -> bytes:
        """SHA-256 of the canonical bytes, computed once."""
        found = self._hash
        if found is None:
            found = sha256(self.canonical).digest()
            object.__setattr__(self, "_hash", found)
        return found


def key_of(stream: str, version: int, part: int) -> str:
    """Name of an entry.

    >>> key_of("table/x", 2, 0)
    'table/x@2#0'
    """
    return f"{stream}@{version}#{part}"


def read_key(key: str) -> tuple[str, int, int]:
    """Stream, version and part of an entry's key. Raises: ValueError.

    >>> read_key("table/x@2#0")
    ('table/x', 2, 0)
    """
    stream, _, place = key.partition("@")
    version, _, part = place.partition("#")
    return stream, int(version), int(part)


def entries_for(event: Stored) -> tuple[Entry, ...] | Refusal:
    """Entries of an event in order of their parts; none for one that moves no money.

    Refuses with `unknown_event` (a type or schema in neither list), `unknown_currency`,
    `bad_amount`, `unbalanced`, `bad_entry`, `four_eyes`, `not_adjustable`, `currency_mismatch`,
    `unknown_account`.
    """
    name = (event.type, event.schema)
    row = MONEY.get(name)
    if row is None:
        known = name in NO_MONEY
        return () if known else Refusal("unknown_event", facts={"type": event.type})
    currency = event.payload.get("currency")
    try:
        if event.type in STATES_BY_TWO:
            _facts(event, "").require_two()
        if currency is None or currency == CHIPS:  # nothing to post, or chips, which are no money
            return ()
        if not isinstance(currency, str) or not is_currency(currency):
            return Refusal("unknown_currency", facts={"currency": currency})
        made = [_entry(event, currency, draft) for draft in row(_facts(event, currency))]
    except Refused as refused:
        return refused.refusal
    return tuple(entry for entry in made if entry.legs)


# --- table/ ---------------------------------------------------------------------------------------


def _seat_taken(it: "_Facts") -> Iterator["_Draft"]:
    yield _Draft(0, Kind.BUY_IN, _move(it.positive("buy_in"), it.wallet, it.seat))


def _stack_topped_up(it: "_Facts") -> Iterator["_Draft"]:
    yield _Draft(0, Kind.TOP_UP, _move(it.positive("amount"), it.wallet, it.seat))


def _hand_ended(it: "_Facts") -> Iterator["_Draft"]:
    """A seat gets its net less its rake; the rakes together go to the house."""
    seats = it.items("net")
    nets = {seat.player: seat.signed("amount") for seat in seats}
    rakes = {seat.player: seat.amount("amount") for seat in it.items("rake")}
    if len(nets) != len(seats) or len(rakes) != len(it.items("rake")):
        raise refuse("bad_entry", why="a player twice")
    if sum(nets.values()) != 0:
        raise refuse("unbalanced", sum=sum(nets.values()))
    if any(rake > max(nets.get(player, 0), 0) for player, rake in rakes.items()):
        raise refuse("bad_entry", why="a rake above what was won")
    legs = [(seat.seat, rakes.get(seat.player, 0) - nets[seat.player]) for seat in seats]
    yield _Draft(0, Kind.HAND, [*legs, (it.house("rake"), -sum(rakes.values()))])


def _seat_cashed_out(it: "_Facts") -> Iterator["_Draft"]:
    yield _Draft(0, Kind.CASH_OUT, _move(it.amount("amount"), it.seat, it.wallet))


# --- tournament/ ----------------------------------------------------------------------------------


def _entry_paid(it: "_Facts") -> Iterator["_Draft"]:
    yield _Draft(0, Kind.ENTRY, _into_escrow(it))


def _re_entered(it: "_Facts") -> Iterator["_Draft"]:
    yield _Draft(0, Kind.RE_ENTRY, _into_escrow(it))


def _rebuy_bought(it: "_Facts") -> Iterator["_Draft"]:
    yield _Draft(0, Kind.REBUY, _move(it.amount("amount"), it.wallet, it.pool))


def _add_on_bought(it: "_Facts") -> Iterator["_Draft"]:
    yield _Draft(0, Kind.ADD_ON, _move(it.amount("amount"), it.wallet, it.pool))


def _entry_refunded(it: "_Facts") -> Iterator["_Draft"]:
    yield _Draft(0, Kind.REFUND, _out_of_escrow(it, it))


def _bounty_paid(it: "_Facts") -> Iterator["_Draft"]:
    """What stays on the capturer's own head moves nothing."""
    for part, paid in enumerate(it.items("paid"), FIRST_PAYOUT):
        yield _Draft(part, Kind.BOUNTY, _move(paid.amount("amount"), it.bounty, paid.wallet))


def _prizes_computed(it: "_Facts") -> Iterator["_Draft"]:
    overlay, rake, fees = it.amount("overlay"), it.amount("rake"), it.amount("fees")
    yield _Draft(0, Kind.OVERLAY, _move(overlay, it.house("overlay"), it.pool))
    yield _Draft(1, Kind.TOURNAMENT_RAKE, _move(rake, it.pool, it.house("rake")))
    yield _Draft(2, Kind.FEES_EARNED, _move(fees, it.fees, it.house("fee_income")))
    yield _Draft(3, Kind.HEADS_TO_POOL, _move(it.amount("heads_to_pool"), it.bounty, it.pool))
    for part, prize in enumerate(it.items("prizes"), FIRST_PAYOUT):
        yield _Draft(part, Kind.PRIZE, _move(prize.amount("amount"), it.pool, prize.wallet))


def _cancelled(it: "_Facts") -> Iterator["_Draft"]:
    rake, kept = it.amount("rake"), it.amount("fees_kept")
    yield _Draft(1, Kind.TOURNAMENT_RAKE, _move(rake, it.pool, it.house("rake")))
    yield _Draft(2, Kind.FEES_EARNED, _move(kept, it.fees, it.house("fee_income")))
    for part, refund in enumerate(it.items("refunds"), FIRST_PAYOUT):
        yield _Draft(part, Kind.REFUND, _out_of_escrow(it, refund))


def _compensation_posted(it: "_Facts") -> Iterator["_Draft"]:
    """The event says what of each debit the wallet held; the rest is owed."""
    legs: list[Leg] = []
    for debit in it.items("debits"):
        legs.append((debit.wallet, debit.amount("wallet")))
        legs.append((debit.receivable, debit.amount("receivable")))
    legs += [(credit.wallet, -credit.amount("amount")) for credit in it.items("credits")]
    yield _Draft(0, Kind.COMPENSATION, legs)


def _into_escrow(it: "_Facts") -> list[Leg]:
    buy_in, fee, bounty = it.amount("buy_in"), it.amount("fee"), it.amount("bounty")
    price = (it.wallet, buy_in + fee + bounty)
    return [price, (it.pool, -buy_in), (it.fees, -fee), (it.bounty, -bounty)]


def _out_of_escrow(it: "_Facts", to: "_Facts") -> list[Leg]:
    pool, fee, bounty = to.amount("pool"), to.amount("fee"), to.amount("bounty")
    back = (to.wallet, -(pool + fee + bounty))
    return [(it.pool, pool), (it.fees, fee), (it.bounty, bounty), back]


# --- wallet/ --------------------------------------------------------------------------------------


def _deposit_recorded(it: "_Facts") -> Iterator["_Draft"]:
    it.require_payment()
    yield _Draft(0, Kind.DEPOSIT, _move(it.positive("amount"), it.cash, it.own_wallet))


def _chips_granted(it: "_Facts") -> Iterator["_Draft"]:
    yield _Draft(0, Kind.GRANT, _move(it.positive("amount"), it.house("issue"), it.own_wallet))


def _withdrawal_requested(it: "_Facts") -> Iterator["_Draft"]:
    yield _Draft(0, Kind.WITHDRAWAL, _move(it.positive("amount"), it.own_wallet, it.withdrawal))


def _withdrawal_paid(it: "_Facts") -> Iterator["_Draft"]:
    it.require_payment()
    yield _Draft(0, Kind.WITHDRAWAL_PAID, _move(it.positive("amount"), it.withdrawal, it.cash))


def _withdrawal_returned(it: "_Facts") -> Iterator["_Draft"]:
    legs = _move(it.positive("amount"), it.withdrawal, it.own_wallet)
    yield _Draft(0, Kind.WITHDRAWAL_RETURNED, legs)


def _adjustment_approved(it: "_Facts") -> Iterator["_Draft"]:
    """Two people's entry: the player's own wallet and debt against the house, or a mirror."""
    it.require_two()
    reverses = it.key("reverses")
    legs = []
    for line in it.items("lines"):
        named = _account_of(line.text("account"))
        if named.currency != it.currency:
            raise refuse("currency_mismatch", account=named.code)
        if not (it.subject == str(HOUSE) if reverses else _is_adjustable(named, it.subject)):
            raise refuse("not_adjustable", account=named.code)
        legs.append((named.code, line.signed("amount")))
    if not legs:
        raise refuse("bad_entry", why="no lines")
    kind = Kind.REVERSAL if reverses else Kind.ADJUSTMENT
    yield _Draft(0, kind, legs, reverses, it.day("effective"))


def _account_of(code: str) -> Account:
    try:
        return parse(code)
    except BadAccount as fault:
        raise refuse("unknown_account", account=code) from fault


def _is_adjustable(named: Account, player: str) -> bool:
    """Never an escrow, never a second player."""
    if named.role.name in ("wallet", "receivable"):
        return named.id_of(OWNER) == player
    return named.role.name in ADJUSTABLE_HOUSE


# --- the two lists --------------------------------------------------------------------------------

Row = Callable[["_Facts"], Iterator["_Draft"]]


def _state_alone(_: "_Facts") -> Iterator["_Draft"]:
    """No entry: the event closes, freezes or releases accounts, or closes a period."""
    return iter(())


# Posted in the transaction of the command that appends the event.
INLINE: Mapping[tuple[str, int], Row] = MappingProxyType(
    {
        ("SeatTaken", 1): _seat_taken,
        ("StackToppedUp", 1): _stack_topped_up,
        ("EntryPaid", 1): _entry_paid,
        ("ReEntered", 1): _re_entered,
        ("RebuyBought", 1): _rebuy_bought,
        ("AddOnBought", 1): _add_on_bought,
        ("CompensationPosted", 1): _compensation_posted,
        ("DepositRecorded", 1): _deposit_recorded,
        ("ChipsGranted", 1): _chips_granted,
        ("WithdrawalRequested", 1): _withdrawal_requested,
        ("WithdrawalPaid", 1): _withdrawal_paid,
        ("WithdrawalReturned", 1): _withdrawal_returned,
        ("AdjustmentApproved", 1): _adjustment_approved,
        ("WalletFrozen", 1): _state_alone,
        ("WalletReleased", 1): _state_alone,
        ("PeriodClosed", 1): _state_alone,
    }
)
STATES_BY_TWO = frozenset({"WalletFrozen", "WalletReleased", "PeriodClosed"})
# Posted by the settler, in the order of the stream.
SETTLED: Mapping[tuple[str, int], Row] = MappingProxyType(
    {
        ("HandEnded", 1): _hand_ended,
        ("SeatCashedOut", 1): _seat_cashed_out,
        ("TableClosed", 1): _state_alone,
        ("EntryRefunded", 1): _entry_refunded,
        ("BountyPaid", 1): _bounty_paid,
        ("PrizesComputed", 1): _prizes_computed,
        ("Cancelled", 1): _cancelled,
        ("Settled", 1): _state_alone,
    }
)
MONEY: Mapping[tuple[str, int], Row] = MappingProxyType({**INLINE, **SETTLED})

# Every other type of the streams that the books read. A new one is placed here or above by hand.
_TABLE_WITHOUT_MONEY = """
    TableOpened DealerCut SatOut SatIn SeatLeft ChipsSet SeedAnchored ShuffleCommitted SeedRevealed
    ShuffleAborted HandDealt CardDrawn SpreadLaid CardHit CardDiscarded CardSlapped Knocked
    StockRefused PileReshuffled TurnTimedOut AutopilotSet ClockExtended HandRevealed HandVoided
    TablePaused TableResumed"""
_TOURNAMENT_WITHOUT_MONEY = """
    TournamentDrafted OptionsChanged RulesPublished RulesAmended RegistrationOpened
    RegistrationClosed WaitListed WaitListLeft CheckInOpened CheckedIn NoShowDropped SeatingStarted
    RoundsReduced Seeded TableAdded SeatAssigned Started LevelRaised RoundPaired MatchStarted
    MatchReported TieHandsAdded ByeAwarded HalfByeGranted AbsenceRecorded WalkoverAwarded
    PlayerBusted PlayerMoved TableBroken TableWaiting TableReleased HandForHandSet PrizesPublished
    Paused Resumed OutageRecorded DealProposed DealAccepted DealDeclined DealSealed PlayerWithdrawn
    PlayerReadmitted DirectorAdded ClockSet LateEntryExtended PairForbidden GroupDeclared RulingMade
    WarningGiven PenaltySet PlayerDisqualified ResultCorrected StandingsFrozen Completed
    ProtestOpened ProtestClosed PrizeHeld HoldReleased LotSeedRevealed Archived"""
_WALLET_WITHOUT_MONEY = """
    WithdrawalApproved WithdrawalRejected AdjustmentProposed AdjustmentRejected"""
NO_MONEY = frozenset(
    (name, 1)
    for names in (_TABLE_WITHOUT_MONEY, _TOURNAMENT_WITHOUT_MONEY, _WALLET_WITHOUT_MONEY)
    for name in names.split()
)


# --- how fields are read --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Draft:
    """An entry before its legs are sorted and checked; accounts are without stripes."""

    part: int
    kind: Kind
    legs: list[Leg]
    reverses: str | None = None
    effective_at: datetime | None = None  # None: when the event happened


class _Facts(msgspec.Struct, frozen=True, gc=False):  # thousands a second: made quickly
    """Fields of an event, or of one item of a list in it, read strictly."""

    subject: str  # id of the table, tournament or player that the stream is about
    currency: str
    fields: Mapping[str, object]

    def amount(self, name: str) -> int:
        """An integer 0..10^12; 0 where it is null or not there (the further parts of an event)."""
        value = self.fields.get(name)
        return 0 if value is None else _integer(name, value, 0)

    def positive(self, name: str) -> int:
        return _integer(name, self.fields.get(name), 1)

    def signed(self, name: str) -> int:
        return _integer(name, self.fields.get(name), -AMOUNT_MAX)

    def text(self, name: str) -> str:
        value = self.fields.get(name)
        if not isinstance(value, str):
            raise refuse("bad_entry", why=f"no {name}")
        return value

    def optional_text(self, name: str) -> str | None:
        return None if self.fields.get(name) is None else self.text(name)

    def key(self, name: str) -> str | None:
        """The key of another entry."""
        text = self.optional_text(name)
        try:
            if text is None:
                return None
            stream, *numbers = read_key(text)
            if key_of(stream, *numbers) == text and max(numbers) <= NUMBER_MAX:
                return text
        except ValueError:
            pass  # refused below, like a key in another spelling
        raise refuse("bad_entry", why=f"{name} is no key")

    def day(self, name: str) -> datetime | None:
        """The first instant of a date, UTC."""
        text = self.optional_text(name)
        if text is None:
            return None
        try:
            return datetime.strptime(text, DATE).replace(tzinfo=UTC)
        except ValueError as fault:
            raise refuse("bad_entry", why=f"{name} is no date") from fault

    def items(self, name: str) -> list["_Facts"]:
        found = self.fields.get(name)
        if found is None:
            return []
        if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
            raise refuse("bad_entry", why=f"{name} is no list")
        return [_Facts(self.subject, self.currency, item) for item in found]

    def require_two(self) -> None:
        """Refuse an act that one person proposed and approved."""
        if self.text("proposer") == self.text("approver"):
            raise refuse("four_eyes")

    def require_payment(self) -> None:
        """Refuse a payment without a reference, or a manual one that not two people confirmed."""
        self.text("reference")
        if self.text("method") == MANUAL:
            people = self.fields.get("approved_by") or []
            if not isinstance(people, list) or len(people) != 2 or people[0] == people[1]:
                raise refuse("four_eyes")

    @property
    def player(self) -> str:
        return self.text("player")

    @property
    def wallet(self) -> str:
        return account("wallet", self.player, currency=self.currency)

    @property
    def receivable(self) -> str:
        return account("receivable", self.player, currency=self.currency)

    @property
    def seat(self) -> str:
        return account("seat", self.subject, self.player, currency=self.currency)

    @property
    def pool(self) -> str:
        return account("tournament", self.subject, currency=self.currency)

    @property
    def fees(self) -> str:
        return account("fees", self.subject, currency=self.currency)

    @property
    def bounty(self) -> str:
        return account("bounty", self.subject, currency=self.currency)

    @property
    def own_wallet(self) -> str:
        return account("wallet", self.subject, currency=self.currency)

    @property
    def withdrawal(self) -> str:
        return account("withdrawal", self.subject, currency=self.currency)

    @property
    def cash(self) -> str:
        return account("cash", self.text("method"), currency=self.currency)

    def house(self, role: str) -> str:
        return account(role, currency=self.currency)


def _facts(event: Stored, currency: str) -> _Facts:
    return _Facts(event.stream.partition("/")[2], currency, event.payload)


def _integer(name: str, value: object, least: int) -> int:
    # A boolean is an int for Python and no amount for anybody else.
    if type(value) is not int or not least <= value <= AMOUNT_MAX:
        raise refuse("bad_amount", field=name)
    return value


def _move(amount: int, debit: str, credit: str) -> list[Leg]:
    return [(debit, amount), (credit, -amount)]


def _entry(event: Stored, currency: str, draft: _Draft) -> Entry:
    """The finished entry: legs of 0 left out, stripes chosen by its key, sums checked."""
    key = key_of(event.stream, event.version, draft.part)
    legs = sorted((striped(code, key), amount) for code, amount in draft.legs if amount)
    if len({code for code, _ in legs}) != len(legs):
        raise refuse("bad_entry", why="an account twice")
    if sum(amount for _, amount in legs) != 0:
        raise refuse("unbalanced", sum=sum(amount for _, amount in legs))
    if any(abs(amount) > AMOUNT_MAX for _, amount in legs):
        raise refuse("bad_amount", part=draft.part)
    return Entry(
        stream=event.stream,
        version=event.version,
        part=draft.part,
        kind=draft.kind,
        currency=currency,
        effective_at=draft.effective_at or event.at,
        reverses=draft.reverses,
        legs=tuple(legs),
    )
