"""One small call, many times."""

import time
from collections.abc import Callable
from statistics import median

from pipe import Chromium
from report import Row
from szk import Mcp, Szk

# Calls before the other side has its turn.
TURN = 50


def one_plus_one(szk: Szk, calls: int) -> list[Row]:
    """`1+1` through MCP, beside `Runtime.evaluate` on a pipe; both browsers are open all the time."""
    raw = Chromium(szk.command_line("raw"))
    page = raw.page()
    client = Mcp(szk)
    client.tool("session_open", session="ours", headless="true")

    def by_pipe() -> None:
        raw.call("Runtime.evaluate", {"expression": "1+1", "returnByValue": True}, page)

    def by_mcp() -> None:
        client.tool("browser_run_code", session="ours", code="1+1")

    # The first call of each side builds what the others find ready.
    by_pipe(), by_mcp()
    ground, ours = [], []
    for _ in range(max(1, calls // TURN)):
        ground += [timed(by_pipe) for _ in range(TURN)]
        ours += [timed(by_mcp) for _ in range(TURN)]
    client.tool("session_close", session="ours")
    client.close()
    raw.close()
    return [
        Row("1+1 by Runtime.evaluate on a pipe", median(ground), "ms"),
        Row("1+1 by browser_run_code over MCP", median(ours), "ms"),
        Row("  above raw CDP", median(ours) - median(ground), "ms", 1),
    ]


def timed(call: Callable[[], None]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000
