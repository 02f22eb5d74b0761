"""Hand histories (`api.md` section 8): from the log to a text, and back to the same states."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.core.chain import START, Fact, head_of, seal
from eventstore.core.ids import table_stream, uuid7
from eventstore.core.record import Stored
from eventstore.core.refusal import InvariantBroken, Refusal
from games.rules import events, fair
from games.rules.decide import Decision, decide, time_out
from games.rules.options import Options
from games.rules.result import hand_ended
from games.rules.shuffles import sealed_deck
from games.rules.state import fold
from games.rules.table import CHIPS
from games.rules.tonkh import telling
from games.rules.tonkh.check import verify
from games.rules.tonkh.history import HandHistory
from games.rules.tonkh.play import commands, document, replay
from games.rules.tonkh.telling import from_events
from games.rules.tonkh.text import write
from games.rules.views import Viewer
from games.services.tables import clock_of
from tests.unit.games.rules_tables import options_of
from tests.unit.games.test_views import moments
from tests.unit.games.tonkh_hands import (
    AT,
    COMPLETE,
    EVENT,
    HAND,
    MOMENT,
    NAMES,
    SEAT_1,
    Log,
    Played,
    a_deal,
    bare,
    checks,
    good,
    hands,
    history_of,
    play_hand,
    refused_at,
    with_keys,
)
from tonk_site.proving.cards.random_hands import dealt
from tonk_site.proving.silence.moments import Moment, moment_of, other_deck, random_acts

# --- the examples of the page ---------------------------------------------------------------------


@pytest.mark.parametrize("text", [COMPLETE, SEAT_1])
def test_the_examples_are_canonical_and_good(text: str) -> None:
    history = good(text)
    assert write(history) == text
    assert verify(history) == ()


def records_of_the_page() -> tuple[Stored, ...]:
    """The complete example as the log would hold it, from version 180 on."""
    history = good(COMPLETE)
    started = datetime.fromisoformat(history.started)
    played = replay(history)
    first = played.hands[0]
    proof, seats = history.proof, list(zip(history.seats, history.players, strict=True))
    dealt_players = zip(history.seats, history.players, history.kinds, history.stacks, strict=True)
    moves = commands(history)
    log = [
        (-3, events.ShuffleCommitted(
            hand=history.hand, hand_no=7, commit=proof.commit, deck_spec=proof.deck_spec,
            fairness="commit", seats=(), dealer=3, reveal_by=None, beacon=None,
        )),
        *[
            (-2, events.SeedRevealed(
                hand=history.hand, seat=seat, player=player, index=1, seed=proof.seeds[seat - 1]
            ))
            for seat, player in seats[:2]
        ],
        (0, events.HandDealt(
            hand=history.hand, hand_no=7,
            rules=events.RuleSet(
                preset="gamerules", version=1, hash=history.rules_hash, options=history.options
            ),
            fairness="commit", deck_spec=proof.deck_spec, commit=proof.commit,
            transcript=transcript_of(history).hex(), deck_root=proof.deck_root, beacon=None,
            players=tuple(
                events.DealtPlayer(
                    seat=seat, player=player, bot=None if kind == "human" else "greedy-1",
                    stack=stack, bank_ms=0, seed="revealed" if proof.seeds[seat - 1] else "none",
                )
                for seat, player, kind, stack in dealt_players
            ),
            away=(), dealer=3, stake=100, currency="XTK", payment="full",
            rake=events.Rake(bp=0, cap=None), clock=clock_of("normal"), hand_size=5,
            upcard=events.PlacedCard(card="AS", place=15), next=first.to_act,
        )),
    ]  # fmt: skip
    hand = first
    for (seat, move), passed in zip(moves, history.times_ms, strict=True):
        assert move is not None
        made = decide(hand, seat, move)
        assert isinstance(made, Decision)
        log += [(passed, fact) for fact in made.events]
        hand = fold(hand, made.events)
    assert played.result is not None
    log.append((history.times_ms[-1], hand_ended(hand, played.result)))
    seed = events.HandRevealed(hand=history.hand, server_seed=proof.server_seed or "")
    log.append((history.times_ms[-1], seed))
    stream = table_stream(history.table)
    stored: list[Stored] = []
    head = replace(START, version=180)
    for number, (passed, fact) in enumerate(log):
        ids = [uuid7(number, bytes(10)), uuid7(number, bytes(9) + b"x")]
        at = started + timedelta(milliseconds=passed)
        stored += seal(stream, head, [Fact(fact, "player:x")], at=at, ids=ids)
        head = head_of(stored)
    return tuple(stored)


def transcript_of(history: HandHistory) -> bytes:
    proof = history.proof
    return fair.transcript(
        UUID(history.hand).bytes,
        commitment=bytes.fromhex(proof.commit),
        spec=proof.deck_spec,
        seats=[
            fair.SeatSeed(seat, UUID(player).bytes, bytes.fromhex(seed))
            for seat, player, seed in zip(history.seats, history.players, proof.seeds, strict=True)
        ],
    )


def test_the_log_of_the_page_gives_both_texts() -> None:
    stored, complete_text = records_of_the_page(), good(COMPLETE)
    names = dict(zip(complete_text.players, ["Ona", "bitute", "Petras"], strict=True))
    whole = history_of(stored, names=names)
    # The page's hash is a placeholder.
    proof = msgspec.structs.replace(whole.proof, head_hash=complete_text.proof.head_hash)
    assert write(msgspec.structs.replace(whole, proof=proof)) == COMPLETE
    at_192 = [one for one in stored if one.version <= 192]
    deck = sealed_deck(
        UUID(whole.hand).bytes,
        fair.hand_key(bytes.fromhex(whole.proof.server_seed or ""), transcript_of(whole)),
        "std52/1",
    )
    assert write(history_of(at_192, "seat 1", deck=deck, names=names)) == SEAT_1


# --- round trips ----------------------------------------------------------------------------------


@given(hands())
def test_events_text_commands_and_the_same_state_at_every_version(played: Played) -> None:
    history = history_of(played.stored, names=NAMES)
    text = write(history)
    again = good(text)
    assert again == history
    assert verify(again) == ()
    replayed = replay(again)
    assert [bare(hand) for hand in replayed.hands] == [bare(one) for one in played.states.values()]
    assert replayed.result == played.result
    hand = replayed.hands[0]
    for (seat, move), after in zip(commands(again), replayed.hands[1:], strict=True):
        made = time_out(hand, in_row=1, bank_ms=0) if move is None else decide(hand, seat, move)
        assert isinstance(made, Decision)
        hand = fold(hand, made.events)
        assert hand == after


@given(hands(), MOMENT)
def test_a_running_hand_is_told_as_its_viewer_knows_it(played: Played, moment: int) -> None:
    if played.running:
        check_views(played, played.running[moment % len(played.running)])


def check_views(played: Played, version: int) -> None:
    """Each viewer's text of a running hand is good, and gives the state as he knows it."""
    true = played.states[version]
    for viewer in ("public", *(f"seat {seat}" for seat in true.setup.seats)):
        history = history_of(played.up_to(version), viewer, deck=played.deck)
        assert good(write(history)) == history
        assert verify(history) == ()
        assert (history.deck, history.end, history.proof.server_seed) == (None, None, None)
        seen = replay(history).hands[-1]
        assert (seen.pile, seen.melds, seen.to_act) == (true.pile, true.melds, true.to_act)
        assert (seen.holds, seen.stock_count) == (true.holds, true.stock_count)
        for seat in true.setup.seats:
            assert seen.held_number(seat) == true.held_number(seat)
            if viewer == f"seat {seat}":
                assert seen.held_cards(seat) == true.held_cards(seat)
                assert seen.drawn == true.drawn or seat != true.to_act


