"""The client of a beacon against a server that speaks as drand does, or does not."""

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from django.test import override_settings
from typing_extensions import override

from games.beacon import Chain, HttpBeacon, beacon

CHAIN = "ab" * 32
SIGNATURE = b"signed by many"
DRAWN = sha256(SIGNATURE).digest()
INFO = {"hash": CHAIN, "period": 3, "genesis_time": 1_700_000_000}


class Server(HTTPServer):
    """Answers by path."""

    answers: dict[str, Any]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:  # the name is the base class's
        assert isinstance(self.server, Server)
        found = self.server.answers.get(self.path)
        body = found if isinstance(found, bytes) else json.dumps(found).encode()
        self.send_response(404 if found is None else 200)
        self.end_headers()
        self.wfile.write(body)

    @override
    def log_message(self, *_: object) -> None:
        """Nothing is told."""


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(("127.0.0.1", 0), Handler)
    made.answers = {f"/{CHAIN}/info": INFO, f"/{CHAIN}/public/latest": {"round": 9}}
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture
def client(server: Server) -> HttpBeacon:
    return HttpBeacon(f"http://127.0.0.1:{server.server_port}/{CHAIN}/")


def a_round(number: int = 7, **fields: object) -> dict[str, object]:
    return {"round": number, "randomness": DRAWN.hex(), "signature": SIGNATURE.hex()} | fields


def test_the_chain_and_a_round_are_read(server: Server, client: HttpBeacon) -> None:
    assert client.chain() == Chain(CHAIN, datetime.fromtimestamp(1_700_000_000, UTC), 3)
    server.answers[f"/{CHAIN}/public/7"] = a_round()
    assert client.randomness(7) == DRAWN
    assert client.randomness(8) is None


def test_a_beacon_that_goes_away_is_noticed(server: Server, client: HttpBeacon) -> None:
    assert client.chain() is not None
    del server.answers[f"/{CHAIN}/public/latest"]
    assert client.chain() is None


@pytest.mark.parametrize(
    "told",
    [
        a_round(8),
        a_round(randomness="00" * 32),
        a_round(randomness="zz"),
        a_round(randomness="00", signature=""),
        a_round(signature=5),
        [],
        b"no json",
    ],
)
def test_what_is_no_round_is_not_taken(server: Server, client: HttpBeacon, told: object) -> None:
    server.answers[f"/{CHAIN}/public/7"] = told
    assert client.randomness(7) is None


@pytest.mark.parametrize(
    "told", [INFO | {"hash": "cd" * 32}, INFO | {"period": 0}, INFO | {"genesis_time": "x"}, []]
)
def test_what_is_no_chain_is_not_taken(server: Server, client: HttpBeacon, told: object) -> None:
    server.answers[f"/{CHAIN}/info"] = told
    assert client.chain() is None


def test_nobody_listening_is_no_error() -> None:
    assert HttpBeacon(f"http://127.0.0.1:9/{CHAIN}").chain() is None


@pytest.mark.parametrize("url", ["ftp://host/" + CHAIN, "https://host", "https:///" + CHAIN])
def test_an_address_names_a_chain(url: str) -> None:
    with pytest.raises(ValueError, match="TONK_BEACON_URL"):
        HttpBeacon(url)


def test_without_an_address_there_is_no_beacon() -> None:
    assert beacon() is None
    with override_settings(BEACON_URL=f"https://127.0.0.1/{CHAIN}"):
        assert isinstance(beacon(), HttpBeacon)
        assert beacon() is beacon()
