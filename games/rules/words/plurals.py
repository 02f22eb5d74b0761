"""What texts in two languages are made of: numbers with their nouns, and lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from typing_extensions import override

Language = Literal["en", "lt"]


class Counted(int):
    """A number that a text names together with its noun, in the form that the number asks for.

    Two forms are English (one, other), three Lithuanian (one, few, other).

    >>> "{0:joker is|jokers are} wild".format(Counted(1))
    '1 joker is wild'
    >>> ["{:statymas|statymai|statymų}".format(Counted(number)) for number in (21, 22, 11)]
    ['21 statymas', '22 statymai', '11 statymų']
    """

    __slots__ = ()

    @override
    def __format__(self, forms: str) -> str:
        number = int.__repr__(self)
        return f"{number} {form(self, forms.split('|'))}" if forms else number


def form(number: int, forms: Sequence[str]) -> str:
    """The one of two English or three Lithuanian forms that a number of 0 or more takes."""
    if len(forms) == 2:
        return forms[number != 1]
    tens, unit = divmod(number % 100, 10)
    if tens == 1 or unit == 0:
        return forms[2]
    return forms[unit != 1]


@dataclass(frozen=True, slots=True)
class Text:
    """A text in both languages, with the names of its values in braces."""

    en: str
    lt: str

    def of(self, language: Language) -> str:
        """The text as it stands."""
        return self.en if language == "en" else self.lt

    def filled(self, language: Language, values: Mapping[str, object]) -> str:
        """The text with its values, those that are texts themselves in the same language.

        >>> Text("Ask {whom}.", "Klauskite {whom}.").filled("lt", {"whom": Text("me", "manęs")})
        'Klauskite manęs.'
        """
        plain = {name: value for name, value in values.items() if not isinstance(value, Text)}
        texts = {name: value for name, value in values.items() if isinstance(value, Text)}
        inner = {name: text.of(language).format_map(plain) for name, text in texts.items()}
        return self.of(language).format_map(plain | inner)


AND = Text("and", "ir")
OR = Text("or", "arba")


def stopped(sentence: str) -> str:
    """A sentence with its full stop: one that ends with an abbreviation has it already.

    >>> stopped("A wins 3"), stopped("A laimi 3 žet.")
    ('A wins 3.', 'A laimi 3 žet.')
    """
    return sentence if sentence.endswith(".") else f"{sentence}."


def listed(items: Sequence[str], word: str) -> str:
    """Items in one phrase, `word` before the last.

    >>> listed(["48", "49", "50"], "or"), listed(["50"], "or")
    ('48, 49 or 50', '50')
    """
    *first, last = items
    return f"{', '.join(first)} {word} {last}" if first else last
