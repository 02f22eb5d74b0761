"""What came into a tournament is what left it, by the published rules (`trust.md` section 1).

The amounts are computed again by `tests/twin/payouts.py`, which shares no code with the product.
Live: every settled tournament, its events and its books. Trial: random fields, vectors and ties.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from types import MappingProxyType
from typing import Any

from eventstore import store
from eventstore.core.ids import tournament_stream, uuid7
from eventstore.core.record import Stored
from eventstore.core.refusal import InvariantBroken, Refusal
from games.rules.selfplay import Random, SeededNumbers, pick
from ledger.core.kinds import Kind
from ledger.store.books import LIVE
from tonk_site.proving import live
from tonk_site.proving.acting import played
from tonk_site.proving.cards.random_hands import below
from tonk_site.proving.checks import Check, Found, Order
from tonk_site.proving.differing import FAULTS, breach, same
from tournaments.core import closing, lot, prizes
from tournaments.core.lifecycle import Status
from tournaments.core.options import Site, from_template
from tournaments.core.state import Entry, Tournament

NAME = "payout-sum"
IN = (Kind.ENTRY, Kind.RE_ENTRY, Kind.REBUY, Kind.ADD_ON, Kind.OVERLAY)
OUT = (Kind.PRIZE, Kind.BOUNTY, Kind.REFUND, Kind.TOURNAMENT_RAKE, Kind.FEES_EARNED)
TYPES = ("RulesPublished", "RulesAmended", "EntryPaid", "EntryRefunded", "Completed",
         "LotSeedRevealed", "PrizesPublished", "PrizesComputed", "Settled",
         "Cancelled")  # fmt: skip
PLAYERS_MAX, TIE_CHANCE = 40, 0.3
_LINES = """
SELECT e.kind, p.amount, a.role, a.owner::text FROM ledger.entry e
JOIN ledger.posting p ON p.entry_id = e.id JOIN ledger.account a ON a.id = p.account_id
WHERE e.stream = %s"""

Amounts = Counter[str]
"""Rake, overlay and fees, and what each player got under his id."""


def _twin() -> Any:
    # Loaded by name: the product runs without its tests, this check does not.
    return import_module("tests.twin.payouts")


# --- the live tournaments -------------------------------------------------------------------------


def look() -> Found:
    """Every settled tournament: what it paid is what the twin pays, and the books moved that."""
    found = Found()
    for stream in store.streams(tournament_stream("")):
        told = store.events_after(stream, 0, types=TYPES)
        if _of(told, "Settled") and not _of(told, "Cancelled"):
            found.add(_settled(stream, told))
    return found


def _settled(stream: str, told: Sequence[Stored]) -> Found:
    event = _event(told)
    expected, found = _expected(event), Found()
    found.done.update(tournaments=1, places=len(event.places), ties=_tied(event.places.values()))
    booked, money_in, money_out = _booked(stream)
    published = [prize for one in _of(told, "PrizesPublished") for prize in one["vector"]]
    compared = [
        ("places", [], event.faults),
        ("the vector", event.vector(), published),
        ("amounts as stated", expected, _stated(told)),
        ("amounts as booked", expected, booked),
        ("what went out", money_in, money_out),
    ]
    found.breaches = [
        live.told(what, stream, expected=wanted, got=got)
        for what, wanted, got in compared
        if wanted != got
    ]
    return found


def _of(told: Sequence[Stored], name: str) -> list[Mapping[str, Any]]:
    return [one.payload for one in told if one.type == name]


def _event(told: Sequence[Stored]) -> Any:
    """What the twin needs to know, from the facts as they were stored."""
    options = dict(_of(told, "RulesPublished")[0]["options"])
    for amended in _of(told, "RulesAmended"):
        options["guarantee"] = amended["guarantee"] or options["guarantee"]
    refunded = {(one["player"], one["entry_no"]) for one in _of(told, "EntryRefunded")}
    entries = [
        one for one in _of(told, "EntryPaid") if (one["player"], one["entry_no"]) not in refunded
    ]
    places = {
        place["player"]: (place["place_best"], place["place_worst"])
        for one in _of(told, "Completed")
        for place in one["places"]
    }
    seed = bytes.fromhex(_of(told, "LotSeedRevealed")[0]["seed"])
    return _twin().Event(options, entries, places, seed)


def _expected(event: Any) -> Amounts:
    own = {"rake": event.rake, "overlay": event.overlay, "fees": event.fees}
    return +Counter(own | event.payout())


def _stated(told: Sequence[Stored]) -> Amounts:
    found = Amounts()
    for one in _of(told, "PrizesComputed"):
        found.update({name: one[name] for name in ("rake", "overlay", "fees")})
        found.update({prize["player"]: prize["amount"] for prize in one["prizes"]})
    return +found


def _booked(stream: str) -> tuple[Amounts, int, int]:
    """The same from the books, and all that came in and went out."""
    found, money = Amounts(), Counter[bool]()
    names = {Kind.TOURNAMENT_RAKE: "rake", Kind.OVERLAY: "overlay", Kind.FEES_EARNED: "fees"}
    for number, amount, role, owner in LIVE.rows(_LINES, [stream]):
        kind = Kind(number)
        if amount > 0 and kind in (*IN, *OUT):
            money[kind in IN] += amount
        if amount > 0 and kind in names:
            found[names[kind]] += amount
        if kind is Kind.PRIZE and role == "wallet":
            found[owner] -= amount
    return +found, money[True], money[False]


def _tied(places: Iterable[tuple[int, int]]) -> int:
    """How many groups share a place."""
    return sum(best != worst for best, worst in set(places))


# --- the trial ------------------------------------------------------------------------------------


def run(order: Order) -> Found:
    """Random tournaments by number; then the live part on the played world."""
    found = Found()
    for number in range(1, order.sizes["tournaments"] + 1):
        name = f"{order.seed}/{number}"
        try:
            found.add(play(SeededNumbers(name)))
        except FAULTS as error:
            rerun = f"manage.py prove {NAME} --seed {order.seed}"
            found.breaches.append(replace(breach(error, NAME, order.seed, number), rerun=rerun))
    with played.database() as place:
        found.add(live.read_there(look, place, f"manage.py prove {NAME} --seed {order.seed}"))
    return found


def play(rng: Random) -> Found:
    """One random tournament at its end, paid by the product and by the twin. Raises: Differs."""
    options = _options(rng)
    places = _places(rng, 1 + below(rng, PLAYERS_MAX))
    seed = bytes(below(rng, 256) for _ in range(32))
    paid = [{"player": name, "buy_in": options["buy_in"], "fee": options["fee"]} for name in places]
    event = _twin().Event(options, paid, places, seed)
    state = _completed(options, places, seed)
    pool = closing.pool_of_entries(state)
    vector = prizes.vector(
        pool.amount,
        state.settings.division,
        entries=len(places),
        players=len(places),
        price=state.settings.price,
    )
    same("the vector", event.vector(), vector)
    computed = closing.compute_prizes(replace(state, vector=tuple(vector)))
    if isinstance(computed, Refusal):
        raise InvariantBroken(f"no prizes: {computed.code}")
    same("amounts", _expected(event), _paid(computed))
    same("places", [], event.faults)
    given = event.collected + event.fees + event.overlay
    same("in and out", given, sum(event.payout().values()) + event.rake + event.fees)
    return Found(Counter(tournaments=1, places=len(places), ties=_tied(places.values())))


def _options(rng: Random) -> dict[str, Any]:
    """Options of money at random, the rest as in the template."""
    chosen: dict[str, Any] = {
        "buy_in": below(rng, 10_000),
        "fee": below(rng, 1_000),
        "rake_bp": pick(rng, (0, below(rng, 1_001))),
        "guarantee": pick(rng, (0, below(rng, 200_000))),
        "round_to": pick(rng, (1, 1, 10, 100)),
        "payout": pick(rng, ("auto", "bp", "top")),
        "payout_bp": None,
        "payout_top": None,
    }
    if chosen["payout"] == "bp":
        chosen["payout_bp"] = _basis_points(rng)
    if chosen["payout"] == "top":
        chosen["payout_top"] = 1 + below(rng, 9)
    return dict(from_template("sim-short", {}, Site(("XTK",), "XTK")).options) | chosen


def _basis_points(rng: Random) -> list[int]:
    """A falling vector that sums to all."""
    parts = sorted((1 + below(rng, 100) for _ in range(1 + below(rng, 6))), reverse=True)
    found = [10_000 * part // sum(parts) for part in parts]
    return [10_000 - sum(found[1:]), *found[1:]]


def _places(rng: Random, players: int) -> dict[str, tuple[int, int]]:
    """Players with the places that they share or have alone."""
    names = [str(uuid7(below(rng, 2**40), bytes(10))) for _ in range(players)]
    found: dict[str, tuple[int, int]] = {}
    first = 1
    while first <= players:
        size = 1
        while first + size <= players and rng.random() < TIE_CHANCE:
            size += 1
        found |= dict.fromkeys(names[first - 1 : first - 1 + size], (first, first + size - 1))
        first += size
    return found


def _completed(
    options: Mapping[str, Any], places: Mapping[str, tuple[int, int]], seed: bytes
) -> Tournament:
    """The product's state at the end of such a tournament."""
    entries = {
        (name, 1): Entry(
            player=name,
            entry_no=1,
            buy_in=options["buy_in"],
            fee=options["fee"],
            bounty=0,
            status="out",
            place=place,
        )
        for name, place in places.items()
    }
    return Tournament(
        status=Status.COMPLETED,
        options=options,
        entries=MappingProxyType(entries),
        last_entry=dict.fromkeys(places, 1),
        entered=len(entries),
        collected=sum(entry.buy_in for entry in entries.values()),
        fees=sum(entry.fee for entry in entries.values()),
        seed=seed.hex(),
        seed_commit=lot.commitment(seed),
    )


def _paid(computed: Sequence[Any]) -> Amounts:
    found = Amounts()
    for one in computed:
        found.update({"rake": one.rake, "overlay": one.overlay, "fees": one.fees})
        found.update({prize.player: prize.amount for prize in one.prizes})
    return +found


CHECK = Check(
    name=NAME,
    promise=1,
    quick={"tournaments": 500, "places": 5_000, "ties": 500},
    full={"tournaments": 50_000, "places": 500_000, "ties": 50_000},
    run=run,
    live=look,
)
