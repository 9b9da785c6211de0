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

    The profiles are used ones: what a first start writes is no part of the comparison. A profile keeps
    its address, so the endpoint can be asked before anything is printed.
    """
    command = szk.command_line("raw")
    session = szk.open("ours")
    endpoint = session["endpoint"]["http_url"]
    szk.run("close", session["session"])
    raw, answers, cards, detached = [], [], [], []
    for _ in range(rounds):
        raw.append(raw_start(command))
        answer, card = foreground_start(szk, endpoint)
        answers.append(answer)
        cards.append(card)
        detached.append(detached_start(szk))
    base = median(raw)
    return [
        Row("raw Chromium until Browser.getVersion answers", base * 1000, "ms"),
        Row("szk open until the endpoint answers", median(answers) * 1000, "ms"),
        Row("  as a multiple of raw Chromium", median(answers) / base, "x", 1.3),
        Row("szk open until its card (stealth on the first page, logins back)", median(cards) * 1000, "ms"),
        Row("szk open --detach until it returns", median(detached) * 1000, "ms"),
    ]


def raw_start(command: list[str]) -> float:
    chromium = Chromium(command)
    chromium.call("Browser.getVersion")
    took = time.perf_counter() - chromium.began
    chromium.close()
    return took


def foreground_start(szk: Szk, endpoint: str) -> tuple[float, float]:
    began = time.perf_counter()
    process = szk.start("open", "ours", "--headless", "--json")
    while not answers(endpoint):
        time.sleep(0.001)
    answer = time.perf_counter() - began
    process.stdout.readline()
    card = time.perf_counter() - began
    interrupt(process)
    return answer, card


def detached_start(szk: Szk) -> float:
    began = time.perf_counter()
    szk.open("ours")
    took = time.perf_counter() - began
    szk.run("close", "ours")
    return took


def answers(endpoint: str) -> bool:
    try:
        with urllib.request.urlopen(f"{endpoint}/json/version") as answer:
            return bool(json.loads(answer.read())["webSocketDebuggerUrl"])
    except OSError:
        return False


def mcp(szk: Szk, rounds: int) -> Row:
    """`szk mcp` until it has answered `initialize`."""
    return Row("szk mcp until initialize is answered", median(timed(lambda: Mcp(szk)) for _ in range(rounds * 2)), "ms", 10)


def timed(start: Callable[[], Mcp]) -> float:
    began = time.perf_counter()
    client = start()
    took = time.perf_counter() - began
    client.close()
    return took * 1000
