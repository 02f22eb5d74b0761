"""What every store of the log promises; subclasses give the store."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

import pytest

from eventstore.core.chain import START, Fact, Head, Loaded, head_of, seal, verify_chain
from eventstore.core.ids import player_stream
from eventstore.core.record import EVENTS_PER_APPEND_MAX, Stored
from eventstore.core.refusal import InvariantBroken, VersionConflict
from eventstore.ports import new_id
from players.core.events import NameConsentSet

AT = datetime(2026, 12, 1, 8, 0, 0, 123456, tzinfo=UTC)


class Log(Protocol):
    """The part of a store that commands use."""

    def load(self, stream: str, *, from_version: int = 1, with_first: bool = False) -> Loaded: ...

    def append(self, sealed: Sequence[Stored], head: Head) -> None: ...


def sealed(stream: str, count: int = 1, head: Head = START) -> tuple[Stored, ...]:
    facts = [Fact(NameConsentSet(consent=bool(one % 2)), "player:x") for one in range(count)]
    return seal(stream, head, facts, at=AT, ids=[new_id() for _ in range(count + 1)])


class LogContract:
    """Tests that the store in PostgreSQL and its twin in memory both pass."""

    @pytest.fixture
    def log(self) -> Log:
        raise NotImplementedError

    @pytest.fixture
    def stream(self) -> str:
        return player_stream(new_id())

    def test_a_stream_that_is_not_there_is_empty(self, log: Log, stream: str) -> None:
        loaded = log.load(stream, with_first=True)
        assert loaded.events == ()
        assert loaded.head == START
        assert loaded.now.tzinfo is UTC

    def test_what_is_appended_is_read_back(self, log: Log, stream: str) -> None:
        first = sealed(stream, 3)
        log.append(first, START)
        second = sealed(stream, 2, head_of(first))
        log.append(second, head_of(first))
        loaded = log.load(stream)
        assert loaded.events == first + second
        assert loaded.head == head_of(second)
        assert verify_chain(loaded.events) is None

    @pytest.mark.parametrize(
        ("start", "with_first", "versions"),
        [
            (1, False, [1, 2, 3, 4]),
            (1, True, [1, 2, 3, 4]),
            (2, True, [1, 2, 3, 4]),
            (3, False, [3, 4]),
            (3, True, [1, 3, 4]),
            (5, False, []),
            (5, True, [1]),
        ],
    )
    def test_a_load_begins_where_it_is_told(
        self, log: Log, stream: str, *, start: int, with_first: bool, versions: list[int]
    ) -> None:
        log.append(sealed(stream, 4), START)
        loaded = log.load(stream, from_version=start, with_first=with_first)
        assert [event.version for event in loaded.events] == versions

    def test_streams_do_not_mix(self, log: Log, stream: str) -> None:
        other = player_stream(new_id())
        log.append(sealed(stream, 2), START)
        log.append(sealed(other, 1), START)
        assert len(log.load(stream).events) == 2
        assert len(log.load(other).events) == 1

    def test_an_append_on_a_head_that_has_passed_is_a_conflict(self, log: Log, stream: str) -> None:
        first = sealed(stream)
        log.append(first, START)
        log.append(sealed(stream, 1, head_of(first)), head_of(first))
        with pytest.raises(VersionConflict) as conflict:
            log.append(sealed(stream, 1, head_of(first)), head_of(first))
        assert (conflict.value.stream, conflict.value.expected) == (stream, 1)
        assert len(log.load(stream).events) == 2

    @pytest.mark.parametrize("head", [Head(1, b"x" * 32), Head(7, bytes(32))])
    def test_an_append_on_a_head_that_never_was_is_a_conflict(
        self, log: Log, stream: str, head: Head
    ) -> None:
        log.append(sealed(stream), START)
        with pytest.raises(VersionConflict):
            log.append(sealed(stream, 1, head), head)
        assert len(log.load(stream).events) == 1

    @pytest.mark.parametrize("count", [0, EVENTS_PER_APPEND_MAX + 1])
    def test_an_append_has_its_limits(self, log: Log, stream: str, count: int) -> None:
        with pytest.raises(InvariantBroken, match=f"an append of {count} events"):
            log.append(sealed(stream, count), START)
        log.append(sealed(stream, EVENTS_PER_APPEND_MAX), START)

    def test_an_id_used_twice_is_a_bug(self, log: Log, stream: str) -> None:
        first = sealed(stream)
        log.append(first, START)
        other = player_stream(new_id())
        fact = Fact(NameConsentSet(consent=True), "player:x")
        ids = [new_id(), first[0].event_id]
        with pytest.raises(InvariantBroken):
            log.append(seal(other, START, [fact], at=AT, ids=ids), START)
