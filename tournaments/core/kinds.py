"""What values an option of a tournament may have, as JSON."""

from dataclasses import dataclass

AMOUNT_MAX = 10**9
"""Limit of a buy-in and of every other price, in minor units."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The values of one option: certain words, whole numbers of a range, lists of them, texts.

    `words` may hold null, true and false. An amount is refused as `bad_amount` where another
    value of a wrong type is a `bad_type`.
    """

    words: tuple[object, ...] = ()
    low: int | None = None
    high: int = AMOUNT_MAX
    listed: bool = False
    text: bool = False
    mapping: bool = False
    amount: bool = False

    @property
    def allowed(self) -> object:
        """The accepted values as JSON, for the answer to a value that is refused."""
        if self.low is None:
            return list(self.words)
        ends: dict[str, object] = {"min": self.low, "max": self.high}
        return {**ends, "values": list(self.words)} if self.words else ends

    def fault(self, value: object) -> str | None:
        """Code of what is wrong with the value itself: bad_amount, bad_type, or None."""
        if self.amount and not (type(value) is int and value >= 0):
            return "bad_amount"
        return None if self._has_type(value) else "bad_type"

    def holds(self, value: object) -> bool:
        """Whether a value of the right type lies in the range."""
        if any(value is word or (type(value) is str and value == word) for word in self.words):
            return True
        if type(value) is int:
            return self._inside(value)
        if isinstance(value, list):
            return 0 < len(value) <= LIST_LENGTH_MAX and all(map(self._inside, value))
        return self.text if type(value) is str else self.mapping and isinstance(value, dict)

    def _inside(self, number: int) -> bool:
        return self.low is not None and self.low <= number <= self.high

    def _has_type(self, value: object) -> bool:
        kind = type(value)
        if kind is int and self.low is not None:
            return not self.listed
        if kind is str:
            return self.text or any(type(word) is str for word in self.words)
        if kind is list:
            return self.listed and all(type(one) is int for one in value)  # type: ignore[attr-defined]  # a list by its type
        return any(kind is type(word) for word in self.words) or (kind is dict and self.mapping)


LIST_LENGTH_MAX = 1_500
"""Paid places of the largest field; a list of stakes is far shorter."""

FLAG = Kind((False, True))


def one_of(*words: object) -> Kind:
    """One of a few values."""
    return Kind(words)


def whole(low: int, high: int) -> Kind:
    """A whole number from `low` to `high`."""
    return Kind(low=low, high=high)


def amount(high: int = AMOUNT_MAX) -> Kind:
    """Minor units, 0 or more."""
    return Kind(low=0, high=high, amount=True)
