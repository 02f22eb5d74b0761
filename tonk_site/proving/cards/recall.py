"""Every player gets all his hands: step by step as he saw them, and in full after the reveal
(`trust.md` section 1).

The trial reads a played world in which many bots have played a hand too.
"""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db import connections
from msgspec.structs import replace

from eventstore import followers, store, tree
from eventstore.core.record import Stored
from eventstore.core.refusal import Refusal
from eventstore.following import Runner
from games.dealer import deck_from
from games.followers import HANDS
from games.hands import HandPlace, find
from games.rules import events
from games.rules.shuffles import Deck
from games.rules.tonkh.check import verify
from games.rules.tonkh.history import ALL, UNSEEN, HandHistory
from games.rules.tonkh.play import document, replay
from games.rules.tonkh.telling import from_events
from games.selectors import tables_of_tournament
from ledger.services.wallets import WELCOME_CHIPS
from players.selectors import Person
from tonk_site.proving import live
from tonk_site.proving.acting import played
from tonk_site.proving.acting.drive import once
from tonk_site.proving.acting.factories import a_player, a_tournament, with_bots
from tonk_site.proving.acting.sealing import seal_log
from tonk_site.proving.cards.dealt_hands import deal_of, hands_of, records_of, tables
from tonk_site.proving.checks import Breach, Check, Found, Order
from tonk_site.proving.differing import FAULTS, Differs, same
from tonk_site.proving.scratch import fresh_processes

NAME = "recall"
BOTS = 16  # of one tournament of the trial
# All that a house bot has, so that no bot plays twice.
EVENING: dict[str, Any] = {
    "entries_min": BOTS, "entries_max": BOTS, "stack_stakes": 5, "buy_in": WELCOME_CHIPS, "fee": 0,
}  # fmt: skip


def run(order: Order) -> Found:
    """The live part in a copy of the played world, after tournaments for so many players."""
    with played.database() as place:
        with fresh_processes(1, place.variables) as pool:
            pool.submit(play_hands, order.sizes["players"]).result()
        return live.read_there(look, place, f"manage.py prove {NAME} --seed {order.seed}")


def play_hands(players: int) -> None:
    """A hand of each of so many players at least, in the configured database."""
    organiser = a_player("jurgis", "organiser")
    for _ in range(0, players, BOTS):
        _play_a_hand(organiser)
    seal_log()
    Runner((HANDS,)).poll()
    connections.close_all()


def _play_a_hand(organiser: Person) -> None:
    """A tournament of bots, until a hand has ended at each of its tables."""
    tournament = a_tournament(organiser, **EVENING)
    with_bots(tournament, organiser, BOTS, "random-0")
    while once(tournament):
        rows = tables_of_tournament(tournament)
        if rows and all(row.hands_counted for row in rows):
            return


# --- the hands of everybody -----------------------------------------------------------------------


def look() -> Found:
    """Every hand that has ended and that is indexed by now, as each of its players gets it."""
    found, players = Found(), set[str]()
    standing = [one for one in followers.standings(HANDS.name) if one.status == followers.LIVE]
    indexed = standing[0].log_index if standing else 0
    for stream in tables():
        opening = store.events_after(stream, 0, limit=1)
        for hand in hands_of(records_of(stream)):
            last = tree.index_of(stream, hand[-1].version)
            if last is None or last >= indexed:
                continue
            if _deck_of(hand) is None:
                found.breaches += without_seed(hand)
                continue
            found.done["hands"] += 1
            players |= {one.player for one in deal_of(hand)[1].players}
            found.breaches += wrong(opening, hand)
    found.done["players"] = len(players)
    return found


def _deck_of(hand: Sequence[Stored]) -> Deck | None:
    """The deck of a hand whose seed is shown, as it was dealt."""
    reveal = hand[-1].event
    if not isinstance(reveal, events.HandRevealed | events.HandVoided) or not reveal.server_seed:
        return None
    return deck_from(deal_of(hand)[1], bytes.fromhex(reveal.server_seed))


