"""House bots: finding one for a seat, and playing its turn from its view alone."""

import hmac
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from uuid import UUID

from django.conf import settings

from eventstore import ports
from eventstore.core.ids import HOUSE
from eventstore.core.refusal import Refused, refuse
from eventstore.services import Outcome, Receipt, earlier, fingerprint, in_transaction
from games import selectors
from games.bots.ladder import LEVELS, Budget, Decision, policy
from games.bots.names import bot_name
from games.folds import Folded, current
from games.models import BotDecision
from games.rules.seat_view import SeatView
from games.rules.table import Place, Table
from games.services.moves import MoveCommand, submit_move
from games.services.seats import SitDown, free_seat, take_seat
from games.services.tables import TableSettings, check_creator, table_opened
from games.wake import wake_bot
from ledger.selectors import available, currency_kinds, who_can_pay
from players.selectors import Person, house_bots, people
from players.services import register_bot

WORKER = "worker:bots"
# Somebody else has acted meanwhile: a twin of this task, or the sweep.
FASTER = frozenset(
    {"stale_version", "no_hand", "idempotency_key_reused", "idempotency_in_progress"}
)
NAMES_TRIED = 100  # others may name new bots at the same time
# Of one task at a table of bots alone; then it goes to the end of the queue, since people wait too.
TURNS_MAX = 12
TASK_SECONDS = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class BotsWanted:
    """House bots that somebody wants: different ones, each able to pay."""

    level: str
    count: int
    currency: str
    amount: int
    except_for: Collection[str] = ()  # players by id


def free_bots(wanted: BotsWanted) -> list[Person]:
    """House bots as wanted; the same few statements for any number of them.

    New accounts are opened where too few are free: bots are many, like a club's regulars. Raises:
    Refused with `not_found` for an unknown level, `insufficient_funds` above a new bot's chips.
    """
    if wanted.level not in LEVELS:
        raise refuse("not_found", level=wanted.level, known=sorted(LEVELS))
    taken = 0
    while len(free := _free(wanted)) < wanted.count:
        if taken >= NAMES_TRIED:
            raise refuse("name_taken", level=wanted.level)
        # Whoever finds a name taken looks again: another request may have opened that very bot.
        first, missing = len(house_bots(wanted.level)) + taken, wanted.count - len(free)
        taken += sum(not _opened(wanted, first + more) for more in range(missing))
    chosen = free[: wanted.count]
    found = people(chosen)
    return [found[str(bot)] for bot in chosen]


def _free(wanted: BotsWanted) -> list[UUID]:
    known = house_bots(wanted.level)
    able = who_can_pay(known, wanted.currency, wanted.amount)
    return [bot for bot in known if bot in able and str(bot) not in wanted.except_for]


def _opened(wanted: BotsWanted, number: int) -> bool:
    """Whether an account that can pay was opened; not under a name that somebody has."""
    try:
        bot = register_bot(wanted.level, bot_name(wanted.level, number)).id
    except Refused as refused:
        if refused.refusal.code != "name_taken":
            raise
        return False
    if available(bot, wanted.currency) < wanted.amount:
        raise refuse("insufficient_funds", currency=wanted.currency, amount=wanted.amount)
    return True


def house_bots_for(
    settings: TableSettings, creator: Person, wanted: Sequence[tuple[str, int | None]]
) -> list[tuple[Person, int | None]]:
    """Different house bots for the (level, seat) asked for at a table about to be opened.

    No account is opened for a wish in vain. Raises: Refused as `open_cash_table`, and with
    `bots_not_admitted`, `table_full`, `seat_taken`, `not_found` (no such level).
    """
    check_creator(settings, creator)
    if not wanted:
        return []
    if currency_kinds()[settings.currency] != "play":
        raise refuse("bots_not_admitted", currency=settings.currency)
    least = table_opened(settings, HOUSE).buy_in_min
    _check_places(settings.seats, [seat for _, seat in wanted])
    levels = Counter(level for level, _ in wanted)
    free = {
        level: iter(
            free_bots(
                BotsWanted(level=level, count=count, currency=settings.currency, amount=least)
            )
        )
        for level, count in levels.items()
    }
    return [(next(free[level]), seat) for level, seat in wanted]


def _check_places(seats: int, wanted: Sequence[int | None]) -> None:
    named = [seat for seat in wanted if seat is not None]
    if len(wanted) > seats:
        raise refuse("table_full")
    if len(set(named)) < len(named):
        raise refuse("seat_taken")
    if max(named, default=0) > seats:
        raise refuse("invalid_field", field="bots", seats=seats)


