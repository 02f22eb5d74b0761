"""The API as methods: accounts, tables, tournaments, money."""

from pathlib import Path
from typing import Any, Self

import httpx

from . import playing
from .playing import Choose
from .wire import Document, Parameter, Wire


class Tonk:
    """A caller of the API. Documents are those of the server, as dictionaries.

    Each method may raise `Problem` (a refusal), `NoAnswer` and `Closed`. `folder` is where a
    `FairSeat` keeps its seeds, by default one of this user's own.
    """

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        *,
        transport: httpx.BaseTransport | None = None,
        folder: Path | str | None = None,
    ) -> None:
        self.base_url = base_url
        self.folder = None if folder is None else Path(folder)
        self._wire = Wire(base_url, token, transport=transport)

    def __enter__(self) -> Self:
        """The client itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self.close()

    def close(self) -> None:
        """Drop the connection; whoever waits gets `Closed`."""
        self._wire.close()

    # --- Accounts ---------------------------------------------------------------------------------

    def register(
        self, username: str, password: str, *, email: str, display_name: str, language: str = "en"
    ) -> Document:
        """A new account of a person who is of age; log in next."""
        body = {
            "username": username,
            "password": password,
            "email": email,
            "display_name": display_name,
            "language": language,
            "of_age": True,
        }
        return self._wire.write("POST", "/auth/register", body, keyed=False)

    def login(self, username: str, password: str, *, device: str = "tonk_client") -> Document:
        """The token and what it may do; the client uses it from now on."""
        body = {"username": username, "password": password, "device": device}
        found = self._wire.write("POST", "/auth/login", body, keyed=False)
        self._wire.token = str(found["token"])
        return found

    def logout(self) -> None:
        """Revoke the token."""
        self._wire.write("POST", "/auth/logout", keyed=False)
        self._wire.token = None

    def me(self) -> Document:
        """My account and the scopes of my token."""
        return self._get("/me")

    # --- Tables -----------------------------------------------------------------------------------

    def tables(self, **filters: Parameter) -> Document:
        """A page of the lobby: `items`, and `next` as the `cursor` of the following page."""
        return self._get("/tables", **filters)

    def my_tables(self) -> Document:
        """Tables where I sit."""
        return self._get("/me/tables")

    def table(self, table_id: str) -> Document:
        """Settings, rules and seats of a table."""
        return self._get(f"/tables/{table_id}")

    def open_table(self, *, stake: int, currency: str, seats: int, **settings: Any) -> Document:
        """A new cash table: preset, options, clock, buy-ins, bots as the API names them."""
        body = {"stake": stake, "currency": currency, "seats": seats} | settings
        return self._wire.write("POST", "/tables", body)

    def sit_down(
        self, table_id: str, *, buy_in: int, version: int, seat: int | None = None
    ) -> Document:
        """My seat and the table as I see it; the buy-in goes from my wallet into escrow."""
        body: Document = {"buy_in": buy_in, "version": version}
        if seat is not None:
            body["seat"] = seat
        return self._wire.write("POST", f"/tables/{table_id}/seat", body)

    def leave(self, table_id: str) -> Document:
        """Whether I have left, or leave after the hand."""
        return self._wire.write("DELETE", f"/tables/{table_id}/seat")

    def state(self, table_id: str, after: int | None = None, wait: int = 0) -> Document | None:
        """The table as I see it; None if after `wait` seconds (0..25) it is still at `after`."""
        return self._wire.get(f"/tables/{table_id}/state", wait=wait, after=after)

    def move(self, table_id: str, move: str, version: int) -> Document:
        """What the move did, and `state` after it. `version` is that of the state I saw."""
        body = {"move": move, "version": version}
        return self._wire.write("POST", f"/tables/{table_id}/moves", body)

    def events(self, table_id: str, after: int = 0, limit: int = 500) -> Document:
        """Events above version `after`, without gaps, as I may see them."""
        return self._get(f"/tables/{table_id}/events", after=after, limit=limit)

    # --- The fair deal and the log ----------------------------------------------------------------

    def anchor(self, table_id: str, anchor: str, length: int) -> Document:
        """Fix my seeds at a table: link 0 of a chain of so many. In force from the next hand on."""
        body = {"anchor": anchor, "length": length}
        return self._wire.write("POST", f"/tables/{table_id}/anchor", body)

    def give_seed(self, table_id: str, hand_id: str, seed: str) -> Document:
        """My next link, for the hand that is committed to."""
        body = {"hand_id": hand_id, "seed": seed}
        return self._wire.write("POST", f"/tables/{table_id}/seeds", body)

    def cards(self, table_id: str) -> Document:
        """The openings of the cards that I hold."""
        return self._get(f"/tables/{table_id}/cards")

    def card(self, hand_id: str, place: int) -> Document:
        """The opening of a card that I may see."""
        return self._get(f"/hands/{hand_id}/cards/{place}")

    def hand_proof(self, hand_id: str) -> Document:
        """Everything that proves the deal of an ended hand."""
        return self._get(f"/hands/{hand_id}/verify")

    def checkpoint(self) -> str:
        """The newest signed note of the log."""
        return self._wire.text("/log/checkpoint")

    def log_key(self) -> Document:
        """Keys of the log and of its witnesses."""
        return self._get("/log/key")

    def consistency(self, old_size: int, new_size: int) -> Document:
        """The proof that the log of a size continues the one of a smaller size."""
        return self._get("/log/proofs/consistency", **{"from": old_size, "to": new_size})

    # --- Tournaments ------------------------------------------------------------------------------

    def tournaments(self, **filters: Parameter) -> Document:
        """A page of tournaments, newest first."""
        return self._get("/tournaments", **filters)

    def tournament(self, tournament_id: str) -> Document:
        """A tournament with its entries, tables and prizes."""
        return self._get(f"/tournaments/{tournament_id}")

    def enter(self, tournament_id: str) -> Document:
        """My entry; the price goes from my wallet into escrow."""
        return self._wire.write("POST", f"/tournaments/{tournament_id}/entries")

    def create_tournament(self, template: str, name: str, **overrides: Any) -> Document:
        """A draft of my own."""
        body = {"template": template, "name": name, "overrides": overrides}
        return self._wire.write("POST", "/tournaments", body)

    def publish(self, tournament_id: str, version: int) -> Document:
        """The tournament, its rules fixed."""
        return self._directed(tournament_id, "publish", version=version)

    def open_registration(self, tournament_id: str, version: int) -> Document:
        """The tournament, which takes entries now."""
        return self._directed(tournament_id, "open-registration", version=version)

    def add_bots(self, tournament_id: str, version: int, *, level: str, count: int) -> Document:
        """Entries of house bots, which pay with play chips of their own."""
        return self._directed(tournament_id, "bots", version=version, level=level, count=count)

    def start(self, tournament_id: str, version: int) -> Document:
        """The tournament, begun with whoever has entered."""
        return self._directed(tournament_id, "start", version=version)

    # --- Money and codes --------------------------------------------------------------------------

    def balances(self) -> list[Document]:
        """What I have, one item a currency, in minor units."""
        return list(self._get("/ledger/me")["balances"])

    def statement(self, currency: str, **span: Parameter) -> Document:
        """A page of the lines of my wallet, with what caused each."""
        return self._get("/ledger/me/statement", currency=currency, **span)

    def receipt(self, entry_id: int, player: str | None = None) -> Document:
        """The file that proves what an entry pays, for `clients/verify/tonk_verify.py`.

        `player` is named by directors and staff where an entry pays several.
        """
        return self._get(f"/ledger/entries/{entry_id}/receipt", player=player)

    def refusals(self, lang: str = "en") -> list[Document]:
        """Every code of refusal with its status and meaning."""
        return list(self._get("/refusals", lang=lang)["items"])

    # --- Playing ----------------------------------------------------------------------------------

    def play(self, table_id: str, choose: Choose, *, fair: bool = True) -> Document:
        """The table when I have no seat there any more, or it is closed.

        `choose` is given the state whenever I am to act, and names the move. The seat takes part in
        the fair deal, unless `fair` is false. Reads wait up to two minutes for a server that is
        away. Raises, besides: DealNotFair.
        """
        with self._wire.patient():
            return playing.play(self, table_id, choose, fair=fair)

    def play_tournament(self, tournament_id: str, choose: Choose, *, fair: bool = True) -> Document:
        """My entry when I am out, or the tournament is over; I follow where I am seated.

        Each seat takes part in the fair deal, and reads wait, as in `play`. Raises, besides:
        DealNotFair.
        """
        with self._wire.patient():
            return playing.play_tournament(self, tournament_id, choose, fair=fair)

    def pause(self, seconds: float) -> None:
        """Wait, unless the client is closed meanwhile."""
        self._wire.pause(seconds)

    def _get(self, path: str, **query: Parameter) -> Document:
        return self._wire.get(path, wait=0, **query) or {}

    def _directed(self, tournament_id: str, act: str, **body: object) -> Document:
        return self._wire.write("POST", f"/tournaments/{tournament_id}/{act}", body)
