"""Tables replayed: what is otherwise in live rows, rules, folds or deals than a stream says."""

from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from eventstore.core.ids import subject
from eventstore.core.record import Stored, time_text
from eventstore.store import Leaf
from eventstore.verification import Difference, unequal
from games import folds, followers
from games.models import Hand, HandPlaces, RuleSet, Seat, Sitting
from games.models import Table as Live
from games.rules import anchors, events, fair, window
from games.rules.cards import TEXTS
from games.rules.openings import shown
from games.rules.options import as_dict
from games.rules.rotation import counted
from games.rules.shuffles import Deck, KeyedShuffle
from games.rules.table import Table, fold
from games.rules.views import PUBLIC, Document, Viewer, state_document
from games.services import loading
from games.services.anchors import anchors_of

SEAT_ROWS, RULE_ROWS, ANCHOR_ROWS = "games_seat", "games_ruleset", "games_anchor"
SITTING_ROWS, SITS = "games_sitting", "sits there"


def differences(stored: Sequence[Stored], *, sealed: bool = False) -> Iterator[Difference]:
    """What differs from a table's whole stream, at rest: deals, rows, rules, served states.

    `sealed`: the reader may open no seed of a running hand, so he sees it as everybody does.
    """
    yield from deal_differences(stored)
    yield from _rules_differences(stored)
    newest = stored[-1]
    row = Live.objects.filter(id=subject(newest.stream)).first()
    if row is None:
        yield Difference(newest.stream, newest.version, "live row", None, newest.version)
        return
    table = fold(stored, {} if sealed else folds.decks_of(stored))
    yield from _row_differences(row, table, stored)
    yield from _view_differences(row, table, stored, sealed=sealed)


def public_document(stored: Sequence[Stored]) -> Document:
    """The state that everybody may see after these events, from version 1 on."""
    return _document(fold(stored), PUBLIC, subject(stored[0].stream))


def _document(table: Table, viewer: Viewer, table_id: UUID) -> Document:
    return state_document(table, viewer, table_id=str(table_id), names={}, time_text=time_text)


# --- live rows ------------------------------------------------------------------------------------


def _row_differences(row: Live, table: Table, stored: Sequence[Stored]) -> Iterator[Difference]:
    expected = _fields(table, stored)
    if table.of_tournament and not table.playing:
        # When a waiting table is looked at again, its tournament says.
        del expected["due"], expected["due_at"]
    live = {name: getattr(row, name) for name in expected}
    yield from unequal(stored[-1].stream, table.version, live, expected)
    seats = {f"{SEAT_ROWS} {place.seat}": place.player for place in table.places}
    taken = {
        f"{SEAT_ROWS} {seat}": str(player)
        for seat, player in Seat.objects.filter(table=row).values_list("seat", "player_id")
    }
    yield from unequal(stored[-1].stream, table.version, taken, seats)
    yield from _sitting_differences(row, table, stored)
    yield from _anchor_differences(row, stored)


def _sitting_differences(row: Live, table: Table, stored: Sequence[Stored]) -> Iterator[Difference]:
    """Time at the table that is not as the stream tells."""
    expected: dict[str, str] = {}
    sits: dict[str, str] = {}  # the row of whoever sits, by player
    for one in stored:
        event = one.event
        if isinstance(event, events.SeatTaken) and event.bot is None:
            sits[event.player] = f"{SITTING_ROWS} {event.player} {time_text(one.at)}"
            expected[sits[event.player]] = SITS
        elif isinstance(event, events.SeatLeft | events.SeatCashedOut) and (
            one.type == loading.gone_type(table) and event.player in sits
        ):
            expected[sits.pop(event.player)] = time_text(one.at)
    found = {
        f"{SITTING_ROWS} {player} {time_text(taken_at)}": time_text(left_at) if left_at else SITS
        for player, taken_at, left_at in Sitting.objects.filter(table=row).values_list(
            "player", "taken_at", "left_at"
        )
    }
    yield from unequal(stored[-1].stream, table.version, found, expected)


