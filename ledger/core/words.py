"""What statements of the books say, in the languages of the product."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from ledger.core.kinds import TITLES, Kind

Language = Literal["en", "lt"]

TITLES_LT = MappingProxyType(
    {
        Kind.BUY_IN: "Įnašas prie stalo",
        Kind.TOP_UP: "Įnašo papildymas",
        Kind.HAND: "Partija",
        Kind.CASH_OUT: "Pasiimta nuo stalo",
        Kind.ENTRY: "Turnyro įnašas",
        Kind.RE_ENTRY: "Pakartotinis įnašas",
        Kind.REBUY: "Žetonų atpirkimas",
        Kind.ADD_ON: "Papildomi žetonai",
        Kind.REFUND: "Grąžinimas",
        Kind.BOUNTY: "Premija už varžovą",
        Kind.OVERLAY: "Garantijos priemoka",
        Kind.TOURNAMENT_RAKE: "Turnyro rinkliava",
        Kind.FEES_EARNED: "Uždirbti mokesčiai",
        Kind.HEADS_TO_POOL: "Premijos į prizų fondą",
        Kind.PRIZE: "Prizas",
        Kind.COMPENSATION: "Kompensacija",
        Kind.DEPOSIT: "Įmoka",
        Kind.GRANT: "Suteikti žaidimo žetonai",
        Kind.WITHDRAWAL: "Prašymas išmokėti",
        Kind.WITHDRAWAL_PAID: "Išmokėta",
        Kind.WITHDRAWAL_RETURNED: "Išmoka grąžinta",
        Kind.ADJUSTMENT: "Pataisymas",
        Kind.REVERSAL: "Storno",
    }
)
_EN = MappingProxyType(
    {
        "title": "Statement",
        "player": "Player",
        "period": "Period",
        "first": "from the first line",
        "newest": "to the newest line",
        "opening": "Opening balance",
        "in": "In",
        "out": "Out",
        "closing": "Closing balance",
        "available": "Available",
        "in_play": "In play",
        "total": "Total",
        "at": "Time (UTC)",
        "text": "What",
        "source": "Source",
        "amount": "Amount",
        "balance": "Balance",
        "nothing": "Nothing moved in this period.",
        "footer": "Each line is an entry of the books; each entry comes from an event of the log.",
        "page": "Page {page} of {pages}",
    }
)
_LT = MappingProxyType(
    {
        "title": "Sąskaitos išrašas",
        "player": "Žaidėjas",
        "period": "Laikotarpis",
        "first": "nuo pirmos eilutės",
        "newest": "iki naujausios eilutės",
        "opening": "Pradinis likutis",
        "in": "Gauta",
        "out": "Išleista",
        "closing": "Galutinis likutis",
        "available": "Laisva",
        "in_play": "Žaidžiama",
        "total": "Iš viso",
        "at": "Laikas (UTC)",
        "text": "Kas",
        "source": "Šaltinis",
        "amount": "Suma",
        "balance": "Likutis",
        "nothing": "Per šį laikotarpį niekas nejudėjo.",
        "footer": "Kiekviena eilutė yra apskaitos įrašas, kylantis iš vieno žurnalo įvykio.",
        "page": "{page} puslapis iš {pages}",
    }
)
WORDS: Mapping[Language, Mapping[str, str]] = MappingProxyType({"en": _EN, "lt": _LT})


def title(kind: Kind, language: Language) -> str:
    """What an entry is called.

    >>> title(Kind.PRIZE, "lt")
    'Prizas'
    """
    return (TITLES_LT if language == "lt" else TITLES)[kind]
