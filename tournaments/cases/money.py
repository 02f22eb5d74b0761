"""Cases of money: pools, prizes, bounties, deals, cancellations, corrections."""

from collections import Counter
from collections.abc import Mapping

from eventstore.core.refusal import InvariantBroken, Refusal
from tournaments.cases.flows import Flow
from tournaments.cases.forms import Case, Form, Outcome, form
from tournaments.core import bounties, cancelling, compensation, deals, events, prizes, satellites
from tournaments.core.cancelling import Held
from tournaments.core.late_entry import Buyer, Terms, Whereabouts, Window, enter


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


# --- entries after the start ----------------------------------------------------------------------

_STANDS: Mapping[str | None, Whereabouts] = {None: "absent", "alive": "alive", "out": "bust"}


def _late_pools(case: Case) -> Outcome:
    terms = Terms(
        "XTK",
        entries_max=10_000,
        buy_in=case["buy_in"],
        fee=case["fee"],
        reentries_max=case.get("reentries_max", 0),
    )
    players, answers, again = case["at_start"], [], Counter[str]()
    for late in case["late"]:
        player, stands = late["player"], _STANDS[late.get("again")]
        buyer = Buyer(player, stands=stands, reentries=again[player])
        window = Window(late["level"], case["late_until_level"])
        answer = enter(terms, window, buyer, entries=players + again.total())
        answers.append(answer.code if isinstance(answer, Refusal) else "ok")
        again[player] += isinstance(answer, events.ReEntered)
        players += isinstance(answer, events.EntryPaid)
    entries = players + again.total()
    pool = prizes.pool_of(
        entries * terms.buy_in, rake_bp=case["rake_bp"], guarantee=case["guarantee"]
    )
    got = {
        "answers": answers,
        "entries": entries,
        "overlay": pool.overlay,
        "pool": pool.amount,
        "fees": entries * terms.fee,
        "prizes": prizes.vector(
            pool.amount,
            prizes.Payout(),
            entries=entries,
            players=players,
            price=terms.buy_in + terms.fee,
        ),
    }
    return got, case["expect"]


# --- heads, tickets, deals ------------------------------------------------------------------------


def _bounty(case: Case) -> Outcome:
    return bounties.win(case["bounty"], case["capturers"], "plain").paid, case["expect"]


def _progressive_head(case: Case) -> Outcome:
    won = bounties.win(case["head"], ["x"], "progressive")
    return {"paid": won.paid["x"], "added_to_head": won.added["x"]}, case["expect"]


def _bounties_of_event(case: Case) -> Outcome:
    heads: Mapping[str, int] = case["heads"]
    facts: list[events.BountyPaid] = []
    for bust in case["busts"]:
        won = bounties.busts_of_hand(heads, [bust], kind="progressive", currency="XTK")
        heads = bounties.after(heads, won)
        facts += won
    facts += bounties.at_completion(heads, [case["winner"]], "XTK").facts
    got = dict.fromkeys(case["heads"], 0)
    for one in (one for fact in facts for one in fact.paid):
        got[one.player] += one.amount
    return [{"paid": got}, sum(got.values())], [case["expect"], sum(case["heads"].values())]


def _tickets(case: Case) -> Outcome:
    cut = satellites.cut(case["pool"], price=case["ticket"], players=case["pool"])
    got = {
        "tickets": cut.number,
        "remainder": cut.remainder,
        "remainder_place": cut.remainder_place,
    }
    return got, case["expect"]


def _satellites(case: Case) -> Outcome:
    ranks, expected = case["ranks"], case["expect"]
    cut = satellites.cut(case["pool"], price=case["ticket"], players=sum(map(len, ranks)))
    awards = satellites.award(cut, ranks)
    cash = {
        player: amount
        for player, amount in awards.amounts.items()
        if amount and player not in awards.ticket_holders
    }
    got = {"ticket_holders": sorted(awards.ticket_holders), "cash": cash}
    wanted = {**expected, "ticket_holders": sorted(expected["ticket_holders"])}
    return [got, sum(awards.amounts.values())], [wanted, case["pool"]]


def _deals(case: Case) -> Outcome:
    left = case.get("left_for_winner", 0)
    method: deals.Method = "equal" if case["method"] == "equal" else "chip_chop"
    got = deals.divide(method, case["chips"], case["prizes"], left)
    if isinstance(got, Refusal):
        return {"refused": got.code}, case["expect"]
    return [got, sum(got.values()) + left], [case["expect"], sum(case["prizes"])]


# --- cancellations and corrections ----------------------------------------------------------------