def add_bot(
    table_id: UUID, level: str, *, seat: int | None, creator: Person, receipt: Receipt
) -> Outcome:
    """Seat a house bot at a cash table of play chips, with the largest buy-in that it can pay.

    Raises: Refused with `not_permitted`, `bots_not_admitted`, `table_full` and those of
    `take_seat`.
    """
    answered = earlier(receipt)
    if answered is not None:
        return answered
    seen = selectors.see_now(table_id)
    opened = seen.table.opened
    if opened is None or seen.row.opened_by != creator.id:
        raise refuse("not_permitted")
    wish = SitDown(
        table=table_id,
        person=Person(HOUSE, "", "bot", level, frozenset()),
        buy_in=opened.buy_in_min,
        seat=seat,
        version=None,
        actor=f"player:{creator.id}",
    )
    free_seat(seen.table, wish)  # no account is opened for a wish in vain
    if currency_kinds().get(opened.currency) != "play":
        raise refuse("bots_not_admitted", currency=opened.currency)
    (bot,) = free_bots(
        BotsWanted(
            level=level,
            count=1,
            currency=opened.currency,
            amount=opened.buy_in_min,
            except_for={place.player for place in seen.table.places},
        )
    )
    buy_in = min(opened.buy_in_max, available(bot.id, opened.currency))
    return take_seat(replace(wish, person=bot, buy_in=buy_in), receipt)


def bot_turn(table_id: UUID, version: int) -> int:
    """Play a bot's turn, and go on while bots alone are to act; the number of moves made.

    A wake-up that comes late, twice or out of order finds another version and does nothing.
    """
    made, until = 0, ports.seconds() + TASK_SECONDS
    while made < TURNS_MAX and ports.seconds() < until:
        row = selectors.live_row(table_id)
        if row.version != version or row.due != "bot" or row.parked_code:
            return made
        outcome = _play(current(table_id, row.hand_version), version)
        if outcome is None:
            return made
        made, version = made + 1, outcome.last_version or version
    wake_bot(table_id, version)  # others wait for this worker too
    return made


def _play(folded: Folded, version: int) -> Outcome | None:
    """One move of the bot to act; None where somebody else was faster."""
    table = folded.table
    if table.version != version or table.to_act is None:
        return None
    place = table.place(table.to_act)
    if place.bot is None:
        return None
    view, legal = selectors.bots_view(folded, place.seat)
    seed = decision_seed(folded.id, table, place)
    decision = _decide(place, view, legal, seed)
    command = MoveCommand(
        table=folded.id,
        player=place.player,
        move=decision.move,
        version=version,
        actor=f"bot:{place.bot}",
        auto=decision.fallback is not None,
        plays_on=True,
    )
    body = {"move": decision.move, "version": version}
    told = fingerprint("TASK", f"bots/{folded.id}", body)
    try:
        outcome = submit_move(command, Receipt(WORKER, f"bot_{folded.id}_{version}", told))
    except Refused as refused:
        if refused.refusal.code in FASTER:
            return None
        raise
    if not outcome.replayed and decision.fallback is not None:
        _remember(folded.id, version, place, decision, seed)
    return outcome


def decision_seed(table_id: UUID, table: Table, place: Place) -> bytes:
    """Seed of a decision: from the server's bot key and what is public about the turn."""
    hand = table.dealt.hand if table.dealt else ""
    about = f"{table_id}|{hand}|{table.version}|{place.seat}|{place.bot}".encode()
    return hmac.digest(_bot_key(), about, "sha256")


def _bot_key() -> bytes:
    return sha256(b"tonk/bot-key/1" + settings.SECRET_KEY.encode()).digest()


def _decide(place: Place, view: SeatView, legal: tuple[str, ...], seed: bytes) -> Decision:
    """The level's decision; where it fails or chooses what is not legal, the first legal move."""
    try:
        decision = policy(place.bot or "")(view, legal, seed, Budget())
    except Exception:  # noqa: BLE001  # a bot never stalls a table, whatever its level does
        return Decision(legal[0], fallback="error")
    if decision.move not in legal:
        return Decision(legal[0], fallback="illegal")
    return decision


def _remember(table_id: UUID, version: int, place: Place, decision: Decision, seed: bytes) -> None:
    in_transaction(
        lambda _: BotDecision.objects.get_or_create(
            table_id=table_id,
            version=version,
            defaults={
                "level": place.bot or "",
                "samples": decision.samples,
                "fallback": decision.fallback,
                "seed": seed,
            },
        )
    )
