"""The endpoint beside Chromium's own debugging port, by the same client."""

import json
import socket
import time
import urllib.request
from collections.abc import Callable
from statistics import median

from pipe import Chromium
from report import Row
from raw_socket import Client
from szk import Szk

# Calls before the other side has its turn.
TURN = 25
# Rounds of what takes long.
ROUNDS = 15
# And of what goes now one way and now another: which of two processors a thread gets is chance.
MANY_ROUNDS = 80

BIG = {"expression": "'x'.repeat(5e6)", "returnByValue": True}
SMALL = {"expression": "1", "returnByValue": True}


def beside_a_raw_port(szk: Szk, calls: int) -> list[Row]:
    """Both browsers are open all the time, both with the command line of szk."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Chromium takes both: the pipe ends it, the port is measured.
    raw = Chromium([*szk.command_line("raw")[:-1], f"--remote-debugging-port={port}", "about:blank"])
    szk.open("ours")
    sides = []
    for url in (browser_url(port), szk.run("endpoint", "ours")["ws_url"]):
        client = Client(url)
        sides.append((client, client.page()))
    for client, page in sides:
        client.call("Runtime.evaluate", SMALL, page)
    ground, ours = taking_turns(sides, evaluate, max(1, calls // TURN), TURN)
    raw_big, our_big = taking_turns(sides, big, ROUNDS, 1)
    raw_many, our_many = taking_turns(sides, pipelined, MANY_ROUNDS, 1)
    for client, _ in sides:
        client.close()
    szk.run("close", "ours")
    raw.close()
    return [
        Row("Runtime.evaluate on a raw port", ground, "ms"),
        Row("Runtime.evaluate through the endpoint", ours, "ms"),
        Row("  above the raw port", ours - ground, "ms", 0.3),
        Row("5 MB result on a raw port", raw_big, "ms"),
        Row("  through the endpoint", our_big / raw_big, "x", 1.2),
        Row("1000 small commands pipelined on a raw port", raw_many, "ms"),
        Row("  through the endpoint", our_many / raw_many, "x", 1.2),
    ]


def evaluate(client: Client, page: str) -> None:
    client.call("Runtime.evaluate", SMALL, page)


def big(client: Client, page: str) -> None:
    client.call("Runtime.evaluate", BIG, page)


def pipelined(client: Client, page: str) -> None:
    # In portions: a raw port that is written to while nobody reads stops reading, too.
    for _ in range(10):
        for number in [client.post("Runtime.evaluate", SMALL, page) for _ in range(100)]:
            client.wait(number)


def taking_turns(sides: list, work: Callable[[Client, str], None], rounds: int, turn: int) -> list[float]:
    times: list[list[float]] = [[] for _ in sides]
    for _ in range(rounds):
        for side, (client, page) in enumerate(sides):
            for _ in range(turn):
                began = time.perf_counter()
                work(client, page)
                times[side].append((time.perf_counter() - began) * 1000)
    return [median(side) for side in times]


def browser_url(port: int) -> str:
    deadline = time.monotonic() + 30
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/version") as answer:
                return json.load(answer)["webSocketDebuggerUrl"]
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
