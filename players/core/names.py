"""What a name may be."""

import re
import unicodedata

USERNAME = re.compile(r"[a-z0-9][a-z0-9_.-]{2,31}\Z")
NAME_CHARACTERS_MAX = 40
# Control, format (bidirectional and invisible marks), surrogate, private, unassigned, line breaks.
_FORBIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def username(text: str) -> str | None:
    """The log-in name in its one form, or None: 3 to 32 of a-z 0-9 _ . -

    >>> username("Ona"), username("o n")
    ('ona', None)
    """
    lower = text.strip().lower()
    return lower if USERNAME.match(lower) else None


def display_name(text: str) -> str | None:
    """The shown name, tidied, or None where it is empty, too long or could pass for another one:
    hidden characters, letters of several scripts, heaps of combining marks.

    >>> display_name("  Ona   Onaitė ")
    'Ona Onaitė'
    >>> display_name("On\u0430")  # the last letter is Cyrillic
    """
    tidy = " ".join(unicodedata.normalize("NFKC", text).split())
    kinds = [unicodedata.category(character) for character in tidy]
    is_good = (
        0 < len(tidy) <= NAME_CHARACTERS_MAX
        and not _FORBIDDEN & set(kinds)
        and any(kind[0] in "LN" for kind in kinds)
        and len(_scripts(tidy)) <= 1
        and "MMM" not in "".join(kind[0] for kind in kinds)
    )
    return tidy if is_good else None


def _scripts(text: str) -> set[str]:
    """Scripts of letters and digits; the digits 0 to 9 go with any."""
    kinds = (
        one for one in text if unicodedata.category(one)[0] in "LN" and one not in "0123456789"
    )
    return {unicodedata.name(one, "?").partition(" ")[0] for one in kinds}


# What looks alike, in capitals or in small letters: Cyrillic, Greek, Latin. Two names that these
# make equal are one name (`trust.md` section 11); the database compares with the same pairs.
_ALIKE = (
    ("\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445", "abekmhopctyx"),
    ("\u0455\u0456\u0458\u0501\u051b\u051d\u04bb\u04cf", "sljdqwhl"),
    ("\u03b1\u03b2\u03b5\u03b6\u03b7\u03b9\u03ba", "abezhlk"),
    ("\u03bc\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7", "mnoptyx"),
    ("01i|\u0131", "ollll"),
)
LOOKALIKES, LOOK_LIKE = map("".join, zip(*_ALIKE, strict=True))
