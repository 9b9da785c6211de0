"""From nothing to a page that has loaded: `szk open PROFILE URL` beside Chromium started with the address."""

import http.server
import queue
import tempfile
import threading
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from pipe import Chromium
from report import Row
from szk import Szk

PAGE = b"<!doctype html><title>page</title><p>text</p><script>onload = () => fetch(`${location.pathname}/loaded`)</script>"
LOADED = "/loaded"


class Site:
    """Pages that report their load."""

    def __init__(self) -> None:
        loads: queue.Queue[tuple[str, float]] = queue.Queue()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                if self.path.endswith(LOADED):
                    loads.put((self.path.removesuffix(LOADED), time.perf_counter()))
                body = PAGE if self.path.startswith("/page") and not self.path.endswith(LOADED) else b""
                self.send_response(200 if body else 404)
                self.send_header("content-type", "text/html")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_: Any) -> None:
                """A browser that was ended does not wait for its answers."""

        self.loads = loads
        self.pages = 0
        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def until_load(self, start: Callable[[str], Callable[[], None]]) -> float:
        """Milliseconds from the call of `start` with an address until that page has loaded; then ends what it
        started."""
        self.pages += 1
        path = f"/page{self.pages}"
        began = time.perf_counter()
        end = start(f"http://127.0.0.1:{self.server.server_port}{path}")
        while (load := self.loads.get(timeout=60))[0] != path:
            """A tab of last time, which comes back too."""
        end()
        return (load[1] - began) * 1000


def rows(szk: Szk, rounds: int) -> list[Row]:
    """Used profiles have been opened before; new ones are made in each round."""
    site = Site()
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
        szk.run("close", profile)

    return end
