"""Every point of an act, each in a life of its own, and what comes of it (`trust.md` section 4)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.db import connections

from eventstore.ports import machine
from eventstore.sealing import seal
from eventstore.wake import messages
from games import folds
from tonk_site.proving.acting.sealing import seal_log
from tonk_site.proving.chance import Chance
from tonk_site.proving.crash.crash_acts import Deed
from tonk_site.proving.crash.crash_copies import Copy, copied, now, stop_time, use
from tonk_site.proving.crash.crash_life import (
    REFUSED,
    Life,
    Message,
    Setting,
    Strike,
    after,
    inspect,
    live,
    mend,
    strikes,
)
from tonk_site.proving.crash.crash_points import Part, Report, Wrong
from tonk_site.proving.crash.crash_snapshots import Bench, Snapshot, State
from tonk_site.proving.crash.crash_state import differences
from tonk_site.proving.points import Call
from tonk_site.proving.races.races_scenes import World
from tonk_site.proving.races.races_trial import Nobody

FIRST = "the first life"
NO_ANSWER, FAULT = "no answer", "fault"
WORDS_CHARACTERS = 100  # of a statement
DIFFERENCES_TOLD = 3  # of one state


@dataclass(frozen=True, slots=True)
class _End:
    """Where a life ends: of equal ends one is enough to see what comes after them."""

    state: State
    sent: tuple[Message, ...]
    answer: str | None


@dataclass(frozen=True, slots=True)
class _Struck:
    """A life that was struck, and the state in which it left the world."""

    life: Life
    state: State
    chance: str
    """Of that life."""
    where: str


class Trial:
    """All deaths of one act, from a database that is prepared for it."""

    def __init__(self, name: str, setting: Setting, bench: Bench) -> None:
        """The database is as it is before the act."""
        self.report = Report(name)
        self._setting, self._bench = setting, bench
        self._beginning = bench.snapshot()
        self._known = bench.facts().ids()
        self._judged: dict[_End, list[Wrong]] = {}
        self._points_from: dict[State, int] = {}
        """Points of the repetition, by the state in which it begins."""

    def run(self, *, deaths: int) -> Report:
        """The act undisturbed, then with a death at each point, and up to so many in a row."""
        before = inspect(self._bench.copy)
        life = self._live(FIRST)
        self._usual = frozenset(life.faults)
        self._expected = self._outcome(life, FIRST)
        self.report.calls = [short(call) for call in life.calls]
        usual = Counter(f"{FAULT}: {one}" for one in before)  # what is hurried looks otherwise
        broken = [row for row in self._expected - usual if row.startswith((FAULT, NO_ANSWER))]
        faults = [*broken, *life.faults]
        if life.answer is None or life.answer.startswith(REFUSED):
            faults.append(f"nothing is tried: {life.answer}")
        self._tell("undisturbed", [Wrong("a fault", "", "none", one) for one in faults])
        self._explore(self._beginning, FIRST, "", deaths)
        return self.report

    def _live(self, chance: str, strike: Strike | None = None) -> Life:
        return live(self._setting, self._bench.copy, chance, strike)

    def _explore(self, source: Snapshot, chance: str, where: str, deaths: int) -> None:
        """Strike the act that begins there at each of its calls, and see what comes of it."""
        self._bench.go_back(source)
        calls = self._live(chance).calls
        self._points_from[source.state] = len(strikes(calls))
        is_used = True
        for strike in strikes(calls):
            if is_used:
                self._bench.go_back(source)
            life = self._live(chance, strike)
            struck = _Struck(life, self._bench.state(), chance, where + _words(calls, strike))
            is_used = struck.state != source.state
            is_used |= self._look(struck, deaths)

    def _look(self, struck: _Struck, deaths: int) -> bool:
        """See what comes of a life; whether more was done for it."""
        life = struck.life
        self.report.counts["points"] += 1
        if not life.was_struck:
            self._tell(struck.where, [Wrong("no such call", "", "as in the first run", "none")])
            return True
        if deaths > 1 and life.answer is None:
            if struck.state not in self._points_from:
                left, then = self._bench.snapshot(), f"{struck.where}; then "
                self._explore(left, after(struck.chance, life.kept), then, deaths - 1)
                self._bench.go_back(left)
            self.report.counts["pairs"] += self._points_from[struck.state]
        end = _End(struck.state, tuple(life.sent), life.answer)
        is_new = end not in self._judged
        if is_new:
            self.report.counts["ends"] += 1
            self._judged[end] = list(self._judge(struck))
        more = [one for one in life.faults if one not in self._usual]
        faults = [Wrong("a fault", "", "none", one) for one in more]
        self._tell(struck.where, [*self._judged[end], *faults])
        return is_new

    def _judge(self, struck: _Struck) -> Iterator[Wrong]:
        """What is otherwise than without the death, once everything was done that mends it."""
        found = self._outcome(struck.life, after(struck.chance, struck.life.kept))
        for expected, got in list(differences(self._expected, found))[:DIFFERENCES_TOLD]:
            yield Wrong("another outcome", "", expected, got)

    def _outcome(self, life: Life, chance: str) -> Counter[str]:
        """The facts after a life and all that follows, the client's answer among them."""
        mended = mend(self._setting, self._bench.copy, life, chance)
        answer = NO_ANSWER if mended.answer is None else f"answer: {mended.answer}"
        faults = [f"{FAULT}: {one}" for one in mended.faults]
        return self._bench.facts().apart_from_ids(self._known, answer, *faults)

    def _tell(self, where: str, wrongs: Sequence[Wrong]) -> None:
        place = f"{self.report.name}: {where}"
        self.report.wrongs += [replace(wrong, where=place) for wrong in wrongs]


def _words(calls: Sequence[Call], strike: Strike) -> str:
    told = short(calls[strike.number - 1])
    return f"call {strike.number} of {len(calls)}, {strike.how}: {told}"


def short(call: Call) -> str:
    """A call in few words.

    >>> short(Call("statement", "SELECT  1 AS one"))
    'SELECT 1 AS one'
    >>> short(Call("commit", "", "default"))
    'commit default'
    """
    if call.kind != "statement":
        return f"{call.kind} {call.what or call.alias}".strip()
    words = " ".join(call.what.split())
    return words if len(words) <= WORDS_CHARACTERS else f"{words[:WORDS_CHARACTERS]}.."


def trial(part: Part, deed: Deed) -> Report:
    """All deaths of an act that is made ready here, in a database that nobody else uses."""
    moment = now()
    milliseconds = int(moment.timestamp() * 1_000)
    with copied(Copy(part.url, part.keys)) as base:
        stop_time(base, moment)
        use(base)
        prepared = Chance(f"{part.seed}/{part.name}/prepared", milliseconds)
        with machine(prepared), messages(Nobody()):
            if not deed.is_first:
                seal_log()
                seal(b"", b"")  # makes the dealer's key
            act = deed.prepare(World())
        connections.close_all()
        folds.forget_all()
        setting = Setting(act, f"{part.seed}/{part.name}", milliseconds, deed.later)
        return Trial(part.name, setting, Bench(base)).run(deaths=part.deaths)