@pytest.mark.slow
@given(hands(), MOMENT)
def test_an_ended_hand_is_told_as_it_was_seen(played: Played, moment: int) -> None:
    seats = played.states[max(played.states)].setup.seats
    viewer = ["public", *(f"seat {seat}" for seat in seats)][moment % (1 + len(seats))]
    history, whole = history_of(played.stored, viewer), history_of(played.stored)
    assert good(write(history)) == history
    assert verify(history) == ()
    assert history.proof == whole.proof
    assert (history.end, history.net, history.counts) == (whole.end, whole.net, whole.counts)
    assert history.deck is None
    assert [bare(one) for one in replay(history).hands] == [bare(o) for o in replay(whole).hands]


@pytest.mark.slow
@given(hands(), MOMENT)
def test_a_version_inside_an_append_counts_as_the_one_before(played: Played, moment: int) -> None:
    version = 1 + moment % len(played.stored)
    whole = [one for one in played.running if one <= version]
    revealed = [one.version for one in played.stored if one.type == "HandRevealed"]
    if not whole or version >= revealed[0]:
        return
    history = history_of(played.up_to(version), "public")
    before = history_of(played.up_to(max(whole)), "public").actions
    assert history.actions[: len(before)] == before
    assert len(history.actions) <= len(before) + 1
    assert whole[-1] <= history.proof.last_version <= version
    assert verify(good(write(history))) == ()