def _anchor_differences(row: Live, stored: Sequence[Stored]) -> Iterator[Difference]:
    """Chains of seeds that are not as the stream leaves them."""
    known = anchors.fold(one.event for one in stored)
    expected = {f"{ANCHOR_ROWS} {seat}": chain for seat, chain in known.chains.items()}
    kept = anchors_of(row.id, fold(stored)).chains
    found = {f"{ANCHOR_ROWS} {seat}": chain for seat, chain in kept.items()}
    yield from unequal(stored[-1].stream, stored[-1].version, found, expected)


def _fields(table: Table, stored: Sequence[Stored]) -> dict[str, object]:
    """The live row as the stream gives it, without what counts tries."""
    fields = loading.changes(table)
    del fields["attempts"]
    ends = [one.event.end for one in stored if isinstance(one.event, events.HandEnded)]
    fields |= {"hand_version": table.dealt_version, "hands_counted": sum(map(counted, ends))}
    opened = table.opened
    if opened is not None:
        fields |= {
            "tournament": UUID(opened.tournament) if opened.tournament else None,
            "opened_by": UUID(opened.opened_by),
            "opened_at": stored[0].at,
            "preset": opened.rules.preset or "",
            "currency": opened.currency,
            "stake": opened.stake,
            "seats": opened.seats,
            "visibility": opened.visibility,
        }
    return fields


def _rules_differences(stored: Sequence[Stored]) -> Iterator[Difference]:
    """Rules that a table was opened with and that are not found under their hash."""
    for one in stored:
        if isinstance(one.event, events.TableOpened):
            rules = one.event.rules
            row = RuleSet.objects.filter(hash=rules.hash).values("version", "options").first()
            log = {"version": rules.version, "options": as_dict(rules.options)}
            name = f"{RULE_ROWS} {rules.hash}"
            yield from unequal(one.stream, one.version, {name: row}, {name: log})


# --- the index of hands ---------------------------------------------------------------------------


def index_differences(leaves: Sequence[Leaf]) -> Iterator[Difference]:
    """Rows of the index of hands that are not as a table's leaves tell.

    The leaves are those that the follower has applied.
    """
    if leaves:
        newest = leaves[-1].event
        told = {f"hand {row.hand}": _told(row) for row in followers.told(leaves).values()}
        rows = Hand.objects.filter(table_id=subject(newest.stream))
        kept = {f"hand {row.hand}": _told(row) for row in rows}
        yield from unequal(newest.stream, newest.version, kept, told)


def _told(row: HandPlaces) -> str:
    return str([getattr(row, field.name) for field in HandPlaces._meta.get_fields()])


# --- served states --------------------------------------------------------------------------------


def _view_differences(
    row: Live, table: Table, stored: Sequence[Stored], *, sealed: bool
) -> Iterator[Difference]:
    """A fold of all, one that begins with the newest deal, and the kept one look equal to all."""
    since = [one for one in stored if one.version >= (table.dealt_version or 1)]
    shortest = fold([*stored[:1], *since], {} if sealed else folds.decks_of(since))
    kept = (folds.without_deck if sealed else folds.current)(row.id, row.hand_version).table
    hidden = sealed and table.playing
    viewers = [PUBLIC, *([] if hidden else [Viewer(place.seat) for place in table.places])]
    for other in (shortest, kept):
        for viewer in viewers:
            live, log = (_document(one, viewer, row.id) for one in (other, table))
            for found in unequal(stored[-1].stream, table.version, live, log):
                name = f"{found.field} for {viewer.tag}"
                yield Difference(found.stream, found.version, name, found.live, found.log)


# --- deals ----------------------------------------------------------------------------------------


