"""The dealer: the one module that knows the seed of a running hand (`eventstore.md` 5.3, 5.4)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count

from eventstore.core.refusal import InvariantBroken
from eventstore.ports import random_bytes
from eventstore.sealing import Sealed, is_lost, seal, unseal
from games.models import DealerSecret
from games.rules import events, fair
from games.rules.shuffles import Deck, KeyedShuffle, sealed_deck


@dataclass(frozen=True, slots=True, repr=False)  # no text form: a trace must not show it
class Committed:
    """A seed that the dealer has drawn for a hand, and its public commitment as hex."""

    hand: UUID
    server_seed: bytes
    commit: str


@dataclass(frozen=True, slots=True, repr=False)  # the same
class Shuffled:
    """A deck with its public proofs: commitment, transcript, root, beacon, as hex."""

    deck: Deck
    deck_spec: str
    commit: str
    transcript: str
    deck_root: str
    beacon: str | None
    server_seed: bytes


def commit(hand: UUID) -> Committed:
    """A fresh seed for a hand, by step 1 of the protocol."""
    server_seed = random_bytes(fair.SEED_BYTES)
    return Committed(hand, server_seed, fair.commit(hand.bytes, server_seed).hex())


def shuffle(
    committed: Committed, spec: str, seats: Sequence[fair.SeatSeed], beacon: bytes = b""
) -> Shuffled:
    """The deck of a hand once its seats have given their seeds, by steps 3 to 5."""
    hand = committed.hand.bytes
    transcript = fair.transcript(
        hand,
        commitment=bytes.fromhex(committed.commit),
        spec=spec,
        seats=seats,
        beacon=beacon,
    )
    key = fair.hand_key(committed.server_seed, transcript)
    sealed = fair.seal(key, hand=hand, cards=fair.DECKS[spec])
    return Shuffled(
        deck=Deck(sealed.order, KeyedShuffle(hand, key)),
        deck_spec=spec,
        commit=committed.commit,
        transcript=transcript.hex(),
        deck_root=sealed.root.hex(),
        beacon=beacon.hex() or None,
        server_seed=committed.server_seed,
    )


def keep(committed: Committed, now: datetime, terms: Mapping[str, object] | None = None) -> None:
    """Store the seed, sealed, until the hand ends; with what its deal will need, if that waits."""
    sealed = seal(committed.server_seed, committed.hand.bytes)
    DealerSecret.objects.create(
        hand=committed.hand,
        key_id=sealed.key_id,
        nonce=sealed.nonce,
        ciphertext=sealed.ciphertext,
        terms=terms,
        created_at=now,
    )


def kept(hand: UUID) -> Committed:
    """The commitment to a hand that has not ended. Raises: InvariantBroken without its seed."""
    server_seed = seed_of(hand)
    if server_seed is None:
        raise InvariantBroken(f"hand {hand} is committed to and has no seed")
    return Committed(hand, server_seed, fair.commit(hand.bytes, server_seed).hex())


def terms_of(hand: UUID) -> Mapping[str, object]:
    """What was stored for the deal of a hand that is committed to."""
    found = DealerSecret.objects.filter(hand=hand).values_list("terms", flat=True).first()
    if found is None:
        raise InvariantBroken(f"hand {hand} is committed to and has no terms")
    terms: Mapping[str, object] = found
    return terms


def seed_of(hand: UUID) -> bytes | None:
    """The seed of a running hand; None once it has ended."""
    row = (
        DealerSecret.objects.filter(hand=hand).values_list("key_id", "nonce", "ciphertext").first()
    )
    if row is None:
        return None
    key_id, nonce, ciphertext = row
    return unseal(Sealed(key_id, bytes(nonce), bytes(ciphertext)), hand.bytes)


def hands_by_key() -> dict[str, int]:
    """How many hands wait for their end under each of the dealer's keys."""
    ids = DealerSecret.objects.values_list("key_id").annotate(count=Count("hand"))
    return dict(ids.order_by("key_id"))


def lost_hands() -> Iterator[UUID]:
    """Hands that wait for their end under a key that is in no file, the oldest first."""
    lost = [key_id for key_id in hands_by_key() if is_lost(key_id)]
    sealed = DealerSecret.objects.filter(key_id__in=lost).order_by("created_at", "hand")
    yield from sealed.values_list("hand", flat=True)


def is_seed_lost(hand: UUID) -> bool:
    """Whether the seed of a hand that has not ended can not be read any more."""
    key_id = DealerSecret.objects.filter(hand=hand).values_list("key_id", flat=True).first()
    return key_id is not None and is_lost(key_id)


def forget(hand: UUID) -> None:
    """Remove the sealed seed: from now on it is in the log, or the log says that it is lost."""
    DealerSecret.objects.filter(hand=hand).delete()


def deck_from(dealt: events.HandDealt, server_seed: bytes) -> Deck:
    """The deck of a deal that this seed gives."""
    key = fair.hand_key(server_seed, bytes.fromhex(dealt.transcript))
    return sealed_deck(UUID(dealt.hand).bytes, key, dealt.deck_spec)


@dataclass(frozen=True, slots=True, repr=False)  # the same
class CutPack:
    """A shuffled pack for the cut, with its seed, which is shown at once."""

    cards: tuple[int, ...]
    deck_spec: str
    server_seed: bytes


def pack_for_cut(table: UUID, deck: int) -> CutPack:
    """A pack of 52 or 40 cards without jokers, shuffled for the cut alone."""
    spec, server_seed = fair.deck_spec(deck, 0), random_bytes(fair.SEED_BYTES)
    key = fair.cut_key(server_seed, table.bytes)
    return CutPack(fair.shuffle(key, 0, fair.DECKS[spec]), spec, server_seed)
