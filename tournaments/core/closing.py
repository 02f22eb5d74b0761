"""The end and the money: places, prizes, settlement, cancellation (`tournaments.md` 10 and 11)."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

from eventstore.core import canonical
from eventstore.core.refusal import InvariantBroken, Refusal
from tournaments.core import events, lot, prizes
from tournaments.core.bounties import to_first_place
from tournaments.core.busts import Place, cover_all, tie_groups
from tournaments.core.drafting import Decision
from tournaments.core.lifecycle import Status, refusal
from tournaments.core.parts import in_parts
from tournaments.core.state import Tournament


def pool_of_entries(state: Tournament) -> prizes.Pool:
    """The prize pool of all entries that were not refunded."""
    settings = state.settings
    return prizes.pool_of(state.collected, rake_bp=settings.rake_bp, guarantee=settings.guarantee)


def vector_hash(vector: Sequence[int]) -> str:
    """Fingerprint of a prize vector, hex."""
    return sha256(canonical.encode(list(vector))).hexdigest()


def published_prizes(state: Tournament) -> list[events.Event]:
    """What each place gets with the present entries; provisional while somebody may come."""
    settings = state.settings
    amounts = prizes.vector(
        pool_of_entries(state).amount,
        settings.division,
        entries=state.entered,
        players=len(state.contenders()),
        price=settings.price,
    )
    return [
        events.PrizesPublished(
            part=part,
            parts=parts,
            places=len(amounts) if part == 1 else 0,
            vector=piece,
            currency=settings.currency,
            hash=vector_hash(amounts) if part == 1 else None,
        )
        for part, parts, piece in in_parts(amounts)
    ]


def final_places(state: Tournament) -> dict[str, Place]:
    """Places of all players, first the best. Raises: InvariantBroken while one is missing."""
    places = {entry.player: entry.place for entry in state.contenders()}
    known = {player: place for player, place in places.items() if place is not None}
    if len(known) != len(places) or not cover_all(list(known.values())):
        raise InvariantBroken(f"places {places}")
    return dict(sorted(known.items(), key=lambda item: item[1]))


def completed(state: Tournament, *, places: Mapping[str, Place], seed: bytes) -> list[events.Event]:
    """Play is over: the places of all players, and the seed of the lot."""
    if set(places) != {entry.player for entry in state.contenders()}:
        raise InvariantBroken(f"places at the end: {places}")
    if not cover_all(list(places.values())):
        raise InvariantBroken(f"places at the end: {places}")
    told = [
        events.PlaceOfPlayer(
            player=player,
            entry_no=state.last_entry[player],
            place_best=place[0],
            place_worst=place[1],
        )
        for player, place in sorted(places.items(), key=lambda one: (one[1][0], one[0]))
    ]
    plain = [
        {
            "player": one.player,
            "entry_no": one.entry_no,
            "place": [one.place_best, one.place_worst],
        }
        for one in told
    ]
    standings = sha256(canonical.encode(plain)).hexdigest()
    parts = [
        events.Completed(
            part=part, parts=count, places=piece, standings_hash=standings if part == 1 else None
        )
        for part, count, piece in in_parts(told)
    ]
    return [*parts, _revealed(state, seed)]


def compute_prizes(state: Tournament) -> Decision:
    """Every amount of the pay-out; ties are shared, odd units in order of the lot `tie`.

    Refuses with `wrong_state`. Raises: InvariantBroken unless exactly the pool is given out.
    """
    refused = refusal(state.status, "compute_prizes")
    if refused or state.seed is None:
        return refused or Refusal("wrong_state", facts={"command": "compute_prizes"})
    pool, seed = pool_of_entries(state), bytes.fromhex(state.seed)
    ranks = [lot.order(seed, "tie", group) for group in tie_groups(final_places(state))]
    amounts = prizes.share_places(state.vector, ranks)
    prizes.assert_paid_out(amounts, pool)
    amounts = to_first_place(amounts, ranks[0], state.heads)
    best = {player: place[0] for player, place in final_places(state).items()}
    won = [
        events.Prize(place=best[player], player=player, amount=amount, ticket_for=None)
        for player, amount in amounts.items()
        if amount
    ]
    return tuple(
        events.PrizesComputed(
            part=part,
            parts=parts,
            currency=state.settings.currency,
            overlay=pool.overlay if part == 1 else 0,
            rake=pool.rake if part == 1 else 0,
            fees=state.fees if part == 1 else 0,
            heads_to_pool=state.heads if part == 1 else 0,
            prizes=piece,
            vector_hash=vector_hash(state.vector) if part == 1 else None,
        )
        for part, parts, piece in in_parts(won)
    )


def settle(state: Tournament, *, checked_version: int, escrow: Mapping[str, int]) -> Decision:
    """Everything is posted up to `checked_version` and `escrow` (account -> balance) is empty.

    Refuses with `wrong_state`, `escrow_not_empty`.
    """
    refused = refusal(state.status, "settle")
    if refused or state.closed:
        facts = {"status": state.status and state.status.value, "command": "settle"}
        return refused or Refusal("wrong_state", facts=facts)
    for account, balance in escrow.items():
        if balance:
            return Refusal("escrow_not_empty", facts={"account": account, "balance": balance})
    return (events.Settled(checked_version=checked_version),)


def cancel(state: Tournament, *, reason_code: str, seed: bytes | None) -> Decision:
    """Called off before the start: everything back, fee and head too.

    `seed` is that of the lot; None for a draft, which has none. Refuses with `wrong_state`: a
    tournament that runs is not cancelled by this command.
    """
    refused = refusal(state.status, "cancel")
    if refused:
        return refused
    refunds = [
        events.Refund(
            player=entry.player,
            entry_no=entry.entry_no,
            pool=entry.buy_in,
            fee=entry.fee,
            bounty=entry.bounty,
        )
        for entry in state.living_entries()
    ]
    unpaid = state.status in (Status.DRAFT, Status.ANNOUNCED)
    parts = tuple(
        events.Cancelled(
            part=part,
            parts=count,
            policy="no_entries" if unpaid else "before_start",
            reason_code=reason_code,
            currency=str(state.options["currency"]),
            rake=0,
            fees_kept=0,
            refunds=piece,
        )
        for part, count, piece in in_parts(refunds)
    )
    return (*parts, _revealed(state, seed)) if state.seed_commit and seed else parts


def _revealed(state: Tournament, seed: bytes) -> events.LotSeedRevealed:
    if lot.commitment(seed) != state.seed_commit:
        raise InvariantBroken("the seed of the lot is not the one committed to")
    return events.LotSeedRevealed(seed=seed.hex())
