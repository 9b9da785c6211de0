"""Reading a page of 1,500 rows, beside a plain walk over the same page."""

import time
from statistics import median

from calls import timed
from pipe import Chromium
from report import Row
from szk import Mcp, Szk

ROWS = 1500
PAGE = f"""document.title = 'rows'; document.body.innerHTML = '<table>' + Array.from({{length: {ROWS}}}, (_, i) =>
  `<tr><td><input type=checkbox></td><td><a href="/o/${{i}}">${{i}}</a></td><td>Customer ${{i}}</td><td><button>Edit</button></td></tr>`).join('') + '</table>'; 0"""
# Laid out before it is read: that is the page's own work.
MANY = """document.body.innerHTML = '<div><p>Text <b>bold</b></p><a href="/x">Link</a></div>'.repeat(50000); document.body.offsetHeight"""
# An agent thinks before its next call. Meanwhile szk reads what a snapshot leaves out, to compare it later.
THOUGHT = 0.5
# What the simplest reader of a page would do: each element that is drawn, with its tag, text and place.
WALK = """(() => { const found = []; for (const el of document.querySelectorAll('*')) {
  const style = getComputedStyle(el), box = el.getBoundingClientRect();
  if (style.display === 'none' || style.visibility !== 'visible' || !box.width) continue;
  if (el.matches('a[href],button,input')) found.push([el.localName, el.getAttribute('aria-label') || el.textContent, box.x, box.y]);
} return found })()"""


def rows(szk: Szk, rounds: int) -> list[Row]:
    raw = Chromium(szk.command_line("raw"))
    session = raw.page()
    raw.call("Runtime.evaluate", {"expression": PAGE}, session)
    frame = raw.call("Page.getFrameTree", {}, session)["frameTree"]["frame"]["id"]
    world = raw.call("Page.createIsolatedWorld", {"frameId": frame}, session)["executionContextId"]
    client = Mcp(szk)
    client.tool("session_open", session="ours", headless="true")
    client.tool("browser_run_code", session="ours", code=PAGE)

    def by_walk() -> None:
        raw.call("Runtime.evaluate", {"expression": WALK, "contextId": world, "returnByValue": True}, session)

    def by_szk() -> dict:
        return client.tool("browser_snapshot", session="ours", max_bytes=1 << 24)

    # The first call of each side lays the page out and compiles its script.
    by_walk()
    answer = by_szk()["structuredContent"]
    ground, ours = [], []
    for _ in range(rounds):
        ground.append(timed(by_walk))
        time.sleep(THOUGHT)
        ours.append(timed(by_szk))
    client.tool("browser_run_code", session="ours", code=MANY)
    began = time.perf_counter()
    many = client.tool("browser_snapshot", session="ours")["structuredContent"]
    took = time.perf_counter() - began
    client.tool("session_close", session="ours")
    client.close()
    raw.close()
    return [
        Row("1,500 rows by a plain walk in an isolated world", median(ground), "ms"),
        Row("1,500 rows by browser_snapshot over MCP", median(ours), "ms"),
        Row("  of a plain walk", median(ours) / median(ground), "x", 2),
        Row("  its text", len(answer["snapshot"].encode()) / 1000, "kB", 100),
        Row("200,000 nodes by browser_snapshot", took, "s", 3),
        Row("  its text", len(many["snapshot"].encode()) / 1000, "kB", 45),
    ]
