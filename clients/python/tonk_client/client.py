"""The API as methods: accounts, tables, tournaments, money."""

from typing import Any, Self

import httpx

from . import playing
from .playing import Choose
from .wire import Document, Parameter, Wire


class Tonk:
    """A caller of the API. Documents are those of the server, as dictionaries.

    Each method may raise `Problem` (a refusal), `NoAnswer` and `Closed`.
    """

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        *,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
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

    def refusals(self, lang: str = "en") -> list[Document]:
        """Every code of refusal with its status and meaning."""
        return list(self._get("/refusals", lang=lang)["items"])

    # --- Playing ----------------------------------------------------------------------------------

    def play(self, table_id: str, choose: Choose) -> Document:
        """The table when I have no seat there any more, or it is closed.

        `choose` is given the state whenever I am to act, and names the move.
        """
        return playing.play(self, table_id, choose)

    def play_tournament(self, tournament_id: str, choose: Choose) -> Document:
        """My entry when I am out, or the tournament is over; I follow where I am seated."""
        return playing.play_tournament(self, tournament_id, choose)

    def pause(self, seconds: float) -> None:
        """Wait, unless the client is closed meanwhile."""
        self._wire.pause(seconds)

    def _get(self, path: str, **query: Parameter) -> Document:
        return self._wire.get(path, wait=0, **query) or {}

    def _directed(self, tournament_id: str, act: str, **body: object) -> Document:
        return self._wire.write("POST", f"/tournaments/{tournament_id}/{act}", body)