def _cancellations(case: Case) -> Outcome:
    now = _situation(case)
    status = case.get("state", "running" if case["alive"] else "registration")
    answer = cancelling.cancel(status, now)
    if isinstance(answer, Refusal):
        return {"refused": answer.code}, case["expect"]
    house = answer.rake + answer.fees_kept
    refunds = {one.player: one.pool + one.fee + one.bounty for one in answer.refunds}
    held = sum(one.pool + one.fee + one.head for one in now.held)
    if case["alive"]:
        out = sorted(amount for player, amount in refunds.items() if player not in case["alive"])
        got = {player: refunds[player] for player in case["alive"]} | {"house": house}
        wanted = [case["expect"], sorted(case.get("paid", [])), held]
        return [got, out, sum(refunds.values()) + house], wanted
    (each,) = set(refunds.values())
    got = {"refund_each": each, "house": house}
    return [got, each * case["entries"] + house], [case["expect"], held]


def _situation(case: Case) -> cancelling.Situation:
    """Those out have no names in a case; their heads were won but for what nobody captured."""
    alive: Mapping[str, int] = case["alive"] or {}
    out = [f"out {number}" for number in range(1, case["entries"] - len(alive) + 1)]
    bounty, vector = case.get("bounty", 0), case.get("prizes") or ()
    heads = [bounty] * (len(alive) if alive else case["entries"])
    uncaptured = bounty * len(out) - sum(case.get("captured", {}).values()) if alive else 0
    heads += [uncaptured] + [0] * len(out)
    held = [
        Held(player, 1, case["buy_in"], case["fee"], head)
        for player, head in zip([*alive, *out], heads, strict=False)
    ]
    rake = case["entries"] * case["buy_in"] - sum(vector) if vector else 0
    return cancelling.Situation(held, alive, [[player] for player in out], vector, rake)


def _compensations(case: Case) -> Outcome:
    player, vector = case["disqualified"], case["prizes"]
    ranks = [[one] for one in case["order"]]
    due = compensation.due_without(vector, ranks, [player])
    changes = compensation.differences(prizes.share_places(vector, ranks), due)
    wallets = {player: case.get("wallet", sum(vector))}
    got = Counter[str]()
    for fact in compensation.facts(changes, wallets, currency="XTK", reason_code="disqualified"):
        for debit in fact.debits:
            got[debit.player] -= debit.wallet
            got[f"receivable:{debit.player}"] -= debit.receivable
        for credit in fact.credits:
            got[credit.player] += credit.amount
    moved = {account: amount for account, amount in got.items() if amount}
    return [moved, sum(moved.values())], [case["expect"], 0]


# --- whole flows, through the books ---------------------------------------------------------------


def _escrow_flows(case: Case) -> Outcome:
    flow = Flow({name: amount for name, amount in case.items() if type(amount) is int})
    for one in case["flows"]:
        flow.run(*one)
    pool, escrow = flow.pool, flow.escrow
    got = {
        "balances": flow.balances,
        "collected": escrow["tournament"],
        "fees": escrow["fees"],
        "heads": escrow["bounty"],
        "rake": pool.rake,
        "overlay": pool.overlay,
        "pool": pool.amount,
    }
    return [got, pool.collected], [case["expect"], escrow["tournament"]]


_CONFIG = form(_escrow_flows, "buy_in fee bounty rake_bp guarantee", "rebuy_price addon_price")


def _money_flows(case: Case) -> Outcome:
    if wrong := _CONFIG.misfit(case["config"]):
        raise InvariantBroken(f"config: {wrong}")
    flow = Flow(case["config"])
    for one in case["events"]:
        flow.run(*one)
    flow.assert_empty()
    return {"entries": flow.lines, "escrow": flow.balances}, case["expect"]


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
    "late_pools": (
        form(
            _late_pools,
            "buy_in fee guarantee rake_bp at_start late_until_level late expect",
            "reentries_max",
        ),
    ),
    "escrow_flows": (
        form(
            _escrow_flows,
            "buy_in fee bounty rake_bp guarantee flows expect",
            "rebuy_price addon_price",
        ),
    ),
    "bounties": (
        form(_bounty, "bounty capturers expect"),
        form(_progressive_head, "head expect"),
        form(_bounties_of_event, "heads busts winner expect"),
    ),
    "satellites": (
        form(_tickets, "pool ticket expect"),
        form(_satellites, "pool ticket ranks expect"),
    ),
    "deals": (form(_deals, "method chips prizes expect", "left_for_winner"),),
    "cancellations": (
        form(
            _cancellations,
            "entries buy_in fee alive expect",
            "bounty state paid prizes captured",
        ),
    ),
    "compensations": (form(_compensations, "prizes order disqualified expect", "wallet"),),
    "money_flows": (form(_money_flows, "config events expect"),),
}
