"""The fold of limits and exclusions: tighter at once, looser after a day, exclusion only longer."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.core.record import time_of, time_text
from eventstore.core.refusal import Refusal
from players.core.events import (
    ExclusionEnded,
    ExclusionSet,
    LimitSet,
    NameConsentSet,
    PlayerEvent,
)
from players.core.limits import (
    EXCLUSION_LONGEST,
    LOOSER_AFTER,
    PLAY_MINUTES_DAY,
    Key,
    Limits,
    Loosening,
    changes,
    exclude,
    limits_at,
)

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
HOUR, DAY, INSTANT = timedelta(hours=1), timedelta(days=1), timedelta(microseconds=1)
LOSS = Key("loss_day", "EUR")


@dataclass(frozen=True)
class Said:
    at: datetime
    event: PlayerEvent


class Player:
    """A player's stream, as the services write it."""

    def __init__(self) -> None:
        self.history: list[Said] = []

    def at(self, now: datetime) -> Limits:
        return limits_at([one for one in self.history if one.at <= now], now)

    def asks(self, now: datetime, amount: int | None, key: Key = LOSS) -> int:
        """Number of facts that a wish makes."""
        made = changes(limits_at(self.history, now), {key: amount}, now)
        self.history += [Said(now, event) for event in made]
        return len(made)

    def leaves(self, now: datetime, until: datetime | None) -> bool:
        """Whether an exclusion is taken."""
        made = exclude(limits_at(self.history, now), until, now)
        if isinstance(made, Refusal):
            return False
        self.history += [Said(now, event) for event in made]
        return True

    def is_out(self, now: datetime) -> bool:
        return self.at(now).exclusion is not None


@pytest.fixture
def player() -> Player:
    return Player()


def test_nothing_is_set_at_first(player: Player) -> None:
    limits = player.at(NOON)
    assert (limits, limits.of("loss_day", "EUR"), limits.exclusion) == (Limits(), None, None)


def test_a_first_limit_and_a_tighter_one_hold_at_once(player: Player) -> None:
    player.asks(NOON, 500)
    assert player.at(NOON).of("loss_day", "EUR") == 500
    assert player.at(NOON).of("loss_day", "XTK") is None
    player.asks(NOON + HOUR, 499)
    assert player.at(NOON + HOUR).of("loss_day", "EUR") == 499


@pytest.mark.parametrize("looser", [501, None])
def test_a_looser_one_waits_a_day(player: Player, looser: int | None) -> None:
    player.asks(NOON, 500)
    player.asks(NOON, looser)
    before = player.at(NOON + DAY - INSTANT)
    assert before.of("loss_day", "EUR") == 500
    assert before.setting(LOSS).later == Loosening(looser, NOON + DAY)
    after = player.at(NOON + DAY)
    assert after.of("loss_day", "EUR") == looser
    assert after.setting(LOSS).later is None


def test_the_same_wish_again_does_not_begin_the_wait_anew(player: Player) -> None:
    player.asks(NOON, 500)
    assert player.asks(NOON, 500) == 0
    assert player.asks(NOON, 600) == 1
    assert player.asks(NOON + HOUR, 600) == 0
    assert player.at(NOON + DAY).of("loss_day", "EUR") == 600


def test_whoever_asks_for_what_is_in_force_takes_the_looser_one_back(player: Player) -> None:
    player.asks(NOON, 500)
    player.asks(NOON, 600)
    assert player.asks(NOON + HOUR, 500) == 1
    assert player.at(NOON + 9 * DAY).of("loss_day", "EUR") == 500


def test_of_two_looser_ones_the_last_waits_its_own_day(player: Player) -> None:
    player.asks(NOON, 500)
    player.asks(NOON, 900)
    player.asks(NOON + HOUR, 600)
    assert player.at(NOON + DAY).of("loss_day", "EUR") == 500
    assert player.at(NOON + DAY + HOUR).of("loss_day", "EUR") == 600


def test_a_looser_one_in_force_is_what_the_next_is_measured_by(player: Player) -> None:
    player.asks(NOON, 500)
    player.asks(NOON, 900)
    player.asks(NOON + 2 * DAY, 700)
    assert player.at(NOON + 2 * DAY).of("loss_day", "EUR") == 700


def test_what_was_said_counts_though_the_clock_was_read_before(player: Player) -> None:
    player.asks(NOON, 500)
    assert limits_at(player.history, NOON - HOUR).of("loss_day", "EUR") == 500


def test_time_has_no_currency(player: Player) -> None:
    player.asks(NOON, 90, Key(PLAY_MINUTES_DAY))
    assert player.history[0].event == LimitSet(
        limit="play_minutes_day", amount=90, currency=None, effective_at=time_text(NOON)
    )
    assert player.at(NOON).of(PLAY_MINUTES_DAY) == 90


