"""A browser, and the product served to it from the test's own process."""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
from typing import TYPE_CHECKING

import pytest
import uvicorn
from playwright.sync_api import Page, sync_playwright

from tonk_site.asgi import application
from tonk_site.product import HOST, free_port, is_free

if TYPE_CHECKING:
    from collections.abc import Iterator

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
START_SECONDS_MAX = 10


@pytest.fixture
def site(committed: None) -> Iterator[str]:
    """Address of the product on the test's database."""
    port = free_port(30_000 + os.getpid() % 10_000)
    config = uvicorn.Config(application, host=HOST, port=port, lifespan="off", log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        looks = threading.Event()
        for _ in range(START_SECONDS_MAX * 50):
            if not is_free(port):
                break
            looks.wait(0.02)
        yield f"http://{HOST}:{port}"
    finally:
        server.should_exit = server.force_exit = True
        thread.join()


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
    assert complaints == []
