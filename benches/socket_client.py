"""A client of szk's endpoint: the same calls as on a pipe, in the frames of a WebSocket."""

import base64
import json
import os
import socket
import struct
from typing import Any
from urllib.parse import urlsplit


class Socket:
    """One connection. Messages that nobody waits for are dropped."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.socket = socket.create_connection((parts.hostname, parts.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {path} HTTP/1.1",
            f"Host: {parts.netloc}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {key}",
        ]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        status = self.file.readline()
        if b" 101 " not in status:
            raise RuntimeError(f"the endpoint says {status!r}")
        while self.file.readline() != b"\r\n":
            pass
        self.last_id = 0

    def call(self, method: str, params: dict[str, Any] | None = None, session: str | None = None) -> dict[str, Any]:
        self.last_id += 1
        message: dict[str, Any] = {"id": self.last_id, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        self.send(json.dumps(message).encode())
        while True:
            answer = json.loads(self.message())
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def event(self, method: str, session: str) -> dict[str, Any]:
        while True:
            event = json.loads(self.message())
            if event.get("method") == method and event.get("sessionId") == session:
                return event["params"]

    def send(self, payload: bytes) -> None:
        mask = os.urandom(4)
        size = len(payload)
        head = struct.pack("!BB", 0x81, 0x80 | size) if size < 126 else struct.pack("!BBH", 0x81, 0x80 | 126, size)
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
        self.socket.sendall(head + mask + masked)

    def message(self) -> bytes:
        """One text message; szk sends each in one frame."""
        while True:
            first, size = self.file.read(2)
            if size == 126:
                (size,) = struct.unpack("!H", self.file.read(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self.file.read(8))
            payload = self.file.read(size)
            if first & 0x0F == 1:
                return payload

    def close(self) -> None:
        # The connection ends with the last of the two.
        self.file.close()
        self.socket.close()
