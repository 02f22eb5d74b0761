"""Everything that proves the deal of an ended hand, and our own verdict on it (`hand.verify`)."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from eventstore import store, tree
from eventstore.core.chain import Head, verify_chain
from eventstore.core.record import Stored, record_bytes
from eventstore.core.refusal import InvariantBroken, refuse
from games.fair_reads import stored_of
from games.hands import HandPlace, find
from games.models import BotDecision
from games.rules import events, fair, window
from games.rules.cards import TEXTS
from games.rules.openings import Openings, openings, shown
from games.rules.views import Document

Check = tuple[str, bool]


def verification(hand_id: UUID) -> Document:
    """The proof of a hand that has ended: seeds, deck, records, place in the log, verdict.

    What a signed checkpoint does not cover yet has no `checkpoint` and no `inclusion`. Raises:
    Refused with `not_found`, `no_reveal_yet`.
    """
    where = find(hand_id)
    if where is None:
        raise refuse("not_found")
    if where.last_version is None:
        raise refuse("no_reveal_yet")
    if where.dealt_version is None:
        raise refuse("not_found")  # given up before the deal: there was no hand
    stored = stored_of(where)
    committed, dealt, reveal = _parts(stored)
    given = {one.seat: one for one in _seeds(stored)}
    reshuffled = _reshuffles(stored)
    server_seed = reveal.server_seed
    opened = None
    if server_seed is not None:
        places = reshuffled[0].places if reshuffled else None
        opened = openings(dealt, bytes.fromhex(server_seed), places)
    checks = list(_checks(where, stored, opened))
    document: Document = {
        "hand_id": dealt.hand,
        "table_id": str(where.table),
        "fairness": dealt.fairness,
        "deck_spec": dealt.deck_spec,
        "commit": committed.commit,
        "seats": [
            {
                "seat": one.seat,
                "player_id": one.player,
                "seed": given[one.seat].seed if one.seat in given else "",
                "state": one.seed,
            }
            for one in dealt.players
        ],
        "beacon": dealt.beacon or "",
        "transcript": dealt.transcript,
        "deck_root": dealt.deck_root,
        "reshuffles": [
            {"shuffle_no": one.shuffle_no, "places": list(one.places), "root": one.root}
            for one in reshuffled
        ],
    }
    if server_seed is not None and opened is not None:
        document["server_seed"] = server_seed
        document["deck"] = " ".join(TEXTS[code] for code in opened.shuffles[0].order)
    document |= {
        "first_version": where.first_version,
        "last_version": where.last_version,
        "records": [record_bytes(one).decode() for one in stored],
    }
    return document | {
        **_in_log(where),
        "decisions": _decisions(where),
        "ok": all(good for _, good in checks),
        "checks": [{"name": name, "ok": good} for name, good in checks],
    }


def _parts(
    stored: Sequence[Stored],
) -> tuple[events.ShuffleCommitted, events.HandDealt, events.HandRevealed | events.HandVoided]:
    facts = [one.event for one in stored]
    committed, last = facts[0], facts[-1]
    dealt = next((one for one in facts if isinstance(one, events.HandDealt)), None)
    if (
        isinstance(committed, events.ShuffleCommitted)
        and dealt is not None
        and isinstance(last, events.HandRevealed | events.HandVoided)
    ):
        return committed, dealt, last
    raise InvariantBroken(f"{stored[0].stream}@{stored[0].version}: no whole hand")


def _seeds(stored: Sequence[Stored]) -> list[events.SeedRevealed]:
    return [one.event for one in stored if isinstance(one.event, events.SeedRevealed)]


def _reshuffles(stored: Sequence[Stored]) -> list[events.PileReshuffled]:
    return [one.event for one in stored if isinstance(one.event, events.PileReshuffled)]


def _checks(where: HandPlace, stored: Sequence[Stored], opened: Openings | None) -> Iterator[Check]:
    """What a client checks too, in its order (`eventstore.md` 5.6), one verdict each."""
    committed, dealt, reveal = _parts(stored)
    before = store.events_after(where.stream, where.first_version - 2, limit=1)
    head = Head(where.first_version - 1, before[0].hash) if where.first_version > 1 else None
    yield "chain", head is not None and verify_chain(stored, head) is None
    if reveal.server_seed is None or opened is None:
        yield "server_seed", False
        return
    hand, seed = UUID(dealt.hand).bytes, bytes.fromhex(reveal.server_seed)
    commitment = fair.commit(hand, seed)
    yield "commit", committed.commit == dealt.commit == commitment.hex()
    seeds = _seeds(stored)
    states = window.seed_states(committed, seeds)
    yield "seeds", {one.seat: one.seed for one in dealt.players} == states
    transcript = fair.transcript(
        hand,
        commitment=commitment,
        spec=committed.deck_spec,
        seats=window.seat_seeds(committed, seeds),
        beacon=bytes.fromhex(dealt.beacon or ""),
    )
    yield "transcript", dealt.transcript == transcript.hex()
    roots = [dealt.deck_root, *(one.root for one in _reshuffles(stored))]
    yield "roots", roots == [one.root.hex() for one in opened.shuffles]
    yield (
        "cards",
        all(_lies(opened, place, card) for one in stored for place, card in shown(one.event)),
    )


def _lies(opened: Openings, place: int, card: str) -> bool:
    opening = opened.at(place)
    return opening is not None and TEXTS[opening.code] == card


def _in_log(where: HandPlace) -> Document:
    """Signed checkpoint and inclusion of the last record, once one covers it."""
    index = tree.index_of(where.stream, where.last_version or 1)
    covering = tree.covering(index) if index is not None else None
    if index is None or covering is None:
        return {}
    path = [one.hex() for one in tree.inclusion(index, covering.size)]
    return {
        "checkpoint": covering.note,
        "inclusion": {"index": index, "size": covering.size, "path": path},
    }


def _decisions(where: HandPlace) -> list[Document]:
    """How house bots came to moves of the hand, where that was kept: with the decision's seed."""
    rows = BotDecision.objects.filter(
        table_id=where.table,
        version__gte=where.first_version,
        version__lte=where.last_version,
    ).order_by("version")
    return [
        {"version": row.version, "level": row.level, "samples": row.samples}
        | ({} if row.fallback is None else {"fallback": row.fallback})
        | {"seed": bytes(row.seed).hex()}
        for row in rows
    ]
