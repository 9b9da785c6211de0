"""What `szk serve` adds to a call: the same call on the keeper's own socket and over HTTP."""

import http.client
import json
import pathlib
import signal
import socket
import subprocess
from statistics import median

from calls import TURN, timed
from report import Row
from szk import Szk


class OnSocket(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("keeper")
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


def ask(connection: http.client.HTTPConnection, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> bytes:
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 200 or b"t1" not in text:
        raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]!r}")
    return text


def front(szk: Szk, calls: int) -> list[Row]:
    """The list of tabs through a server, beside the same from its keeper."""
    token = szk.run("token", "create", "bench", "--scope", "read,write")["token"]
    szk.open("served")
    keeper = json.loads((pathlib.Path(szk.env["SZK_STORE"]) / "served" / "keeper.json").read_text())
    server = szk.start("serve", "--listen", ":0", "--json")
    address = json.loads(server.stdout.readline())["url"].removeprefix("http://")
    # Threads and allocations of one side must not begin while the other is measured.
    direct, served = OnSocket(keeper["socket"]), http.client.HTTPConnection(address)
    direct.connect(), served.connect()
    served.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def by_socket() -> None:
        ask(direct, "POST", "/v1/op/browser_tabs", b'{"session": "served"}', {"x-szk-client": "bench"})

    def by_http() -> None:
        ask(served, "GET", "/v1/sessions/served/tabs", None, {"Authorization": f"Bearer {token}"})

    by_socket(), by_http()
    ground, ours = [], []
    for _ in range(max(1, calls // TURN)):
        ground += [timed(by_socket) for _ in range(TURN)]
        ours += [timed(by_http) for _ in range(TURN)]
    direct.close(), served.close()
    stop(server)
    szk.run("close", "served", "--force")
    return [
        Row("a list of tabs on the keeper's socket", median(ground), "ms"),
        Row("a list of tabs through szk serve", median(ours), "ms"),
        Row("  above the socket", median(ours) - median(ground), "ms", 0.5),
    ]


def stop(server: subprocess.Popen[bytes]) -> None:
    server.send_signal(signal.SIGTERM)
    server.wait()
    server.stdin.close()
    server.stdout.close()
