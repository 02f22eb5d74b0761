"""Runs case files of `kind: ledger` on a real database, in transactions that are rolled back.

Events go through the product's own functions: inline types as a command posts them, the others by
the settler.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from django.db import transaction

from eventstore.case_files import Verdict, verdicts
from eventstore.core.record import Stored
from eventstore.core.refusal import Refused
from ledger import selectors
from ledger.case_reading import (
    AT,
    KEYS,
    RAKE_KEYS,
    Case,
    Expected,
    Fault,
    amounts_of,
    check_keys,
    demand,
    events_of,
    opening_entries,
)
from ledger.core.accounts import unstriped
from ledger.core.entries import INLINE, entries_for
from ledger.core.fees import RakeTerms, rake
from ledger.core.kinds import Kind
from ledger.services.posting import apply, post, post_inline
from ledger.services.settlement import settle_batch
from ledger.store import due
from ledger.store.books import LIVE

KIND = "ledger"


def run(document: Case) -> Iterator[Verdict]:
    """Verdicts of a decoded file of this kind, one per case."""
    return verdicts(document, kind=KIND, run_case=run_case)


def run_case(case: Case) -> str | None:
    """Why a case fails, None if it passes. Nothing of it stays in the books."""
    try:
        check_keys(case, KEYS, frozenset({"id", "title", "expect"}))
        demand(("rake" in case) != ("events" in case), "either rake or events")
        return _rake(case) if "rake" in case else _in_transaction(case)
    except Fault as fault:
        return f"schema: {fault}"


def _in_transaction(case: Case) -> str | None:
    with transaction.atomic():
        why = _events(case)
        transaction.set_rollback(True)
    return why


def differs(what: str, got: object, expected: object) -> str | None:
    """Why a case fails by this fact, None where it is as expected."""
    if got == expected:
        return None
    return f"{what}: got {json.dumps(got)} expected {json.dumps(expected)}"


def _rake(case: Case) -> str | None:
    given = check_keys(case["rake"], RAKE_KEYS, RAKE_KEYS)
    expect = check_keys(case["expect"], frozenset({"rake", "after"}), frozenset({"rake", "after"}))
    net = given["net"]
    taken = rake(RakeTerms(given["bp"], given["cap"]), given["end"], net, given["order"])
    after = {player: amount - taken.get(player, 0) for player, amount in net.items()}
    return differs("rake", taken, expect["rake"]) or differs("after", after, expect["after"])


def _events(case: Case) -> str | None:
    allowed = frozenset({"balances", "entries"})
    expect = check_keys(case["expect"], allowed, allowed)
    balances = amounts_of(expect["balances"], case.get("currency", "EUR"))
    opening, events = list(opening_entries(case)), list(events_of(case))
    for entry in opening:
        post(entry, AT)
    own = sorted({one.event.stream for one in events})
    all_streams = own + [entry.stream for entry in opening[:1]]
    unmoved = _balances(all_streams)
    for number, one in enumerate(events, 1):
        why = _deliver(one, all_streams)
        if why:
            return f"event {number} {why}"
    LIVE.rows("SET CONSTRAINTS ALL IMMEDIATE")
    return _final(_balances(all_streams), unmoved | balances) or differs(
        "entries", len(_entries(own)), expect["entries"]
    )


def _final(got: Mapping[str, int], expected: Mapping[str, int]) -> str | None:
    """Named accounts are as named, all others as the opening left them."""
    for code in sorted(got.keys() | expected.keys()):
        why = differs(f"balance {code}", got.get(code, 0), expected.get(code, 0))
        if why:
            return why
    return None


def _deliver(one: Expected, streams: Sequence[str]) -> str | None:
    """Post or settle an event as often as it comes, and look at what that made."""
    before = _state(streams)
    for delivery in range(one.deliveries):
        code = _posted(one.event) if delivery == 0 else _posted_again(one.event)
        if code != one.refusal:
            return differs("refusal", code, one.refusal)
    if one.refusal:
        return None if _state(streams) == before else "left a trace"
    made = [
        {"part": part, "kind": kind, "legs": legs}
        for version, part, kind, legs in _entries([one.event.stream])
        if version == one.event.version
    ]
    return differs("entries", made, list(one.entries))


def _posted(event: Stored) -> str | None:
    """None once the event is posted, else the code of the refusal."""
    if (event.type, event.schema) in INLINE:
        try:
            post_inline([event], AT)
        except Refused as refused:
            return refused.refusal.code
        return None
    due.mark_due(event.stream, event.version, AT)
    code = settle_batch(event.stream, AT, size=1, read=lambda *_, **__: [event]).parked_code
    if code:
        due.unpark(event.stream)
    return code


def _posted_again(event: Stored) -> str | None:
    """The same for a second delivery, behind the cursor that would pass it over."""
    try:
        with transaction.atomic():
            apply(LIVE, [(event, entries_for(event))], AT)
    except Refused as refused:
        return refused.refusal.code
    return None


# --- what the books hold of a case ----------------------------------------------------------------


def _state(streams: Sequence[str]) -> object:
    """All that a refusal must leave as it was."""
    accounts = LIVE.rows(
        """SELECT b.* FROM ledger.account_balance b WHERE b.account_id IN (
            SELECT p.account_id FROM ledger.entry e JOIN ledger.posting p ON p.entry_id = e.id
            WHERE e.stream = ANY(%s::text[])) ORDER BY b.account_id""",
        [list(streams)],
    )
    cursors = [selectors.cursor(stream) for stream in streams]
    return accounts, _entries(streams), cursors


def _balances(streams: Sequence[str]) -> dict[str, int]:
    """What the case moved on each account, in its natural sign, stripes together."""
    rows = LIVE.rows(
        """SELECT a.code, b.sign * p.amount FROM ledger.entry e
        JOIN ledger.posting p ON p.entry_id = e.id JOIN ledger.account a ON a.id = p.account_id
        JOIN ledger.account_balance b ON b.account_id = a.id
        WHERE e.stream = ANY(%s::text[])""",
        [list(streams)],
    )
    moved: Counter[str] = Counter()
    for code, amount in rows:
        moved[unstriped(code)] += amount
    return dict(moved)


def _entries(streams: Sequence[str]) -> list[tuple[int, int, str, dict[str, int]]]:
    """Version, part, kind and legs of each entry of these streams, in order."""
    rows = LIVE.rows(
        """SELECT e.version, e.part, e.kind, array_agg(a.code), array_agg(p.amount)
        FROM ledger.entry e JOIN ledger.posting p ON p.entry_id = e.id
        JOIN ledger.account a ON a.id = p.account_id
        WHERE e.stream = ANY(%s::text[]) GROUP BY e.id ORDER BY e.stream, e.version, e.part""",
        [list(streams)],
    )
    return [
        (version, part, Kind(kind).word, dict(zip(map(unstriped, codes), amounts, strict=True)))
        for version, part, kind, codes, amounts in rows
    ]