def without_seed(hand: Sequence[Stored]) -> Iterator[Breach]:
    """An ended hand whose deck nobody gets; where its key is lost, nobody can."""
    facts = [one.event for one in hand]
    ended = any(isinstance(one, events.HandEnded | events.HandRevealed) for one in facts)
    voided = [one.reason for one in facts if isinstance(one, events.HandVoided)]
    if ended or any(reason != events.KEY_LOST for reason in voided):
        deal, _ = deal_of(hand)
        where, got = f"{deal.stream}@{deal.version} for all", voided[0] if voided else "none"
        yield live.told("no seed", where, expected="the dealer's seed", got=got)


def wrong(opening: Sequence[Stored], hand: Sequence[Stored]) -> Iterator[Breach]:
    """What a player does not get of an ended hand, or gets otherwise than it was."""
    deal, dealt = deal_of(hand)
    for seat in (None, *(one.seat for one in dealt.players)):
        try:
            if seat is None:
                _in_full(opening, hand)
            else:
                _step_by_step(opening, hand, seat)
        except FAULTS as error:
            where = f"{deal.stream}@{deal.version} for {'all' if seat is None else f'seat {seat}'}"
            expected, got = getattr(error, "expected", ""), getattr(error, "got", error)
            what = getattr(error, "what", "no history")
            yield live.told(what, where, expected=expected, got=got)


def _in_full(opening: Sequence[Stored], hand: Sequence[Stored]) -> None:
    """Whoever asks for the hand gets all of it, and it plays again to the stored end."""
    deal, dealt = deal_of(hand)
    place = HandPlace(
        UUID(dealt.hand), deal.stream, UUID(deal.stream.partition("/")[2]),
        hand[0].version, deal.version, hand[-1].version,
    )  # fmt: skip
    same("place of the hand", place, find(place.hand))
    full = _told([*opening, *hand], ALL)
    same("problems", (), verify(full))
    same("hidden cards", 0, sum(UNSEEN in text for text in (*full.deal, *full.actions)))
    ended = next((one.event for one in hand if isinstance(one.event, events.HandEnded)), None)
    if ended is not None:
        result = replay(full).result
        same("stored end", (ended.end, ended.by), result and (result.end, result.by))
        same("stored nets", [one.amount for one in ended.net], list(full.net or ()))
        held = {one.seat: set(one.cards) for one in ended.held}
        last = document(full, replay(full).hands[-1])
        same("stored cards", held, _cards(last))


def _step_by_step(opening: Sequence[Stored], hand: Sequence[Stored], seat: int) -> None:
    """A seat gets the steps that it saw when they were new, and its own cards at each of them."""
    viewer, full = f"seat {seat}", _told([*opening, *hand], ALL)
    his = _told([*opening, *hand], viewer)
    deck, dealt_at = _deck_of(hand), hand.index(deal_of(hand)[0])
    for count in range(dealt_at + 1, len(hand)):
        seen = from_events([*opening, *hand[:count]], viewer=viewer, deck=deck)
        if isinstance(seen, HandHistory):
            same("a hand that runs", (False, None), (seen.ended, seen.proof.server_seed))
            same("the deal", seen.deal, his.deal)
            same("the steps as they were seen", seen.actions, his.actions[: len(seen.actions)])
    # Without the seed the steps are followed by what the seat knew.
    blind = replay(replace(his, proof=replace(his.proof, server_seed=None)))
    same("a step that does not follow", None, blind.fault)
    for known, right in zip(blind.hands, replay(full).hands, strict=True):
        own = _cards(document(his, known))[seat]
        same("own cards", _cards(document(full, right))[seat], own)


def _told(records: Sequence[Stored], viewer: str) -> HandHistory:
    """The history of a hand. Raises: Differs where it is refused."""
    found = from_events(records, viewer=viewer)
    if isinstance(found, Refusal):
        raise Differs("a history", expected="told", got=found.code)
    return found


def _cards(state: dict[str, Any]) -> dict[int, set[str]]:
    return {one["seat"]: set(one["cards"]) for one in state["seats"]}


CHECK = Check(
    name=NAME,
    promise=5,
    quick={"players": 20, "hands": 20},
    full={"players": 2_000, "hands": 400},
    run=run,
    live=look,
)
