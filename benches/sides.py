"""The two sides of a comparison: raw Chromium on its pipe and szk over MCP, on the same page."""

import base64
from collections.abc import Iterator
from contextlib import contextmanager

from pipe import Chromium
from szk import Mcp, Szk


@contextmanager
def both(szk: Szk, page: str) -> Iterator[tuple[Chromium, str, Mcp]]:
    """Both browsers, open on a page of this HTML: the raw one, its session on the page, and a client with the
    session `ours`."""
    url = "data:text/html;base64," + base64.b64encode(page.encode()).decode()
    raw = Chromium(szk.command_line("raw"))
    session = raw.page()
    raw.call("Page.navigate", {"url": url}, session)
    raw.call("Page.bringToFront", {}, session)
    client = Mcp(szk)
    client.tool("session_open", session="ours", headless="true", url=url)
    yield raw, session, client
    client.tool("session_close", session="ours")
    client.close()
    raw.close()
