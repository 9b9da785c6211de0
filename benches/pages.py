"""A new page with stealth, beside one in the same Chromium without anything. A page that a client of szk opens
has a window of its own, so the other one gets a window too; what a tab in an open window takes is a row of its own.
"""

import time
from statistics import median
from typing import Any

from pipe import Chromium
from report import Row
from server import Site
from socket_client import Socket
from szk import Szk

PAGE = b"<!doctype html><title>page</title><p>text</p><script>document.title = 'ready'</script>"


def address() -> str:
    """Where the page is served."""
    return Site(lambda path: PAGE if path == "/" else None).origin + "/"


class Pages:
    """A client that opens a page, waits for its `load`, and closes it again."""

    def __init__(self, browser: Any, url: str, where: dict[str, bool] | None = None) -> None:
        self.browser, self.url, self.where = browser, url, where or {}

    def open(self) -> float:
        began = time.perf_counter()
        target = self.browser.call("Target.createTarget", {"url": "about:blank", **self.where})["targetId"]
        attached = {"targetId": target, "flatten": True}
        session = self.browser.call("Target.attachToTarget", attached)["sessionId"]
        self.browser.call("Page.enable", {}, session)
        self.browser.call("Page.setLifecycleEventsEnabled", {"enabled": True}, session)
        loader = self.browser.call("Page.navigate", {"url": self.url}, session)["loaderId"]
        loaded = {"name": "load", "loaderId": loader}
        while not loaded.items() <= self.browser.event("Page.lifecycleEvent", session).items():
            pass
        took = time.perf_counter() - began
        self.browser.call("Target.closeTarget", {"targetId": target})
        # The page's process ends after the answer; that would take the time of the next page.
        time.sleep(0.1)
        return took * 1000


def opening(szk: Szk, rounds: int) -> list[Row]:
    """Both browsers are open all the time and take turns. Both clients do the same, one on a pipe and
    one through the endpoint, whose own cost is in the figure."""
    url = address()
    raw = Chromium(szk.command_line("raw"))
    session = szk.open("ours")
    ours = Socket(session["endpoint"]["ws_url"])
    sides = [Pages(raw, url), Pages(raw, url, {"newWindow": True}), Pages(ours, url)]
    for side in sides:
        side.open()
    took = [[side.open() for side in sides] for _ in range(rounds)]
    tab, window, stealthy = (median(times) for times in zip(*took))
    ours.close()
    szk.run("close", "ours")
    raw.close()
    return [
        Row("a new tab until its load, raw Chromium", tab, "ms"),
        Row("a new window until its page's load, raw Chromium", window, "ms"),
        Row("a new page until its load, with stealth", stealthy, "ms"),
        Row("  as a multiple of a window of raw Chromium", stealthy / window, "x", 1.1),
    ]
