"""Cases of money: pools, prizes, bounties, deals, cancellations, corrections."""

from collections.abc import Mapping

from tournaments.cases.forms import Case, Form, Outcome, form
from tournaments.core import prizes


def _prizes(case: Case) -> Outcome:
    return prizes.divide(case["pool"], case["weights"], case.get("round_to", 1)), case["expect"]


def _place_counts(case: Case) -> Outcome:
    counts = case["counts"]
    return {entries: prizes.paid_places(entries) for entries in counts}, counts


def _paid_places(case: Case) -> Outcome:
    entries, buy_in = case["entries"], case["buy_in"]
    pool = prizes.pool_of(entries * buy_in, rake_bp=case["rake_bp"], guarantee=0).amount
    vector = prizes.vector(
        pool,
        prizes.Payout(),
        entries=entries,
        players=entries,
        price=buy_in + case["fee"],
    )
    return {"pool": pool, "prizes": vector}, case["expect"]


def _ties(case: Case) -> Outcome:
    got = prizes.share_places(case["prizes"], case["ranks"])
    covered = sum(case["prizes"][: len(got)])
    return [got, sum(got.values())], [case["expect"], covered]


def _pools(case: Case) -> Outcome:
    entries = case["entries"] + case.get("reentries", 0)
    addons = case.get("addons", 0) * case.get("addon_price", 0)
    pool = prizes.pool_of(
        entries * case["buy_in"] + addons, rake_bp=case["rake_bp"], guarantee=case["guarantee"]
    )
    got = {
        "collected": pool.collected,
        "overlay": pool.overlay,
        "rake": pool.rake,
        "pool": pool.amount,
    }
    fees = {"fees": entries * case["fee"]} if "fee" in case else {}
    return got | fees, case["expect"]


def _sit_and_go(case: Case) -> Outcome:
    vector = prizes.divide(case["seats"] * case["buy_in"], case["payout"])
    amounts = prizes.share_places(vector, case["ranks"])
    return {"prizes": amounts, "fees": case["seats"] * case["fee"]}, case["expect"]


SECTIONS: Mapping[str, tuple[Form, ...]] = {
    "prizes": (form(_prizes, "pool weights expect", "round_to"),),
    "paid_places": (
        form(_place_counts, "counts"),
        form(_paid_places, "entries buy_in fee rake_bp expect"),
    ),
    "ties": (form(_ties, "prizes ranks expect"),),
    "pools": (
        form(
            _pools,
            "entries buy_in guarantee rake_bp expect",
            "fee reentries addons addon_price",
        ),
    ),
    "sit_and_go": (form(_sit_and_go, "seats buy_in fee payout ranks expect"),),
}
