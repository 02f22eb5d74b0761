"""All that a statement says, before it has a form."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from eventstore.core.refusal import refuse
from ledger import selectors
from ledger.core.currencies import Currency, decimal_text
from ledger.core.words import Language
from ledger.selectors import Balance, Range, Statement

LINES_MAX = 100_000  # of one file
PDF_LINES_MAX = 5_000  # of one that is laid out in pages


@dataclass(frozen=True, slots=True)
class Folder:
    """A whole statement of one player: his name, the range, its lines, what he has at its end."""

    player: UUID
    name: str
    currency: Currency
    start: datetime | None
    end: datetime | None
    language: Language
    statement: Statement
    standing: Balance

    def amount(self, minor: int) -> str:
        """An amount without its currency."""
        return decimal_text(minor, self.currency.exponent)


def folder_of(player: UUID, name: str, *, currency: str, span: Range, language: Language) -> Folder:
    """The statement of a whole range, up to the limit of `span`.

    Raises: Refused with `unknown_currency`, `invalid_field` (more lines than a file takes).
    """
    installed = {one.code: one for one in selectors.currencies()}
    if currency not in installed:
        raise refuse("unknown_currency", currency=currency)
    found = selectors.statement(player, currency, span)
    if found.next_number is not None:
        why = f"more than {span.limit} lines: ask for a shorter time"
        raise refuse("invalid_field", field="from", why=why)
    balances = {one.currency: one for one in selectors.balances(player, span.end)}
    return Folder(
        player=player,
        name=name,
        currency=installed[currency],
        start=span.start,
        end=span.end,
        language=language,
        statement=found,
        standing=balances[currency],
    )
