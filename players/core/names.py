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
    """The shown name, tidied, or None where it is empty, too long, or holds hidden characters.

    >>> display_name("  Ona   Onaitė ")
    'Ona Onaitė'
    """
    tidy = " ".join(unicodedata.normalize("NFC", text).split())
    hidden = any(unicodedata.category(character) in _FORBIDDEN for character in tidy)
    return tidy if 0 < len(tidy) <= NAME_CHARACTERS_MAX and not hidden else None
