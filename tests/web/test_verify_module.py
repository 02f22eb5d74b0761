"""The verifier of the pages, `web/static/web/verify.js`, in a browser and under the pages' policy.

One browser serves the tests of this file: they only load modules and read files, without a server.
"""

from __future__ import annotations

import contextlib
import json
import re
from base64 import b64encode
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route, sync_playwright

from clients.verify import tonk_verify
from games.rules import fair
from games.rules.cards import TEXTS
from ledger.core.accounts import STRIPES, striped
from tests.verify import lost_seeds, receipts, stories
from tests.verify.log import OTHER_SEED, Sealed, Slice, ndjson, rows_of, signed_note
from tests.web.conftest import QUIET
from tonk_site.embedded_services import CHECKOUT
from web.views import POLICY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.verify.log import Case

HERE = Path(__file__).parent
CASES = HERE.parent / "cases"
ADDRESS = "http://127.0.0.1/"  # a secure context, so that WebCrypto is there; nothing listens
MODULES = {
    "/static/web/verify.js": CHECKOUT / "web/static/web/verify.js",
    "/checks.js": HERE / "verify_checks.js",
}
CALL = "async ([name, ...given]) => (await import('/checks.js'))[name](...given)"
MUTATIONS = 300
# Texts that no reader of the log takes, besides those of the vectors.
REFUSED = (
    '{"a":-0}', '{"a":1E2}', '{"a":01}', '{"a":+1}', '{"a":.5}', '{"a":Infinity}', '{"a":1}{}',
    '{"a":1,}', "[1,]", "[1 2]", '{"a"}', '{"a":"\t"}', '{"a":"\\x"}', '{"a":"\\ud800\\u0041"}',
    '{"a":"\\udc00\\ud800"}', "{'a':1}", '{"a":nul}', '"open', "", " ", "[" * 200,
    '{"a":[[[[[[[[1]]]]]]]]}', '{"a":"' + "x" * 1025 + '"}', '{"__proto__ ":1}',
    '{"a":-9007199254740992}', '{"\\u0041":1}', "\ufeff{}", '{"__proto__":1,"__proto__":2}',
)  # fmt: skip


def serve(route: Route) -> None:
    """The module and its cases, as the product's pages would have them."""
    module = MODULES.get(urlsplit(route.request.url).path)
    kind = "text/html" if module is None else "text/javascript"
    body = "<!doctype html><link rel=icon href=data:,>" if module is None else module.read_text()
    headers = {"Content-Type": f"{kind}; charset=utf-8", "Content-Security-Policy": POLICY}
    route.fulfill(body=body, headers=headers)


@pytest.fixture(scope="module")
def checks(browser_path: str) -> Iterator[Page]:
    """A page that may import the module; complaints of the browser fail the tests."""
    complaints: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=QUIET)
        with contextlib.closing(browser):
            page = browser.new_page()
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.route("**/*", serve)
            page.goto(ADDRESS)
            yield page
    assert complaints == []


def run(page: Page, name: str, *given: object) -> Any:
    return page.evaluate(CALL, [name, *given])


def packed(files: Sequence[bytes]) -> list[str]:
    return [b64encode(file).decode() for file in files]


def vectors(name: str) -> Any:
    return json.loads((CASES / name / "vectors.json").read_text())


def test_fair_vectors(checks: Page) -> None:
    file = vectors("fair")
    found = run(checks, "fair", file)
    assert found["differences"] == []
    openings = sum(len(one["openings"]) for one in file["vectors"])
    shuffles = sum(len(one["shuffles"]) for one in file["vectors"])
    done = found["done"]
    assert (done["openings"], done["root"]) == (openings, shuffles)
    assert (done["links"], done["fisher_yates"]) == (len(file["links"]), len(file["fisher_yates"]))
    assert done["commit"] == done["transcript"] == done["key"] == len(file["vectors"])


def test_log_vectors(checks: Page) -> None:
    file = vectors("log")
    found = run(checks, "log", file, list(REFUSED))
    assert found["differences"] == []
    done = found["done"]
    assert done["refused"] == len(file["refused"]) + len(REFUSED)
    for kind in ("canonical", "roots", "inclusion", "consistency"):
        assert done[kind] == len(file[kind])
    assert done["records"] == 2 * len(file["records"])
    assert done["tiles"] == len(file["tiles"]["tiles"])


