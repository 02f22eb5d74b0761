"""Statements that explain a result, as JSON values and as sentences in both languages."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from games.rules.words.explained_case import Fact, SeatTotal, Statement
from games.rules.words.explanation_texts import PHRASES, REASONS, SEAT, STATEMENTS
from games.rules.words.plurals import AND, Counted, Language, listed, stopped

NAMELESS: Mapping[int, str] = MappingProxyType({})
SEAT_FACTS = frozenset({"seat", "payer", "receiver"})
"""Facts that are seats, 1..6."""
MONEY_FACTS = frozenset({"amount", "owed"})
"""Facts that are amounts in minor units."""


def as_data(statements: Iterable[Statement]) -> list[dict[str, object]]:
    """Statements as JSON values: `key`, `rule`, `also` and their facts."""
    return [
        {"key": one.key, "rule": one.rule, "also": list(one.also)}
        | {name: _plain(fact) for name, fact in one.facts.items()}
        for one in statements
    ]


def sentences(
    statements: Iterable[Statement],
    *,
    language: Language,
    names: Mapping[int, str] = NAMELESS,
    money: Callable[[int], str] = str,
) -> list[str]:
    """Each statement as a sentence with its rule numbers.

    `names` maps seats to names; a seat without one is named by its number. `money` writes an amount
    of 0 or more in minor units.
    """
    speaker = _Speaker(language, names, money)
    return [speaker.sentence(one) for one in statements]


def _plain(fact: Fact) -> object:
    if not isinstance(fact, tuple):
        return fact
    return [one if isinstance(one, str) else _plain_total(one) for one in fact]


def _plain_total(one: SeatTotal) -> dict[str, object]:
    plain: dict[str, object] = {"seat": one.seat, "total": one.total}
    return plain if one.how is None else plain | {"how": one.how}


@dataclass(frozen=True, slots=True)
class _Speaker:
    """Puts statements into words."""

    language: Language
    names: Mapping[int, str]
    money: Callable[[int], str]

    def sentence(self, one: Statement) -> str:
        words = {name: self._word(name, fact) for name, fact in one.facts.items()}
        if "amount" in one.facts:
            words["sum"] = self._sum(words)
        if "why" in one.facts:
            words["why"] = REASONS[str(one.facts["why"])].filled(self.language, words)
        text = STATEMENTS[_text_key(one)].filled(self.language, words)
        numbers = [number for number in (one.rule, *one.also) if number]
        return stopped(f"{text} ({', '.join(numbers)})" if numbers else text)

    def _word(self, name: str, fact: Fact) -> object:
        if isinstance(fact, tuple):
            return self._list(fact)
        if isinstance(fact, str):
            return fact
        if name in SEAT_FACTS:
            return self._name(fact)
        return self.money(abs(fact)) if name in MONEY_FACTS else Counted(abs(fact))

    def _name(self, seat: int) -> str:
        return self.names.get(seat) or SEAT.filled(self.language, {"seat": seat})

    def _list(self, several: tuple[str, ...] | tuple[SeatTotal, ...]) -> str:
        totals = [self._total(one) for one in several if isinstance(one, SeatTotal)]
        if totals:
            return listed(totals, AND.of(self.language))
        return " ".join(one for one in several if isinstance(one, str))

    def _total(self, one: SeatTotal) -> str:
        """A seat with what it holds, or with the claim that it was dealt."""
        what = PHRASES.get(one.how or "", PHRASES["points_of"]).filled(
            self.language, {"total": Counted(one.total)}
        )
        return PHRASES["seat_total"].filled(
            self.language, {"seat": self._name(one.seat), "what": what}
        )

    def _sum(self, words: Mapping[str, object]) -> str:
        """An amount with its stakes or points, where it has them."""
        if "stakes" in words:
            key = "stakes"
        elif "points" in words:
            times = "" if words["multiplier"] == 1 else "times_"
            key = f"{times}points" + ("_capped" if "points_in_all" in words else "")
        else:
            return str(words["amount"])
        return f"{words['amount']} ({PHRASES[key].filled(self.language, words)})"


def _text_key(one: Statement) -> str:
    if one.key != "net":
        return one.key
    amount = one.facts["amount"]
    return "even" if amount == 0 else "won" if isinstance(amount, int) and amount > 0 else "lost"
