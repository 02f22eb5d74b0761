"""The dealer: the one module that knows the seed of a running hand (`eventstore.md` 5.3, 5.4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from eventstore.ports import random_bytes
from eventstore.sealing import Sealed, seal, unseal
from games.models import DealerSecret
from games.rules import events, fair
from games.rules.shuffles import Deck, KeyedShuffle, sealed_deck


@dataclass(frozen=True, slots=True, repr=False)  # no text form: a trace must not show it
class Shuffled:
    """A deck with its public proofs: commitment, transcript, root, as hex."""

    deck: Deck
    deck_spec: str
    commit: str
    transcript: str
    deck_root: str
    server_seed: bytes


def shuffle(hand: UUID, spec: str, seats: Sequence[tuple[int, UUID]]) -> Shuffled:
    """A fresh deck for a hand of these (seat, player), by steps 1 and 3 to 5 of the protocol."""
    server_seed = random_bytes(fair.SEED_BYTES)
    commitment = fair.commit(hand.bytes, server_seed)
    dealt_in = [fair.SeatSeed(seat, player.bytes) for seat, player in seats]
    transcript = fair.transcript(hand.bytes, commitment=commitment, spec=spec, seats=dealt_in)
    key = fair.hand_key(server_seed, transcript)
    sealed = fair.seal(key, hand=hand.bytes, cards=fair.DECKS[spec])
    return Shuffled(
        deck=Deck(sealed.order, KeyedShuffle(hand.bytes, key)),
        deck_spec=spec,
        commit=commitment.hex(),
        transcript=transcript.hex(),
        deck_root=sealed.root.hex(),
        server_seed=server_seed,
    )


def keep(hand: UUID, server_seed: bytes, now: datetime) -> None:
    """Store the seed, sealed, until the hand ends."""
    sealed = seal(server_seed, hand.bytes)
    DealerSecret.objects.create(
        hand=hand,
        key_id=sealed.key_id,
        nonce=sealed.nonce,
        ciphertext=sealed.ciphertext,
        created_at=now,
    )


def seed_of(hand: UUID) -> bytes | None:
    """The seed of a running hand; None once it has ended."""
    row = (
        DealerSecret.objects.filter(hand=hand).values_list("key_id", "nonce", "ciphertext").first()
    )
    if row is None:
        return None
    key_id, nonce, ciphertext = row
    return unseal(Sealed(key_id, bytes(nonce), bytes(ciphertext)), hand.bytes)


def forget(hand: UUID) -> None:
    """Remove the sealed seed: from now on it is in the log."""
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
