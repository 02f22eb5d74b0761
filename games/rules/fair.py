"""The fair deal `tonk/fair/1`: from seeds to a sealed deck, byte by byte (`eventstore.md` 5).

Everything here is a function of bytes: hands, players and tables are the 16 raw bytes of their
UUIDs, seeds, links, salts and hashes 32 bytes, cards codes 0..53.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from hmac import digest
from struct import Struct
from types import MappingProxyType

from eventstore.core import merkle

PROTOCOL = "tonk/fair/1"
SEED_BYTES = 32
PLACES_PER_SHUFFLE = 64
"""A place is 64 x shuffle_no + position; no pack has more than 54 cards."""
ANCHOR_LENGTH_MAX = 65_536

_WORDS = Struct(">8I")
_WORD_VALUES = 1 << 32


def _framed(text: bytes) -> bytes:
    """E of 5.1: the length stands before the bytes, so two lists never read the same."""
    return len(text).to_bytes(4, "big") + text


def _tag(name: str) -> bytes:
    return _framed(f"{PROTOCOL}/{name}".encode("ascii"))


_LINK, _COMMIT, _TRANSCRIPT, _KEY = _tag("link"), _tag("commit"), _tag("transcript"), _tag("key")
_CUT, _STREAM, _SALT, _CARD = _tag("cut"), _tag("stream"), _tag("salt"), b"\x00" + _tag("card")


def _packs() -> dict[str, tuple[int, ...]]:
    full = tuple(range(52))
    short = tuple(code for code in full if code % 13 not in (7, 8, 9))
    jokers: dict[str, tuple[int, ...]] = {"": (), "j1": (52,), "j2": (52, 53)}
    return {
        f"std{len(pack)}{name}/1": pack + extra
        for pack in (full, short)
        for name, extra in jokers.items()
    }


DECKS: Mapping[str, tuple[int, ...]] = MappingProxyType(_packs())
"""Ascending card codes of each deck_spec."""


def deck_spec(deck: int, jokers: int) -> str:
    """Name of the pack of 52 or 40 cards with 0 to 2 jokers.

    >>> deck_spec(40, 1)
    'std40j1/1'
    """
    return f"std{deck}{f'j{jokers}' if jokers else ''}/1"


def link(seed: bytes) -> bytes:
    """The link that comes before `seed` in an anchor's chain."""
    return sha256(_LINK + _framed(seed)).digest()


def is_next_link(seed: bytes, last_link: bytes) -> bool:
    """Whether `seed` is the one seed that may be revealed after `last_link`."""
    return len(seed) == SEED_BYTES and link(seed) == last_link


def commit_preimage(hand: bytes, server_seed: bytes) -> bytes:
    """The bytes whose SHA-256 is the dealer's commitment."""
    return _COMMIT + _framed(hand) + _framed(server_seed)


def commit(hand: bytes, server_seed: bytes) -> bytes:
    """The dealer's commitment to his seed for this hand."""
    return sha256(commit_preimage(hand, server_seed)).digest()


@dataclass(frozen=True, slots=True)
class SeatSeed:
    """A seat that is dealt in (1..6) and the seed that it revealed, empty where it gave none."""

    seat: int
    player: bytes
    seed: bytes = b""


def transcript_preimage(
    hand: bytes, *, commitment: bytes, spec: str, seats: Sequence[SeatSeed], beacon: bytes = b""
) -> bytes:
    """All that was fixed before the shuffle; seats may come in any order."""
    dealt_in = sorted(seats, key=lambda one: one.seat)
    head = (hand, commitment, spec.encode("ascii"), beacon)
    return b"".join(
        [
            _TRANSCRIPT,
            *map(_framed, head),
            len(dealt_in).to_bytes(2, "big"),
            *(
                one.seat.to_bytes(2, "big") + _framed(one.player) + _framed(one.seed)
                for one in dealt_in
            ),
        ]
    )


def transcript(
    hand: bytes, *, commitment: bytes, spec: str, seats: Sequence[SeatSeed], beacon: bytes = b""
) -> bytes:
    """Hash of all that was fixed before the shuffle."""
    preimage = transcript_preimage(
        hand, commitment=commitment, spec=spec, seats=seats, beacon=beacon
    )
    return sha256(preimage).digest()


def hand_key(server_seed: bytes, transcript_hash: bytes) -> bytes:
    """The key from which every order and salt of one hand comes."""
    return digest(server_seed, _KEY + _framed(transcript_hash), "sha256")


def cut_key(server_seed: bytes, table: bytes) -> bytes:
    """The key of a dealer cut, whose pack is shuffled as shuffle 0."""
    return digest(server_seed, _CUT + _framed(table), "sha256")