AMOUNTS = st.none() | st.integers(1, 4)
WISHES = st.dictionaries(st.integers(0, 120), AMOUNTS, max_size=12)  # by the hour


def looseness(amount: int | None) -> int:
    return 10 if amount is None else amount


@given(WISHES)
def test_no_hour_loosens_before_its_wish_has_stood_a_day(wishes: dict[int, int | None]) -> None:
    """Hour by hour: what loosens was the last word for 24 hours, what tightens did not wait."""
    player = Player()
    held = word = None
    spoken_in = 0
    for hour in range(150):
        now = NOON + hour * HOUR
        if hour - spoken_in >= 24:
            held = word
        if hour in wishes:
            player.asks(now, wishes[hour])
            if wishes[hour] != word:
                word, spoken_in = wishes[hour], hour
        if looseness(word) <= looseness(held):
            held = word
        assert player.at(now).of("loss_day", "EUR") == held
        later = player.at(now).setting(LOSS).later
        assert (later is None) == (held == word)
        assert later is None or later == Loosening(word, NOON + (spoken_in + 24) * HOUR)


# --- exclusion ------------------------------------------------------------------------------------


def test_an_exclusion_lasts_until_its_end(player: Player) -> None:
    assert player.leaves(NOON, NOON + DAY)
    assert player.is_out(NOON + DAY - INSTANT)
    assert not player.is_out(NOON + DAY)


def test_an_exclusion_for_good_has_no_end(player: Player) -> None:
    assert player.leaves(NOON, None)
    assert player.is_out(NOON + 40_000 * DAY)
    assert player.leaves(NOON + HOUR, None)
    assert len(player.history) == 1


@pytest.mark.parametrize(
    "until", [NOON, NOON - DAY, NOON + DAY - INSTANT, NOON + EXCLUSION_LONGEST + INSTANT]
)
def test_an_end_that_is_too_near_or_too_far(player: Player, until: datetime) -> None:
    refusal = exclude(Limits(), until, NOON)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "invalid_field"
    assert refusal.facts["least"] == time_text(NOON + DAY)


def test_an_exclusion_grows_and_never_shrinks(player: Player) -> None:
    assert player.leaves(NOON, NOON + 3 * DAY)
    assert not player.leaves(NOON, NOON + 2 * DAY)
    assert player.leaves(NOON, NOON + 3 * DAY)
    assert len(player.history) == 1
    assert player.leaves(NOON, NOON + 4 * DAY)
    assert player.is_out(NOON + 4 * DAY - INSTANT)
    assert player.leaves(NOON, None)
    assert not player.leaves(NOON, NOON + 9 * DAY)


def test_after_its_end_another_one_is_another(player: Player) -> None:
    assert player.leaves(NOON, NOON + 3 * DAY)
    assert player.leaves(NOON + 3 * DAY, NOON + 4 * DAY)
    assert not player.is_out(NOON + 4 * DAY)


def test_the_house_and_the_player_exclude_apart(player: Player) -> None:
    ban = ExclusionSet(kind="house", until=time_text(NOON + 9 * DAY))
    player.history.append(Said(NOON, ban))
    assert player.leaves(NOON, NOON + 2 * DAY)
    excluded = player.at(NOON).exclusion
    assert excluded is not None
    assert (excluded.kind, excluded.until) == ("house", NOON + 9 * DAY)
    player.history.append(Said(NOON + HOUR, ExclusionEnded(kind="house")))
    own = player.at(NOON + HOUR).exclusion
    assert own is not None
    assert (own.kind, own.until) == ("self", NOON + 2 * DAY)


@given(st.lists(st.tuples(st.integers(0, 50), st.none() | st.integers(0, 200)), max_size=8))
def test_no_wish_lets_somebody_in_sooner(wishes: list[tuple[int, int | None]]) -> None:
    player, now = Player(), NOON
    ends: list[datetime | None] = []
    for wait, hours in wishes:
        now += wait * HOUR
        until = None if hours is None else now + hours * HOUR
        if player.leaves(now, until):
            ends.append(until)
        lasting = [end for end in ends if end is None or end > now]
        assert player.is_out(now) == bool(lasting)
        excluded = player.at(now).exclusion
        if excluded is not None:
            last = None if None in lasting else max(end for end in lasting if end)
            assert excluded.until == last


def test_other_facts_of_the_stream_are_no_limits(player: Player) -> None:
    player.history.append(Said(NOON, NameConsentSet(consent=True)))
    assert player.at(NOON) == Limits()


def test_an_event_says_from_when_it_holds(player: Player) -> None:
    player.asks(NOON, 500)
    player.asks(NOON, None)
    said = player.history[1].event
    assert isinstance(said, LimitSet)
    assert time_of(said.effective_at) == NOON + LOOSER_AFTER
