"""Hostile input (`trust.md` section 11): what is no amount, names that imitate, bodies that nobody
can read, cards that are none. Each entry is sent as it stands to everything that can be written."""

import json

from eventstore.api.requests import BODY_BYTES_MAX, KEYS_MAX

# As they stand in a body.
AMOUNTS = [
    "-1", "-0", "0", "1.5", "100.0", "1e3", "1E400", "1e309", '"100"', '"1e3"', '"1_000"', '" 7"',
    '"\\u0663"', '"\\uff11"', "true", "false", "[100]", "{}", str(2**53), str(2**63), "9" * 40,
    "NaN", "Infinity", "-Infinity", "0x10", "1_000", "01", "+1", "\u0663", "9" * 5_000,
]  # fmt: skip
NO_JSON = AMOUNTS[-9:]
NO_AMOUNTS = AMOUNTS[:-9]
"""Those that a reader of JSON takes."""
NO_NUMBERS = ["-1", "1.5", *AMOUNTS[5:]]
"""What is no whole number from 0 on either: a version, a count, a seat."""

NAMES = [
    "\u043e\u043d\u0430",  # Cyrillic letters that look like "oha"
    "on\u0430",  # one of them among others
    "\uff4f\uff4e\uff41",  # full width
    "o\u200bna", "\u200b", "\u2060ona",  # zero width
    "\u202eona", "o\u200fna", "\u2066ona\u2069",  # right to left
    "\u0301\u0301\u0301",  # combining marks alone
    "o" + "\u0301" * 200, "x" * 10_000, "", " ", " ona", "ona ", "o\tna", "o\nna", "ona\u0000",
    "ONA", "o\u0323n\u0323a", "\U0001f0a1", "\U0001d428\U0001d427\U0001d41a", "\u00a0ona",
    "'; DROP TABLE players_user; --", "<script>alert(1)</script>", "{{7*7}}", "%s%n", "../../etc",
]  # fmt: skip

MOVES = [
    "X", "s", "S S", "S 5H", "D", "D 5h", "D 1H", "D 5H 6H", "L", "L 5H", "L 5H 5H 5H", "H 5H",
    "H 5H 1", "H 5H m0", "H 5H m1 up", "K K", " S", "S ", "D  5H", "D\t5H", "D \uff15H", "\u0661",
    "D XX", "D 5X", "D *", "D 14H", "L 5H 5h 5D", "L J1 J2 J3", "P 5H 6H", "x" * 64,
    "D 5H\u200b", "D \u2665", "\u202eH5 D",
]  # fmt: skip

BEYOND = ["", "x" * 65]  # no move is so short, or so long

DEEP = b'{"x": ' + b"[" * 60 + b"]" * 60 + b"}"
VERY_DEEP = b'{"x": ' + b"[" * 10_000 + b"]" * 10_000 + b"}"
ABYSS = b'{"x": ' + b"[" * 30_000 + b"]" * 30_000 + b"}"
MANY_KEYS = json.dumps({f"k{number}": 1 for number in range(KEYS_MAX + 1)}).encode()
BODIES: list[tuple[bytes, str, int, str]] = [
    (b"{", "application/json", 400, "malformed_json"),
    (b'{"version": 1', "application/json", 400, "malformed_json"),
    (b"[]", "application/json", 400, "malformed_json"),
    (b"null", "application/json", 400, "malformed_json"),
    (b'"text"', "application/json", 400, "malformed_json"),
    (b"\xff\xfe{}", "application/json", 400, "malformed_json"),
    (b"\xef\xbb\xbf{}", "application/json", 400, "malformed_json"),
    ("{}".encode("utf-16"), "application/json", 400, "malformed_json"),
    (b'{"x": "\xe9"}', "application/json", 400, "malformed_json"),
    (b'{"x": "\\ud800"}', "application/json", 400, "malformed_json"),
    (b'{"\\ud800": 1}', "application/json", 400, "malformed_json"),
    (b'{"x": {"y": ["\\u0000"]}}', "application/json", 400, "invalid_field"),
    (DEEP, "application/json", 400, "malformed_json"),
    (VERY_DEEP, "application/json", 400, "malformed_json"),
    (ABYSS, "application/json", 400, "malformed_json"),
    (MANY_KEYS, "application/json", 400, "malformed_json"),
    (b'{"x": ' + b"9" * 5_000 + b"}", "application/json", 400, "malformed_json"),
    (b'{"nonsense": 1}', "application/json", 400, "unknown_field"),
    (b'{"x": 1, "x": 1}', "application/json", 400, "unknown_field"),
    (b'{"x": [{"y": 1, "y": 2}]}', "application/json", 400, "unknown_field"),
    (b" " * (BODY_BYTES_MAX + 1), "application/json", 413, "body_too_large"),
    (b"{}", "text/plain", 415, "unsupported_media_type"),
    (b"a=1", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
    (b"--x--", "multipart/form-data; boundary=x", 415, "unsupported_media_type"),
    (b"{}", "", 415, "unsupported_media_type"),
]
"""Bytes, media type, status and code."""
