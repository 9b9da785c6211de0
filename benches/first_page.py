"""From nothing to a page that has loaded: `szk open PROFILE URL` beside Chromium started with the address."""

import queue
import tempfile
import time
from collections.abc import Callable
from statistics import median

from pipe import Chromium
from report import Row
from server import Site
from szk import Szk

PAGE = b"<!doctype html><title>page</title><p>text</p><script>onload = () => fetch(`${location.pathname}/loaded`)</script>"
LOADED = "/loaded"


class Loads:
    """Pages that report their load."""

    def __init__(self) -> None:
        self.loads: queue.Queue[tuple[str, float]] = queue.Queue()
        self.pages = 0
        self.site = Site(self.page)

    def page(self, path: str) -> bytes | None:
        if path.endswith(LOADED):
            self.loads.put((path.removesuffix(LOADED), time.perf_counter()))
            return None
        return PAGE if path.startswith("/page") else None

    def until_load(self, start: Callable[[str], Callable[[], None]]) -> float:
        """Milliseconds from the call of `start` with an address until that page has loaded; then ends what it
        started."""
        self.pages += 1
        path = f"/page{self.pages}"
        began = time.perf_counter()
        end = start(self.site.origin + path)
        while (load := self.loads.get(timeout=60))[0] != path:
            """A tab of last time, which comes back too."""
        end()
        return (load[1] - began) * 1000


def rows(szk: Szk, rounds: int) -> list[Row]:
    """Used profiles have been opened before; new ones are made in each round."""
    site = Loads()
    command = szk.command_line("raw")
    measured: dict[str, list[float]] = {"used": [], "used raw": [], "new": [], "new raw": []}
    site.until_load(lambda url: detached(szk, "used", url))
    for number in range(rounds):
        measured["used raw"].append(site.until_load(lambda url: raw(command, url)))
        measured["used"].append(site.until_load(lambda url: detached(szk, "used", url)))
        with tempfile.TemporaryDirectory(dir=szk.folder) as folder:
            measured["new raw"].append(site.until_load(lambda url: raw(elsewhere(command, folder), url)))
        measured["new"].append(site.until_load(lambda url: detached(szk, f"new{number}", url)))
    return [row for kind in ("used", "new") for row in compared(kind, measured)]


def compared(kind: str, measured: dict[str, list[float]]) -> list[Row]:
    base, ours = median(measured[f"{kind} raw"]), median(measured[kind])
    return [
        Row(f"raw Chromium until a page's load, {kind} profile", base, "ms"),
        Row(f"szk open URL until the page's load, {kind} profile", ours, "ms"),
        Row("  as a multiple of raw Chromium", ours / base, "x", 1.2),
    ]


def raw(command: list[str], url: str) -> Callable[[], None]:
    return Chromium([*command[:-1], url]).close


def elsewhere(command: list[str], folder: str) -> list[str]:
    """The command line with another profile."""
    return [f"--user-data-dir={folder}" if word.startswith("--user-data-dir=") else word for word in command]


def detached(szk: Szk, profile: str, url: str) -> Callable[[], None]:
    process = szk.start("open", profile, url, "--headless", "--detach", "--quiet")

    def end() -> None:
        process.communicate()
        # One tab is what the next start brings back, as for anybody who keeps one.
        for tab in szk.run("tabs", "-s", profile)["tabs"][:-1]:
            szk.run("tabs", "close", tab["id"], "-s", profile)
        szk.run("close", profile)

    return end
