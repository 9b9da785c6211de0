"""From nothing to the first answer."""

import json
import time
import urllib.request
from collections.abc import Callable
from statistics import median

from pipe import Chromium
from report import Row
from szk import Mcp, Szk, interrupt


def browser(szk: Szk, rounds: int) -> list[Row]:
    """`szk open` until its endpoint answers, beside Chromium until its pipe does.

    The profiles are used ones: what a first start writes is no part of the comparison.
    """
    command = szk.command_line("raw")
    szk.run("close", szk.open("ours")["session"])
    raw, foreground, detached = [], [], []
    for _ in range(rounds):
        raw.append(raw_start(command))
        foreground.append(foreground_start(szk))
        detached.append(detached_start(szk))
    base = median(raw)
    return [
        Row("raw Chromium until Browser.getVersion answers", base * 1000, "ms"),
        Row("szk open until the endpoint answers", median(foreground) * 1000, "ms"),
        Row("  as a multiple of raw Chromium", median(foreground) / base, "x", 1.3),
        Row("szk open --detach until the endpoint answers", median(detached) * 1000, "ms"),
        Row("  as a multiple of raw Chromium", median(detached) / base, "x", 1.3),
    ]


def raw_start(command: list[str]) -> float:
    chromium = Chromium(command)
    chromium.call("Browser.getVersion")
    took = time.perf_counter() - chromium.began
    chromium.close()
    return took


def foreground_start(szk: Szk) -> float:
    began = time.perf_counter()
    process = szk.start("open", "ours", "--headless", "--json")
    ask(json.loads(process.stdout.readline())["endpoint"]["http_url"])
    took = time.perf_counter() - began
    interrupt(process)
    return took


def detached_start(szk: Szk) -> float:
    began = time.perf_counter()
    ask(szk.open("ours")["endpoint"]["http_url"])
    took = time.perf_counter() - began
    szk.run("close", "ours")
    return took


def ask(endpoint: str) -> None:
    with urllib.request.urlopen(f"{endpoint}/json/version") as answer:
        answer.read()


def mcp(szk: Szk, rounds: int) -> Row:
    """`szk mcp` until it has answered `initialize`."""
    return Row("szk mcp until initialize is answered", median(timed(lambda: Mcp(szk)) for _ in range(rounds * 2)), "ms", 10)


def timed(start: Callable[[], Mcp]) -> float:
    began = time.perf_counter()
    client = start()
    took = time.perf_counter() - began
    client.close()
    return took * 1000
