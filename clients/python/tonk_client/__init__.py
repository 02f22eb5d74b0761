"""A client of Tonk's HTTP API.

    with Tonk("http://127.0.0.1:8000") as tonk:
        tonk.login("ona", password)
        tonk.play(table_id, lambda state: state["legal"][0]["move"])

Every write carries a key of its own and is tried again with the same key, so that a lost answer
never makes a move or a payment twice. Whoever plays takes part in the fair deal, and `DealNotFair`
tells him where it is none.
"""

from .client import Tonk
from .fair_seat import FairSeat
from .problem import Closed, DealNotFair, NoAnswer, Problem
from .wire import Document

__all__ = ["Closed", "DealNotFair", "Document", "FairSeat", "NoAnswer", "Problem", "Tonk"]
