"""The vectors of the fair deal, one verdict each, for `manage.py cases`."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from games.rules import fair

Document = Mapping[str, Any]
Verdict = tuple[str, str | None]
"""Id of a case, and why it failed or None."""


def is_mine(document: object) -> bool:
    """Whether a decoded file holds vectors of the fair deal."""
    return isinstance(document, Mapping) and document.get("protocol") == fair.PROTOCOL


def run(document: Document) -> Iterator[Verdict]:
    """Verdicts of a file: one per vector, opening, word list and link.

    The tables of card codes and packs are no cases of their own: a vector fails where they differ.
    """
    for vector in document["vectors"]:
        yield vector["name"], _vector(vector, document)
        for index, opening in enumerate(vector["openings"]):
            yield f"{vector['name']}/opening-{index}", _opening(opening, vector)
    for index, words in enumerate(document["fisher_yates"]):
        yield f"fisher-yates-{index}", _word_list(words)
    for index, pair in enumerate(document["links"]):
        good = fair.is_next_link(_raw(pair["seed"]), _raw(pair["last_link"]))
        yield f"link-{index}", _differs("ok", good, pair["ok"])


def _raw(text: str) -> bytes:
    return bytes.fromhex(text)


def _differs(what: str, got: object, expected: object) -> str | None:
    return None if got == expected else f"{what}: got {got!r} expected {expected!r}"


def _first(found: Iterator[str | None]) -> str | None:
    return next((why for why in found if why), None)


def _vector(vector: Document, document: Document) -> str | None:
    spec = vector["deck_spec"]
    pack = document["deck_specs"][spec]
    return (
        _differs("pack", list(fair.DECKS.get(spec, ())), pack)
        or _first(_anchor(seat) for seat in vector["seats"])
        or _protocol(vector)
        or _first(_shuffle(shuffle, vector, document) for shuffle in vector["shuffles"])
        or _differs("deck_root", vector["shuffles"][0]["root"], vector["deck_root"])
        or _differs("first input", vector["shuffles"][0]["input"], pack)
    )


def _anchor(seat: Document) -> str | None:
    """An anchored seat's chain: root -> .. -> seed -> last link -> .. -> anchor."""
    if seat["state"] == "none":
        return _differs("seed", seat["seed"], "")
    chain = [_raw(seat["root"])]
    for _ in range(seat["length"]):
        chain.append(fair.link(chain[-1]))
    chain.reverse()
    revealed = chain[seat["index"]].hex() if seat["state"] == "revealed" else ""
    return (
        _differs("anchor", chain[0].hex(), seat["anchor"])
        or _differs("last_link", chain[seat["index"] - 1].hex(), seat["last_link"])
        or _differs("seed", revealed, seat["seed"])
    )


def _protocol(vector: Document) -> str | None:
    hand, server_seed = _raw(vector["hand"]), _raw(vector["server_seed"])
    commitment = fair.commit(hand, server_seed)
    preimage = fair.transcript_preimage(
        hand,
        commitment=commitment,
        spec=vector["deck_spec"],
        seats=_seats(vector["seats"]),
        beacon=_raw(vector["beacon"]),
    )
    transcript = _raw(vector["transcript"])
    commit_preimage = fair.commit_preimage(hand, server_seed)
    sealed = fair.transcript(
        hand,
        commitment=commitment,
        spec=vector["deck_spec"],
        seats=_seats(vector["seats"]),
        beacon=_raw(vector["beacon"]),
    )
    return (
        _differs("commit_preimage", commit_preimage.hex(), vector["commit_preimage"])
        or _differs("commit", commitment.hex(), vector["commit"])
        or _differs("transcript_preimage", preimage.hex(), vector["transcript_preimage"])
        or _differs("transcript", sealed, transcript)
        or _differs("key", fair.hand_key(server_seed, transcript).hex(), vector["key"])
    )


def _seats(seats: Sequence[Document]) -> list[fair.SeatSeed]:
    return [fair.SeatSeed(one["seat"], _raw(one["player"]), _raw(one["seed"])) for one in seats]


def _shuffle(shuffle: Document, vector: Document, document: Document) -> str | None:
    key, number = _raw(vector["key"]), shuffle["shuffle_no"]
    deck = fair.seal(key, hand=_raw(vector["hand"]), cards=shuffle["input"], shuffle_no=number)
    names = [document["card_codes"][code] for code in deck.order]
    used = _words_used(shuffle["input"], fair.stream_words(key, number))
    return (
        _differs(
            "stream_block_0", fair.stream_block(key, number, 0).hex(), shuffle["stream_block_0"]
        )
        or _differs(
            "stream_block_1", fair.stream_block(key, number, 1).hex(), shuffle["stream_block_1"]
        )
        or _differs("words_used", used, shuffle["words_used"])
        or _differs("rejected", used - len(deck.order) + 1, shuffle["words_rejected"])
        or _differs("order", list(deck.order), shuffle["order"])
        or _differs("cards", names, shuffle["cards"])
        or _differs("salts", [one.hex() for one in deck.salts], shuffle["salts"])
        or _differs("leaves", [one.hex() for one in deck.leaves], shuffle["leaves"])
        or _differs("root", deck.root.hex(), shuffle["root"])
    )


def _words_used(cards: Sequence[int], words: Iterator[int]) -> int:
    taken = count()
    fair.fisher_yates(cards, (word for word, _ in zip(words, taken, strict=False)))
    return next(taken)


def _word_list(words: Document) -> str | None:
    cards, given = words["input"], words["words"]
    used = _words_used(cards, iter(given))
    return (
        _differs("order", list(fair.fisher_yates(cards, iter(given))), words["order"])
        or _differs("words_used", used, words["words_used"])
        or _differs("words_rejected", used - len(cards) + 1, words["words_rejected"])
    )


def _opening(given: Document, vector: Document) -> str | None:
    """A good opening is one that `opens`; it must also be the very one that we would serve."""
    opening = fair.Opening(
        hand=_raw(vector["hand"]),
        shuffle_no=given["shuffle_no"],
        position=given["position"],
        size=given["size"],
        code=given["code"],
        salt=_raw(given["salt"]),
        path=tuple(map(_raw, given["path"])),
        root=_raw(given["root"]),
    )
    root = _raw(vector["shuffles"][opening.shuffle_no]["root"])
    problem = _differs("ok", fair.opens(opening, root), given["ok"])
    problem = problem or _differs("place", opening.place, given["place"])
    if problem or not given["ok"]:
        return problem
    shuffle = vector["shuffles"][opening.shuffle_no]
    deck = fair.seal(
        _raw(vector["key"]),
        hand=opening.hand,
        cards=shuffle["input"],
        shuffle_no=opening.shuffle_no,
    )
    return _differs("opening", fair.open_card(deck, opening.position), opening)
