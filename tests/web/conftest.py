"""A browser, and the product served to it from the test's own process."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection, connections
from django.utils.translation import override
from playwright.sync_api import Page, sync_playwright

from tests.integration.tonk_site.test_launcher import wait_for
from tonk_site.embedded_services import CHECKOUT
from tonk_site.product import HOST, free_port, is_free

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """A test client leaves the language of its last request behind."""
    with override("en"):
        yield


@pytest.fixture
def site(committed: None, tmp_path: Path) -> Iterator[str]:
    """Address of the product on the test's database, served by a process of its own."""
    port = free_port(30_000 + os.getpid() % 10_000)
    command = [
        sys.executable, "-m", "uvicorn", "tonk_site.asgi:application", "--host", HOST,
        "--port", str(port), "--lifespan", "off", "--timeout-graceful-shutdown", "1",
    ]  # fmt: skip
    name = connection.settings_dict["NAME"]
    address = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()
    own = {
        "DATABASE_URL": address,
        "DJANGO_SETTINGS_MODULE": "tonk_site.settings.test",
        "TONK_DEALER_KEY_FILE": str(settings.DEALER_KEY_FILE),  # a test may have chosen another
    }
    with (tmp_path / "web.log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=CHECKOUT, env={**os.environ, **own}, stdout=log, stderr=log
        )
        try:
            wait_for(lambda: not is_free(port))
            yield f"http://{HOST}:{port}"
        finally:
            server.terminate()
            server.wait()


@pytest.fixture(scope="session")
def browser_path() -> str:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("there is no chromium, and CI must have one")
        pytest.skip("reason: there is no chromium on this machine")
    return found


@pytest.fixture
def page(browser_path: str, monkeypatch: pytest.MonkeyPatch, site: str) -> Iterator[Page]:
    """A page of a browser that speaks English; complaints of the browser fail the test."""
    # Playwright runs a loop in this thread, in which Django would refuse the database.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    complaints: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=QUIET)
        with contextlib.closing(browser):
            context = browser.new_context(base_url=site, locale="en-GB")
            page = context.new_page()
            page.on("console", lambda message: complaints.append(message.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
            yield page
        connections.close_all()  # those of this loop, which nobody sees outside
    assert complaints == []