@pytest.mark.slow
@given(moments(), st.randoms(use_true_random=False))
def test_hidden_cards_change_no_byte(moment: Moment, rng: Random) -> None:
    seats = [place.seat for place in moment.table(None).places]
    for viewer in [Viewer(), *map(Viewer, seats)]:
        name = "public" if viewer.seat is None else f"seat {viewer.seat}"
        other = other_deck(moment, viewer, rng)
        texts = [history_of(moment.stored, name, deck=deck) for deck in (moment.deck, other)]
        assert write(texts[0]) == write(texts[1])
        if viewer.seat is None:
            assert write(history_of(moment.stored, name)) == write(texts[0])


def test_a_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison itself, with a history that shows every drawn card."""
    rng, options = Random(1), options_of(3)
    deal = dealt(rng, options, 3)
    moment = moment_of(deal, options, random_acts(deal, rng, 4))
    decks = (moment.deck, other_deck(moment, Viewer(1), rng))

    def texts() -> list[str]:
        return [write(history_of(moment.stored, "seat 1", deck=deck)) for deck in decks]

    assert len(set(texts())) == 1
    monkeypatch.setattr(telling, "knows", lambda *_: True)
    assert len(set(texts())) == 2


# --- hands of their own ---------------------------------------------------------------------------


def first(
    wanted: Callable[[HandHistory], object], options: Options, count: int = 3, **deal: Any
) -> Played:
    """The first of many hands whose history is as wanted."""
    for number in range(2_000):
        rng = Random(number)
        played = play_hand(a_deal(rng, options, count, **deal), rng)
        if wanted(history_of(played.stored)):
            return played
    raise AssertionError("no such hand")


def an_end(kind: str, *, count: int = 3, **options: Any) -> Played:
    """A hand that ends so."""
    return first(lambda history: history.end == kind, options_of(count, **options), count)


def test_a_hand_that_the_deal_ends_has_no_actions() -> None:
    played = an_end(
        "initial_tonk", initial_tonk_counts=list(range(30, 50)), initial_tie="higher_wins"
    )
    history = good(write(history_of(played.stored)))
    assert (history.actions, history.by, history.finished) == ((), None, history.started)
    assert verify(history) == ()
    assert "actions = []\ntimes_ms = []" in write(history)
    deal_alone = [one for one in played.stored if one.version <= min(played.states) - 4]
    assert from_events([*deal_alone, played.stored[len(deal_alone)]], viewer="public") == Refusal(
        "no_reveal_yet"
    )


def test_d27_a_pile_that_was_reshuffled_is_told_and_proved() -> None:
    options = options_of(3, on_empty_stock="reshuffle", hand_size=7, jokers=2)
    history = history_of(first(lambda one: one.reshuffles, options).stored)
    assert history.reshuffles is not None
    assert any(" X " in action for action in history.actions)
    assert verify(history) == ()
    order = history.reshuffles[0].split()
    other = msgspec.structs.replace(history, reshuffles=(" ".join(order[::-1]),))
    assert checks(other) >= {"actions", "reshuffles"}
    assert refused_at(other) == {"actions"}
    without = msgspec.structs.replace(history, reshuffles=None)
    assert checks(without) >= {"actions", "reshuffles"}
    shorter = msgspec.structs.replace(history, reshuffles=(" ".join(order[1:]),))
    assert checks(shorter) >= {"actions", "reshuffles"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verb", "options"),
    [
        (" P ", {"slap": True, "hand_size": 7}),
        (" X ", {"on_empty_stock": "reshuffle", "hand_size": 7}),
        (" O X ", {"on_empty_stock": "reshuffle", "hand_size": 7}),
        (" X", {"on_empty_stock": "void", "hand_size": 7}),
        (" H ", {"must_use_discard": True, "must_spread": True, "deuces_wild": True}),
        (" H ", {"knock_max_count": 5, "jokers": 2, "hit_hold_first": 1, "hits_per_turn": 1}),
    ],
)
def test_rare_actions_are_told_while_the_hand_runs(verb: str, options: dict[str, Any]) -> None:
    found = first(lambda one: any(verb in text for text in one.actions), options_of(3, **options))
    history = good(write(history_of(found.stored)))
    assert verify(history) == ()
    rare = next(at for at, text in enumerate(history.actions) if verb in text)
    for version in found.running[rare : rare + 4]:
        check_views(found, version)


def voided(reason: str = "outage", seed: int = 3, moves: int = 9) -> tuple[Stored, ...]:
    rng = Random(seed)
    plan = a_deal(rng, options_of(3), 3)
    played = play_hand(plan, rng, moves)
    assert played.running
    log = Log(played.stored, AT + timedelta(hours=1))
    stacks = tuple(
        events.SeatAmount(seat=seat, player=player, amount=900)
        for seat, player in zip(plan.seats, plan.players, strict=True)
    )
    seed_text = None if reason == "dealer_key_lost" else plan.server_seed.hex()
    log.add(
        events.HandVoided(
            hand=HAND, reason=reason, server_seed=seed_text, stacks=stacks, next_dealer=None
        )
    )
    return log.stored


def test_a_voided_hand_counts_and_moves_nothing() -> None:
    stored = voided()
    history = good(write(history_of(stored)))
    assert verify(history) == ()
    assert (history.end, history.void_reason, history.by) == ("void", "outage", None)
    assert (history.counts, history.net, history.transfers) == ((0, 0, 0), (0, 0, 0), ())
    assert history.deck is not None
    assert 'end = "void"\nvoid_reason = "outage"\ncounts' in write(history)
    assert history.next_dealer is None


def test_a_hand_voided_for_a_lost_key_shows_no_card() -> None:
    stored = voided("dealer_key_lost")
    history = good(write(history_of(stored)))
    assert verify(history) == ()
    assert (history.deck, history.proof.server_seed) == (None, None)
    assert set(" ".join(history.deal).split()) == {"??"}
    seen = good(write(history_of(stored, f"seat {history.seats[0]}")))
    assert (seen.deal, verify(seen)) == (history.deal, ())


def test_names_stand_only_where_players_agreed() -> None:
    played = an_end("discard_out", count=2)
    players = history_of(played.stored).players
    assert history_of(played.stored).names is None
    history = good(write(history_of(played.stored, names={players[1]: 'b\x7f\n"\\'})))
    assert history.names == ("", 'b\x7f\n"\\')
    assert 'names = ["", "b\\u007F\\u000A\\"\\\\"]' in write(history)


def test_seats_that_left_leave_no_next_dealer() -> None:
    """Only what the seats of the text give can be checked; a seat beside them may come first."""
    played = an_end("caught")
    seats = history_of(played.stored).seats
    ended = next(one.event for one in played.stored if isinstance(one.event, events.HandEnded))
    assert played.result is not None
    own = played.result.next_dealer
    found = {}
    for stated in [None, *range(1, 7)]:
        other = msgspec.structs.replace(ended, next_dealer=stated)
        history = history_of(replaced(played.stored, other))
        found[stated] = history.next_dealer
        assert verify(history) == ()
    assert found[own] == own
    for seat in seats:
        assert found[seat] == (own if seat == own else None)
    assert found[None] is None


def replaced(stored: Sequence[Stored], event: msgspec.Struct) -> tuple[Stored, ...]:
    """The records with one of them saying something else."""
    log = Log()
    for one in stored:
        log.add(event if type(one.event) is type(event) else one.event)
    pairs = zip(log.stored, stored, strict=True)
    return tuple(msgspec.structs.replace(new, at=old.at) for new, old in pairs)


def test_a_short_stack_pays_what_it_has() -> None:
    chips: dict[str, Any] = {"currency": CHIPS, "payment": "table_stakes", "stacks": (3, 3, 3)}
    history = history_of(first(lambda one: one.transfers, options_of(3), **chips).stored)
    assert history.paid
    assert (history.tournament, history.currency) == (EVENT, None)
    assert min(history.net or ()) >= -3
    assert verify(history) == ()
    richer = msgspec.structs.replace(history, stacks=(900, 900, 900))
    assert checks(richer) == {"paid", "net"}


def test_h_names_an_end_only_where_it_is_not_the_usual_one() -> None:
    options = options_of(2, deuces_wild=True, jokers=2, hand_size=7)
    low = first(lambda one: any(act.endswith(" low") for act in one.actions), options, 2)
    assert verify(good(write(history_of(low.stored)))) == ()


# --- states and refusals --------------------------------------------------------------------------


def test_a_state_as_json() -> None:
    history = good(COMPLETE)
    hands = replay(history).hands
    assert len(hands) == len(history.actions) + 1
    state: Any = document(history, hands[8])
    assert (state["to_act"], state["taken"], state["discard_top"]) == (1, "8S", "KH")
    assert state["seats"][1]["cards"] == ["2C", "2H", "4H", "6S", "TH"]
    assert document(history, hands[-1])["phase"] == "ended"
    seen: Any = document(good(SEAT_1), replay(good(SEAT_1)).hands[-1])
    assert seen["seats"][1] == {"seat": 2, "cards": [], "cards_held": 5, "hold": 0}


def test_who_may_ask_for_what() -> None:
    played = an_end("caught")
    seats = history_of(played.stored).seats
    other = next(seat for seat in range(1, 7) if seat not in seats)
    refused = from_events(played.stored, viewer=f"seat {other}")
    assert refused == Refusal("not_seated", facts={"seats": list(seats)})
    for stranger in ("", "me", "seat", "seat x"):
        with pytest.raises(ValueError, match=r"viewer|int\(\)"):
            from_events(played.stored, viewer=stranger)
    running = played.up_to(min(played.states))
    assert from_events(running, viewer="all", deck=played.deck) == Refusal("no_reveal_yet")
    with pytest.raises(ValueError, match="own cards"):
        from_events(running, viewer=f"seat {seats[0]}")


def test_records_of_no_hand() -> None:
    played = first(lambda one: any(one.proof.seeds), options_of(3))
    with pytest.raises(ValueError, match="no deal"):
        from_events(played.stored[:2], viewer="public")
    deal_on = [one for one in played.stored if one.version >= min(played.states)]
    with pytest.raises(ValueError, match="seeds"):
        from_events(deal_on, viewer="public")
    rng = Random(2)
    plan = a_deal(rng, options_of(2), 2, currency=CHIPS, seeds=(b"", b""))
    chips = play_hand(plan, rng).stored
    assert history_of(chips).tournament == EVENT
    with pytest.raises(ValueError, match="opening"):
        from_events(chips[1:], viewer="public")
    money = play_hand(a_deal(rng, options_of(2), 2, seeds=(b"", b"")), rng)
    alone = history_of(money.stored[2:])
    assert alone.proof.first_version == 3


def test_an_action_that_was_never_read_is_a_bug() -> None:
    with pytest.raises(ValueError, match="no action"):
        commands(with_keys(COMPLETE, actions=("p1 W",)))
    with pytest.raises(InvariantBroken):
        replay(with_keys(COMPLETE, deck="3S"))
