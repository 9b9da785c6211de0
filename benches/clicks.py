"""A click, beside the three events that it is made of.

The whole of szk is in it: found by selector, looked at, moved to, looked at again, pressed, released,
and watched until the page is quiet. `python3 benches/clicks.py` measures it alone.
"""

import argparse
import json
from statistics import median

from calls import timed
from pipe import Chromium
from report import Row
from run import run
from sides import both
from szk import Mcp, Szk

# Clicks before the other side has its turn.
TURN = 10
PAGE = "<button id=go style='position: absolute; left: 300px; top: 200px; width: 120px; height: 40px'>Go</button><p id=out></p><script>var n = 0; go.onclick = () => out.textContent = ++n</script>"


def click(szk: Szk, clicks: int) -> list[Row]:
    """A click over MCP, beside move, press and release on a pipe; both browsers are open all the time."""
    with both(szk, PAGE) as (raw, page, client):
        return compared(raw, page, client, clicks)


def compared(raw: Chromium, page: str, client: Mcp, clicks: int) -> list[Row]:
    def by_pipe() -> None:
        at = {"x": 360, "y": 220, "button": "left", "clickCount": 1}
        raw.call("Input.dispatchMouseEvent", {"type": "mouseMoved", **at, "button": "none"}, page)
        raw.call("Input.dispatchMouseEvent", {"type": "mousePressed", "buttons": 1, **at}, page)
        raw.call("Input.dispatchMouseEvent", {"type": "mouseReleased", **at}, page)

    def by_mcp(pace: str) -> None:
        client.tool("browser_act", session="ours", kind="click", selector="#go", input=pace)

    by_pipe(), by_mcp("fast")
    ground, ours = [], []
    for _ in range(max(1, clicks // TURN)):
        ground += [timed(by_pipe) for _ in range(TURN)]
        ours += [timed(lambda: by_mcp("fast")) for _ in range(TURN)]
    human = [timed(lambda: by_mcp("human")) for _ in range(TURN)]
    clicked = client.tool("browser_run_code", session="ours", code="document.querySelector('#out').textContent")
    if clicked["structuredContent"]["value"] != str(len(ours) + len(human) + 1):
        raise RuntimeError(f"not every click arrived: {json.dumps(clicked)}")
    return [
        Row("move, press and release on a pipe", median(ground), "ms"),
        Row("click by browser_act over MCP", median(ours), "ms"),
        Row("  above raw CDP", median(ours) - median(ground), "ms", 5),
        Row("  as a multiple of raw CDP", median(ours) / median(ground), "x"),
        Row("the same as a person does it", median(human), "ms"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="a click of szk beside raw CDP's three input events")
    parser.add_argument("--clicks", type=int, default=100, help="clicks of each kind (default: 100)")
    run(parser, lambda szk, options: click(szk, options.clicks))


if __name__ == "__main__":
    main()
