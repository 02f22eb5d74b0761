"""People, tables and tournaments for tests: those of the trials."""

from tonk_site.proving.factories import (
    PLAYED,
    SHORT,
    a_deposit,
    a_freeze,
    a_gift,
    a_player,
    a_table,
    a_tournament,
    a_wish,
    a_withdrawal,
    an_adjustment,
    freezes,
    pays_in,
    receipt,
    sits_down,
    with_bots,
)
from tonk_site.proving.factories import WORDS as PASSWORD

__all__ = [
    "PASSWORD",
    "PLAYED",
    "SHORT",
    "a_deposit",
    "a_freeze",
    "a_gift",
    "a_player",
    "a_table",
    "a_tournament",
    "a_wish",
    "a_withdrawal",
    "an_adjustment",
    "freezes",
    "pays_in",
    "receipt",
    "sits_down",
    "with_bots",
]