def deal_differences(stored: Iterable[Stored]) -> Iterator[Difference]:
    """Deals that are not what their seeds give, once all are shown: proofs, and each public card.

    Every seed of a seat must be the next link of its chain, every seed of the dealer the one that
    was committed to.
    """
    chains, hand = anchors.Anchors(), list[Stored]()
    for one in stored:
        event = one.event
        if isinstance(event, events.ShuffleCommitted):
            hand = []
        hand.append(one)
        if isinstance(event, events.SeedRevealed):
            yield from _link_differences(chains, one, event)
        chains = anchors.evolve(chains, event)
        if isinstance(event, _SHOW_SEED) and event.server_seed is not None:
            yield from _hand_differences(hand, event.hand, bytes.fromhex(event.server_seed))


_SHOW_SEED = (events.HandRevealed, events.HandVoided, events.ShuffleAborted)


def _link_differences(
    chains: anchors.Anchors, one: Stored, event: events.SeedRevealed
) -> Iterator[Difference]:
    """A seed that is not the next of its seat's chain."""
    chain = chains.of(event.seat, event.player)
    good = chain is not None and chain.is_next(event.seed)
    expected = {"links": True, "index": None if chain is None else chain.used + 1}
    found = {"links": good, "index": event.index}
    yield from unequal(one.stream, one.version, found, expected)


def _hand_differences(hand: Sequence[Stored], name: str, seed: bytes) -> Iterator[Difference]:
    """Commitment, deal and cards of one hand against the dealer's seed."""
    commitment = fair.commit(UUID(name).bytes, seed)
    committed = hand[0].event
    if not isinstance(committed, events.ShuffleCommitted) or committed.hand != name:
        yield Difference(hand[0].stream, hand[-1].version, "commitment", name, None)
        return
    deal = next((one for one in hand if isinstance(one.event, events.HandDealt)), None)
    if deal is not None:
        yield from _deal_differences(hand, committed, deal, seed)
    said = {"commit": committed.commit}
    yield from unequal(hand[0].stream, hand[0].version, said, {"commit": commitment.hex()})


def _deal_differences(
    hand: Sequence[Stored], committed: events.ShuffleCommitted, deal: Stored, seed: bytes
) -> Iterator[Difference]:
    """The deal that commitment, seeds and beacon give, and the cards that lie where it is."""
    dealt = deal.event
    assert isinstance(dealt, events.HandDealt)  # noqa: S101  # the caller has chosen so
    stream, hand_id = deal.stream, UUID(dealt.hand).bytes
    commitment = fair.commit(hand_id, seed)
    given = [one.event for one in hand if isinstance(one.event, events.SeedRevealed)]
    transcript = fair.transcript(
        hand_id,
        commitment=commitment,
        spec=committed.deck_spec,
        seats=window.seat_seeds(committed, given),
        beacon=bytes.fromhex(dealt.beacon or ""),
    )
    key = fair.hand_key(seed, transcript)
    sealed = fair.seal(key, hand=hand_id, cards=fair.DECKS[committed.deck_spec])
    expected: dict[str, object] = {
        "commit": commitment.hex(),
        "transcript": transcript.hex(),
        "deck_root": sealed.root.hex(),
        "seeds": window.seed_states(committed, given),
        "mixed in": committed.beacon is not None,
    }
    found: dict[str, object] = {
        "commit": dealt.commit,
        "transcript": dealt.transcript,
        "deck_root": dealt.deck_root,
        "seeds": {one.seat: one.seed for one in dealt.players},
        "mixed in": dealt.beacon is not None,
    }
    yield from unequal(stream, deal.version, found, expected)
    yield from _card_differences(hand, Deck(sealed.order, KeyedShuffle(hand_id, key)))


def _card_differences(hand: Sequence[Stored], deck: Deck) -> Iterator[Difference]:
    """Public cards that do not lie at their places."""
    cards = deck.cards
    for one in hand:
        if isinstance(one.event, events.PileReshuffled):
            cards, root = deck.reshuffled(one.event.places)
            yield from unequal(one.stream, one.version, {"root": one.event.root}, {"root": root})
        public = list(shown(one.event))
        told = {f"place {place}": card for place, card in public}
        lies = {f"place {place}": TEXTS[cards[place]] for place, _ in public}
        yield from unequal(one.stream, one.version, told, lies)
