"""A screenshot of what is visible, beside `Page.captureScreenshot` on a pipe.

Both sides show the same page at the same size and get a PNG. `python3 -B benches/screenshots.py` measures it
alone.
"""

import argparse
import base64
import struct
from statistics import median

from calls import timed
from pipe import Chromium
from report import Row
from run import run
from sides import both
from szk import Mcp, Szk

LINES = "".join(f"<p>Line {number}: the quick brown fox jumps over the lazy dog</p>" for number in range(60))
PAGE = f"<!doctype html><title>picture</title><body style='background: linear-gradient(135deg, #fed, #def)'>{LINES}"


def screenshot(szk: Szk, pictures: int) -> list[Row]:
    """Both browsers are open all the time and take turns, one by one: a picture costs mostly Chromium's time."""
    with both(szk, PAGE) as (raw, page, client):
        return compared(raw, page, client, pictures)


def compared(raw: Chromium, page: str, client: Mcp, pictures: int) -> list[Row]:
    def by_pipe() -> str:
        return raw.call("Page.captureScreenshot", {"format": "png"}, page)["data"]

    def by_mcp() -> str:
        content = client.tool("browser_screenshot", session="ours")["content"]
        return next(part["data"] for part in content if part["type"] == "image")

    if size(by_pipe()) != size(by_mcp()):
        raise RuntimeError("the two pictures are not of the same size")
    ground, ours = [], []
    for _ in range(pictures):
        ground.append(timed(by_pipe))
        ours.append(timed(by_mcp))
    return [
        Row("screenshot by Page.captureScreenshot on a pipe", median(ground), "ms"),
        Row("screenshot by browser_screenshot over MCP", median(ours), "ms"),
        Row("  as a multiple of raw CDP", median(ours) / median(ground), "x", 1.2),
    ]


def size(png: str) -> tuple[int, int]:
    """Width and height, from the file's header."""
    return struct.unpack(">II", base64.b64decode(png[:64])[16:24])


def main() -> None:
    parser = argparse.ArgumentParser(description="a screenshot of szk beside raw CDP's")
    parser.add_argument("--pictures", type=int, default=50, help="screenshots of each kind (default: 50)")
    run(parser, lambda szk, options: screenshot(szk, options.pictures))


if __name__ == "__main__":
    main()
