"""The same calls alone in a session, and in one that seven idle clients have joined.

Both sessions are open all the time and take turns. Each idle client has a tab of its own with a page in it.
`python3 benches/company.py` measures it alone.
"""

import argparse
from collections.abc import Callable
from statistics import median

from calls import timed
from report import Row
from run import run
from szk import Mcp, Szk

IDLE = 7
# Calls before the other side has its turn.
TURN = 10
PAGE = "data:text/html,<title>x</title><button id=go>Go</button>" + "<p>a <a href=/x>link</a>" * 200
CALLS: dict[str, tuple[str, dict[str, str]]] = {
    "1+1": ("browser_run_code", {"code": "1+1"}),
    "click": ("browser_act", {"kind": "click", "selector": "#go", "input": "fast"}),
    "snapshot": ("browser_snapshot", {}),
}


def rows(szk: Szk, calls: int) -> list[Row]:
    alone, shared = joined(szk, "alone"), joined(szk, "shared")
    idle = [joined(szk, "shared") for _ in range(IDLE)]
    found = [row for what in CALLS for row in compared(what, alone, shared, calls)]
    for client in idle:
        client.close()
    for client, session in ((alone, "alone"), (shared, "shared")):
        client.tool("session_close", session=session, force=True)
        client.close()
    return found


def joined(szk: Szk, session: str) -> Mcp:
    """A client of this session, which has a tab of its own on the page."""
    client = Mcp(szk)
    client.tool("session_open", session=session, headless="true")
    client.tool("browser_navigate", session=session, url=PAGE)
    return client


def compared(what: str, alone: Mcp, shared: Mcp, calls: int) -> list[Row]:
    tool, arguments = CALLS[what]

    def by(client: Mcp, session: str) -> Callable[[], object]:
        return lambda: client.tool(tool, session=session, **arguments)

    ground, ours = by(alone, "alone"), by(shared, "shared")
    ground(), ours()
    without, beside = [], []
    for _ in range(max(1, calls // TURN)):
        without += [timed(ground) for _ in range(TURN)]
        beside += [timed(ours) for _ in range(TURN)]
    return [
        Row(f"{what} over MCP, alone in a session", median(without), "ms"),
        Row(f"{what} beside {IDLE} idle clients", median(beside), "ms"),
        Row("  of alone", median(beside) / median(without), "x", 1.2),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="calls of szk alone in a session and beside seven idle clients")
    parser.add_argument("--calls", type=int, default=100, help="calls of each kind (default: 100)")
    run(parser, lambda szk, options: rows(szk, options.calls))


if __name__ == "__main__":
    main()
