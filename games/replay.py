"""Tables replayed: what is otherwise in live rows, rules, folds or deals than a stream says."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from eventstore.core.ids import subject
from eventstore.core.record import Stored, time_text
from eventstore.verification import Difference, unequal
from games import folds
from games.models import RuleSet, Seat
from games.models import Table as Live
from games.rules import events, fair
from games.rules.cards import CODES, TEXTS
from games.rules.options import as_dict
from games.rules.rotation import counted
from games.rules.shuffles import Deck, KeyedShuffle
from games.rules.table import Table, fold
from games.rules.views import PUBLIC, Document, Viewer, state_document
from games.services import loading

SEAT_ROWS, RULE_ROWS = "games_seat", "games_ruleset"


def differences(stored: Sequence[Stored]) -> Iterator[Difference]:
    """What differs from a table's whole stream, at rest: deals, rows, rules, served states."""
    yield from deal_differences(stored)
    yield from _rules_differences(stored)
    newest = stored[-1]
    row = Live.objects.filter(id=subject(newest.stream)).first()
    if row is None:
        yield Difference(newest.stream, newest.version, "live row", None, newest.version)
        return
    table = fold(stored, folds.decks_of(stored))
    yield from _row_differences(row, table, stored)
    yield from _view_differences(row, table, stored)


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


# --- served states --------------------------------------------------------------------------------


def _view_differences(row: Live, table: Table, stored: Sequence[Stored]) -> Iterator[Difference]:
    """A fold of all, one that begins with the newest deal, and the kept one look equal to all."""
    since = [one for one in stored if one.version >= (table.dealt_version or 1)]
    shortest = fold([*stored[:1], *since], folds.decks_of(since))
    for other in (shortest, folds.current(row.id, row.hand_version).table):
        for viewer in (PUBLIC, *(Viewer(place.seat) for place in table.places)):
            live, log = (_document(one, viewer, row.id) for one in (other, table))
            for found in unequal(stored[-1].stream, table.version, live, log):
                name = f"{found.field} for {viewer.tag}"
                yield Difference(found.stream, found.version, name, found.live, found.log)


# --- deals ----------------------------------------------------------------------------------------


def deal_differences(stored: Iterable[Stored]) -> Iterator[Difference]:
    """Deals that are not what their seed gives, once it is shown: proofs, and each public card."""
    hand: list[Stored] = []
    for one in stored:
        if isinstance(one.event, events.HandDealt):
            hand = []
        hand.append(one)
        seed = getattr(one.event, "server_seed", None)
        dealt = hand[0].event
        if isinstance(dealt, events.HandDealt) and seed is not None:
            yield from _deal_differences(hand, dealt, bytes.fromhex(seed))


def _deal_differences(
    hand: Sequence[Stored], dealt: events.HandDealt, seed: bytes
) -> Iterator[Difference]:
    hand_id = UUID(dealt.hand).bytes
    commitment = fair.commit(hand_id, seed)
    seats = [fair.SeatSeed(one.seat, UUID(one.player).bytes) for one in dealt.players]
    transcript = fair.transcript(hand_id, commitment=commitment, spec=dealt.deck_spec, seats=seats)
    key = fair.hand_key(seed, transcript)
    sealed = fair.seal(key, hand=hand_id, cards=fair.DECKS[dealt.deck_spec])
    proofs = {"commit": commitment, "transcript": transcript, "deck_root": sealed.root}
    stream, version = hand[0].stream, hand[0].version
    said = {name: getattr(dealt, name) for name in proofs}
    given = {name: value.hex() for name, value in proofs.items()}
    yield from unequal(stream, version, said, given)
    deck = Deck(sealed.order, KeyedShuffle(hand_id, key))
    cards = deck.cards
    for one in hand:
        if isinstance(one.event, events.PileReshuffled):
            cards, root = deck.reshuffled(one.event.places)
            yield from unequal(stream, one.version, {"root": one.event.root}, {"root": root})
        shown = {f"place {place}": card for place, card in _placed(one.payload)}
        lies = {f"place {place}": TEXTS[cards[place]] for place, _ in _placed(one.payload)}
        yield from unequal(stream, one.version, shown, lies)


def _placed(value: Any) -> Iterator[tuple[int, str]]:
    """Every (place, card) that an event's data shows, at whatever depth."""
    if isinstance(value, list):
        for item in value:
            yield from _placed(item)
    elif isinstance(value, Mapping):
        if value.get("card") in CODES and isinstance(value.get("place"), int):
            yield value["place"], value["card"]
        if "places" in value and "cards" in value:
            yield from zip(value["places"], value["cards"], strict=True)
        for item in value.values():
            yield from _placed(item)