def stream_block(key: bytes, shuffle_no: int, block_no: int) -> bytes:
    """Block of eight 32-bit words of the stream that orders one shuffle."""
    message = _STREAM + shuffle_no.to_bytes(4, "big") + block_no.to_bytes(4, "big")
    return digest(key, message, "sha256")


def stream_words(key: bytes, shuffle_no: int) -> Iterator[int]:
    """The endless words of a shuffle's stream."""
    block_no = 0
    while True:
        yield from _WORDS.unpack(stream_block(key, shuffle_no, block_no))
        block_no += 1


def fisher_yates(cards: Sequence[int], words: Iterator[int]) -> tuple[int, ...]:
    """The cards in the order that the words give; words that would favour a card are passed over.

    >>> fisher_yates(range(5), iter([4294967295, 7, 5, 4294967294, 1]))
    (0, 3, 4, 1, 2)
    """
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        choices = last + 1
        fair_below = _WORD_VALUES - _WORD_VALUES % choices
        word = next(words)
        while word >= fair_below:
            word = next(words)
        chosen = word % choices
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


def shuffle(key: bytes, shuffle_no: int, cards: Sequence[int]) -> tuple[int, ...]:
    """Order of one shuffle; shuffle 0 starts from the pack in ascending order, position 0 is dealt
    first."""
    return fisher_yates(cards, stream_words(key, shuffle_no))


def salt(key: bytes, shuffle_no: int, position: int) -> bytes:
    """The blinding of one card; without it a leaf hash tells nothing."""
    message = _SALT + shuffle_no.to_bytes(4, "big") + position.to_bytes(2, "big")
    return digest(key, message, "sha256")


def _leaf_prefix(hand: bytes, shuffle_no: int) -> bytes:
    return _CARD + _framed(hand) + shuffle_no.to_bytes(4, "big")


def _leaf(prefix: bytes, position: int, code: int, salt_bytes: bytes) -> bytes:
    return sha256(prefix + position.to_bytes(2, "big") + bytes((code,)) + salt_bytes).digest()


@dataclass(frozen=True, slots=True, repr=False)
class SealedDeck:
    """One shuffle of a hand with all that opens it. A secret while the hand runs, but for `root`.

    It has no text form on purpose: a log line or a trace must not be able to show it.
    """

    hand: bytes
    shuffle_no: int
    order: tuple[int, ...]
    salts: tuple[bytes, ...]
    leaves: tuple[bytes, ...]
    root: bytes


@dataclass(frozen=True, slots=True)
class Opening:
    """One card shown against the root of its shuffle."""

    hand: bytes
    shuffle_no: int
    position: int
    size: int
    code: int
    salt: bytes
    path: tuple[bytes, ...]
    root: bytes

    @property
    def place(self) -> int:
        """The card's place as events name it."""
        return place(self.shuffle_no, self.position)


def place(shuffle_no: int, position: int) -> int:
    """Place of a position of a shuffle.

    >>> place(1, 13)
    77
    """
    return PLACES_PER_SHUFFLE * shuffle_no + position


def seal(key: bytes, *, hand: bytes, cards: Sequence[int], shuffle_no: int = 0) -> SealedDeck:
    """Shuffle `cards` and fix every position by a salted leaf under one root."""
    order = shuffle(key, shuffle_no, cards)
    prefix = _leaf_prefix(hand, shuffle_no)
    salts = [salt(key, shuffle_no, position) for position in range(len(order))]
    leaves = [
        _leaf(prefix, position, code, blinding)
        for position, (code, blinding) in enumerate(zip(order, salts, strict=True))
    ]
    return SealedDeck(hand, shuffle_no, order, tuple(salts), tuple(leaves), merkle.root(leaves))


def open_card(deck: SealedDeck, position: int) -> Opening:
    """The proof of the card at `position`. Raises: IndexError outside the deck."""
    path = merkle.path(deck.leaves, position)
    return Opening(
        hand=deck.hand,
        shuffle_no=deck.shuffle_no,
        position=position,
        size=len(deck.order),
        code=deck.order[position],
        salt=deck.salts[position],
        path=tuple(path),
        root=deck.root,
    )


def opens(opening: Opening, root: bytes) -> bool:
    """Whether the opening proves its card at its position under `root`, the root of the events."""
    if not 0 <= opening.position < opening.size <= PLACES_PER_SHUFFLE or opening.root != root:
        return False
    if len(opening.salt) != SEED_BYTES or not 0 <= opening.code < 54:
        return False
    prefix = _leaf_prefix(opening.hand, opening.shuffle_no)
    leaf = _leaf(prefix, opening.position, opening.code, opening.salt)
    return merkle.root_from_path(leaf, opening.position, opening.size, opening.path) == root
