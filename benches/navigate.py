"""A navigation to the `load` of a small page, beside `Page.navigate` on a pipe.

Both sides begin on a page that is painted and wait for the same event. szk's answer has the address, title and status of the page besides.
`python3 -B benches/navigate.py` measures it alone.
"""

import argparse
from collections.abc import Callable
from statistics import median

from calls import timed
from pages import address
from pipe import Chromium
from report import Row
from run import run
from szk import Mcp, Szk

# A page that is on the screen: until then Chromium has the page before to paint, whoever asks.
PAINTED = "new Promise(painted => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(painted))))"
# Navigations before the other side has its turn.
TURN = 5


def load(szk: Szk, rounds: int) -> list[Row]:
    """Both browsers are open all the time and take turns; each stays in its first tab."""
    url = address()
    raw = Chromium(szk.command_line("raw"))
    page = raw.page()
    raw.call("Page.enable", {}, page)
    raw.call("Page.setLifecycleEventsEnabled", {"enabled": True}, page)
    client = Mcp(szk)
    client.tool("session_open", session="ours", headless="true")

    def by_pipe() -> None:
        loader = raw.call("Page.navigate", {"url": url}, page)["loaderId"]
        loaded = {"name": "load", "loaderId": loader}
        while not loaded.items() <= raw.event("Page.lifecycleEvent", page).items():
            pass

    def by_mcp() -> None:
        answer = client.tool("browser_navigate", session="ours", url=url)["structuredContent"]
        if (answer["status"], answer["title"]) != (200, "ready"):
            raise RuntimeError(f"the page is not the one that was meant: {answer}")

    def painted_by_pipe() -> None:
        raw.call("Runtime.evaluate", {"expression": PAINTED, "awaitPromise": True}, page)

    def painted_by_mcp() -> None:
        client.tool("browser_run_code", session="ours", code=PAINTED, world="main")

    # What a first navigation of a browser builds is no part of the comparison.
    by_pipe(), by_mcp()
    ground, ours = [], []
    for _ in range(max(1, rounds // TURN)):
        ground += [timed_after(painted_by_pipe, by_pipe) for _ in range(TURN)]
        ours += [timed_after(painted_by_mcp, by_mcp) for _ in range(TURN)]
    client.tool("session_close", session="ours")
    client.close()
    raw.close()
    return [
        Row("Page.navigate until load on a pipe", median(ground), "ms"),
        Row("browser_navigate until load over MCP", median(ours), "ms"),
        Row("  above raw CDP", median(ours) - median(ground), "ms", 5),
    ]


def timed_after(ready: Callable[[], None], call: Callable[[], None]) -> float:
    ready()
    return timed(call)


def main() -> None:
    parser = argparse.ArgumentParser(description="a navigation of szk beside raw CDP's")
    parser.add_argument("--pages", type=int, default=60, help="navigations of each kind (default: 60)")
    run(parser, lambda szk, options: load(szk, options.pages))


if __name__ == "__main__":
    main()