def verdicts(
    page: Page, name: str, files: Sequence[bytes], keys: Sequence[str]
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = run(page, name, packed(files), list(keys))
    return found


CLAIMED = ("kind", "amount", "currency", "player")
OF_A_SIGNED = ("checkpoint", "inclusion")
CODES = [f"V{number:02}" for number in range(1, 24)]


def test_valid_receipts_pass(checks: Page) -> None:
    names, files = zip(*receipts.valid().items(), strict=True)
    assert {"hand-reshuffle", "cash_out", "prize-parts", "deposit", "reversal"} <= set(names)
    for keys, warnings in (([receipts.VKEY], []), ([], ["key taken from the file"])):
        found = dict(zip(names, verdicts(checks, "receipts", files, keys), strict=True))
        assert {name: one["place"] for name, one in found.items() if not one["ok"]} == {}
        for name, one in found.items():
            assert (one["codes"], one["warnings"]) == (CODES, warnings)
            claim = json.loads(receipts.valid()[name])["claim"]
            assert one["claim"] == {member: claim[member] for member in CLAIMED}


RECORD = re.compile(r"(\w+/[0-9a-f-]{36} v\d+)")
# Checks that one record decides; of a deck, for one, it is a matter of taste which record is wrong.
OF_A_RECORD = ("V05", "V06", "V07", "V08", "V13", "V17", "V18", "V20")


def record_named_by_python(file: bytes) -> str | None:
    """The record that the verifier in Python names, if it names one."""
    with pytest.raises(tonk_verify.Failed) as failed:
        tonk_verify.verify(file, [receipts.VKEY])
    found = RECORD.search(failed.value.place)
    return found and found[1]


@pytest.mark.slow
def test_damaged_receipts_fail_with_their_code(checks: Page) -> None:
    damages = receipts.damaged()
    found = verdicts(checks, "receipts", [one.file for one in damages], [receipts.VKEY])
    got = {
        damage.name: (one["code"], one["error"])
        for damage, one in zip(damages, found, strict=True)
        if (one["ok"], one["code"], one["error"]) != (False, damage.check, damage.error)
    }
    assert got == {}
    assert {damage.check for damage in damages} == set(CODES)
    places = {
        damage.name: (one["place"], named)
        for damage, one in zip(damages, found, strict=True)
        if damage.check in OF_A_RECORD and (named := record_named_by_python(damage.file))
    }
    assert len(places) > len(OF_A_RECORD)
    assert [pair for pair in places.values() if pair[0] != pair[1]] == []


def with_stripes(file: bytes, shift: int) -> bytes:
    """The receipt with house accounts as the books hold them, or on another of their rows."""
    receipt = json.loads(file)
    for posting in receipt["entry"]["postings"]:
        code = striped(posting["account"], receipt["entry"]["key"])
        if code != posting["account"]:
            plain, _, stripe = code.rpartition(":")
            posting["account"] = f"{plain}:{(int(stripe) + shift) % STRIPES:02}"
    return json.dumps(receipt).encode()


def test_the_row_of_a_house_account_must_be_its_own(checks: Page) -> None:
    files = [
        receipts.valid()[name] for name in ("deposit", "grant", "withdrawal_paid", "adjustment")
    ]
    right = verdicts(checks, "receipts", [with_stripes(one, 0) for one in files], [receipts.VKEY])
    assert [one["ok"] for one in right] == [True] * len(files)
    wrong = verdicts(checks, "receipts", [with_stripes(one, 1) for one in files], [receipts.VKEY])
    assert [(one["code"], one["error"]) for one in wrong] == [("V12", "amount_mismatch")] * len(
        files
    )


def proved_bytes(file: bytes) -> list[int]:
    """Places in a receipt whose bytes follow from others: no blanks, times of the file, names."""
    free = re.finditer(rb'"(?:made_at|recorded_at)": "[^"]*"|"names": \{[^}]*\}|\s', file)
    unproved = {at for found in free for at in range(*found.span())}
    return [at for at in range(len(file)) if at not in unproved]


def test_no_changed_byte_of_a_receipt_passes(checks: Page) -> None:
    numbers = Random(4)
    for name in ("hand-beacon", "withdrawal_paid", "refund-cancelled"):
        file = receipts.valid()[name]
        places = numbers.sample(proved_bytes(file), MUTATIONS)
        changes = [[at, numbers.randrange(1, 256)] for at in places]
        missed = run(checks, "mutations", packed([file])[0], [receipts.VKEY], changes)
        assert missed == []


@pytest.mark.slow
def test_exports(checks: Page) -> None:
    names, files = zip(*receipts.exports().items(), strict=True)
    found = verdicts(checks, "exported", files, [receipts.VKEY])
    failed = {name: one for name, one in zip(names, found, strict=True) if not one["ok"]}
    assert failed == {}
    damages = receipts.damaged_exports()
    found = verdicts(checks, "exported", [one.file for one in damages], [receipts.VKEY])
    got = {
        damage.name: (one["code"], one["error"], one["place"])
        for damage, one in zip(damages, found, strict=True)
        if (one["ok"], one["code"], one["error"]) != (False, damage.check, damage.error)
    }
    assert got == {}


def test_an_older_note_by_another_key_counts_by_its_root(checks: Page) -> None:
    lines = [json.loads(line) for line in receipts.exports()["log"].splitlines()]
    notes = [line for line in lines if "c" in line]
    text = notes[0]["c"].partition("\n\n")[0] + "\n"
    told = []
    for note, signed in (
        (notes[0], text),
        (notes[0], text.replace("log/7", "log/8")),
        (notes[-1], None),
    ):
        kept = note["c"]
        last = kept.partition("\n\n")[0] + "\n"
        note["c"] = signed_note(signed or last, OTHER_SEED)
        (found,) = verdicts(checks, "exported", [ndjson(lines)], [receipts.VKEY])
        told.append((found["ok"], found["error"], found["warnings"]))
        note["c"] = kept
    said = "1 older notes are signed by other keys; their roots are right"
    assert told == [(True, None, [said]), (False, "unknown_key", []), (False, "unknown_key", [])]


def test_hands_whose_seeds_were_lost_are_named(checks: Page) -> None:
    (found,) = verdicts(checks, "receipts", [lost_seeds.receipt()], [receipts.VKEY])
    assert found["ok"], found
    assert found["warnings"] == list(
        tonk_verify.verify(lost_seeds.receipt(), [receipts.VKEY]).warnings
    )
    files = [lost_seeds.export(how) for how in lost_seeds.EXPORTS]
    for file, one in zip(files, verdicts(checks, "exported", files, [receipts.VKEY]), strict=True):
        assert one["ok"], one
        lines = file.splitlines(keepends=True)
        told = tonk_verify.verify_export(lines, [receipts.VKEY]).warnings
        assert one["warnings"] == list(told)
    damaged = [lost_seeds.receipt(change) for _, _, change in lost_seeds.DAMAGE.values()]
    verdict = verdicts(checks, "receipts", damaged, [receipts.VKEY])
    assert [(one["code"], one["error"]) for one in verdict] == [
        (code, error) for code, error, _ in lost_seeds.DAMAGE.values()
    ]


@pytest.mark.slow
def test_an_answer_about_a_hand_whose_seed_was_lost(checks: Page) -> None:
    case = stories.lost_seeds()
    voided = next(one for one in case.records if one["type"] == "HandVoided")
    answer = answer_of(case, voided["data"]["hand"])
    unsealed = {name: one for name, one in answer.items() if name not in OF_A_SIGNED}
    lies = (
        {**answer, "server_seed": None},
        {**answer, "server_seed": "0" * 64},
        {**answer, "server_seed": "0" * 64, "deck": "AC"},
        {**answer, "deck": ""},
    )
    sealed, open_, *lied = run(checks, "hands", [answer, unsealed, *lies], [receipts.VKEY])
    place = f"{voided['stream']} v{voided['v']}"
    said = f"1 voided without a seed (dealer_key_lost), so not checked by it: {place}"
    assert (sealed["ok"], sealed["warnings"]) == (True, [said]), sealed
    assert open_["warnings"] == ["no checkpoint covers the hand yet", said]
    assert [(one["ok"], one["error"]) for one in lied] == [(False, "bad_field")] * len(lies)
    (kept,) = run(checks, "hands", [_without_seed(answer_of_revealed())], [receipts.VKEY])
    assert (kept["code"], kept["error"], kept["place"]) == ("V02", "bad_field", "server_seed")


def answer_of_revealed() -> dict[str, Any]:
    case = receipts.case_of("hand-revealed")
    return answer_of(case, str(case.claimed.source.payload["hand"]))


def _without_seed(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in answer.items() if name not in ("server_seed", "deck")}


def answer_of(case: Case, hand: str) -> dict[str, Any]:
    """What `/hands/{id}/verify` says of a hand, made of its records."""
    sealed = Sealed.of(rows_of(case.records))
    table = case.slices[-1].stream
    rows = [row for row in sealed.rows if row.key[0] == table]
    facts = [(row.record["type"], row.record["data"]) for row in rows]
    mine = [index for index, (_, data) in enumerate(facts) if data.get("hand") == hand]
    first, last = mine[0], mine[-1]
    of: dict[str, list[dict[str, Any]]] = {}
    for kind, data in facts[first : last + 1]:
        of.setdefault(kind, []).append(data)
    (dealt,), (revealed,) = of["HandDealt"], of.get("HandRevealed") or of["HandVoided"]
    seeds = {one["seat"]: one["seed"] for one in of.get("SeedRevealed", [])}
    opened = _opened(dealt, revealed["server_seed"]) if revealed["server_seed"] else {}
    part = sealed.slice(Slice(table, rows[first].key[1], rows[last].key[1]))
    return {
        "hand_id": hand,
        "table_id": table.partition("/")[2],
        **{name: dealt[name] for name in ("fairness", "deck_spec", "commit", "transcript")},
        "seats": [
            {
                "seat": one["seat"],
                "player_id": one["player"],
                "seed": seeds.get(one["seat"], ""),
                "state": one["seed"],
            }
            for one in dealt["players"]
        ],
        "beacon": dealt["beacon"] or "",
        "deck_root": dealt["deck_root"],
        "reshuffles": [
            {name: one[name] for name in ("shuffle_no", "places", "root")}
            for one in of.get("PileReshuffled", [])
        ],
        "first_version": part["from"],
        "last_version": part["to"],
        "records": part["records"],
        "checkpoint": sealed.note,
        "inclusion": part["inclusion"],
        "ok": True,
        "checks": [],
        **opened,
    }


def _opened(dealt: dict[str, Any], server_seed: str) -> dict[str, str]:
    """What an answer says of a deck that is open."""
    key = fair.hand_key(bytes.fromhex(server_seed), bytes.fromhex(dealt["transcript"]))
    order = fair.shuffle(key, 0, fair.DECKS[dealt["deck_spec"]])
    return {"server_seed": server_seed, "deck": " ".join(TEXTS[code] for code in order)}


def test_answers_about_a_hand(checks: Page) -> None:
    for name in ("hand-revealed", "hand-bots", "hand-beacon", "hand-reshuffle", "hand-jokers"):
        case = receipts.case_of(name)
        answer = answer_of(case, str(case.claimed.source.payload["hand"]))
        unsealed = {key: value for key, value in answer.items() if key not in OF_A_SIGNED}
        changes = {
            "deck": answer["deck"][3:] + " " + answer["deck"][:2],
            "server_seed": "0" * 64,
            "transcript": "0" * 64,
            "beacon": "0" * 64,
            "seats": answer["seats"][::-1],
            "hand_id": answer["table_id"],
            "inclusion": {**answer["inclusion"], "index": answer["inclusion"]["index"] + 1},
            "records": answer["records"][1:],
            "first_version": answer["first_version"] + 1,
            "checkpoint": answer["checkpoint"].replace("\n\n", "\nmore\n\n"),
        }
        given = [answer, unsealed, *({**answer, member: to} for member, to in changes.items())]
        sealed, open_, *damaged = run(checks, "hands", given, [receipts.VKEY])
        assert (sealed["ok"], sealed["warnings"]) == (True, []), sealed
        assert (open_["ok"], open_["warnings"]) == (True, ["no checkpoint covers the hand yet"])
        passed = [member for member, one in zip(changes, damaged, strict=True) if one["ok"]]
        assert passed == []
        (keyless,) = run(checks, "hands", [answer], [])
        assert keyless["ok"]
        assert "V04" not in keyless["codes"]
