"""Words of the API in the language of the reader."""

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

STATUSES: dict[str, Promise] = {
    "draft": _("draft"),
    "announced": _("announced"),
    "registration": _("registration open"),
    "seating": _("seats are drawn"),
    "running": _("running"),
    "completed": _("play is over"),
    "settling": _("being settled"),
    "settled": _("settled"),
    "cancelled": _("cancelled"),
    "open": _("open"),
    "sealing": _("the deck is sealed"),
    "playing": _("a hand is played"),
    "between_hands": _("between hands"),
    "paused": _("paused"),
    "closed": _("closed"),
}
ENDS: dict[str, Promise] = {
    "initial_tonk": _("{name} was dealt a tonk."),
    "initial_spread": _("{name} was dealt a spread hand."),
    "initial_low": _("{name} was dealt a low hand."),
    "initial_draw": _("Equal winning hands were dealt: a draw."),
    "tonk_out": _("{name} has tonk: no card is left."),
    "discard_out": _("{name} is out with the last discard."),
    "knock_win": _("{name} knocked and had the lowest count."),
    "caught": _("{name} knocked and was caught."),
    "stock_out": _("The stock is used up: the lowest count wins."),
    "void": _("The hand is void."),
}


def status_text(status: str) -> str:
    """A status of a table or tournament."""
    return str(STATUSES.get(status, status))


def end_text(end: str, name: str) -> str:
    """How a hand ended; `name` is that of the player whose act, or whose cards, ended it."""
    known = ENDS.get(end)
    return str(known).format(name=name or gettext("Somebody")) if known else end


def turn_text(name: str) -> str:
    """Whose turn it is."""
    return gettext("{name} is to act.").format(name=name)


def sealed_text(given: int) -> str:
    """How many seats gave a seed for the deal; without one the server dealt alone."""
    if not given:
        return gettext("by the server alone")
    text = ngettext("sealed: {count} seat gave a seed", "sealed: {count} seats gave a seed", given)
    return text.format(count=given)


def closed_text() -> str:
    """That nothing will happen here any more."""
    return gettext("This table is closed.")
